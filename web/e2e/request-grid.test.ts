/** The table of a request as a spreadsheet: mouse, keyboard, the real clipboard, and files. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { automationRequestRoutes } from "@weft/contracts";
import { writeXlsx } from "hucre/xlsx";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser, findViolations, type Web } from "./browser.ts";
import { getAutomation } from "./seed-automation.ts";

const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
/** As Excel writes it: tabs, CRLF, and quotes around a cell with a line break. */
const EXCEL = [
	...Array.from({ length: 199 }, (_, row) => `shop-${row + 1}\t${row + 1}\t5" rack\r\n`),
	'last\t200\t"two\nlines with a ""quote"""\r\n',
].join("");

const getGrid = (page: Page) => page.getByRole("grid", { name: "Rows of the request" });
const getProblems = (page: Page) => page.getByRole("region", { name: "Problems" });
const getMapping = (page: Page) => page.getByRole("dialog", { name: /^Rows from/ });
/** The cell at a row and column, both from 1. */
const getCell = (page: Page, row: number, column: number) =>
	page
		.locator(`[role=row][aria-rowindex="${row + 1}"]`)
		.getByRole("gridcell")
		.nth(column - 1);
const getCellText = (page: Page, row: number, column: number) => getCell(page, row, column).textContent();

/** Opens the form of a request from the list of templates, by clicks. */
async function openForm(web: Web, template = "Create tenants", theme: "light" | "dark" = "light"): Promise<Page> {
	const page = await web.open("/automation/templates", { theme });
	await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
	await page.getByRole("link", { name: `New request with ${template}`, exact: true }).click();
	await getGrid(page).or(page.getByRole("grid")).first().waitFor();
	return page;
}

async function copyText(page: Page, content: string): Promise<void> {
	await page.evaluate((given) => navigator.clipboard.writeText(given), content);
}

async function clickPoint(page: Page, row: number, column: number): Promise<{ x: number; y: number }> {
	const box = await getCell(page, row, column).boundingBox();
	if (box === null) throw new Error(`The cell ${row}, ${column} is not drawn.`);
	return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Selects from one cell to another with the mouse button held down. */
async function dragSelection(
	page: Page,
	from: readonly [number, number],
	to: readonly [number, number],
): Promise<void> {
	const [start, end] = [await clickPoint(page, ...from), await clickPoint(page, ...to)];
	await page.mouse.move(start.x, start.y);
	await page.mouse.down();
	await page.mouse.move(end.x, end.y, { steps: 8 });
	await page.mouse.up();
}

describeInBrowser("the table of a request", (web) => {
	const { template } = getAutomation(web);

	it("edits the cell that is clicked: letters replace it, a double click and F2 keep it, Escape gives it back", async () => {
		const page = await openForm(web);
		await getCell(page, 2, 1).click();
		// Letters are text here, not commands of the page.
		await page.keyboard.type("golf");
		await page.keyboard.press("Tab");
		await page.keyboard.type("12");
		await page.keyboard.press("Enter");
		await expect.poll(() => getCellText(page, 2, 1)).toBe("golf");
		await expect.poll(() => getCellText(page, 2, 2)).toBe("12");
		await getCell(page, 2, 1).click();
		await page.keyboard.type("hotel");
		await page.keyboard.press("ArrowRight");
		await page.keyboard.type("7");
		await page.keyboard.press("ArrowDown");
		await expect.poll(() => getCellText(page, 2, 1)).toBe("hotel");
		await expect.poll(() => getCellText(page, 2, 2)).toBe("7");
		await getCell(page, 2, 1).dblclick();
		await page.keyboard.press("End");
		await page.keyboard.type("-east");
		await page.keyboard.press("Enter");
		await expect.poll(() => getCellText(page, 2, 1)).toBe("hotel-east");
		await getCell(page, 2, 1).click();
		await page.keyboard.press("F2");
		await page.keyboard.type("!");
		await page.keyboard.press("Escape");
		await expect.poll(() => getCellText(page, 2, 1)).toBe("hotel-east");
		await page.keyboard.press("Delete");
		await expect.poll(() => getCellText(page, 2, 1)).toMatch(/^(, invalid.*)?$/);
		await page.keyboard.press("Control+z");
		await expect.poll(() => getCellText(page, 2, 1)).toBe("hotel-east");
		expect(await findViolations(page)).toEqual([]);
		expect(new URL(page.url()).pathname).toBe("/automation/requests/new");
	});

	it("puts an edit into its own cell when another cell or field is clicked", async () => {
		const page = await openForm(web);
		await getCell(page, 1, 1).click();
		await page.keyboard.type("first");
		await getCell(page, 3, 1).click();
		await page.keyboard.type("third");
		await page.getByLabel("Title").click();
		await page.keyboard.type("Two tenants");
		await expect.poll(() => page.getByLabel("Title").inputValue()).toBe("Two tenants");
		await expect.poll(() => getCellText(page, 1, 1)).toBe("first");
		await expect.poll(() => getCellText(page, 3, 1)).toBe("third");
	});

	it("takes 200 rows of Excel after a click, and sends them", async () => {
		await template({
			name: "Tenants with remarks",
			requires_approval: true,
			schema: [
				{ name: "name", label: "Name", field_type: "text", required: true },
				{ name: "vlan", label: "VLAN", field_type: "vlan" },
				{ name: "remark", label: "Remark", field_type: "textarea" },
			],
		});
		const page = await openForm(web, "Tenants with remarks");
		await page.getByLabel("Title").click();
		await page.keyboard.type("Two hundred tenants");
		await copyText(page, EXCEL);
		await getCell(page, 1, 1).click();
		await page.keyboard.press("Control+v");
		await getProblems(page).getByText("200 rows, no problems").waitFor();
		await page.keyboard.press("Control+z");
		await getProblems(page).getByText("200 rows, no problems").waitFor({ state: "detached" });
		await page.keyboard.press("Control+y");
		await getProblems(page).getByText("200 rows, no problems").waitFor();
		// An edit of a cell with a line break keeps the line break.
		await page.keyboard.press("Control+End");
		for (let step = 0; step < 5; step++) await page.keyboard.press("ArrowUp");
		await getCell(page, 200, 3).dblclick();
		await page.keyboard.type("!");
		await page.keyboard.press("Enter");
		await expect.poll(() => getCellText(page, 200, 3)).toBe('two\nlines with a "quote"!');
		await getProblems(page).getByText("200 rows, no problems").waitFor();
		await page.getByRole("button", { name: "Submit for approval" }).click();
		await page.getByRole("heading", { level: 1, name: "Two hundred tenants" }).waitFor();
		const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
		const { input_data } = await web.client().call(automationRequestRoutes.detail, { params: { id } });
		expect(input_data).toHaveLength(200);
		expect((input_data as object[])[198]).toMatchObject({ name: "shop-199", vlan: 199, remark: '5" rack' });
		expect((input_data as object[])[199]).toMatchObject({ vlan: 200, remark: 'two\nlines with a "quote"!' });
	});

	it("copies, cuts and pastes a range that was drawn with the mouse", async () => {
		const page = await openForm(web);
		await copyText(page, "a\t1\nb\t2\nc\t3");
		await getCell(page, 1, 1).click();
		await page.keyboard.press("Control+v");
		await expect.poll(() => getCellText(page, 3, 2)).toBe("3");
		await dragSelection(page, [1, 1], [2, 2]);
		await page.keyboard.press("Control+c");
		await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe("a\t1\nb\t2");
		await getCell(page, 5, 1).click();
		await page.keyboard.press("Control+v");
		await expect.poll(() => getCellText(page, 6, 2)).toBe("2");
		await getCell(page, 5, 1).click();
		await getCell(page, 6, 2).click({ modifiers: ["Shift"] });
		await page.keyboard.press("Control+x");
		await expect.poll(() => getCellText(page, 5, 1)).toBe("");
		// A block that is larger than the table adds rows, from wherever it is pasted.
		await getCell(page, 7, 1).click();
		await page.keyboard.press("Control+v");
		await expect.poll(() => getCellText(page, 8, 2)).toBe("2");
		// One value fills the selected range.
		await getCell(page, 3, 1).click();
		await page.keyboard.press("Control+c");
		await dragSelection(page, [1, 1], [2, 1]);
		await page.keyboard.press("Control+v");
		await expect.poll(() => getCellText(page, 1, 1)).toBe("c");
		await expect.poll(() => getCellText(page, 2, 1)).toBe("c");
		// The number of a row selects the row.
		await page.getByRole("rowheader", { name: "3", exact: true }).click();
		await page.keyboard.press("Delete");
		await expect.poll(() => getCellText(page, 3, 2)).toBe("");
	});

	it("is left and entered by keys: Tab passes it, moves inside it after an edit, and Escape frees it", async () => {
		const page = await openForm(web);
		await page.getByRole("button", { name: "Download an empty sheet" }).click();
		await page.keyboard.press("Tab");
		await expect.poll(() => getGrid(page).evaluate((element) => element === document.activeElement)).toBe(true);
		await page.keyboard.press("Tab");
		await expect.poll(() => getGrid(page).evaluate((element) => element === document.activeElement)).toBe(false);
		await getCell(page, 1, 1).click();
		await page.keyboard.press("Tab");
		await page.keyboard.type("5");
		await page.keyboard.press("Enter");
		await expect.poll(() => getCellText(page, 1, 2)).toBe("5");
		await page.keyboard.press("Escape");
		await page.keyboard.press("Tab");
		await expect.poll(() => getGrid(page).evaluate((element) => element === document.activeElement)).toBe(false);
	});

	it("asks which columns a pasted head line names, and takes a correction", async () => {
		const page = await openForm(web);
		await copyText(page, "Owner\tvlan \tNAME\r\nme\t7\tshop\r\nyou\t8\tbank\r\n");
		await getCell(page, 1, 1).click();
		await page.keyboard.press("Control+v");
		await getMapping(page).getByLabel("The first line names the columns").waitFor();
		await expect.poll(() => getMapping(page).getByLabel("Column for vlan").inputValue()).toBe("1");
		await expect.poll(() => getMapping(page).getByLabel("Column for NAME").inputValue()).toBe("0");
		await expect.poll(() => getMapping(page).getByLabel("Column for Owner").inputValue()).toBe("-1");
		expect(await findViolations(page)).toEqual([]);
		await getMapping(page).getByLabel("Column for Owner").selectOption("Name");
		await getMapping(page).getByText("Two columns fill Name.").waitFor();
		expect(await getMapping(page).getByRole("button", { name: "Use 2 rows" }).isDisabled()).toBe(true);
		await getMapping(page).getByLabel("Column for NAME").selectOption("Leave out");
		await getMapping(page).getByRole("button", { name: "Use 2 rows" }).click();
		await page.getByText("2 rows came from the clipboard.").waitFor();
		await page.getByText("Left out: NAME.").waitFor();
		await expect.poll(() => getCellText(page, 1, 1)).toBe("me");
		await expect.poll(() => getCellText(page, 2, 2)).toBe("8");
		// The focus is back in the table.
		await page.keyboard.press("Control+z");
		await expect.poll(() => getCellText(page, 1, 1)).toBe("");
	});

	it("takes a CSV with the heads that it shows, and names the columns that were left out", async () => {
		const page = await openForm(web);
		await page.getByLabel("CSV or XLSX file").setInputFiles({
			name: "tenants.csv",
			mimeType: "text/csv",
			buffer: Buffer.from("Name;Owner;exit-code;VLAN\nshop;me;0;7\nbank;you;1;8\n"),
		});
		await expect.poll(() => getMapping(page).getByLabel("Column for exit-code").inputValue()).toBe("2");
		await getMapping(page).getByText("me, you").waitFor();
		await getMapping(page).getByRole("button", { name: "Use 2 rows" }).click();
		await page.getByText("2 rows came from tenants.csv.").waitFor();
		await page.getByText("Left out: Owner.").waitFor();
		await expect.poll(() => getCellText(page, 2, 1)).toBe("bank");
		await expect.poll(() => getCellText(page, 2, 2)).toBe("8");
		await expect.poll(() => getCellText(page, 2, 3)).toBe("1");
		await getProblems(page).getByText("2 rows, no problems").waitFor();
		// Another file is added below the rows, where that is chosen.
		await page.getByLabel("CSV or XLSX file").setInputFiles({
			name: "more.csv",
			mimeType: "text/csv",
			buffer: Buffer.from("cafe,9\n"),
		});
		await getMapping(page).getByLabel("The first line names the columns").uncheck();
		await getMapping(page).getByLabel("Rows in the table").selectOption("Keep them, add below");
		await getMapping(page).getByRole("button", { name: "Use 1 row" }).click();
		await expect.poll(() => getCellText(page, 3, 1)).toBe("cafe");
		await expect.poll(() => getCellText(page, 3, 2)).toBe("9");
		await expect.poll(() => getCellText(page, 1, 1)).toBe("shop");
	});

	it("takes a workbook with labels as heads: the sheet that is chosen", async () => {
		const page = await openForm(web);
		const buffer = Buffer.from(
			await writeXlsx({
				sheets: [
					{ name: "Notes", rows: [["Hello"]] },
					{
						name: "Tenants",
						rows: [
							["VLAN", "Name", "Remark"],
							[7, "shop", "new"],
						],
					},
				],
			}),
		);
		await page.getByLabel("CSV or XLSX file").setInputFiles({ name: "plan.xlsx", mimeType: XLSX, buffer });
		await expect.poll(() => getMapping(page).getByLabel("Sheet of the file").inputValue()).toBe("1");
		await getMapping(page).getByRole("button", { name: "Use 1 row" }).click();
		await page.getByText("1 row came from plan.xlsx.").waitFor();
		await page.getByText("Left out: Remark, sheet Notes.").waitFor();
		await expect.poll(() => getCellText(page, 1, 1)).toBe("shop");
		await expect.poll(() => getCellText(page, 1, 2)).toBe("7");
	});

	it("takes the sheets of a workbook for the sheets of the template", async () => {
		const columns = [{ name: "name", label: "Name", field_type: "text" as const }];
		await template({
			name: "Two sheets",
			schema: [],
			sheets: [
				{ name: "Tenants", variable: "tenants", columns },
				{ name: "Networks", variable: "networks", columns },
			],
		});
		const page = await openForm(web, "Two sheets");
		const buffer = Buffer.from(
			await writeXlsx({
				sheets: [
					{ name: "networks", rows: [["NAME"], ["net-1"], ["net-2"]] },
					{ name: "tenants", rows: [["NAME"], ["shop"]] },
				],
			}),
		);
		await page.getByLabel("CSV or XLSX file").setInputFiles({ name: "both.xlsx", mimeType: XLSX, buffer });
		await getMapping(page).getByRole("button", { name: "Use 3 rows" }).click();
		await expect.poll(() => getCellText(page, 1, 1)).toBe("shop");
		await page.getByRole("tab", { name: /^Networks/ }).click();
		await expect.poll(() => getCellText(page, 2, 1)).toBe("net-2");
	});

	it("takes a file that is dropped on it", async () => {
		const page = await openForm(web);
		const folder = mkdtempSync(join(tmpdir(), "weft-drop-"));
		try {
			const file = join(folder, "dropped.csv");
			writeFileSync(file, "name\ndropped\n");
			const { x, y } = await clickPoint(page, 2, 2);
			const session = await page.context().newCDPSession(page);
			const data = { items: [], files: [file], dragOperationsMask: 1 };
			for (const type of ["dragEnter", "dragOver", "drop"] as const)
				await session.send("Input.dispatchDragEvent", { type, x, y, data });
			await getMapping(page).getByRole("button", { name: "Use 1 row" }).click();
			await expect.poll(() => getCellText(page, 1, 1)).toBe("dropped");
		} finally {
			rmSync(folder, { recursive: true });
		}
	});
});
