/**
 * A proved change, from an empty service: a plan, a window with its declaration, the work at the
 * controller, the verdict, and the signature.
 */
import { expect, it } from "vitest";
import { findViolations } from "../browser.ts";
import { describeOnEmptyService, makeConnection, makeQuery, typeInto } from "./empty-service.ts";
import { addPresentEntry } from "./present-entry.ts";
import { writeDomain, writeTenant } from "./write-tenant.ts";

const QUERY = "All domains";

const toJsonFile = (name: string, content: object) => ({
	name,
	mimeType: "application/json",
	buffer: Buffer.from(JSON.stringify(content)),
});

describeOnEmptyService("a change window on an empty service", (service) => {
	it("judges a window as passed if exactly the declared bridge domain was added, and signs it", async () => {
		const page = service.page();
		const { lab } = service.world();
		await makeConnection(page, "fab-a", service.world());
		await writeDomain(lab, "one");
		await makeQuery(page, QUERY, "fvBD");

		await page.getByRole("link", { name: "Change windows" }).first().click();
		await page.getByRole("link", { name: "Plans" }).click();
		await page.getByRole("button", { name: "New plan" }).first().click();
		const plan = page.getByRole("dialog", { name: "New change plan" });
		await typeInto(plan.getByLabel("Name"), "New bridge domains");
		await plan.getByLabel("Add a query or a check").selectOption({ label: QUERY });
		await typeInto(plan.getByLabel("Delay, in seconds"), "0");
		await typeInto(plan.getByLabel("Interval, in seconds"), "1");
		await typeInto(plan.getByLabel("Equal rounds"), "1");
		await typeInto(plan.getByLabel("Timeout, in seconds"), "30");
		await plan.getByRole("button", { name: "Save" }).click();
		await page.getByRole("button", { name: "New bridge domains", exact: true }).waitFor();

		await page
			.getByRole("navigation", { name: "Change windows" })
			.getByRole("link", { name: "Change windows" })
			.click();
		await page.getByRole("button", { name: "New change window" }).first().click();
		const form = page.getByRole("dialog", { name: "New change window" });
		await typeInto(form.getByLabel("Title"), "VLANs of rack 7");
		await typeInto(form.getByLabel("Ticket"), "CHG0031337");
		await form.getByLabel("Plan").selectOption({ label: "New bridge domains" });
		await form.getByRole("button", { name: "Save" }).click();

		await page.getByRole("heading", { name: "VLANs of rack 7" }).waitFor();
		await page.getByRole("button", { name: "Expect a change" }).click();
		const expected = page.getByRole("dialog", { name: "Expect a change" });
		await typeInto(expected.getByLabel("Distinguished name"), "uni/tn-Twin/BD-new");
		await expected.getByRole("button", { name: "Add", exact: true }).click();
		await page.getByText("uni/tn-Twin/BD-new").waitFor();
		await page.getByText("1 expectation", { exact: true }).waitFor();
		await page.getByRole("button", { name: "Plan it" }).click();
		await page.getByRole("button", { name: "Start" }).click();
		await page.getByText("Open", { exact: true }).waitFor();
		expect(await findViolations(page)).toEqual([]);

		await writeTenant(lab, { name: "Twin" }, [{ fvBD: { attributes: { name: "new" } } }]);
		await page.getByRole("button", { name: "Finish" }).click();
		await page.getByText("Passed.").waitFor();
		const findings = page.getByRole("region", { name: "Findings" });
		await findings.getByText("Expected", { exact: true }).waitFor();
		await page.getByRole("button", { name: "Sign" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Sign" }).click();
		await page.getByText("Closed", { exact: true }).waitFor();
		await page.getByText("signed it").waitFor();
		expect(await findViolations(page)).toEqual([]);
	});

	it("judges a window as failed for an undeclared bridge domain, and keeps that when it is accepted", async () => {
		const page = service.page();
		const { lab } = service.world();
		await page.goto("/change-windows");
		await page.getByRole("button", { name: "New change window" }).first().click();
		const form = page.getByRole("dialog", { name: "New change window" });
		await typeInto(form.getByLabel("Title"), "Nothing at all");
		await form.getByLabel("Plan").selectOption({ label: "New bridge domains" });
		await typeInto(form.getByLabel("Implementers"), "olga");
		await form.getByRole("button", { name: "Save" }).click();
		await page.getByRole("button", { name: "Plan it" }).click();
		await page.getByRole("button", { name: "Start" }).click();
		await page.getByText("Open", { exact: true }).waitFor();
		await writeTenant(lab, { name: "Twin" }, [{ fvBD: { attributes: { name: "stray" } } }]);
		await page.getByRole("button", { name: "Finish" }).click();
		// It fails, so rounds would go on until the time of the plan is over.
		await page
			.getByText(/Round [4-9]/)
			.first()
			.waitFor();
		await page.getByRole("button", { name: "Judge it now" }).click();
		await page.getByText("Failed.").waitFor();
		await page.getByText("1 change was not declared").first().waitFor();
		await page.getByText("by another user").waitFor();
		await page.getByRole("button", { name: "Accept" }).click();
		const dialog = page.getByRole("dialog", { name: "Accept the finding" });
		await typeInto(dialog.getByLabel("Reason"), "Known");
		await dialog.getByRole("button", { name: "Accept" }).click();
		await page.getByText("1 of 1 finding accepted by").waitFor();
		await page.getByText("Failed.").waitFor();
	});

	it("names an open window on the pages of its fabric, and a finished one on none", async () => {
		const page = service.page();
		await page.goto("/change-windows");
		await page.getByRole("button", { name: "New change window" }).first().click();
		const form = page.getByRole("dialog", { name: "New change window" });
		await typeInto(form.getByLabel("Title"), "Cables of hall 2");
		await form.getByLabel("Plan").selectOption({ label: "New bridge domains" });
		await form.getByRole("button", { name: "Save" }).click();
		await page.getByRole("button", { name: "Plan it" }).click();
		await page.getByRole("button", { name: "Start" }).click();
		await page.getByText("Open", { exact: true }).waitFor();

		const banner = page.getByText('Change window "Cables of hall 2" is open until its work is finished.');
		const follow = page.getByRole("link", { name: "Open the change window" });
		await page.getByRole("link", { name: "Changes", exact: true }).first().click();
		await page.getByRole("heading", { level: 1, name: "Changes" }).waitFor();
		expect(await banner.count()).toBe(0);
		await page.getByLabel("Fabric", { exact: true }).selectOption({ label: "fab-a" });
		await banner.waitFor();
		await page.getByText("Work is going on at fab-a.").waitFor();
		expect(await findViolations(page)).toEqual([]);
		await page.getByTitle("uni/tn-Twin/BD-stray", { exact: true }).first().click();
		await page.getByRole("heading", { level: 1, name: "stray" }).waitFor();
		await banner.waitFor();
		await page.goto("/runs");
		await page.getByRole("link", { name: QUERY }).first().click();
		await page.getByRole("heading", { level: 1, name: QUERY }).waitFor();
		await banner.waitFor();
		await page.goto("/settings/connections");
		await banner.waitFor();
		await follow.click();

		await page.getByRole("heading", { level: 1, name: "Cables of hall 2" }).waitFor();
		await page.getByRole("button", { name: "Finish" }).click();
		await page.getByText("Passed.").waitFor();
		await page.getByRole("link", { name: "Changes", exact: true }).first().click();
		await page.getByLabel("Fabric", { exact: true }).selectOption({ label: "fab-a" });
		await page.getByRole("link", { name: "uni/tn-Twin/BD-stray" }).first().waitFor();
		await expect.poll(() => banner.count()).toBe(0);
	});

	it("takes results of the pre-upgrade script on files, shows what failed first, and loses them again", async () => {
		const page = service.page();
		await page.goto("/change-windows");
		await page.getByRole("button", { name: "New change window" }).first().click();
		const form = page.getByRole("dialog", { name: "New change window" });
		await typeInto(form.getByLabel("Title"), "Upgrade of the fabric");
		await form.getByLabel("Plan").selectOption({ label: "New bridge domains" });
		await form.getByRole("button", { name: "Save" }).click();
		await page.getByText("No results of Cisco's pre-upgrade validation script").waitFor();

		await page.getByRole("button", { name: "Attach results" }).click();
		const dialog = page.getByRole("dialog", { name: "Attach results of the pre-upgrade script" });
		await dialog.getByLabel("JSON files").setInputFiles([toJsonFile("fabric.json", { imdata: [] })]);
		await dialog.getByRole("button", { name: "Attach" }).click();
		await dialog.getByText('"fabric.json" is not of the script').waitFor();
		await dialog.getByLabel("JSON files").setInputFiles([
			toJsonFile("cluster_check.json", { ruleId: "cluster_check", name: "Cluster size", ruleStatus: "passed" }),
			toJsonFile("vlan_check.json", {
				ruleId: "vlan_check",
				name: "Overlapping VLANs",
				ruleStatus: "failed",
				reason: "Two pools overlap",
				recommended_action: "Resolve them before the upgrade",
				docUrl: "https://docs.example/vlans",
				failureDetails: { failType: "FAIL - OUTAGE WARNING!!", header: ["Pool"], data: [{ Pool: "blue" }] },
			}),
			toJsonFile("meta.json", { name: "PreupgradeCheck", script_version: "v3.1.0", total_checks: 3 }),
		]);
		await dialog.getByRole("button", { name: "Attach" }).click();
		const results = page.getByRole("article", { name: "Pre-upgrade script on fab-a" });
		await results.getByText("1 outage warning, 1 passed").waitFor();
		for (const text of ["incomplete", "Two pools overlap", "Resolve them before the upgrade", "Pool: blue"])
			await results.getByText(text).first().waitFor();
		await results.getByText("The script counts 3 checks, and 2 are attached").waitFor();
		expect(await results.getByText("Cluster size").count()).toBe(0);
		await results.getByRole("button", { name: "Show 1 check without a problem" }).click();
		await results.getByText("Cluster size").waitFor();
		await page.getByText("attached results of the pre-upgrade script").waitFor();
		await page.reload();
		await page.getByText("Results of 1 run are attached.").waitFor();
		await page.getByRole("button", { name: "Show the results" }).click();
		await results.getByText("Two pools overlap").waitFor();
		expect(await findViolations(page)).toEqual([]);

		await results.getByRole("button", { name: "Remove the results of fab-a" }).click();
		await page.getByText("No results of Cisco's pre-upgrade validation script").waitFor();
		await page.getByText("removed results of the pre-upgrade script").waitFor();
	});

	it("shows a window on its day in the month of change windows and in the calendar, and leads to its page from both", async () => {
		const page = service.page();
		for (const path of ["/change-windows?view=month", "/calendar?view=month"]) {
			await page.goto(path);
			const occurrence = page.getByRole("button", { name: "VLANs of rack 7" }).first();
			await occurrence.waitFor();
			await page.getByRole("button", { name: "Nothing at all" }).first().waitFor();
			expect(await findViolations(page)).toEqual([]);
			await occurrence.click();
			await page.getByRole("heading", { name: "VLANs of rack 7" }).waitFor();
		}
	});

	it("saves severity, unsettled rows and expectations of a plan, and previews its findings between stored snapshots", async () => {
		const page = service.page();
		await page.goto("/change-plans");
		await page.getByRole("button", { name: "New bridge domains", exact: true }).click();
		const plan = page.getByRole("dialog", { name: "New bridge domains" });
		await plan.getByText("Severity, pairing and unsettled rows").click();
		await plan.getByLabel("Severity of differences").selectOption({ label: "critical" });
		await plan.getByRole("button", { name: "Wait while rows are unsettled" }).click();
		await plan.getByRole("button", { name: "Save" }).click();
		await plan.getByLabel("Field", { exact: true }).and(plan.locator("[aria-invalid]")).waitFor();
		await typeInto(plan.getByLabel("Field", { exact: true }), "fvBD.name");
		await typeInto(plan.getByLabel("Value", { exact: true }), "unsettled");
		await plan.getByLabel("After a failed verdict").selectOption({ label: "Request the rollback of its jobs" });
		await typeInto(plan.getByLabel("Maximum age of the state before the work, in minutes"), "30");
		await plan.getByLabel("Windows of this plan need an approval").click();
		await plan.getByRole("button", { name: "Expect a change" }).click();
		await typeInto(plan.getByLabel("Distinguished name"), "uni/tn-Twin/BD-later*");
		expect(await findViolations(page)).toEqual([]);
		await plan.getByRole("button", { name: "Save" }).click();
		await page.getByText("New bridge domains is saved as revision 2.").waitFor();

		await page.getByRole("button", { name: "More for New bridge domains" }).click();
		await page.getByRole("menuitem", { name: "Try it on stored snapshots" }).click();
		const tried = page.getByRole("dialog", { name: "Try New bridge domains" });
		await tried.getByRole("button", { name: "Compare" }).click();
		const result = tried.getByRole("region", { name: `${QUERY}, fab-a` });
		await result.getByText(/: nothing differs\.|: 1 finding\./).waitFor();
		expect(await findViolations(page)).toEqual([]);
	});

	it("starts a window with what its plan expects and requires, and adds an attribute, a fabric and a number", async () => {
		const page = service.page();
		await page.goto("/change-windows");
		await page.getByRole("button", { name: "New change window" }).first().click();
		const form = page.getByRole("dialog", { name: "New change window" });
		await typeInto(form.getByLabel("Title"), "Flooding off");
		const approval = form.getByLabel("Another person has to approve it");
		expect(await approval.isChecked()).toBe(false);
		await form.getByLabel("Plan").selectOption({ label: "New bridge domains" });
		expect(await approval.isChecked()).toBe(true);
		await approval.click();
		await form.getByRole("button", { name: "Save" }).click();
		const expected = page.getByRole("region", { name: "Expectations" });
		await expected.getByText("uni/tn-Twin/BD-later*").waitFor();

		await page.getByRole("button", { name: "Expect a change" }).click();
		const dialog = page.getByRole("dialog", { name: "Expect a change" });
		await dialog.getByLabel("Change", { exact: true }).selectOption({ label: "Modified" });
		await dialog.getByLabel("The name is a regular expression").click();
		await typeInto(dialog.getByLabel("Regular expression of the distinguished name"), "uni/tn-Twin/BD-(");
		await dialog.getByRole("button", { name: "Add an attribute" }).click();
		await typeInto(dialog.getByLabel("Attribute 1", { exact: true }), "arpFlood");
		await typeInto(dialog.getByLabel("Before, attribute 1"), "no");
		await typeInto(dialog.getByLabel("After, attribute 1"), "yes");
		await dialog.getByText("Scope, count and note").click();
		await dialog.getByLabel("Fabric").selectOption({ label: "fab-a" });
		await dialog.getByLabel("Query").selectOption({ label: QUERY });
		await typeInto(dialog.getByLabel("At least"), "2");
		await typeInto(dialog.getByLabel("At most"), "2");
		await dialog.getByRole("button", { name: "Add", exact: true }).click();
		const wrong = dialog.getByLabel("Regular expression of the distinguished name").and(page.locator("[aria-invalid]"));
		await wrong.waitFor();
		expect(await findViolations(page)).toEqual([]);
		await typeInto(dialog.getByLabel("Regular expression of the distinguished name"), "uni/tn-Twin/BD-.+");
		await dialog.getByRole("button", { name: "Add", exact: true }).click();
		for (const text of ["/uni/tn-Twin/BD-.+/", "arpFlood: no → yes", "exactly 2", "fab-a", QUERY])
			await expected.getByText(text, { exact: true }).waitFor();
	});

	it("asks before it cancels or deletes a window", async () => {
		const page = service.page();
		const choose = async (verb: string) => {
			await page.getByRole("button", { name: "More for Flooding off" }).click();
			await page.getByRole("menuitem", { name: verb }).click();
		};
		await choose("Cancel the window");
		const asked = page.getByRole("dialog");
		await asked.getByText("The window gets no verdict").waitFor();
		await asked.getByRole("button", { name: "Cancel", exact: true }).click();
		await choose("Cancel the window");
		await asked.getByRole("button", { name: "Cancel the window" }).click();
		await page.getByText("Cancelled", { exact: true }).waitFor();
		await choose("Delete the window");
		await asked.getByRole("button", { name: "Delete the window" }).click();
		await page.getByRole("heading", { level: 1, name: "Change windows" }).waitFor();
		await page.getByRole("link", { name: "VLANs of rack 7" }).waitFor();
		await expect.poll(() => page.getByRole("link", { name: "Flooding off" }).count()).toBe(0);

		await page.getByLabel("Fabric", { exact: true }).selectOption({ label: "fab-a" });
		await page.getByLabel("Requester").selectOption({ label: "My windows" });
		await page.getByRole("link", { name: "VLANs of rack 7" }).waitFor();
	});

	it("starts a window during a freeze with a reason, which its events show", async () => {
		const page = service.page();
		await page.getByRole("link", { name: "Calendar", exact: true }).first().click();
		await page.getByRole("heading", { level: 1, name: "Calendar" }).waitFor();
		await addPresentEntry(page, "Freeze", "End of the year");
		await page.getByRole("link", { name: "Change windows" }).first().click();
		await page.getByRole("button", { name: "New change window" }).first().click();
		const form = page.getByRole("dialog", { name: "New change window" });
		await typeInto(form.getByLabel("Title"), "The rack is down");
		await form.getByLabel("Plan").selectOption({ label: "New bridge domains" });
		// The plan asks for an approval since a test above.
		await form.getByLabel("Another person has to approve it").click();
		await form.getByRole("button", { name: "Save" }).click();
		await page.getByRole("button", { name: "Plan it" }).click();
		await page.getByRole("button", { name: "Start" }).click();
		const refusal = page.getByRole("dialog", { name: "A freeze is on" });
		await refusal.getByRole("link", { name: "End of the year" }).waitFor();
		await typeInto(refusal.getByLabel("Reason for the exception"), "Nothing works");
		await refusal.getByRole("button", { name: "Start during the freeze" }).click();
		await refusal.waitFor({ state: "detached" });
		await page.getByText("Open", { exact: true }).waitFor();
		await page.getByText(/During the freeze "End of the year": Nothing works/).waitFor();
	});
});
