/** The grid of a result by keyboard: the panel of one row, and the menus of column heads. */
import { expect, it } from "vitest";
import { describeInBrowser } from "./browser.ts";

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
});
