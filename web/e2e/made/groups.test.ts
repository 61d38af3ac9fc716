/**
 * Rows of a result on a service that starts empty: folded by a column from its menu and by a key,
 * opened by clicks and keys, together with a filter and an order, and read again after a reload.
 */
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { findViolations } from "../browser.ts";
import { describeOnEmptyService, makeConnection, makeQuery } from "./empty-service.ts";

const getGrid = (page: Page) => page.getByRole("treegrid");
const getFold = (page: Page, value: string) => getGrid(page).getByRole("row", { name: new RegExp(`^${value} `) });
/** Rows that are drawn below the heads. */
const listRows = (page: Page) => getGrid(page).locator("[role=row][aria-level='2']:visible");
const readCount = async (page: Page, value: string) =>
	Number(/([\d,]+) rows?$/.exec((await getFold(page, value).textContent()) ?? "")?.[1]?.replaceAll(",", ""));

describeOnEmptyService("rows in groups on an empty service", (service) => {
	it("folds rows by a column from its menu, counts them, and opens and closes folds by clicks", async () => {
		const page = service.page();
		await makeConnection(page, "fab-a", service.world());
		await makeQuery(page, "Domains", "fvBD");
		await page.getByRole("button", { name: "Run on fab-a" }).click();
		await page.getByRole("region", { name: "Results" }).getByText("Succeeded").waitFor();
		await page.goto("/runs");
		await page.getByRole("link", { name: "Domains" }).first().click();
		await page.waitForURL(/\/runs\/[0-9a-f-]{36}/);
		await page.getByRole("gridcell").first().waitFor();
		await page.setViewportSize({ width: 6_000, height: 900 });
		await page.getByRole("columnheader", { name: "arpFlood" }).hover();
		await page.getByRole("button", { name: "Column arpFlood" }).click();
		await page.getByRole("menuitem", { name: "Group by this column" }).click();
		await page.setViewportSize({ width: 1440, height: 900 });
		await page.waitForURL(/group=arpFlood/);
		await page.getByText("2 groups").waitFor();
		expect(await getGrid(page).getByRole("row", { expanded: false }).count()).toBe(2);
		expect(await listRows(page).count()).toBe(0);
		const [no, yes] = [await readCount(page, "no"), await readCount(page, "yes")];
		await page
			.getByRole("status")
			.getByText(`${no + yes} rows`, { exact: true })
			.waitFor();

		await getFold(page, "yes").click();
		await expect.poll(() => listRows(page).count()).toBe(yes);
		expect(await getFold(page, "yes").getAttribute("aria-expanded")).toBe("true");
		await listRows(page).getByText(/BD-/).first().waitFor();
		expect(await findViolations(page)).toEqual([]);
		await getFold(page, "yes").click();
		await expect.poll(() => listRows(page).count()).toBe(0);
		await page.getByRole("button", { name: "Open all" }).click();
		await expect.poll(() => listRows(page).count()).toBeGreaterThan(yes);
		await page.getByRole("button", { name: "Close all" }).click();
		await expect.poll(() => listRows(page).count()).toBe(0);
	});

	it("opens folds, walks through their rows, selects and closes them by keys", async () => {
		const page = service.page();
		const { keyboard } = page;
		const active = async () => page.locator(`[id="${await getGrid(page).getAttribute("aria-activedescendant")}"]`);
		await getGrid(page).focus();
		await keyboard.press("Control+Home");
		expect(await (await active()).textContent()).toMatch(/no/);
		await keyboard.press("ArrowRight");
		const no = await readCount(page, "no");
		await expect.poll(() => listRows(page).count()).toBeGreaterThan(0);
		await keyboard.press("ArrowRight");
		expect(await (await active()).getAttribute("role")).toBe("gridcell");
		await keyboard.press("ArrowLeft");
		expect(await (await active()).getAttribute("aria-expanded")).toBe("true");
		await keyboard.press("x");
		await page.getByText(`${no} selected`).waitFor();
		await keyboard.press("x");
		await page.getByText(`${no} selected`).waitFor({ state: "detached" });
		await keyboard.press("ArrowLeft");
		await expect.poll(() => listRows(page).count()).toBe(0);
		await keyboard.press("ArrowDown");
		await keyboard.press("Enter");
		await expect.poll(() => listRows(page).count()).toBe(await readCount(page, "yes"));
		await keyboard.press("ArrowDown");
		await keyboard.press("Space");
		await page
			.getByRole("dialog", { name: `Row ${no + 1}` })
			.getByText("yes", { exact: true })
			.first()
			.waitFor();
		await keyboard.press("Escape");
	});

	it("keeps rows folded with a filter and another order, after a reload, and in a file", async () => {
		const page = service.page();
		const yes = await readCount(page, "yes");
		await getGrid(page).focus();
		await page.keyboard.press("Control+Home");
		await page.keyboard.press("s");
		await page.keyboard.press("s");
		await page.waitForURL(/sort=-arpFlood/);
		await expect.poll(() => getGrid(page).locator("[aria-level='1']:visible").first().textContent()).toContain("yes");
		await page.reload();
		await getFold(page, "yes").waitFor();
		expect(await listRows(page).count()).toBe(0);
		await getFold(page, "no").click();
		await page.getByRole("searchbox", { name: "Filter rows" }).click();
		await page.keyboard.type("arpFlood=yes");
		await page.getByText("1 group", { exact: true }).waitFor();
		expect(await readCount(page, "yes")).toBe(yes);
		const saved = page.waitForEvent("download");
		await page.getByRole("button", { name: "Export visible rows" }).click();
		await page.getByRole("menuitem", { name: "Save CSV" }).click();
		expect(
			readFileSync(await (await saved).path(), "utf8")
				.trimEnd()
				.split("\r\n"),
		).toHaveLength(yes + 1);
		await page.getByRole("button", { name: "Remove the grouping by arpFlood" }).click();
		await page.getByRole("grid").getByRole("gridcell").first().waitFor();
		await page.waitForURL((url) => !url.search.includes("group="));
	});

	it("folds rows by the column under the cursor with a key, and unfolds them with the same key", async () => {
		const page = service.page();
		await page.getByRole("gridcell", { name: "fvBD", exact: true }).first().click();
		await page.keyboard.press("b");
		await page.waitForURL(/group=class/);
		await getFold(page, "fvBD").waitFor();
		await page.keyboard.press("b");
		await page.getByRole("grid").getByRole("gridcell").first().waitFor();
		await page.waitForURL((url) => !url.search.includes("group="));
	});
});
