/**
 * What changed on a fabric, from an empty service: two runs of a query with a change of the fabric
 * between them, then the overview, the page of changes, and the comparison at the changed object.
 */
import { expect, it } from "vitest";
import { chooseOption, describeOnEmptyService, makeConnection, makeQuery, typeInto } from "./empty-service.ts";

describeOnEmptyService("what changed on a fabric of an empty service", (service) => {
	it("shows no changes before a query has run, and makes no claim on the overview", async () => {
		const page = service.page();
		await page.goto("/");
		await page.getByText("No snapshot shows a change since yesterday.").waitFor();
		expect(await page.getByText(/No problems/).count()).toBe(0);
		await page.getByRole("link", { name: "Changes", exact: true }).click();
		await page.getByText("No snapshot shows a change in this time.").waitFor();
	});

	it("shows a change on the overview and in the feed after two runs, each row with its comparison", async () => {
		const page = service.page();
		await makeConnection(page, "fab-a", service.world());
		await makeQuery(page, "Domains", "fvBD");
		await page.goto("/schedules");
		await page.getByRole("button", { name: "New schedule" }).first().click();
		const form = page.getByRole("dialog", { name: "New schedule" });
		await typeInto(form.getByLabel("Name"), "Every morning");
		await chooseOption(form.getByLabel("Query"), "Domains");
		await form.getByRole("button", { name: "Save" }).click();
		await page.getByRole("heading", { level: 1, name: "Every morning" }).waitFor();
		const runs = page.getByRole("region", { name: "Runs of the schedule" });
		await page.getByRole("button", { name: "Run Every morning now" }).click();
		await runs.getByText("Succeeded").waitFor();
		service.world().lab.advance({ steps: 5, change_rate: 0.5 });
		await page.getByRole("button", { name: "Run Every morning now" }).click();
		await expect.poll(() => runs.getByText("Succeeded").count()).toBe(2);

		await page.goto("/changes");
		await expect
			.poll(async () => {
				await page.reload();
				await page.getByRole("heading", { level: 1, name: "Changes" }).waitFor();
				await page.waitForLoadState("networkidle");
				return page.getByRole("link", { name: /^Compare uni\// }).count();
			})
			.toBeGreaterThan(0);
		await page.goto("/");
		const yesterday = page.getByRole("region", { name: "Since yesterday" });
		await yesterday.getByRole("link", { name: "fab-a" }).waitFor();
		await yesterday.getByRole("link", { name: "All changes" }).click();

		await chooseOption(page.getByLabel("Fabric"), "fab-a");
		await chooseOption(page.getByLabel("Class"), "fvBD");
		await page.getByRole("button", { name: "Group by person" }).click();
		await page.getByRole("button", { name: "Group by person" }).click();
		const compare = page.getByRole("link", { name: /^Compare uni\// }).first();
		const dn = (await compare.getAttribute("aria-label"))?.replace("Compare ", "") ?? "";
		await compare.click();
		await page
			.getByRole("region", { name: "Differences" })
			.getByText(dn.split("/").at(-1) ?? "")
			.first()
			.waitFor();
		expect(new URL(page.url()).searchParams.get("dn")).toBe(dn);
	});

	it("ignores a change by a drift rule that a row makes", async () => {
		const page = service.page();
		await page.goBack();
		await page
			.getByRole("button", { name: /^More for uni\// })
			.first()
			.click();
		await page
			.getByRole("menuitem", { name: /^Make a drift rule: ignore fvBD\./ })
			.first()
			.click();
		await page.getByText(/is ignored from the next snapshot on/).waitFor();
	});
});
