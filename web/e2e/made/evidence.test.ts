/**
 * Evidence of a check on a service that starts empty: the fields of its conditions are the first
 * columns, the cell that violates one is marked, and an Excel file has the same columns.
 */
import { readFile } from "node:fs/promises";
import { readXlsx } from "hucre/xlsx";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { findViolations } from "../browser.ts";
import { chooseOption, describeOnEmptyService, makeConnection, makeQuery, typeInto } from "./empty-service.ts";

const FIRST = ["arpFlood", "unicastRoute", "violates", "class", "dn", "name"];

const getEvidence = (page: Page) => page.getByRole("grid", { name: "violations: rows" });
/** Names of the columns as they stand from left to right, without that of the numbers. */
async function listColumns(page: Page): Promise<string[]> {
	const heads = await getEvidence(page)
		.getByRole("columnheader")
		.evaluateAll((elements) =>
			elements
				.map((element) => ({ text: element.textContent?.trim() ?? "", x: element.getBoundingClientRect().x }))
				.sort((a, b) => a.x - b.x)
				.map(({ text }) => text),
		);
	return heads.slice(1);
}

describeOnEmptyService("the evidence of a check on an empty service", (service) => {
	it("shows the fields of the conditions first, and marks the cell that violates one of them", async () => {
		const page = service.page();
		await makeConnection(page, "fab-a", service.world());
		await makeQuery(page, "Domains", "fvBD");
		await page.goto("/checks");
		await page.getByRole("button", { name: "New check" }).first().click();
		await typeInto(page.getByLabel("Name", { exact: true }), "Domains flood ARP");
		await chooseOption(page.getByLabel("Query", { exact: true }), "Domains");
		await chooseOption(page.getByLabel("Type"), "Every row meets");
		const condition = (number: number) => page.getByRole("group", { name: `Condition ${number}`, exact: true });
		await typeInto(condition(1).getByLabel("Field"), "fvBD.arpFlood");
		await typeInto(condition(1).getByLabel("Value"), "yes");
		await page.getByRole("button", { name: "Add a condition" }).click();
		await typeInto(condition(2).getByLabel("Field"), "fvBD.unicastRoute");
		await chooseOption(condition(2).getByLabel("Operator"), "has a value");
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByRole("heading", { level: 1, name: "Domains flood ARP" }).waitFor();
		await page.getByRole("button", { name: "Evaluate now" }).click();
		await page.getByRole("region", { name: "States of the check" }).getByText("Failing").first().waitFor();

		await getEvidence(page).getByRole("gridcell", { name: "fvBD", exact: true }).first().waitFor();
		expect((await listColumns(page)).slice(0, FIRST.length)).toEqual(FIRST);
		const row = getEvidence(page).locator("[role=row][aria-rowindex='2']");
		const marked = row.locator("[role=gridcell][aria-invalid=true]");
		expect(await marked.allTextContents()).toEqual(["no"]);
		const look = (cell: ReturnType<Page["locator"]>) =>
			cell.evaluate((element) => getComputedStyle(element).backgroundColor);
		const other = row.getByRole("gridcell", { name: "fvBD", exact: true });
		expect(await look(marked)).not.toBe(await look(other));
		await row.getByRole("gridcell", { name: "arpFlood", exact: true }).waitFor();
		expect(await findViolations(page)).toEqual([]);
	});

	it("saves the same columns to an Excel file by one click", async () => {
		const page = service.page();
		const saved = page.waitForEvent("download");
		await page.getByRole("button", { name: "Export visible rows" }).click();
		await page.getByRole("menuitem", { name: "Save Excel" }).click();
		const { sheets } = await readXlsx(await readFile(await (await saved).path()));
		const [head = [], first = []] = sheets[0]?.rows ?? [];
		expect(head.slice(0, FIRST.length)).toEqual(FIRST);
		expect(first[0]).toBe("no");
		expect(first[2]).toBe("arpFlood");
	});

	it("keeps the order of the columns on a narrow screen, which pins none of them", async () => {
		const page = service.page();
		await page.setViewportSize({ width: 1_100, height: 800 });
		await page.reload();
		await getEvidence(page).getByRole("gridcell", { name: "arpFlood", exact: true }).first().waitFor();
		expect((await listColumns(page)).slice(0, 4)).toEqual(FIRST.slice(0, 4));
		await page.setViewportSize({ width: 1440, height: 900 });
	});
});
