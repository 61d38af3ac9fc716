/**
 * Every page: how often it asks the service, accessibility rules in both themes and forced colours,
 * node limit, narrow, zoomed.
 */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser, findColorViolations, findViolations } from "./browser.ts";
import { watchCalls } from "./calls.ts";
import { PLACES } from "./places.ts";
import { JUDGED_WINDOW } from "./seed-windows.ts";

const MOST_NODES = 2_500;

/** What a window of that size cuts off, in pixels: of the page, and of what scrolls in it. */
const cutOff = (page: Page): Promise<unknown> =>
	page.evaluate(() => {
		const boxes = [document.documentElement, ...document.querySelectorAll("main")];
		const over = boxes.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
		if (over.every((pixels) => pixels === 0)) return null;
		const wide = [...document.querySelectorAll("main *")].filter(
			(element) => element.getBoundingClientRect().right > innerWidth && element.closest(".overflow-x-auto") === null,
		);
		return { over, wide: wide.slice(0, 5).map(({ outerHTML }) => outerHTML.slice(0, 160)) };
	});

describeInBrowser("pages", (web) => {
	it.each(PLACES)("$name", async (place) => {
		// Something of the service that asks nothing: the page is watched from its first call on.
		const page = await web.open("/favicon.svg", { theme: "light", signedIn: !place.signedOut });
		const calls = watchCalls(page);
		await page.goto(place.path(web));
		await place.ready(page);
		await calls.expectKnown(place);
		expect(await page.locator("*").count()).toBeLessThanOrEqual(MOST_NODES);
		expect({ light: await findViolations(page) }).toEqual({ light: [] });
		await page.emulateMedia({ colorScheme: "dark" });
		await page.locator('html[data-theme="dark"]').waitFor();
		expect({ dark: await findColorViolations(page) }).toEqual({ dark: [] });
		await page.emulateMedia({ forcedColors: "active" });
		expect({ forced: await findColorViolations(page) }).toEqual({ forced: [] });
		// At 200 % zoom, and on a phone.
		for (const size of [
			{ width: 720, height: 450 },
			{ width: 390, height: 780 },
		]) {
			await page.setViewportSize(size);
			await expect.poll(() => cutOff(page)).toBeNull();
		}
	});

	it("shows the states of checks and requests on a phone without scrolling sideways", async () => {
		for (const [path, list] of [
			["/checks", "Checks"],
			["/automation/requests", "Requests"],
		] as const) {
			const page = await web.open(path, { width: 390, height: 780 });
			const row = page.getByRole("region", { name: list, exact: true }).getByRole("row").nth(1);
			const state = await row.getByRole("cell").nth(1).locator("span > span").first().boundingBox();
			expect((state?.x ?? 390) + (state?.width ?? 0)).toBeLessThanOrEqual(390);
		}
	});

	it("names the group of the sidebar above the pages of changes", async () => {
		for (const path of ["/change-windows", "/automation/requests", "/automation/templates"]) {
			const page = await web.open(path);
			await page
				.getByRole("navigation", { name: "Breadcrumb" })
				.getByText("Change", { exact: true })
				.waitFor({ timeout: 10_000 });
		}
	});

	it("shows the state and the verdict of a change window on a phone without scrolling sideways", async () => {
		const page = await web.open("/change-windows", { width: 390, height: 780 });
		const table = page.getByRole("region", { name: "Change windows", exact: true });
		const row = table.getByRole("row").filter({ hasText: JUDGED_WINDOW });
		for (const word of ["Closed", "Failed"]) {
			const shown = await row.getByText(word, { exact: true }).filter({ visible: true }).boundingBox();
			expect((shown?.x ?? 390) + (shown?.width ?? 0), word).toBeLessThanOrEqual(390);
		}
		expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
	});

	it("say with forced colours what colour says otherwise", async () => {
		const page = await web.open(`/time-machine/${web.queryId}`, { forcedColors: true });
		await page.getByRole("region", { name: "Snapshots" }).waitFor();
		const getColor = (name: RegExp) =>
			page
				.getByRole("gridcell", { name })
				.first()
				.locator("span")
				.first()
				.evaluate((element) => getComputedStyle(element).backgroundColor);
		const empty = await getColor(/no snapshot/);
		await expect.poll(() => getColor(/3 snapshots, changes found/)).not.toBe(empty);
	});
});
