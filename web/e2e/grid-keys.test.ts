/** The grid of a result by keyboard: the panel of one row, and the menus of column heads. */
import { expect, it } from "vitest";
import { describeInBrowser, findViolations } from "./browser.ts";

const LONG = "18446744073709551615";

describeInBrowser("the grid of a result", (web) => {
	it("shows and copies every digit of a long number in the panel of a row", async () => {
		const page = await web.open("/favicon.svg");
		await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
		await page.context().route(/export=ndjson/, (route) =>
			route.fulfill({
				contentType: "application/x-ndjson",
				body: `{"fvBD":{"attributes":{"dn":"uni/tn-a/BD-a","pkts":${LONG}}}}\n`,
			}),
		);
		await page.goto(`/runs/${web.runId}`);
		await page.getByRole("gridcell").filter({ hasText: LONG }).waitFor();
		await page.getByRole("grid").focus();
		await page.keyboard.press("Space");
		const row = page.getByRole("dialog", { name: "Row 1" });
		await row.getByText(LONG).waitFor({ timeout: 10_000 });
		await row.getByRole("button", { name: "Copy pkts" }).click();
		expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(LONG);
	});

	it("closes the panel of a row when Back shows other rows", async () => {
		const page = await web.open(`/runs/${web.runId}`);
		await page.getByRole("gridcell").first().waitFor();
		await page.goto(`/runs/${web.runId}?q=class:fvSubnet`);
		await page.getByText("17 of 37 rows").waitFor();
		await page.evaluate((path) => history.pushState({}, "", path), `/runs/${web.runId}?q=class:fvBD`);
		await page.getByText("20 of 37 rows").waitFor();
		await page.getByRole("grid").focus();
		await page.keyboard.press("Space");
		await page.getByRole("dialog", { name: "Row 1" }).waitFor();
		await page.goBack();
		await page.getByText("17 of 37 rows").waitFor();
		await expect.poll(() => page.getByRole("dialog").count(), { timeout: 10_000 }).toBe(0);
	});

	it("opens the menu of each column by keys, and goes back to the rows", async () => {
		const page = await web.open(`/runs/${web.runId}`);
		const grid = page.getByRole("grid");
		await page.getByRole("gridcell").first().waitFor();
		await grid.focus();
		expect(await page.getByRole("columnheader", { name: "#" }).getAttribute("aria-colindex")).toBe("1");
		const getFocused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "");
		for (const key of ["ArrowRight", "ArrowUp"]) await page.keyboard.press(key);
		await expect.poll(getFocused, { timeout: 10_000 }).toBe("Column dn");
		await page.keyboard.press("ArrowLeft");
		await expect.poll(getFocused).toBe("Column class");
		await page.keyboard.press("ArrowLeft");
		expect(await getFocused()).toBe("Column class");
		await page.keyboard.press("ArrowDown");
		await expect.poll(getFocused).toMatch(/: rows$/);
		await page.keyboard.press("ArrowUp");
		await expect.poll(getFocused).toBe("Column class");
		await page.keyboard.press("Enter");
		await page.getByRole("menuitem", { name: "Values and counts" }).waitFor();
		expect(await findViolations(page)).toEqual([]);
		await page.keyboard.press("ArrowDown");
		await page.keyboard.press("ArrowDown");
		await page.keyboard.press("Enter");
		await page.getByRole("dialog", { name: "Distinct values of class" }).waitFor();
		await page.keyboard.press("Escape");
		await expect.poll(getFocused).toBe("Column class");
		await page.keyboard.press("End");
		await page.keyboard.press("Escape");
		await expect.poll(getFocused).toMatch(/: rows$/);
	});
});
