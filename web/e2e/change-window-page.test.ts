/** The page of one change window: its states as the service gives them, without a socket. */
import type { ChangeWindow } from "@weft/contracts";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser, findViolations } from "./browser.ts";

const TEN_MINUTES_MS = 10 * 60_000;

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

	it("names the time of the next round instead of a distance that does not move", async () => {
		const next_at = new Date(Date.now() + TEN_MINUTES_MS).toISOString();
		const third = { round: 3, started_at: next_at, ended_at: null, settled: false, settled_after_s: null };
		for (const [after, words] of [
			[null, /^The first round begins at .*\d\d:\d\d/],
			[third, /^Round 3, the next at .*\d\d:\d\d/],
		] as const) {
			const page = await openChanged(({ phases }) => ({ state: "settling", next_at, phases: { ...phases, after } }));
			await page.getByText(words).waitFor();
			expect(await page.getByText("in 10 min").count()).toBe(0);
		}
	});
});
