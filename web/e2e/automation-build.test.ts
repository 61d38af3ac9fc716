/** From an empty service to a request: server, template from a survey, table, problems by cell. */
import { automationRequestRoutes, type CompareAnswer, timeMachineRoutes } from "@weft/contracts";
import { writeXlsx } from "hucre/xlsx";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser } from "./browser.ts";

const getGrid = (page: Page) => page.getByRole("grid", { name: "Rows of the request" });
const getProblems = (page: Page) => page.getByRole("region", { name: "Problems" });
/** The cell at a row and column, both from 1. */
const getCell = (page: Page, row: number, column: number) =>
	page
		.locator(`[role=row][aria-rowindex="${row + 1}"]`)
		.getByRole("gridcell")
		.nth(column - 1);

async function pasteText(page: Page, text: string): Promise<void> {
	await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
	await page.evaluate((given) => navigator.clipboard.writeText(given), text);
	await page.keyboard.press("Control+v");
}

/** Confirms the mapping of the columns. */
const useRows = (page: Page, rows: string) =>
	page
		.getByRole("dialog", { name: /^Rows from/ })
		.getByRole("button", { name: `Use ${rows}` })
		.click();

describeInBrowser("automation", (web) => {
	it("is set up from nothing: a server, a template from its survey, and a first request", async () => {
		// Requests stay, and so do the template and the server that they name: each try has its own.
		const attempt = Date.now();
		const [server, tenants, title] = [
			`Second server ${attempt}`,
			`Tenants by survey ${attempt}`,
			`Three tenants ${attempt}`,
		];
		const page = await web.open("/settings/automation");
		await page.getByRole("button", { name: "New server" }).click();
		const dialog = page.getByRole("dialog");
		await dialog.getByLabel("Name").fill(server);
		await dialog.getByLabel("Address", { exact: true }).fill(web.automation.url);
		await dialog.getByLabel("Token", { exact: true }).fill("wrong");
		// The first server of this host leaves approval to its templates, and so do other tests.
		await dialog.getByLabel("Approval of launches").selectOption("by_template");
		await dialog.getByRole("button", { name: "Save and test" }).click();
		// The API's own message, and not the status of its answer.
		const refusal = dialog.getByRole("alert");
		await refusal.waitFor();
		expect(await refusal.innerText()).toContain(
			"The automation server does not accept the token: it is wrong, revoked or has expired.",
		);
		await dialog.getByLabel("Token", { exact: true }).fill(web.automation.token);
		await dialog.getByRole("button", { name: "Save and test" }).click();
		await dialog.getByText("The server is reachable, and the token is accepted.").waitFor();
		await dialog.getByRole("button", { name: "Done" }).click();
		await page
			.getByRole("row", { name: new RegExp(server) })
			.getByText("Reachable")
			.waitFor();

		// Rows reach the job as variables, and a dry run as its job type.
		const asks = { id: 16, asks: ["variables", "job_type"] };
		await fetch(`${web.automation.url}/_lab/template`, { method: "POST", body: JSON.stringify(asks) });
		await page.getByRole("link", { name: "Templates", exact: true }).first().click();
		await page.getByRole("button", { name: "New template" }).click();
		await dialog.getByLabel("Automation server").selectOption({ label: server });
		await dialog.getByLabel("Template of the server").selectOption({ label: "Survey" });
		await dialog.getByRole("button", { name: "Import the survey" }).click();
		await page.getByRole("heading", { level: 1, name: "Survey" }).waitFor();
		await page.getByText(/rows arrive only in "rows"\. .* gets only constants/).waitFor();
		// The survey's questions are columns, with their rules.
		await expect.poll(() => page.getByLabel("Name", { exact: true }).nth(1).inputValue()).toBe("tenant");
		await expect.poll(() => page.getByLabel("Type").nth(2).inputValue()).toBe("enum");
		await page.getByLabel("Name", { exact: true }).first().fill(tenants);
		const tried = page.getByLabel("Try a value").nth(1);
		await tried.fill("9999");
		await page.getByText("Must be at most 4094.").waitFor();
		await tried.fill("7");
		await page.getByText("Accepted.").waitFor();
		await page.getByLabel("Name", { exact: true }).nth(1).fill("");
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText("Must not be empty.").waitFor();
		await page.getByLabel("Name", { exact: true }).nth(1).fill("tenant");
		await page.getByLabel("Requests need approval").check();
		await page.getByRole("button", { name: "Add a variable" }).click();
		await page.getByLabel("Variable", { exact: true }).last().fill("tenant");
		await page.getByLabel("Value", { exact: true }).last().fill("shop");
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText(`${tenants} is saved`).waitFor();

		await page.getByRole("link", { name: "New request" }).click();
		await getGrid(page).waitFor();
		await page.getByText("Only constants arrive in env, tenant, the same for all rows.").waitFor();
		await page.getByLabel("Title").fill(title);
		await page.getByLabel("Dry run").check();
		await getCell(page, 1, 1).click();
		await pasteText(page, "tenant\tvlan\tenv\nshop\t110\tprod\nbank\t5000\ttest\ncafe\t112\tstage\n");
		await useRows(page, "3 rows");
		await getProblems(page).getByText("2 problems").waitFor();
		await getProblems(page)
			.getByRole("button", { name: /row 2, VLAN/ })
			.click();
		const active = async () =>
			page.locator(`[id="${await getGrid(page).getAttribute("aria-activedescendant")}"]`).textContent();
		await expect.poll(() => active()).toMatch(/^5000/);
		await page.keyboard.type("111");
		await page.keyboard.press("Enter");
		await expect.poll(() => getCell(page, 2, 2).textContent()).toBe("111");
		await getProblems(page)
			.getByRole("button", { name: /row 3, Env/ })
			.click();
		await expect.poll(() => active()).toMatch(/^stage/);
		await page.keyboard.press("F2");
		await page.keyboard.press("Control+a");
		await page.keyboard.type("test");
		await page.keyboard.press("Enter");
		await getProblems(page).getByText("3 rows, no problems").waitFor();
		// Pressed twice, it makes one request.
		const submit = page.getByRole("button", { name: "Submit for approval" });
		await submit.dblclick();
		await page.getByRole("heading", { level: 1, name: title }).waitFor();
		await page.getByRole("table", { name: "Rows" }).getByText("cafe").waitFor();
		const { results } = await web.client().call(automationRequestRoutes.list, { query: { search: title } });
		expect(results).toHaveLength(1);
		expect(results[0]).toMatchObject({ check_mode: true, row_count: 3, status: "awaiting_approval" });
	});

	it("has a table with the keys of a spreadsheet", async () => {
		const page = await web.open("/automation/templates");
		await page.getByRole("link", { name: "New request with Create tenants", exact: true }).click();
		await getCell(page, 1, 1).click();
		// Letters are text here, not commands of the page.
		await page.keyboard.type("g");
		await page.keyboard.type("olf");
		await page.keyboard.press("Tab");
		await page.keyboard.type("12");
		await page.keyboard.press("Enter");
		await expect.poll(() => getCell(page, 1, 1).textContent()).toBe("golf");
		await expect.poll(() => getCell(page, 1, 2).textContent()).toBe("12");
		await page.keyboard.press("ArrowUp");
		for (let row = 0; row < 3; row++) await page.keyboard.press("Shift+ArrowDown");
		await page.keyboard.press("Control+d");
		await expect.poll(() => getCell(page, 4, 2).textContent()).toMatch(/^12/);
		await getProblems(page).getByText("A value is required.").first().waitFor();
		await page.keyboard.press("Control+z");
		await expect.poll(() => getCell(page, 4, 2).textContent()).toBe("");
		await page.keyboard.press("Control+y");
		await expect.poll(() => getCell(page, 4, 2).textContent()).toMatch(/^12/);
		await page.keyboard.press("Delete");
		await expect.poll(() => getCell(page, 1, 2).textContent()).toBe("");
		await page.keyboard.press("Enter");
		await page.keyboard.type("never");
		await page.keyboard.press("Escape");
		await pasteText(page, Array.from({ length: 1_000 }, (_, row) => `t${row}`).join("\n"));
		await page.getByText("1,00").first().waitFor();
		await expect.poll(() => page.getByRole("row").count()).toBeLessThan(80);
		await page.keyboard.press("Control+Home");
		await expect.poll(() => getCell(page, 1, 1).textContent()).toBe("golf");
		expect(new URL(page.url()).pathname).toBe("/automation/requests/new");
	});

	it("takes rows from a file and from a run", async () => {
		const page = await web.open(`/runs/${web.runId}`);
		await page.getByRole("link", { name: "Make a request from these rows" }).click();
		await page.getByRole("link", { name: "New request with Create tenants" }).click();
		const dialog = page.getByRole("dialog", { name: "Rows from a run" });
		await dialog.getByRole("button", { name: "Use 37 rows" }).click();
		await getCell(page, 1, 1).getByText("bd-001").waitFor();
		await page
			.getByLabel("CSV or XLSX file")
			.setInputFiles({ name: "rows.csv", mimeType: "text/csv", buffer: Buffer.from("name,vlan\nfrom-file,7\n") });
		await useRows(page, "1 row");
		await getCell(page, 1, 1).getByText("from-file").waitFor();
		await getProblems(page).getByText("1 row, no problems").waitFor();
		await page
			.getByLabel("CSV or XLSX file")
			.setInputFiles({ name: "rows.csv", mimeType: "text/csv", buffer: Buffer.from('name\n"open') });
		await page.getByText("The file could not be read.").waitFor();
		await expect.poll(() => getCell(page, 1, 1).textContent()).toBe("from-file");
	});

	it("takes rows from a workbook", async () => {
		const page = await web.open(`/automation/requests/new?template=${web.automationSeed.templateId}`);
		const rows = [
			["vlan", "name"],
			[7, "from-a-workbook"],
			[8, "second"],
		];
		await page.getByLabel("CSV or XLSX file").setInputFiles({
			name: "rows.xlsx",
			mimeType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
			buffer: Buffer.from(await writeXlsx({ sheets: [{ name: "Rows", rows }] })),
		});
		await useRows(page, "2 rows");
		await getCell(page, 1, 1).getByText("from-a-workbook").waitFor();
		await expect.poll(() => getCell(page, 2, 2).textContent()).toBe("8");
		await getProblems(page).getByText("2 rows, no problems").waitFor();
		// A click beside the form does not lose typed rows.
		await page.getByRole("link", { name: "Overview" }).click();
		await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
		await page.goBack();
		await getCell(page, 1, 1).getByText("from-a-workbook").waitFor();
	});

	it("takes rows from a comparison: the kinds of change that are wanted, with their attributes", async () => {
		const [from = "", , to = ""] = web.snapshotIds;
		const { diff } = (await web.client().call(timeMachineRoutes.compare, {
			body: { snapshot_from_id: from, snapshot_to_id: to },
			query: {},
		})) as CompareAnswer;
		const page = await web.open(`/time-machine/compare?from=${from}&to=${to}`);
		await page.getByRole("link", { name: "Make a request from these rows" }).click();
		await page.getByText("takes the rows of the comparison").waitFor();
		await page.getByRole("link", { name: "New request with Create tenants" }).click();
		const dialog = page.getByRole("dialog", { name: "Rows from a comparison" });
		const kinds = [
			["Added", diff.added.length],
			["Modified, as they are now", diff.modified.length],
			["Deleted, as they were", diff.deleted.length],
		] as const;
		for (const [kind, count] of kinds) await dialog.getByLabel(`${kind} (${count})`).waitFor();
		expect(diff.modified.length).toBeGreaterThan(0);
		const use = (count: number) => dialog.getByRole("button", { name: `Use ${count} row${count === 1 ? "" : "s"}` });
		await use(diff.added.length + diff.modified.length).waitFor();
		await dialog.getByLabel(/^Added/).uncheck();
		await dialog.getByLabel("VLAN").selectOption("dn");
		await use(diff.modified.length).click();
		const after = Object.values(diff.modified[0]?.after ?? {})[0] as {
			attributes: { name?: string; ip?: string; dn: string };
		};
		await expect.poll(() => getCell(page, 1, 2).textContent()).toContain(after.attributes.dn);
		await expect.poll(() => getCell(page, 1, 1).textContent()).toBe(after.attributes.name ?? "");
	});
});
