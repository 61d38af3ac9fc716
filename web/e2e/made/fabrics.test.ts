/** Two fabrics compared by clicks on an empty service: equal but for ids, then with one change. */
import { type RunningController, startController } from "@weft/lab";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeOnEmptyService, makeConnection, makeQuery, typeInto } from "./empty-service.ts";
import { writeDomain, writeTenant } from "./write-tenant.ts";

async function runOn(page: Page, fabric: string): Promise<void> {
	await page.getByRole("button", { name: "Choose the fabric" }).click();
	await page.getByRole("menuitemradio", { name: fabric }).click();
	await page.getByRole("button", { name: `Run on ${fabric}` }).click();
	await page.getByRole("gridcell").first().waitFor();
	await page.getByRole("region", { name: "Results" }).getByText("Succeeded").waitFor();
}

async function runOnBoth(page: Page): Promise<void> {
	await page.getByRole("button", { name: "Choose the fabric" }).click();
	await page.getByRole("menuitem", { name: "Several fabrics" }).click();
	const start = page.getByRole("dialog", { name: "Run on several fabrics" });
	for (const fabric of ["fab-a", "fab-b"]) await start.getByLabel(fabric, { exact: true }).check();
	await start.getByRole("button", { name: "Run", exact: true }).click();
	await page.waitForURL(/\/runs\/groups\/[0-9a-f-]{36}$/);
}

describeOnEmptyService("fabrics compared on an empty service", (service) => {
	let twin: { readonly other: RunningController };
	beforeAll(async () => {
		twin = { other: await startController({ size: "small", seed: 7 }) };
	});
	afterAll(() => twin?.other.close());

	it("fabrics that differ in nothing but ids are equal, and one change is one line with both values", async () => {
		const page = service.page();
		const { lab } = service.world();
		const { other } = twin;
		// The second controller has handed out ids before, so that its next ones are others.
		await writeTenant(other, { name: "Before" }, [{ fvBD: { attributes: { name: "first" } } }]);
		for (const controller of [lab, other]) await writeDomain(controller, "front ends");
		await writeTenant(other, { name: "Before", status: "deleted" });
		await makeConnection(page, "fab-a", service.world());
		await makeConnection(page, "fab-b", { lab: other });
		await makeQuery(page, "All domains", "fvBD");
		for (const fabric of ["fab-a", "fab-b"]) await runOn(page, fabric);

		await page.getByRole("link", { name: "Snapshots" }).first().click();
		await page.getByRole("link", { name: "Compare fabrics" }).click();
		await page.getByText(/^No differences between fab-a and fab-b/).waitFor();
		await page.getByRole("button", { name: "Compare ids" }).click();
		const lines = page.getByRole("region", { name: "Attributes that differ" });
		await lines.getByRole("cell", { name: "pcTag", exact: true }).waitFor();
		expect(await lines.getByRole("columnheader").allTextContents()).toEqual(["Object", "Attribute", "fab-a", "fab-b"]);

		await writeDomain(other, "back ends");
		await page.getByRole("link", { name: "All domains" }).click();
		await page.getByRole("link", { name: "Library" }).first().click();
		await page.getByRole("link", { name: "All domains" }).first().click();
		await runOn(page, "fab-b");
		await page.getByRole("button", { name: "More about this query" }).click();
		await page.getByRole("menuitem", { name: "Compare fabrics" }).click();
		await lines.waitFor();
		const readCells = () => lines.getByRole("row").nth(1).getByRole("cell").allTextContents();
		await expect.poll(() => lines.getByRole("row").count()).toBe(2);
		expect((await readCells()).slice(1)).toEqual(["descr", "front ends", "back ends"]);
		expect((await readCells())[0]).toContain("BD-web");
		await page.getByRole("tab", { name: "Only in fab-a 0" }).click();
		await page.getByText("No object is only in fab-a.").waitFor();
		await page.getByRole("tab", { name: "Differ 1" }).click();

		// The heads stay where the page is narrow, and the search counts.
		await page.setViewportSize({ width: 390, height: 800 });
		await lines.getByRole("columnheader", { name: "fab-b" }).waitFor();
		await page.setViewportSize({ width: 1440, height: 900 });
		await typeInto(page.getByLabel("Search objects, attributes and values"), "nothing of this kind");
		await page.getByText("No attribute differs.").waitFor();
		await typeInto(page.getByLabel("Search objects, attributes and values"), "back");
		await expect.poll(() => lines.getByRole("row").count()).toBe(2);
		const saved = page.waitForEvent("download");
		await page.getByRole("button", { name: "Export" }).click();
		await page.getByRole("menuitem", { name: "All three tabs as Excel" }).click();
		expect((await saved).suggestedFilename()).toMatch(/^All-domains-fab-a-fab-b-\d{4}-\d\d-\d\d\.xlsx$/);
		await lines.getByRole("link", { name: /BD-web/ }).click();
		await page.getByRole("heading", { level: 1, name: /web$/ }).waitFor();
	});

	it("a group run without snapshots compares its rows by a property", async () => {
		const page = service.page();
		await makeQuery(page, "Tenants once", "fvTenant", async (dialog) => {
			await dialog.getByLabel("Save a snapshot of every run").uncheck();
		});
		await runOnBoth(page);
		await page.getByRole("link", { name: "Compare fabrics" }).click();
		await page.getByText(/^No differences between fab-a and fab-b: the same values of name/).waitFor();
		await typeInto(page.getByLabel("Match objects by"), "dn");
		await page.getByRole("button", { name: "Show" }).click();
		await page.getByText(/^No differences between fab-a and fab-b: the same values of dn/).waitFor();
	});

	it("a group run compares the snapshots at its end", async () => {
		const page = service.page();
		await page.goto("/library");
		await page.getByRole("link", { name: "All domains" }).first().click();
		await runOnBoth(page);
		await page.getByRole("link", { name: "Compare fabrics" }).click();
		const lines = page.getByRole("region", { name: "Attributes that differ" });
		await expect.poll(() => lines.getByRole("row").count()).toBe(2);
		await page.getByRole("button", { name: "Swap the fabrics" }).click();
		const readHeads = () => lines.getByRole("columnheader").allTextContents();
		await expect.poll(readHeads).toEqual(["Object", "Attribute", "fab-b", "fab-a"]);
		expect((await lines.getByRole("row").nth(1).getByRole("cell").allTextContents()).slice(2)).toEqual([
			"back ends",
			"front ends",
		]);
	});
});
