/** Results: grid keys, filter in the URL, columns, one row, files; runs without their page. */
import { readFileSync } from "node:fs";
import { timeMachineRoutes } from "@weft/contracts";
import { readXlsx } from "hucre/xlsx";
import { expect, it } from "vitest";
import { describeInBrowser, findViolations } from "./browser.ts";
import { QUERY } from "./seed.ts";

/** A window in which every column is drawn. */
const ALL_IN_SIGHT = { width: 6_000, height: 900 };

describeInBrowser("results", (web) => {
	it("are gone through, sorted, filtered and looked into by keys", async () => {
		const page = await web.open(`/runs/${web.runId}`);
		const grid = page.getByRole("grid");
		await page.getByRole("gridcell").first().waitFor();
		await grid.focus();
		for (const key of ["ArrowDown", "ArrowDown", "ArrowRight"]) await page.keyboard.press(key);
		const active = async () => page.locator(`[id="${await grid.getAttribute("aria-activedescendant")}"]`);
		expect(await (await active()).textContent()).toMatch(/^uni\/tn-/);
		await page.keyboard.press("s");
		await page.keyboard.press("s");
		await page.waitForURL(/sort=-dn/);
		await page.locator('[role=columnheader][aria-sort="descending"]').waitFor();
		await page.keyboard.press("Control+End");
		await page.keyboard.press("Control+Home");
		await page.keyboard.press("x");
		await page.keyboard.press("Shift+ArrowDown");
		await page.getByText(/2 selected/).waitFor();
		await page.keyboard.press("Space");
		const dialog = page.getByRole("dialog", { name: "Row 2" });
		await dialog.getByText("unicastRoute").or(dialog.getByText("preferred")).first().waitFor();
		await page.keyboard.press("Escape");
		await page.keyboard.press("/");
		await page.keyboard.type("class:fvSubnet");
		await page.getByText("17 of 37 rows").waitFor();
		await page.waitForURL(/q=class/);
		await page.reload();
		await page.getByText("17 of 37 rows").waitFor();
	});

	it("of several classes are shown class by class, and a value in sight becomes a filter", async () => {
		const page = await web.open(`/runs/${web.runId}`);
		const classes = page.getByRole("group", { name: "Classes" });
		await classes.getByRole("button", { name: "fvSubnet 17" }).click();
		await page.getByText("17 of 37 rows").waitFor();
		await page.waitForURL(/q=class/);
		await classes.getByRole("button", { name: "fvBD 20" }).click();
		await page.getByText("20 of 37 rows").waitFor();
		await page.getByRole("grid").focus();
		await page.keyboard.press("Space");
		const row = page.getByRole("dialog", { name: "Row 1" });
		await row.getByRole("link", { name: "Class fvBD" }).waitFor();
		const opened = row.getByRole("link", { name: "Open on the controller" });
		expect(await opened.getAttribute("href")).toMatch(/\/api\/mo\/uni\/tn-.*\/BD-.*\.json$/);
		await row.getByRole("button", { name: "Only rows with this dn", exact: true }).click();
		await page.getByText("1 of 37 rows").waitFor();
		await classes.getByRole("button", { name: "All classes" }).click();
		await page.waitForURL((url) => !url.search.includes("class"));
		await page.getByLabel("Filter rows").fill("");
		await page.getByText("1 of 37 rows").waitFor({ state: "detached" });
		await page.getByRole("grid").focus();
		await page.keyboard.press("Space");
		await row.getByRole("link", { name: "Track" }).click();
		await page.getByRole("heading", { name: "Attributes over time" }).waitFor();
	});

	it("are saved as a workbook, with numbers as numbers and text as text", async () => {
		const imdata = [
			{
				fvBD: {
					attributes: { dn: "uni/tn-a/BD-a", mtu: "9000", code: "007", big: "18446744073709551615", descr: "=1+1" },
				},
			},
		];
		const kept = await web.client().call(timeMachineRoutes.capture, {
			body: { result_data: { imdata }, query_name: "A workbook", class_name: "fvBD" },
		});
		const page = await web.open(`/time-machine/snapshots/${"snapshot_id" in kept ? kept.snapshot_id : ""}`);
		await page.getByRole("gridcell").first().waitFor();
		const download = page.waitForEvent("download");
		await page.getByRole("button", { name: "Export visible rows" }).click();
		await page.getByRole("menuitem", { name: "Save Excel" }).click();
		const saved = await download;
		expect(saved.suggestedFilename()).toMatch(/^A-workbook-\d{4}-\d\d-\d\d\.xlsx$/);
		const { sheets } = await readXlsx(readFileSync((await saved.path()) ?? ""));
		const [head = [], row = []] = sheets[0]?.rows ?? [];
		expect(Object.fromEntries(head.map((name, at) => [name, row[at]]))).toEqual({
			class: "fvBD",
			dn: "uni/tn-a/BD-a",
			mtu: 9000,
			code: "007",
			big: "18446744073709551615",
			descr: "=1+1",
		});
	});

	it("are filtered without losing a letter, however fast the address follows", async () => {
		const page = await web.open(`/runs/${web.runId}`);
		await page.getByRole("gridcell").first().waitFor();
		await page.keyboard.press("/");
		// As long as the pause after which the text is reported: each report meets the next letter.
		await page.keyboard.type("class:fvSubnet tn-Finance", { delay: 150 });
		expect(await page.getByLabel("Filter rows").inputValue()).toBe("class:fvSubnet tn-Finance");
		await page.waitForURL(/q=class/);
	});

	it("are drawn as far as they are in sight, wherever one goes", async () => {
		const objects = Array.from({ length: 3_000 }, (_, row) => ({
			fvBD: { attributes: { dn: `uni/tn-many/BD-${row}`, operSt: row % 2 === 0 ? "up" : "down", mtu: `${row}` } },
		}));
		const kept = await web.client().call(timeMachineRoutes.capture, {
			body: { result_data: { imdata: objects }, query_name: "Many rows", class_name: "fvBD" },
		});
		if (!("snapshot_id" in kept)) throw new Error(JSON.stringify(kept));
		const page = await web.open(`/time-machine/snapshots/${kept.snapshot_id}`, { height: 700 });
		const grid = page.getByRole("grid");
		const row = (number: number) => page.locator(`[role=row][aria-rowindex="${number + 1}"]`);
		// Beside the text of the DN, which is a link.
		const first = row(1).getByRole("gridcell").filter({ hasText: "uni/tn-many/BD-0" });
		await first.click({ position: { x: 3, y: 8 } });
		// Keys go on from where one has clicked.
		await page.keyboard.press("Control+End");
		await row(3_000).getByText("uni/tn-many/BD-2999").waitFor();
		expect(await row(3_000).textContent()).toMatch(/^3000.*BD-2999▼ down2999/);
		const active = await grid.getAttribute("aria-activedescendant");
		expect(await page.locator(`[id="${active}"]`).textContent()).toBe("2999");
		await grid.evaluate((element) => element.scrollTo({ top: 1_500 * 28 }));
		await row(1_501).getByText("uni/tn-many/BD-1500").waitFor();
		expect(await page.getByRole("row").count()).toBeLessThan(80);
		// Out of sight it is not drawn, so nothing points there.
		expect(await grid.getAttribute("aria-activedescendant")).toBe(null);
		await page.getByRole("searchbox", { name: "Filter rows" }).fill("dn:BD-299");
		await page.getByText("11 of 3,000 rows").waitFor();
		await row(11).getByText("uni/tn-many/BD-2999").waitFor();
		expect(await page.getByRole("row").count()).toBe(12);
	});

	it("are copied by keys: a cell, or the selected rows", async () => {
		const page = await web.open(`/runs/${web.runId}`);
		await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
		const copied = () => page.evaluate(() => navigator.clipboard.readText());
		await page
			.getByRole("gridcell")
			.filter({ hasText: /^uni\/tn-/ })
			.first()
			// Beside its text, which is a link.
			.click({ position: { x: 3, y: 8 } });
		await page.keyboard.press("Control+c");
		await page.getByText("Cell copied").waitFor();
		expect(await copied()).toMatch(/^uni\/tn-\S+$/);
		await page.keyboard.press("x");
		await page.keyboard.press("Shift+ArrowDown");
		await page.keyboard.press("Control+c");
		await page.getByText("2 rows copied").waitFor();
		const lines = (await copied()).split("\n");
		expect(lines).toHaveLength(3);
		expect(lines[0]).toMatch(/^class\tdn\tname\t/);
	});

	it("show the columns that the visible rows have, and say when there are no rows", async () => {
		const page = await web.open(`/runs/${web.runId}`, ALL_IN_SIGHT);
		const column = (name: string) => page.getByRole("columnheader", { name });
		await column("arpFlood").waitFor();
		const filter = page.getByRole("searchbox", { name: "Filter rows" });
		await filter.fill("class:fvSubnet");
		await page.getByText("17 of 37 rows").waitFor();
		await column("arpFlood").waitFor({ state: "detached" });
		await page.getByRole("button", { name: /Show \d+ empty columns/ }).click();
		await column("arpFlood").waitFor();
		await page.getByRole("button", { name: /Hide \d+ empty columns/ }).click();
		await filter.fill("name:no-such-name");
		await page.getByText("No row matches name:no-such-name").waitFor();
		expect(await findViolations(page)).toEqual([]);
		await page.getByRole("button", { name: "Clear the filter" }).click();
		await page.getByRole("status").getByText("37 rows").waitFor();
		expect(await filter.inputValue()).toBe("");
	});

	it("keep the last name of a DN in a narrow column", async () => {
		const page = await web.open(`/runs/${web.runId}`);
		await page.getByRole("columnheader", { name: "dn" }).hover();
		for (let step = 0; step < 3; step++) {
			await page.getByRole("button", { name: "Column dn" }).click();
			await page.getByRole("menuitem", { name: "Narrower" }).click();
		}
		const cell = page
			.getByRole("gridcell")
			.filter({ hasText: /^uni\/tn-Finance-01\/BD-bd-003$/ })
			.first();
		const [outer, head] = [await cell.boundingBox(), await cell.locator("span").boundingBox()];
		if (outer === null || head === null) throw new Error("the DN is not drawn");
		const text = await cell.evaluate((element) => {
			const range = document.createRange();
			range.selectNodeContents(element.lastChild as Node);
			return range.getBoundingClientRect().right;
		});
		expect(text).toBeLessThanOrEqual(outer.x + outer.width);
	});

	it("keeps class, DN and name in sight from the start, and the mark of a chosen row", async () => {
		const page = await web.open(`/runs/${web.runId}`);
		const grid = page.getByRole("grid");
		await page.getByRole("gridcell").first().waitFor();
		const heads = await page.getByRole("columnheader").allTextContents();
		expect(heads.slice(1, 4).map((head) => head.trim())).toEqual(["class", "dn", "name"]);
		const cell = page.locator("[role=row][aria-rowindex='2']").getByText(/^uni\/tn-/);
		const { x } = (await cell.boundingBox()) ?? { x: -1 };
		await page
			.locator("[role=row][aria-rowindex='2']")
			.getByRole("rowheader")
			.click({ modifiers: ["Control"] });
		await page
			.locator("[role=row][aria-selected=true]")
			.getByText(/^uni\/tn-/)
			.waitFor();
		await grid.evaluate((element) => element.scrollTo({ left: 500 }));
		await page.getByRole("gridcell").nth(5).waitFor();
		// Cells are laid out anew while it scrolls: for a moment there is none.
		await expect.poll(async () => (await cell.boundingBox())?.x).toBe(x);
		await page.getByText(/1 selected/).waitFor();
	});

	it("tell how often a value occurs, and narrow to it", async () => {
		const page = await web.open(`/runs/${web.runId}`);
		await page.getByRole("columnheader", { name: "class" }).hover();
		await page.getByRole("button", { name: "Column class" }).click();
		await page.getByRole("menuitem", { name: "Values and counts" }).click();
		const value = page.getByRole("dialog").getByRole("listitem").filter({ hasText: "fvBD" });
		await value.getByText("20").waitFor();
		await value.getByRole("button", { name: "Without" }).click();
		await page.getByText("17 of 37 rows").waitFor();
	});

	it("can be taken along: what is shown, and all of it", async () => {
		const page = await web.open(`/runs/${web.runId}?q=class:fvBD`);
		await page.getByText("20 of 37 rows").waitFor();
		const download = page.waitForEvent("download");
		await page.getByRole("button", { name: "Export visible rows" }).click();
		await page.getByRole("menuitem", { name: "Save CSV" }).click();
		const csv = readFileSync((await (await download).path()) ?? "", "utf8")
			.trimEnd()
			.split("\r\n");
		expect(csv[0]).toMatch(/^class,dn,name,/);
		expect(csv).toHaveLength(21);
		const whole = page.waitForEvent("download");
		await page.getByRole("button", { name: "Complete result" }).click();
		await page.getByRole("menuitem", { name: "As JSON" }).click();
		expect(JSON.parse(readFileSync((await (await whole).path()) ?? "", "utf8"))).toHaveLength(37);
	});

	it("of a run that was started elsewhere are announced on every page", async () => {
		const page = await web.open("/library");
		await page.getByRole("button", { name: `Run ${QUERY} on fab-dc1` }).click();
		await page.waitForURL(/\/runs\//);
		await page.getByRole("gridcell").first().waitFor();
		await page.getByRole("button", { name: /^Jobs/ }).click();
		await page.getByRole("heading", { name: "Jobs" }).waitFor();
		await page.getByRole("link", { name: "All runs" }).click();
		await page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
	});

	it("hide and pin columns, and remember it", async () => {
		const page = await web.open(`/runs/${web.runId}`, ALL_IN_SIGHT);
		await page.getByRole("columnheader", { name: "arpFlood" }).hover();
		await page.getByRole("button", { name: "Column arpFlood" }).click();
		await page.getByRole("menuitem", { name: "Hide" }).click();
		await page.getByRole("columnheader", { name: "arpFlood" }).waitFor({ state: "detached" });
		await page.reload();
		await page.getByRole("gridcell").first().waitFor();
		expect(await page.getByRole("columnheader", { name: "arpFlood" }).count()).toBe(0);
		await page.getByRole("button", { name: "Columns", exact: true }).click();
		await page.getByRole("button", { name: "Reset" }).click();
		await page.getByRole("button", { name: "Done" }).click();
		await page.getByRole("columnheader", { name: "arpFlood" }).waitFor();
	});

	it("hide several columns in the list of columns, and show one of them again", async () => {
		const page = await web.open(`/runs/${web.runId}`, ALL_IN_SIGHT);
		await page.getByRole("button", { name: "Columns", exact: true }).click();
		const columns = page.getByRole("dialog");
		await columns.getByLabel("arpFlood", { exact: true }).uncheck();
		await columns.getByLabel("bcastP", { exact: true }).uncheck();
		await columns.getByLabel("arpFlood", { exact: true }).check();
		await page.getByRole("button", { name: "Done" }).click();
		await page.getByRole("columnheader", { name: "arpFlood" }).waitFor();
		expect(await page.getByRole("columnheader", { name: "bcastP" }).count()).toBe(0);
		await page.getByRole("button", { name: "Columns", exact: true }).click();
		await page.getByRole("button", { name: "Reset" }).click();
		await page.getByRole("button", { name: "Done" }).click();
	});
});
