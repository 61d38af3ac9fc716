/**
 * Numbers over time, from an empty service: the trend beside a query, by group, of each fabric, as
 * a file and a workbook, and a check that watches it.
 */
import { readFile } from "node:fs/promises";
import { type RunningController, startController } from "@weft/lab";
import { readXlsx } from "hucre/xlsx";
import type { Download, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findViolations } from "../browser.ts";
import { chooseOption, describeOnEmptyService, makeConnection, makeQuery, typeInto } from "./empty-service.ts";

const SCHEDULE = "Every night";
const RUNS = 3;

async function openQuery(page: Page): Promise<void> {
	await page.getByRole("link", { name: "Library" }).first().click();
	await page.getByRole("link", { name: "Domains" }).first().click();
	await page.getByRole("heading", { level: 1, name: "Domains" }).waitFor();
}

/** The table with the numbers of a chart. */
const getValues = (page: Page, label: string) => page.getByRole("region", { name: `${label}: values` });
/** Rows of the only sheet of a saved workbook. */
async function readRows(saved: Promise<Download>): Promise<readonly (readonly unknown[])[]> {
	const { sheets } = await readXlsx(await readFile(await (await saved).path()));
	expect(sheets).toHaveLength(1);
	return sheets[0]?.rows ?? [];
}
const countTimes = async (page: Page, label: string) => (await getValues(page, label).getByRole("row").count()) - 1;

describeOnEmptyService("numbers over time on an empty service", (service) => {
	const fabrics: { other?: RunningController } = {};
	beforeAll(async () => {
		fabrics.other = await startController({ size: "small", seed: 8 });
	});
	afterAll(() => fabrics.other?.close());

	it("shows the trend of a query by one click beside it, with a point for each snapshot", async () => {
		const page = service.page();
		await makeConnection(page, "fab-a", service.world());
		await makeQuery(page, "Domains", "fvBD");
		await page.getByRole("button", { name: "Trend", exact: true }).click();
		await page.getByRole("dialog").getByText("No snapshot has this number.").waitFor();
		await page.keyboard.press("Escape");
		await page.goto("/schedules");
		await page.getByRole("button", { name: "New schedule" }).first().click();
		const form = page.getByRole("dialog", { name: "New schedule" });
		await typeInto(form.getByLabel("Name"), SCHEDULE);
		await chooseOption(form.getByLabel("Query"), "Domains");
		await form.getByRole("button", { name: "Save" }).click();
		await page.getByRole("heading", { level: 1, name: SCHEDULE }).waitFor();
		const runs = page.getByRole("region", { name: "Runs of the schedule" });
		for (let run = 1; run <= RUNS; run++) {
			await page.getByRole("button", { name: `Run ${SCHEDULE} now` }).click();
			await expect.poll(() => runs.getByText("Succeeded").count()).toBe(run);
			service.world().lab.advance({ steps: 5, change_rate: 0.5 });
		}
		await openQuery(page);
		await page.getByRole("button", { name: "Trend", exact: true }).click();
		await page.getByRole("figure", { name: "Count of rows" }).waitFor();
		await expect.poll(() => countTimes(page, "Count of rows")).toBe(RUNS);
		const saved = page.waitForEvent("download");
		await page.getByRole("dialog").getByRole("button", { name: "Export" }).click();
		await page.getByRole("menuitem", { name: "As Excel" }).click();
		expect((await saved).suggestedFilename()).toMatch(/^Domains-fab-a-\d{4}-\d\d-\d\d\.xlsx$/);
		const [head, ...rows] = await readRows(saved);
		expect(head).toEqual([expect.stringMatching(/^Time \(/), "Count of rows"]);
		expect(rows.map(([, number]) => typeof number)).toEqual(Array.from({ length: RUNS }, () => "number"));
		expect(await findViolations(page)).toEqual([]);
	});

	it("draws a line for each group, and saves all numbers as CSV and as Excel", async () => {
		const page = service.page();
		await page.getByRole("link", { name: "Other numbers and groups" }).click();
		await page.getByRole("heading", { level: 1, name: "Trends" }).waitFor();
		await typeInto(page.getByLabel("Group by"), "fvBD.arpFlood");
		await page.keyboard.press("Enter");
		const values = getValues(page, "Count of rows");
		await expect.poll(() => values.getByRole("columnheader").allTextContents()).toHaveLength(3);
		expect((await values.getByRole("columnheader").allTextContents()).toSorted()).toEqual(["Time", "no", "yes"]);
		expect(await countTimes(page, "Count of rows")).toBe(RUNS);
		const saved = page.waitForEvent("download");
		await page.getByRole("button", { name: "Export" }).click();
		await page.getByRole("menuitem", { name: "CSV" }).click();
		const lines = (await readFile(await (await saved).path(), "utf8")).trim().split(/\r?\n/);
		// The same table as the workbook: a row for each time, a column for each group.
		expect(lines).toHaveLength(1 + RUNS);
		expect(lines[0]?.split(",").slice(1).toSorted()).toEqual(["no", "yes"]);
		const workbook = page.waitForEvent("download");
		await page.getByRole("button", { name: "Export" }).click();
		await page.getByRole("menuitem", { name: "Excel" }).click();
		expect((await workbook).suggestedFilename()).toMatch(/^Domains-fab-a-\d{4}-\d\d-\d\d\.xlsx$/);
		const [head = [], ...rows] = await readRows(workbook);
		expect(head.slice(1).toSorted()).toEqual(["no", "yes"]);
		expect(rows).toHaveLength(RUNS);
		expect(rows.flatMap((row) => row.slice(1)).every((number) => typeof number === "number")).toBe(true);
		expect(await findViolations(page)).toEqual([]);

		await page.setViewportSize({ width: 390, height: 800 });
		await page.getByRole("figure", { name: "Count of rows" }).waitFor();
		expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
		await page.setViewportSize({ width: 1440, height: 900 });
	});

	it("shows the numbers of the fabric that is chosen", async () => {
		const page = service.page();
		if (fabrics.other === undefined) throw new Error("The second controller has not started.");
		await makeConnection(page, "fab-b", { lab: fabrics.other });
		await openQuery(page);
		await page.getByRole("button", { name: "Choose the fabric" }).click();
		await page.getByRole("menuitemradio", { name: "fab-b" }).click();
		await page.getByRole("button", { name: "Run on fab-b" }).click();
		await page.getByRole("region", { name: "Results" }).getByText("Succeeded").waitFor();
		await page.getByRole("button", { name: "More about this query" }).click();
		await page.getByRole("menuitem", { name: "Snapshots" }).click();
		await page.getByRole("link", { name: "Trends", exact: true }).click();
		await chooseOption(page.getByLabel("Fabric"), "fab-b");
		await expect.poll(() => countTimes(page, "Count of rows")).toBe(1);
		await chooseOption(page.getByLabel("Fabric"), "fab-a");
		await expect.poll(() => countTimes(page, "Count of rows")).toBe(RUNS);
	});

	it("fails a trend check whose number is beyond its threshold, and draws its violations", async () => {
		const page = service.page();
		await page.getByRole("link", { name: "Checks" }).first().click();
		await page.getByRole("button", { name: "New check" }).first().click();
		await typeInto(page.getByLabel("Name", { exact: true }), "Few domains");
		await chooseOption(page.getByLabel("Query", { exact: true }), "Domains");
		await chooseOption(page.getByLabel("Type"), "Trend of a number");
		await typeInto(page.getByLabel("Threshold"), "2");
		await typeInto(page.getByLabel("Within days"), "30");
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByRole("heading", { level: 1, name: "Few domains" }).waitFor();
		await page.getByRole("button", { name: "Evaluate now" }).click();
		await page.getByRole("region", { name: "States of the check" }).getByText("Failing").first().waitFor();
		await page.getByRole("figure", { name: "Violations" }).waitFor();
		await getValues(page, "Violations").getByRole("row").nth(1).waitFor();
		const saved = page.waitForEvent("download");
		await page
			.locator("section")
			.filter({ has: page.getByRole("heading", { level: 2, name: "Violations over time" }) })
			.getByRole("button", { name: "Export" })
			.click();
		await page.getByRole("menuitem", { name: "As Excel" }).click();
		expect((await saved).suggestedFilename()).toMatch(/^Few-domains-.*\d{4}-\d\d-\d\d\.xlsx$/);
		const [head = [], ...rows] = await readRows(saved);
		expect(head.slice(1)).toEqual(["fab-a", "fab-b"]);
		// Each fabric was evaluated once: where only the other one was, its cell is empty.
		for (const fabric of [1, 2]) expect(rows.flatMap((row) => row[fabric] ?? [])).toEqual([1]);
		expect(await findViolations(page)).toEqual([]);
	});
});
