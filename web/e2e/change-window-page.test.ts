/** The page of one change window: its states as the service gives them, without a socket. */
import type { ChangeWindow } from "@weft/contracts";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser } from "./browser.ts";

describeInBrowser("the page of a change window", (web) => {
	/** Opens the page of the seeded window, which the service gives as changed by the function. */
	async function openChanged(change: (window: ChangeWindow) => Partial<ChangeWindow>): Promise<Page> {
		const page = await web.open("/favicon.svg");
		// Polling alone reads the window.
		await page.routeWebSocket(/change-window/, () => {});
		await page.route(/\/change-windows\/[^/]+\/$/, async (route) => {
			const response = await route.fetch();
			const window = (await response.json()) as ChangeWindow;
			await route.fulfill({ response, json: { ...window, ...change(window) } });
		});
		await page.goto(`/change-windows/${web.windowId}`);
		return page;
	}

	it("reads the findings again when polling brings another verdict", async () => {
		let isChecked = false;
		let reads = 0;
		const page = await openChanged(({ verdicts }) => ({
			state: "judged",
			verdicts: isChecked ? [...verdicts, ...verdicts] : verdicts,
		}));
		page.on("request", (request) => {
			if (request.url().includes("/findings/")) reads++;
		});
		await page.reload();
		await page.getByRole("region", { name: "Findings" }).getByText("uni/tn-Finance-01/BD-rack-7").waitFor();
		const before = reads;
		isChecked = true;
		await expect.poll(() => reads, { timeout: 20_000 }).toBeGreaterThan(before);
	});
});
