/** Results: the grid by keys, its filter in the address, columns, one row, files; runs that go on without their page. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { inBrowser } from "./browser.ts";
import { QUERY } from "./seed.ts";

inBrowser("results", (web) => {
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
		await page.getByText(/2 chosen/).waitFor();
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

	it("tell how often a value occurs, and narrow to it", async () => {
		const page = await web.open(`/runs/${web.runId}`);
		await page.getByRole("columnheader", { name: "class" }).hover();
		await page.getByRole("button", { name: "Column class" }).click();
		await page.getByRole("menuitem", { name: "Values and how often" }).click();
		const value = page.getByRole("dialog").getByRole("listitem").filter({ hasText: "fvBD" });
		await value.getByText("20").waitFor();
		await value.getByRole("button", { name: "Without" }).click();
		await page.getByText("17 of 37 rows").waitFor();
	});

	it("can be taken along: what is shown, and all of it", async () => {
		const page = await web.open(`/runs/${web.runId}?q=class:fvBD`);
		await page.getByText("20 of 37 rows").waitFor();
		const download = page.waitForEvent("download");
		await page.getByRole("button", { name: "Export what is shown" }).click();
		await page.getByRole("menuitem", { name: "Save CSV" }).click();
		const csv = readFileSync((await (await download).path()) ?? "", "utf8")
			.trimEnd()
			.split("\r\n");
		expect(csv[0]).toMatch(/^class,dn,name,/);
		expect(csv).toHaveLength(21);
		const whole = page.waitForEvent("download");
		await page.getByRole("button", { name: "Whole result" }).click();
		await page.getByRole("menuitem", { name: "As JSON" }).click();
		expect(JSON.parse(readFileSync((await (await whole).path()) ?? "", "utf8"))).toHaveLength(37);
	});

	it("of a run that was started elsewhere are announced on every page", async () => {
		const page = await web.open("/library");
		await page.getByRole("button", { name: `Run ${QUERY}` }).click();
		await page.waitForURL(/\/runs\//);
		await page.getByRole("gridcell").first().waitFor();
		await page.getByRole("button", { name: /^Jobs/ }).click();
		await page.getByRole("heading", { name: "Jobs" }).waitFor();
		await page.getByRole("link", { name: "All runs" }).click();
		await page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
	});

	it("hide and pin columns, and remember it", async () => {
		const page = await web.open(`/runs/${web.runId}`);
		await page.getByRole("columnheader", { name: "arpFlood" }).hover();
		await page.getByRole("button", { name: "Column arpFlood" }).click();
		await page.getByRole("menuitem", { name: "Hide" }).click();
		await page.getByRole("columnheader", { name: "arpFlood" }).waitFor({ state: "detached" });
		await page.reload();
		await page.getByRole("gridcell").first().waitFor();
		expect(await page.getByRole("columnheader", { name: "arpFlood" }).count()).toBe(0);
		await page.getByRole("button", { name: "Columns" }).click();
		await page.getByRole("button", { name: "As it was at first" }).click();
		await page.getByRole("button", { name: "Done" }).click();
		await page.getByRole("columnheader", { name: "arpFlood" }).waitFor();
	});
});
