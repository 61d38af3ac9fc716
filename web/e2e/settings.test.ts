/** Data: retention with its preview, what schedules start with, reference data. */
import {
	automationCategoryRoutes,
	automationTemplateRoutes,
	columnTemplateRoutes,
	mimPersonalRoutes,
	queryCategoryRoutes,
	regexPatternRoutes,
	savedQueryRoutes,
	scheduleRoutes,
	timeMachineRoutes,
	validationListRoutes,
} from "@weft/contracts";
import type { Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { describeInBrowser, type Web } from "./browser.ts";
import { deleteAfterTest } from "./clean-up.ts";

/** A person with snapshots of one query, the oldest first. */
async function createCollector(web: Web, username: string, snapshots: number) {
	const { client, refresh } = await web.user(username);
	const { id } = await client.call(savedQueryRoutes.create, {
		body: { name: `Collected by ${username}`, flow_data: { nodes: [], edges: [] }, enable_time_machine: true },
	});
	for (let index = 0; index < snapshots; index++)
		await client.call(timeMachineRoutes.capture, {
			body: {
				saved_query_id: id,
				controller_connection_id: web.connectionId,
				result_data: { imdata: [{ fvTenant: { attributes: { dn: "uni/tn-a", descr: String(index) } } }] },
			},
		});
	return { client, refresh, id };
}

const getRegion = (page: Page, name: string) => page.getByRole("region", { name }).last();

describeInBrowser("settings", (web) => {
	it("of retention show what they would delete before they are saved, and delete it when asked", async () => {
		const { client, refresh } = await createCollector(web, "keeper", 4);
		const page = await web.open("/", { as: refresh });
		await page.getByRole("link", { name: "Data", exact: true }).click();
		await page.getByRole("heading", { level: 1, name: "Retention" }).waitFor();
		await page.getByText("No snapshot has expired.").waitFor();
		const now = page.getByRole("button", { name: "Delete now" });
		await expect.poll(() => now.getAttribute("aria-disabled")).toBe("true");

		await page.getByLabel("Keep them").selectOption("count");
		await page.getByLabel("Snapshots", { exact: true }).fill("1");
		await page.getByText("By the rules as they are in the form.").waitFor();
		await page.getByText("3 snapshots", { exact: true }).waitFor();
		await getRegion(page, "Expired snapshots").getByText("Collected by keeper").first().waitFor();
		await expect.poll(() => now.getAttribute("aria-disabled")).toBe("true");
		expect((await client.call(timeMachineRoutes.settings)).retention_policy).toBe("days");

		await page.getByRole("button", { name: "Save", exact: true }).click();
		await page.getByText("The retention settings are saved").waitFor();
		await now.click();
		const dialog = page.getByRole("dialog", { name: "Delete 3 snapshots?" });
		await dialog.getByText(/Those with a label or an annotation stay/).waitFor();
		await dialog.getByRole("button", { name: "Delete 3 snapshots" }).click();
		await page.getByText("Deleted 3 snapshots.").waitFor();
		await page.getByText("No snapshot has expired.").waitFor();
	});

	it("of retention keep labelled snapshots unless asked, and are limited to one query", async () => {
		const { client, refresh, id } = await createCollector(web, "labeller", 3);
		const { snapshots } = await client.call(timeMachineRoutes.list, { query: { saved_query_id: id } });
		const params = { id: snapshots.at(-1)?.id ?? "" };
		await client.call(timeMachineRoutes.annotate, { params, body: { label: "baseline" } });
		await client.call(timeMachineRoutes.updateSettings, { body: { retention_policy: "count", retention_count: 1 } });
		const page = await web.open("/settings/retention", { as: refresh });
		await page.getByText("1 snapshot", { exact: true }).waitFor();
		await page.getByLabel("Also with a label or an annotation").check();
		await page.getByText("2 snapshots", { exact: true }).waitFor();
		await page.getByLabel("Of the query").selectOption({ label: "Collected by labeller" });
		await page.getByText("2 snapshots", { exact: true }).waitFor();
		await page.getByLabel("Keep them").selectOption("unlimited");
		await page.getByText("Nothing expires: snapshots are kept without limit.").waitFor();
	});

	it("keep unsaved changes when they are left", async () => {
		const { refresh } = await createCollector(web, "leaver.of.forms", 0);
		const page = await web.open("/settings/retention", { as: refresh });
		const days = page.getByLabel("Days", { exact: true });
		await days.fill("12");
		await page.getByRole("link", { name: "Schedule defaults" }).click();
		await page.getByRole("heading", { level: 1, name: "Schedule defaults" }).waitFor();
		await page.getByText("Unsaved input is kept.").waitFor();
		await page.goBack();
		await page.getByText(/^Unsaved input from/).waitFor();
		expect(await days.inputValue()).toBe("12");
		await page.getByRole("button", { name: "Discard it" }).click();
		await expect.poll(() => days.inputValue()).not.toBe("12");
	});

	it("show the service's messages at their fields", async () => {
		const page = await web.open("/settings/retention");
		await page.route("**/api/time-machine/settings/", async (call) => {
			if (call.request().method() !== "PUT") return call.continue();
			await call.fulfill({ status: 400, json: { retention_days: ["Must not be a Friday."] } });
		});
		const days = page.getByLabel("Days", { exact: true });
		await days.fill("13");
		await page.keyboard.press("Enter");
		await page.getByText("Must not be a Friday.").waitFor();
		expect(await days.getAttribute("aria-invalid")).toBe("true");
		await days.fill("");
		expect(await days.evaluate((input: HTMLInputElement) => input.checkValidity())).toBe(false);
		await page.getByRole("button", { name: "Discard" }).click();
		await expect.poll(() => page.getByRole("button", { name: "Discard" }).count()).toBe(0);
	});

	it("of schedules are for administrators, and new schedules begin with them", async () => {
		const before = await web.client().call(scheduleRoutes.settings);
		const { id: _, ...body } = before;
		onTestFinished(async () => void (await web.client().call(scheduleRoutes.changeSettings, { body })));
		deleteAfterTest(web.client(), scheduleRoutes, "By the defaults");
		const page = await web.open("/settings/tasks");
		await page.getByLabel("Retention of runs, in days").fill("45");
		await page.getByLabel("Sender").fill("nobody");
		const sender = page.getByLabel("Sender");
		expect(await sender.evaluate((input: HTMLInputElement) => input.checkValidity())).toBe(false);
		await sender.fill("weft@fabric.example");
		await page.keyboard.press("Enter");
		await page.getByText("The schedule defaults are saved").waitFor();
		const after = await web.client().call(scheduleRoutes.settings);
		expect(after).toEqual({
			...before,
			default_log_retention_days: 45,
			email_from_address: "weft@fabric.example",
		});

		await page.goto("/schedules?new=1");
		const drawer = page.getByRole("dialog", { name: "New schedule" });
		await drawer.getByLabel("Name").fill("By the defaults");
		await drawer.getByLabel("Query").selectOption({ index: 1 });
		await drawer.getByRole("button", { name: "Save" }).click();
		await page.getByText(/^By the defaults: /).waitFor();
		const { results } = await web.client().call(scheduleRoutes.list, { query: { search: "By the defaults" } });
		expect(results.map(({ log_retention_days }) => log_retention_days)).toEqual([45]);

		const { refresh } = await web.user("plain.scheduler");
		const other = await web.open("/settings/tasks", { as: refresh });
		await other.getByText("Only administrators change these defaults.").waitFor();
		await expect.poll(() => other.getByLabel("Maximum retries").isDisabled()).toBe(true);
		expect(await other.getByRole("button", { name: "Save" }).count()).toBe(0);
	});

	it("of query categories are made with keys alone, changed and deleted", async () => {
		deleteAfterTest(web.client(), queryCategoryRoutes, "Layer 2");
		const page = await web.open("/settings/categories/queries");
		await getRegion(page, "Query categories").getByText("Hygiene").waitFor();
		await page.keyboard.press("c");
		const drawer = page.getByRole("dialog", { name: "New query category" });
		await drawer.getByLabel("Name").waitFor();
		await page.keyboard.type("hygiene");
		await page.keyboard.press("Enter");
		const name = drawer.getByLabel("Name");
		await drawer.getByText("Another category has this name.").waitFor();
		expect(await name.getAttribute("aria-invalid")).toBe("true");
		await name.focus();
		await page.keyboard.press("ControlOrMeta+a");
		await page.keyboard.type("Layer 2");
		await page.keyboard.press("Tab");
		await page.keyboard.type("What is bridged");
		await name.focus();
		await page.keyboard.press("Enter");
		await drawer.waitFor({ state: "detached" });
		await page.getByText("The query category is saved").waitFor();

		await page.getByRole("button", { name: "Edit Layer 2" }).click();
		await page.getByRole("dialog", { name: "Layer 2" }).getByLabel("Colour").fill("#ff7f0e");
		await page.getByRole("button", { name: "Save", exact: true }).click();
		await page.getByRole("dialog").waitFor({ state: "detached" });
		const known = async () => (await web.client().call(queryCategoryRoutes.list, { query: {} })).results;
		expect((await known()).find(({ name: each }) => each === "Layer 2")).toMatchObject({
			color: "#ff7f0e",
			description: "What is bridged",
		});
		await page.getByRole("button", { name: "Delete Layer 2" }).click();
		const question = page.getByRole("dialog", { name: "Delete Layer 2?" });
		await question.getByText(/0 queries that you see in it stay, without a category/).waitFor();
		await question.getByRole("button", { name: "Delete the query category" }).click();
		await page.getByText("Layer 2 is deleted").waitFor();
		const names = (await known()).map(({ name: each }) => each);
		expect(names).toContain("Hygiene");
		expect(names).not.toContain("Layer 2");
	});

	it("of a query's category can be made while the query is saved", async () => {
		deleteAfterTest(web.client(), queryCategoryRoutes, "Made while saving");
		deleteAfterTest(web.client(), savedQueryRoutes, "Not sorted yet");
		const { id } = await web.client().call(savedQueryRoutes.create, {
			body: { name: "Not sorted yet", flow_data: { nodes: [], edges: [] } },
		});
		const page = await web.open(`/builder/${id}`);
		await page.getByRole("button", { name: "More about this query" }).click();
		await page.getByRole("menuitem", { name: "Name and settings" }).click();
		const dialog = page.getByRole("dialog", { name: "Save the query" });
		const category = dialog.getByLabel("Category", { exact: true });
		await expect.poll(() => category.getByRole("option", { name: "Hygiene" }).count()).toBe(1);
		await category.selectOption({ label: "New category…" });
		await dialog.getByLabel("Name of the new category").fill("HYGIENE");
		await page.keyboard.press("Enter");
		await dialog.getByText("Another category has this name.").waitFor();
		await dialog.getByLabel("Name of the new category").fill("Made while saving");
		await page.keyboard.press("Enter");
		await dialog.waitFor({ state: "detached" });
		const saved = await web.client().call(savedQueryRoutes.detail, { params: { id } });
		expect(saved.category_name).toBe("Made while saving");
	});

	it("of template categories have a position", async () => {
		deleteAfterTest(web.client(), automationCategoryRoutes, "Decommissioning");
		const page = await web.open("/settings/categories/templates?edit=new");
		const drawer = page.getByRole("dialog", { name: "New template category" });
		await drawer.getByLabel("Name").fill("Decommissioning");
		await drawer.getByLabel("Position").fill("-1");
		await drawer.getByRole("button", { name: "Save" }).click();
		await drawer.waitFor({ state: "detached" });
		const names = async () =>
			page.getByRole("button", { name: /^Edit / }).evaluateAll((all) => all.map((each) => each.ariaLabel));
		await expect.poll(names).toEqual(["Edit Decommissioning", "Edit Onboarding"]);
	});

	it("of value lists take a pasted column, are kept unsaved, and filter", async () => {
		deleteAfterTest(web.client(), validationListRoutes, "VLAN pools");
		const page = await web.open("/settings/reference/lists");
		await page.getByRole("button", { name: "New value list" }).click();
		const drawer = page.getByRole("dialog", { name: "New value list" });
		await drawer.getByLabel("Name").fill("VLAN pools");
		await drawer.getByLabel("Values").fill("pool-1\r\n pool-2 \n\npool-1\n");
		await drawer.getByText(/: 2 values\. At most 50,000\. 1 repeated value is dropped\./).waitFor();
		await page.keyboard.press("Escape");
		await drawer.waitFor({ state: "detached" });
		await page.getByRole("button", { name: "New value list" }).click();
		expect(await drawer.getByLabel("Name").inputValue()).toBe("VLAN pools");
		await drawer.getByRole("button", { name: "Save" }).click();
		await drawer.waitFor({ state: "detached" });
		await page.getByLabel("Filter value lists").fill("pools");
		await page.waitForURL(/q=pools/);
		await expect.poll(() => page.getByRole("button", { name: /^Edit / }).count()).toBe(1);
		const { results } = await web.client().call(validationListRoutes.list, { query: { search: "VLAN" } });
		expect(results[0]?.values).toEqual(["pool-1", "pool-2"]);
		await page.getByLabel("Filter value lists").fill("nothing of the kind");
		await page.getByText('No value list matches "nothing of the kind".').waitFor();
		await page.getByLabel("Filter value lists").fill("");
		await page.getByRole("button", { name: "Delete VLAN pools" }).click();
		await page.getByRole("button", { name: "Delete the value list" }).click();
		await page.getByText("VLAN pools is deleted").waitFor();
	});

	it("of regex patterns are tried on texts as they are typed", async () => {
		deleteAfterTest(web.client(), regexPatternRoutes, "Bridge domains");
		const page = await web.open("/settings/reference/patterns?edit=new");
		const drawer = page.getByRole("dialog", { name: "New regex pattern" });
		await drawer.getByLabel("Pattern").fill("(");
		await drawer
			.getByText(/paren|unexpected|missing/i)
			.first()
			.waitFor();
		await drawer.getByLabel("Pattern").fill("bd-[0-9]+");
		await drawer.getByLabel("Texts to try").fill("bd-12\nBD-12\nbd-12-x");
		const results = drawer.getByRole("list", { name: "Results" }).getByRole("listitem");
		await expect.poll(() => results.allTextContents()).toEqual(["Matchesbd-12", "No matchBD-12", "No matchbd-12-x"]);
		await drawer.getByLabel("Any case").check();
		await expect.poll(() => results.nth(1).textContent()).toBe("MatchesBD-12");
		await drawer.getByLabel("Name").fill("Bridge domains");
		await drawer.getByRole("button", { name: "Save" }).click();
		await drawer.waitFor({ state: "detached" });
		const { results: known } = await web.client().call(regexPatternRoutes.list, { query: { search: "Bridge" } });
		expect(known).toMatchObject([{ flags: "i", test_strings: ["bd-12", "BD-12", "bd-12-x"] }]);
	});

	it("of columns take a value list, are tried, and show the service's messages at their fields", async () => {
		deleteAfterTest(web.client(), columnTemplateRoutes, "Site of a leaf");
		const page = await web.open("/settings/reference/columns?edit=new");
		const drawer = page.getByRole("dialog", { name: "New column template" });
		await drawer.getByLabel("Name").first().fill("Site of a leaf");
		const column = drawer.getByRole("group", { name: "Column", exact: true });
		await column.getByLabel("Name").fill("site");
		await column.getByLabel("Value list").selectOption({ label: "Sites" });
		await column.getByLabel("Try a value").fill("nowhere");
		await column.getByText("Must be one of the list Sites.").waitFor();
		await column.getByLabel("Try a value").fill("ams");
		await column.getByText("Accepted.").waitFor();
		await column.getByLabel("Pattern", { exact: true }).fill("(");
		await drawer.getByRole("button", { name: "Save" }).click();
		await expect.poll(() => column.getByLabel("Pattern", { exact: true }).getAttribute("aria-invalid")).toBe("true");
		await column.getByLabel("Pattern", { exact: true }).fill("");
		await drawer.getByRole("button", { name: "Save" }).click();
		await drawer.waitFor({ state: "detached" });
		const { results } = await web.client().call(columnTemplateRoutes.list, { query: { search: "Site of" } });
		const sites = (await web.client().call(validationListRoutes.list, { query: { search: "Sites" } })).results[0];
		expect(results).toMatchObject([{ column: { name: "site", validation_list: sites?.id } }]);
		// A list in use is not deleted, and the dialog says why.
		await page.goto("/settings/reference/lists");
		await page.getByRole("button", { name: "Delete Sites" }).click();
		await page.getByRole("button", { name: "Delete the value list" }).click();
		await page.getByText("The validation list is in use.").waitFor();
	});

	it("are chosen in the columns of a template", async () => {
		const params = { id: web.automationSeed.templateId };
		const before = await web.client().call(automationTemplateRoutes.detail, { params });
		const body = { schema: before.schema };
		onTestFinished(async () => void (await web.client().call(automationTemplateRoutes.update, { params, body })));
		const page = await web.open(`/automation/templates/${params.id}`);
		await page.getByLabel("Regex pattern").first().selectOption({ label: "Name of a tenant" });
		await page.getByRole("button", { name: "Save", exact: true }).click();
		await page.getByText(`${before.name} is saved`).waitFor();
		const after = await web.client().call(automationTemplateRoutes.detail, { params });
		expect(after.schema[0]?.regex_pattern).toEqual(expect.any(String));
	});

	it("of tables have columns in an order, sorting and filters, and are shared by administrators", async () => {
		const routes = { list: mimPersonalRoutes.templates, remove: mimPersonalRoutes.removeTemplate };
		deleteAfterTest(web.client(), routes, "Subnets by scope");
		const page = await web.open("/settings/table-templates?edit=new");
		const drawer = page.getByRole("dialog", { name: "New table template" });
		await drawer.getByLabel("Name").fill("Subnets by scope");
		await drawer.getByLabel("Class", { exact: true }).fill("fvNowhere");
		for (const attribute of ["scope", "ip"]) {
			await drawer.getByRole("button", { name: "Add a column" }).click();
			await drawer.getByLabel("Attribute").last().fill(attribute);
		}
		await drawer.getByRole("button", { name: "Move ip up" }).click();
		await drawer.getByLabel("Width").first().fill("180");
		await drawer.getByRole("button", { name: "Add a sort key" }).click();
		await drawer.getByLabel("Sort by").fill("ip");
		await drawer.getByLabel("Direction").selectOption("desc");
		await drawer.getByRole("button", { name: "Add a filter" }).click();
		await drawer.getByLabel("Filter on").fill("preferred");
		await drawer.getByLabel("Value").fill("yes");
		await drawer.getByLabel("Default of its class").check();
		await drawer.getByRole("button", { name: "Save" }).click();
		await drawer.getByText("The loaded model has no class fvNowhere.").waitFor();
		await drawer.getByLabel("Class", { exact: true }).fill("fvSubnet");
		await drawer.getByRole("button", { name: "Save" }).click();
		await drawer.waitFor({ state: "detached" });
		const { results } = await web.client().call(mimPersonalRoutes.templates, { query: { class_name: "fvSubnet" } });
		expect(results).toMatchObject([
			{
				columns: [
					{ field: "ip", order: 0, width: 180 },
					{ field: "scope", order: 1, width: null },
				],
				sorting: [{ field: "ip", direction: "desc" }],
				filters: { preferred: "yes" },
				is_default: true,
				is_shared: false,
			},
		]);
		await page.getByRole("button", { name: "Delete Subnets by scope" }).click();
		await page.getByRole("button", { name: "Delete the table template" }).click();
		await page.getByText("Subnets by scope is deleted").waitFor();

		const { refresh } = await web.user("own.tables");
		const other = await web.open("/settings/table-templates", { as: refresh });
		await other.getByRole("button", { name: "Bridge domains, short" }).click();
		await other.getByText("You may look at this table template, not change it.").waitFor();
		await other.keyboard.press("Escape");
		await other.getByRole("button", { name: "New table template" }).click();
		await other.getByRole("dialog").getByLabel("Default of its class").waitFor();
		expect(await other.getByRole("dialog").getByLabel("Shared").count()).toBe(0);
	});

	it("of others are looked at, not changed, and pages without a right are not offered", async () => {
		const { refresh } = await web.user("looks.only", ["Viewer"]);
		const page = await web.open("/settings/reference/lists", { as: refresh });
		await page.getByRole("button", { name: "Sites" }).click();
		const drawer = page.getByRole("dialog", { name: "Sites" });
		await drawer.getByText("You may look at this value list, not change it.").waitFor();
		expect(await drawer.getByLabel("Values").inputValue()).toBe("ams\ncdg\nfra\nlhr");
		await expect.poll(() => drawer.getByLabel("Values").isDisabled()).toBe(true);
		expect(await drawer.getByRole("button", { name: "Save" }).count()).toBe(0);
		await page.keyboard.press("Escape");
		await drawer.waitFor({ state: "detached" });
		expect(await page.getByRole("button", { name: /^(New|Edit|Delete) / }).count()).toBe(0);

		const plain = await web.user("without.automation");
		const other = await web.open("/settings/reference/lists", { as: plain.refresh });
		await other.getByText("view_validationlist").waitFor();
		await other.getByRole("link", { name: "Data", exact: true }).click();
		await other.getByRole("navigation", { name: "Data", exact: true }).getByText("Query categories").waitFor();
		expect(await other.getByRole("navigation", { name: "Data", exact: true }).getByText("Value lists").count()).toBe(0);
	});
});
