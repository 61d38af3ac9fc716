/** A number of a query over time, by clicks on an empty service. */
import { expect, it } from "vitest";
import { describeOnEmptyService, makeConnection, makeQuery, typeInto } from "./empty-service.ts";

describeOnEmptyService("trends on an empty service", (service) => {
	it("a query that ran several times has a line with its values, by group and as CSV", async () => {
		const page = service.page();
		await makeConnection(page, "fab-a", service.world());
		await makeQuery(page, "Faults over time", "faultInst");
		const results = page.getByRole("region", { name: "Results" });
		for (let run = 0; run < 3; run += 1) {
			await page.getByRole("button", { name: "Run on fab-a" }).click();
			await results.getByText("Succeeded").waitFor();
			service.world().lab.advance({ steps: 4, change_rate: 0.5 });
			await page.reload();
			await page.getByRole("heading", { level: 1, name: "Faults over time" }).waitFor();
		}
		await page.goto("/time-machine");
		await page.getByRole("link", { name: "Faults over time" }).click();
		await page.getByRole("link", { name: "Trends" }).click();
		await page.getByRole("figure", { name: "Count of rows" }).locator("canvas").waitFor();
		const values = page.getByRole("region", { name: "Count of rows: values" }).getByRole("row");
		expect(await values.count()).toBeGreaterThan(2);
		await typeInto(page.getByLabel("Group by"), "faultInst.severity");
		await page.keyboard.press("Enter");
		await page
			.getByRole("columnheader", { name: /^(critical|major|minor|warning|cleared|info)$/ })
			.first()
			.waitFor();
		await page.reload();
		expect(await page.getByLabel("Group by").inputValue()).toBe("faultInst.severity");
		await page.getByRole("button", { name: "Export" }).click();
		const [file] = await Promise.all([
			page.waitForEvent("download"),
			page.getByRole("menuitem", { name: "CSV" }).click(),
		]);
		expect(file.suggestedFilename()).toBe("series.csv");
	});
});
