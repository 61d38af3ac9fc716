/**
 * Launches and change windows, from an empty service: a request with a change plan while the fabric
 * refuses what the plan reads, one that names a planned window, and one whose window only compares
 * a query before and after the job.
 */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { findViolations } from "../browser.ts";
import {
	chooseOption,
	describeOnEmptyService,
	makeConnection,
	makeQuery,
	pasteRows,
	typeInto,
} from "./empty-service.ts";

async function showDetails(page: Page): Promise<void> {
	if (await page.getByLabel("Change plan").isVisible()) return;
	await page.getByText("Description, schedule, credential, change plan and launch options").click();
}

describeOnEmptyService("a blocked launch on an empty service", (service) => {
	it("makes a server, a template, a fabric, and a plan whose form names fields by their labels", async () => {
		const page = service.page();
		const { url, token } = service.world().automation;
		// Rows reach the job as variables: the job template takes them.
		const asks = { id: 16, asks: ["variables"] };
		await fetch(`${url}/_lab/template`, { method: "POST", body: JSON.stringify(asks) });
		await page.goto("/settings/automation");
		await page.getByRole("button", { name: "New server" }).first().click();
		const dialog = page.getByRole("dialog");
		await typeInto(dialog.getByLabel("Name"), "awx");
		await typeInto(dialog.getByLabel("Address", { exact: true }), url);
		await typeInto(dialog.getByLabel("Token", { exact: true }), token);
		// Where a launch needs an approval, its requester may not override the gate.
		await chooseOption(dialog.getByLabel("Approval of launches"), "Only if the template asks for it");
		await dialog.getByRole("button", { name: "Save and test" }).click();
		await dialog.getByText("The server is reachable, and the token is accepted.").waitFor();
		await dialog.getByRole("button", { name: "Done" }).click();

		await page.goto("/automation/templates");
		await page.getByRole("button", { name: "New template" }).first().click();
		await chooseOption(dialog.getByLabel("Template of the server"), "Survey");
		await dialog.getByRole("button", { name: "Import the survey" }).click();
		await page.getByRole("heading", { level: 1, name: "Survey" }).waitFor();
		const approval = page.getByLabel("Requests need approval");
		if (await approval.isChecked()) await approval.click();
		// The survey of the server requires it.
		await page.getByRole("button", { name: "Add a variable" }).click();
		await typeInto(page.getByLabel("Variable", { exact: true }).last(), "tenant");
		await typeInto(page.getByLabel("Value", { exact: true }).last(), "shop");
		await page.getByRole("button", { name: "Expect a change" }).click();
		await typeInto(page.getByLabel("Distinguished name"), "uni/tn-{rack}/BD-new");
		await page.getByLabel("Must happen").click();
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText('There is no column "rack".').waitFor();
		expect(await findViolations(page)).toEqual([]);
		await typeInto(page.getByLabel("Distinguished name"), "uni/tn-{tenant}/BD-new");
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText("Survey is saved").waitFor();
		await page.reload();
		expect(await page.getByLabel("Distinguished name").inputValue()).toBe("uni/tn-{tenant}/BD-new");

		await makeConnection(page, "fab-a", service.world());
		await makeQuery(page, "All domains", "fvBD");
		await page.goto("/change-plans");
		await page.getByRole("button", { name: "New plan" }).first().click();
		const plan = page.getByRole("dialog", { name: "New change plan" });
		await typeInto(plan.getByLabel("Name"), "Nothing else changes");
		await plan.getByLabel("Add a query or a check").selectOption({ label: "All domains" });
		// Too many rounds: the message names the fields as the form does.
		await typeInto(plan.getByLabel("Interval, in seconds"), "1");
		await typeInto(plan.getByLabel("Timeout, in seconds"), "3600");
		await plan.getByRole("button", { name: "Save" }).click();
		await plan.getByText(/Make "Interval, in seconds" longer or "Timeout, in seconds" shorter/i).waitFor();
		await typeInto(plan.getByLabel("Delay, in seconds"), "0");
		await typeInto(plan.getByLabel("Equal rounds"), "1");
		await typeInto(plan.getByLabel("Timeout, in seconds"), "30");
		await plan.getByRole("button", { name: "Save" }).click();
		await page.getByRole("button", { name: "Nothing else changes", exact: true }).waitFor();
	});

	it("says on the request that nothing was sent, and launches the job once the gate is overridden", async () => {
		const page = service.page();
		const { lab } = service.world();
		await page.goto("/automation/requests");
		await page.getByRole("link", { name: "New request" }).click();
		await page.getByRole("link", { name: "Survey", exact: true }).first().click();
		await typeInto(page.getByLabel("Title"), "A tenant behind a gate");
		await chooseOption(page.getByLabel("Target fabric"), "fab-a");
		await showDetails(page);
		await chooseOption(page.getByLabel("Change plan"), "Nothing else changes");
		await pasteRows(page, "Tenant\tvlan\tENV\nshop\t110\tprod\n");
		await page.getByRole("region", { name: "Problems" }).getByText("1 row, no problems").waitFor();
		await page.getByRole("button", { name: "Submit", exact: true }).click();
		await page.getByRole("heading", { level: 1, name: "A tenant behind a gate" }).waitFor();

		lab.setFaults({ access_denied: { match: "fvBD" } });
		await page.getByRole("button", { name: "Launch the job" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Launch the job" }).click();
		const banner = page.getByRole("alert").filter({ hasText: "Blocked." });
		await banner.getByText("Nothing was sent").waitFor();
		expect(await findViolations(page)).toEqual([]);
		const jobs = await service.world().automation.jobs();
		expect(jobs.filter(({ extra_vars }) => String(extra_vars).includes("shop"))).toEqual([]);

		await page.getByRole("link", { name: "Open the change window" }).first().click();
		await page.getByRole("heading", { level: 1, name: "A tenant behind a gate" }).waitFor();
		const expected = page.getByRole("region", { name: "Expectations" });
		await expected.getByText("uni/tn-shop/BD-new").waitFor();
		await expected.getByText("from approved rows").waitFor();
		await page.getByRole("button", { name: "Open it despite the gate" }).click();
		const dialog = page.getByRole("dialog");
		await typeInto(dialog.getByLabel("Reason"), "Agreed with the night shift");
		await dialog.getByRole("button", { name: "Open it" }).click();
		await page.getByText("Agreed with the night shift").first().waitFor();
		lab.clearFaults();
		await page.getByText("Its last job has ended.").waitFor();
		await page.getByText("Inconclusive.").waitFor();
		await page.goBack();
		await page.getByRole("region", { name: "Executions" }).getByText("1 row changed").waitFor();
	});

	it("lets the job of a request wait for a change window that exists, and starts that window", async () => {
		const page = service.page();
		await page.goto("/change-windows");
		await page.getByRole("button", { name: "New change window" }).first().click();
		const form = page.getByRole("dialog", { name: "New change window" });
		await typeInto(form.getByLabel("Title"), "Night of the tenants");
		await form.getByLabel("Plan").selectOption({ label: "Nothing else changes" });
		await form.getByLabel("End the work with the last job").click();
		await form.getByRole("button", { name: "Save" }).click();
		await page.getByRole("button", { name: "Plan it" }).click();
		await page.getByText("Planned", { exact: true }).waitFor();

		await page.goto("/automation/requests");
		await page.getByRole("link", { name: "New request" }).click();
		await page.getByRole("link", { name: "Survey", exact: true }).first().click();
		await typeInto(page.getByLabel("Title"), "A tenant at night");
		await chooseOption(page.getByLabel("Target fabric"), "fab-a");
		await showDetails(page);
		await chooseOption(page.getByLabel("Change plan"), "Nothing else changes");
		await chooseOption(page.getByLabel("Change window"), "Night of the tenants");
		// One takes the place of the other.
		await expect.poll(() => page.getByLabel("Change plan").inputValue()).toBe("");
		await pasteRows(page, "Tenant\tvlan\tENV\nbank\t111\tprod\n");
		await page.getByRole("region", { name: "Problems" }).getByText("1 row, no problems").waitFor();
		await page.getByRole("button", { name: "Submit", exact: true }).click();
		await page.getByRole("heading", { level: 1, name: "A tenant at night" }).waitFor();
		await page.getByRole("button", { name: "Launch the job" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Launch the job" }).click();
		await page.getByRole("region", { name: "Executions" }).getByText("1 row changed").waitFor();
		await page.getByRole("link", { name: "Open the change window" }).first().click();
		await page.getByRole("heading", { level: 1, name: "Night of the tenants" }).waitFor();
		await page.getByText("Its last job has ended.").waitFor();
		await page.getByText("Passed.").waitFor();
	});

	it("compares a query before and after the job of a request, in a window of the job", async () => {
		const page = service.page();
		await page.goto("/automation/requests");
		await page.getByRole("link", { name: "New request" }).click();
		await page.getByRole("link", { name: "Survey", exact: true }).first().click();
		await typeInto(page.getByLabel("Title"), "A tenant compared");
		await chooseOption(page.getByLabel("Target fabric"), "fab-a");
		await showDetails(page);
		await chooseOption(page.getByLabel("Change plan"), "Nothing else changes");
		await chooseOption(page.getByLabel("Compare before and after"), "All domains");
		// One takes the place of the other.
		await expect.poll(() => page.getByLabel("Change plan").inputValue()).toBe("");
		await pasteRows(page, "Tenant\tvlan\tENV\nshop\t112\tprod\n");
		await page.getByRole("region", { name: "Problems" }).getByText("1 row, no problems").waitFor();
		await page.getByRole("button", { name: "Submit", exact: true }).click();
		await page.getByRole("heading", { level: 1, name: "A tenant compared" }).waitFor();
		await page.getByRole("button", { name: "Launch the job" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Launch the job" }).click();
		await page.getByRole("region", { name: "Executions" }).getByText("1 row changed").waitFor();
		await page.getByRole("link", { name: "Open the change window" }).click();
		await page.getByRole("heading", { level: 1, name: "Job: A tenant compared" }).waitFor();
		await page.getByText("Passed.").waitFor();
		expect(await findViolations(page)).toEqual([]);
		await page.goBack();
		await page.getByRole("region", { name: "Executions" }).getByRole("link").first().click();
		await page.getByRole("link", { name: "Compare before and after" }).click();
		await page.getByText("The snapshots are equal").waitFor();
	});
});
