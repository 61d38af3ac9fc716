/** The page of one change window: its states as the service gives them, without a socket. */
import type { ChangeWindow } from "@weft/contracts";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser, findViolations } from "./browser.ts";

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

	it("lists the errors of missing snapshots by keyboard", async () => {
		const page = await openChanged(({ connections }) => ({
			connections: connections.map((connection) => ({
				...connection,
				items: connection.items.map((item) => ({
					...item,
					after: { snapshot_id: null, run_id: null, error: "The controller did not answer." },
				})),
			})),
		}));
		const summary = page.getByText("1 of 1 missing");
		const error = page.getByRole("listitem").filter({ hasText: /: The controller did not answer\./ });
		await summary.waitFor();
		expect(await error.isVisible()).toBe(false);
		await summary.focus();
		await page.keyboard.press("Enter");
		await error.waitFor();
		expect(await findViolations(page)).toEqual([]);
	});
});
