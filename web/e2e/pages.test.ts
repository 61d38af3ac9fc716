/** Every page in both themes: the rules of accessibility, no more calls than allowed, no more nodes than allowed; narrow and zoomed. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { inBrowser, violations, type Web } from "./browser.ts";
import { QUERY } from "./seed.ts";

interface Place {
	readonly name: string;
	path(web: Web): string;
	/** There when the page has what it shows. */
	ready(page: Page): Promise<unknown>;
}

const heading = (name: string | RegExp) => (page: Page) => page.getByRole("heading", { level: 1, name }).waitFor();
const text = (what: string | RegExp) => (page: Page) => page.getByText(what).first().waitFor();

const PLACES: readonly Place[] = [
	{ name: "overview", path: () => "/", ready: (page) => page.getByRole("region", { name: "Runs" }).waitFor() },
	{ name: "builder, empty", path: () => "/builder", ready: heading("New query") },
	{ name: "builder", path: ({ queryId }) => `/builder/${queryId}`, ready: text("class query") },
	{ name: "library", path: () => "/library", ready: text(QUERY) },
	{ name: "history of runs", path: () => "/library?view=history", ready: text("Succeeded") },
	{ name: "runs", path: () => "/runs", ready: text(QUERY) },
	{
		name: "run, table",
		path: ({ runId }) => `/runs/${runId}`,
		ready: (page) => page.getByRole("gridcell").first().waitFor(),
	},
	{ name: "run, JSON", path: ({ runId }) => `/runs/${runId}?tab=json`, ready: text("attributes") },
	{ name: "run, stages", path: ({ runId }) => `/runs/${runId}?tab=stages`, ready: text("GET /api/class/fvBD.json") },
	{ name: "Time Machine", path: () => "/time-machine", ready: text(QUERY) },
	{
		name: "history",
		path: ({ queryId }) => `/time-machine/${queryId}`,
		ready: (page) => page.getByRole("region", { name: "Snapshots" }).waitFor(),
	},
	{
		name: "comparison",
		path: ({ queryId, snapshotIds: [from, , to] }) => `/time-machine/compare?from=${from}&to=${to}&query=${queryId}`,
		ready: text("Modified"),
	},
	{
		name: "one object",
		path: ({ queryId }) => `/time-machine/track?query=${queryId}&dn=uni/tn-Finance-01/BD-bd-001`,
		ready: text("Attributes over time"),
	},
	{ name: "schedules", path: () => "/schedules", ready: text("The next seven days") },
	{ name: "schedule", path: ({ scheduleId }) => `/schedules/${scheduleId}`, ready: text("It has not run yet") },
	{ name: "schedule, new", path: () => "/schedules?new=1", ready: text("Daily at 06:00") },
	{ name: "connections", path: () => "/settings/connections", ready: text("Reachable") },
	{
		name: "connection, new",
		path: () => "/settings/connections?edit=new",
		ready: (page) => page.getByRole("dialog").waitFor(),
	},
	{ name: "profile", path: () => "/me/profile", ready: text("Saved queries") },
	{ name: "security", path: () => "/me/security", ready: text("This one") },
	{ name: "appearance", path: () => "/me/appearance", ready: heading("Appearance and keys") },
	{ name: "nothing", path: () => "/nowhere", ready: text("This address leads nowhere") },
];

const MOST_CALLS = 6;
const MOST_NODES = 2_500;

inBrowser("pages", (web) => {
	for (const theme of ["light", "dark"] as const) {
		for (const place of PLACES) {
			it(`${place.name}, ${theme}`, async () => {
				const page = await web.open(place.path(web), { theme });
				await place.ready(page);
				expect(await violations(page)).toEqual([]);
				expect(await page.locator("*").count()).toBeLessThanOrEqual(MOST_NODES);
			});
		}
	}

	it("ask no more than they may when one goes from page to page", async () => {
		const page = await web.open("/");
		await page.getByRole("region", { name: "Runs" }).waitFor();
		for (const place of PLACES.filter(({ name }) => !/new|nothing|overview/.test(name))) {
			const calls: string[] = [];
			const note = (request: { url(): string }) => request.url().includes("/api/") && calls.push(request.url());
			page.on("request", note);
			// As a link would: within the page.
			await page.evaluate((to) => {
				history.pushState(null, "", to);
				dispatchEvent(new PopStateEvent("popstate"));
			}, place.path(web));
			await place.ready(page);
			page.off("request", note);
			expect([place.name, calls.length, ...(calls.length > MOST_CALLS ? calls : [])]).toEqual([
				place.name,
				calls.length,
			]);
		}
	});

	for (const [name, size] of [
		["390 px wide", { width: 390, height: 780 }],
		["at 200 % zoom", { width: 720, height: 450 }],
	] as const) {
		it(`fit, ${name}: nothing is wider than the window`, async () => {
			for (const place of PLACES) {
				const page = await web.open(place.path(web), size);
				await place.ready(page);
				const overflow = await page.evaluate(
					() => document.documentElement.scrollWidth - document.documentElement.clientWidth,
				);
				expect([place.name, overflow]).toEqual([place.name, 0]);
				const main = await page.evaluate(() => {
					const element = document.querySelector("main");
					return element ? element.scrollWidth - element.clientWidth : 0;
				});
				expect([place.name, main]).toEqual([place.name, 0]);
				await page.context().close();
			}
		});
	}

	it("say with forced colours what colour says otherwise", async () => {
		const page = await web.open(`/time-machine/${web.queryId}`, { forcedColors: true });
		await page.getByRole("region", { name: "Snapshots" }).waitFor();
		const cell = page.getByRole("gridcell", { name: /3 snapshots, changes found/ });
		const background = await cell
			.locator("span")
			.first()
			.evaluate((element) => getComputedStyle(element).backgroundColor);
		const empty = await page
			.getByRole("gridcell", { name: /no snapshot/ })
			.first()
			.locator("span")
			.first()
			.evaluate((element) => getComputedStyle(element).backgroundColor);
		expect(background).not.toBe(empty);
		expect(await violations(page)).toEqual([]);
	});
});
