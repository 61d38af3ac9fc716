/**
 * The gallery on an empty service: a fabric is added, a question is found in other words, run,
 * exported, saved and watched, all by clicks and keys.
 */
import { expect, it } from "vitest";
import { describeOnEmptyService, makeConnection, typeInto } from "./empty-service.ts";

describeOnEmptyService("the gallery on an empty service", (service) => {
	it("answers a question two clicks after it is opened, and exports the rows to Excel", async () => {
		const page = service.page();
		const alone = "uni/tn-Retail-01/ap-lonely/epg-alone";
		const attributes = { dn: alone, name: "alone", isAttrBasedEPg: "no", prefGrMemb: "exclude" };
		service.world().lab.load({ imdata: [{ fvAEPg: { attributes } }] });
		await makeConnection(page, "fab-a", service.world());
		await page.getByRole("link", { name: "Library", exact: true }).first().click();
		await page.getByRole("link", { name: "Choose a ready question" }).click();
		await page.getByRole("heading", { level: 1, name: "Gallery" }).waitFor();
		await typeInto(page.getByLabel("Search questions"), "endpoint groups without ACL");
		await page.getByRole("button", { name: "Run Which EPGs have no contract?" }).click();
		await page.getByRole("heading", { level: 1, name: "Which EPGs have no contract?" }).waitFor();
		const answer = page.getByRole("region", { name: "Answer" });
		await answer.getByRole("columnheader", { name: /epg/ }).first().waitFor();
		await answer.getByRole("gridcell", { name: "alone", exact: true }).waitFor();
		await page
			.getByLabel("About the question")
			.getByText(/^about \d+ requests to fab-a$/)
			.waitFor();
		await answer.getByRole("button", { name: "Export visible rows" }).click();
		const [file] = await Promise.all([
			page.waitForEvent("download"),
			page.getByRole("menuitem", { name: "Save Excel" }).click(),
		]);
		expect(file.suggestedFilename()).toMatch(/^Which-EPGs-have-no-contract-fab-a-\d{4}-\d\d-\d\d\.xlsx$/);
	});

	it("asks for the variables of a question, and shows what it finds", async () => {
		const page = service.page();
		await page.getByRole("link", { name: "Gallery", exact: true }).first().click();
		await typeInto(page.getByLabel("Search questions"), "ports of an epg");
		await page.getByRole("button", { name: "On which ports is this EPG?", exact: true }).click();
		await typeInto(page.getByLabel("Name of the EPG"), "no-such-group");
		await page.getByRole("button", { name: "Run", exact: true }).click();
		await page.getByText("No object matches the question.").waitFor();
	});

	it("saves a question as a query, and watches another one", async () => {
		const page = service.page();
		await page.getByRole("button", { name: "Save as my query" }).click();
		const dialog = page.getByRole("dialog", { name: "Save as my query" });
		await typeInto(dialog.getByLabel("Name"), "Ports of my EPG");
		await dialog.getByRole("button", { name: "Save", exact: true }).click();
		await page.getByRole("heading", { level: 1, name: "Ports of my EPG" }).waitFor();
		await page.getByRole("link", { name: "Library", exact: true }).first().click();
		await page.getByRole("link", { name: "Gallery", exact: true }).first().click();
		await page.getByRole("button", { name: "Which bridge domains flood?", exact: true }).click();
		await page.getByRole("button", { name: "Watch this" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Watch", exact: true }).click();
		await page.getByRole("heading", { level: 1, name: "Which bridge domains flood" }).waitFor();
		await page.getByText("Fails when the query returns any row.").waitFor();
	});
});
