/** Checks: from a template to failing, evidence, acknowledged, muted, edited, and ok again. */
import { checkRoutes, savedQueryRoutes } from "@weft/contracts";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser, findViolations, type Web } from "./browser.ts";
import { CONNECTION, QUERY } from "./seed.ts";
import { FAILING_CHECK } from "./seed-checks.ts";

const TEMPLATE = "No critical faults";
const buildFlow = (className: string) => ({
	nodes: [{ id: "a", type: "classNode", data: { className } }],
	edges: [],
});
const getStates = (page: Page) => page.getByRole("region", { name: "States of the check" });
const getChanges = (page: Page) => page.getByRole("region", { name: "Changes of the state" });

/** A saved query of a user that has run once, with its id. */
async function runQuery(client: ReturnType<Web["client"]>, web: Web, name: string, className: string): Promise<string> {
	const { id } = await client.call(savedQueryRoutes.create, { body: { name, flow_data: buildFlow(className) } });
	const check = await client.call(checkRoutes.create, { body: { name, saved_query: id, type: "no_rows" } });
	await client.call(checkRoutes.evaluate, {
		params: { id: check.id },
		body: { controller_connection_ids: [web.connectionId] },
	});
	const state = async () => (await client.call(checkRoutes.detail, { params: { id: check.id } })).state;
	await expect.poll(state).not.toBe("unknown");
	await client.call(checkRoutes.remove, { params: { id: check.id } });
	return id;
}

const getDefinition = (page: Page) =>
	page.locator("section").filter({ has: page.getByRole("heading", { name: "Definition" }) });

describeInBrowser("checks", (web) => {
	it("come from a template, fail with evidence, are acknowledged, muted, edited, and recover", async () => {
		const { refresh } = await web.user("checks.owner", ["Editor"]);
		const page = await web.open("/", { as: refresh });
		await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Checks" }).waitFor();
		// By keys only, up to the state.
		await page.keyboard.press("g");
		await page.keyboard.press("k");
		await page.getByText("A check says what the rows of a saved query must be").waitFor();
		await page.getByRole("main").getByRole("link", { name: "Templates" }).first().focus();
		await page.keyboard.press("Enter");
		await page.getByRole("list", { name: "Templates" }).waitFor();
		await page.keyboard.press("/");
		await page.keyboard.type("no critical faultInst");
		await expect.poll(() => page.getByRole("list", { name: "Templates" }).getByRole("listitem").count()).toBe(1);
		await page.waitForURL(/q=no\+critical\+faultInst|q=no%20critical%20faultInst/);
		await page.keyboard.press("ArrowDown");
		await page.keyboard.press("Enter");
		const install = page.getByRole("dialog", { name: `Add this check: ${TEMPLATE}` });
		await install.getByLabel(CONNECTION).press("Space");
		await install.getByLabel("How often").selectOption("Only when I run it");
		await install.getByRole("button", { name: "Add", exact: true }).press("Enter");
		await page.getByRole("heading", { level: 1, name: TEMPLATE }).waitFor();
		await page.getByText("Fails when the query returns any row.").waitFor();
		const address = new URL(page.url()).pathname;
		// It is evaluated once at its installation.
		await getStates(page).getByText("Failing").waitFor();
		await getChanges(page).getByText("Failing").waitFor();
		await page.getByRole("button", { name: "Evaluate now" }).waitFor();

		const evidence = page.getByRole("grid", { name: "violations: rows" });
		await evidence.getByRole("gridcell", { name: "faultInst" }).first().waitFor();
		await page.getByText(/^[\d,]+ violations?$/).waitFor();
		await page.getByRole("figure", { name: "Violations" }).waitFor();
		await page.getByRole("region", { name: "Violations: values" }).getByRole("row").nth(1).waitFor();

		await page.keyboard.press("a");
		const dialog = page.getByRole("dialog", { name: `Acknowledge ${TEMPLATE}` });
		await page.keyboard.type("CHG-20931");
		expect(await findViolations(page)).toEqual([]);
		await dialog.getByRole("button", { name: "Acknowledge" }).click();
		await dialog.waitFor({ state: "detached" });
		await getStates(page).getByText("Acknowledged by checks.owner").waitFor({ state: "attached" });
		await getChanges(page).getByText("Acknowledged by checks.owner: CHG-20931").waitFor();

		const more = page.getByRole("button", { name: "More about this check" });
		await more.click();
		await page.getByRole("menuitem", { name: "Mute", exact: true }).click();
		const mute = page.getByRole("dialog", { name: `Mute ${TEMPLATE}` });
		await mute.getByLabel("For").selectOption("Until a time");
		await mute.getByLabel("Until", { exact: true }).fill("2020-01-31T08:00");
		await mute.getByRole("button", { name: "Mute" }).click();
		await mute.getByText("Must be in the future.").waitFor();
		expect(await findViolations(page)).toEqual([]);
		await mute.getByLabel("For").selectOption("1 hour");
		await mute.getByRole("button", { name: "Mute" }).click();
		await mute.waitFor({ state: "detached" });
		await getStates(page).getByText("Muted until").waitFor({ state: "attached" });
		await page.goto("/checks");
		const list = page.getByRole("region", { name: "Checks", exact: true });
		await list.getByText("Muted until").first().waitFor({ state: "attached" });
		await list.getByText("Acknowledged by checks.owner").first().waitFor({ state: "attached" });
		await page.keyboard.press("j");
		await page.keyboard.press("Enter");
		await page.waitForURL(new RegExp(address));
		await more.click();
		await page.getByRole("menuitem", { name: "End mute" }).click();
		await getStates(page).getByText("Muted until").waitFor({ state: "detached" });

		await page.keyboard.press("e");
		await page.getByRole("heading", { level: 1, name: `Edit ${TEMPLATE}` }).waitFor();
		await page.getByLabel("Type").selectOption("Number of rows");
		await page.getByLabel("Number of rows").selectOption("at most");
		await page.getByLabel("Value").fill("0");
		await page.keyboard.press("Control+Enter");
		const preview = page.getByRole("list", { name: "Results by fabric" });
		await preview.getByText("Failing").waitFor();
		await page.getByLabel("Value").fill("100000");
		await page.getByText("The definition has changed since this preview.").waitFor();
		await page.getByRole("button", { name: "Preview" }).click();
		await preview.getByText("OK").waitFor();
		await page.keyboard.press("Control+s");
		await page.waitForURL(new RegExp(`${address}$`));
		await page.getByText("Fails unless the query returns at most 100000 rows.").waitFor();
		await getStates(page).getByText("Unknown").waitFor();
		await page.keyboard.press("r");
		await getStates(page).getByText("OK").waitFor();
		await page.getByText("The latest run meets the check.").waitFor();

		await more.click();
		await page.getByRole("menuitem", { name: "Delete" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Delete the check" }).click();
		await page.waitForURL(/\/checks$/);
		await page.getByText("A check says what the rows of a saved query must be").waitFor();
	});

	it("evaluates a check of a template at once, warns that no schedule runs it, and adds one in a dialog", async () => {
		const { refresh } = await web.user("checks.watcher", ["Editor"]);
		const page = await web.open("/checks", { as: refresh });
		await page.getByRole("main").getByRole("link", { name: "Templates" }).first().click();
		await page.getByRole("button", { name: `Add this check: ${TEMPLATE}` }).click();
		const dialog = page.getByRole("dialog", { name: `Add this check: ${TEMPLATE}` });
		await dialog.getByLabel("How often").selectOption("Only when I run it");
		await dialog.getByRole("button", { name: "Add", exact: true }).click();
		await page.getByRole("heading", { level: 1, name: TEMPLATE }).waitFor();
		await getStates(page).getByText("Failing").waitFor();
		const warning = page.getByRole("status").filter({ hasText: "No schedule runs this check's query." });
		await warning.getByText("It is evaluated only when you run it.").waitFor();
		expect(await findViolations(page)).toEqual([]);
		const address = new URL(page.url()).pathname;

		await page.goto("/checks");
		await page.getByRole("region", { name: "Checks", exact: true }).getByText("Not watched").waitFor();
		await page.getByRole("link", { name: TEMPLATE, exact: true }).click();
		await page.waitForURL(new RegExp(address));
		await warning.getByRole("button", { name: "Watch this check" }).click();
		const watch = page.getByRole("dialog", { name: `Watch this check: ${TEMPLATE}` });
		await watch.getByLabel("How often").selectOption("Every hour");
		expect(await findViolations(page)).toEqual([]);
		await watch.getByRole("button", { name: "Watch", exact: true }).click();
		await warning.waitFor({ state: "detached" });
		const schedule = getDefinition(page).getByRole("link", { name: TEMPLATE });
		await schedule.waitFor();
		await schedule.click();
		await page.waitForURL(/\/schedules\//);
		await page.getByRole("heading", { level: 1, name: TEMPLATE }).waitFor();
		await page
			.getByText(/Every hour|Hourly/)
			.first()
			.waitFor();

		// Paused, it no longer watches.
		await page.getByRole("button", { name: "Pause" }).click();
		await page.getByText("Paused").first().waitFor();
		await page.goto(address);
		await warning.getByText("is paused.").waitFor();
		await warning.getByRole("link", { name: "Open the schedule" }).click();
		await page.getByRole("button", { name: "Resume" }).click();
		await page.getByText("Active").first().waitFor();
		await page.goto("/checks");
		await page.getByRole("region", { name: "Checks", exact: true }).getByText(TEMPLATE).first().waitFor();
		expect(await page.getByText("Not watched").count()).toBe(0);
	});

	it("made with the form warn, too, that no schedule runs their query", async () => {
		const { client, refresh } = await web.user("checks.former", ["Editor"]);
		const queryId = await runQuery(client, web, "Tenants of the form", "fvTenant");
		const page = await web.open(`/checks/new?query=${queryId}`, { as: refresh });
		await page.getByLabel("Name", { exact: true }).click();
		await page.keyboard.type("There are tenants");
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByRole("heading", { level: 1, name: "There are tenants" }).waitFor();
		await page.getByText("No schedule runs this check's query.").waitFor();
		await page.getByRole("button", { name: "Watch this check" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Watch", exact: true }).click();
		await getDefinition(page).getByRole("link", { name: "There are tenants" }).waitFor();
		expect(await page.getByText("No schedule runs this check's query.").count()).toBe(0);
	});

	it("of a template say that a query of its name exists", async () => {
		const { client, refresh } = await web.user("checks.taken", ["Editor"]);
		await client.call(savedQueryRoutes.create, { body: { name: TEMPLATE, flow_data: buildFlow("fvTenant") } });
		const page = await web.open("/checks/templates?install=critical-faults", { as: refresh });
		const dialog = page.getByRole("dialog");
		await dialog.getByRole("button", { name: "Add", exact: true }).click();
		await dialog
			.getByText(`You have another query with the name "${TEMPLATE}". Rename it, and add the check again.`)
			.waitFor();
	});

	it("are edited in every type, with the service's messages at their fields", async () => {
		const { client, refresh } = await web.user("checks.editor", ["Editor"]);
		const queryId = await runQuery(client, web, "Tenants for an editor", "fvTenant");
		const page = await web.open(`/checks/new?query=${queryId}`, { as: refresh });
		await expect.poll(() => page.getByLabel("Query", { exact: true }).inputValue()).toBe(queryId);
		const type = page.getByLabel("Type");
		const preview = page.getByRole("button", { name: "Preview" });
		const results = page.getByRole("list", { name: "Results by fabric" });

		await preview.click();
		await results.getByText("Failing").waitFor();
		await page.getByRole("grid", { name: "violations: rows" }).getByRole("gridcell").first().waitFor();

		await type.selectOption("Every row meets conditions");
		const condition = page.getByRole("group", { name: "Condition 1" });
		await condition.getByLabel("Field").fill("ownerKye");
		await condition.getByLabel("Operator").selectOption("matches");
		await condition.getByLabel("Value").fill("(");
		await preview.click();
		await condition.getByText(/regular expression/i).waitFor();
		await condition.getByLabel("Value").fill(".*");
		await preview.click();
		await condition.getByText(/has no property ownerKye.*Did you mean.*ownerKey/).waitFor();
		await condition.getByLabel("Field").fill("name");
		await preview.click();
		await results.getByText("OK").waitFor();
		await condition.getByLabel("Operator").selectOption("has no value");
		await condition.getByLabel("Value").waitFor({ state: "detached" });

		await type.selectOption("Unique values");
		await page.getByRole("button", { name: "Remove field 1 of Fields" }).click();
		await preview.click();
		await page.getByText("Needs at least one field.").waitFor();
		await page.getByRole("button", { name: "Add a field to Fields" }).click();
		await page.getByLabel("Fields: field 1").fill("dn");
		await preview.click();
		await results.getByText("All fabrics").waitFor();

		await type.selectOption("Equal in all fabrics");
		await page.getByLabel("Key: field 1").waitFor();
		await preview.click();
		await results.getByText("OK").waitFor();
		await type.selectOption("Nothing changed since the last snapshot");
		await page.getByText("it has no preview").waitFor();
		await page.getByLabel("Name", { exact: true }).fill("Conditions on tenants");
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText("Switch on snapshots for the query.").waitFor();

		// The editor keeps the configuration of each type.
		await type.selectOption("Every row meets conditions");
		await expect.poll(() => condition.getByLabel("Field").inputValue()).toBe("name");
		await condition.getByLabel("Operator").selectOption("has a value");
		// A link leaves the editor and keeps the draft.
		await page.getByRole("link", { name: "Overview", exact: true }).click();
		await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
		await page.goBack();
		await page.getByText(/^Unsaved input from/).waitFor();
		await page.getByLabel("Alert after N failed runs in a row").fill("3");
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByRole("heading", { level: 1, name: "Conditions on tenants" }).waitFor();
		await page.getByText("Fails unless in every row name has a value.").waitFor();
		await page.getByText("Alerts after 3 failed runs in a row.").waitFor();
	});

	it("are filtered in the address, the worst first", async () => {
		const page = await web.open("/checks");
		const rows = page.getByRole("region", { name: "Checks", exact: true }).getByRole("row");
		await expect.poll(() => rows.nth(1).textContent()).toContain(FAILING_CHECK);
		await page.getByLabel("State").selectOption("OK");
		await page.waitForURL(/state=ok/);
		await page.getByRole("link", { name: FAILING_CHECK, exact: true }).waitFor({ state: "detached" });
		await page.getByLabel("Severity").selectOption("Critical");
		await page.getByText("No check matches the filters.").waitFor();
		await page.getByRole("button", { name: "Clear the filters" }).click();
		await page.getByLabel("Query").selectOption({ label: QUERY });
		await page.getByLabel("Connection").selectOption({ label: CONNECTION });
		await page.waitForURL(/query=.*connection=|connection=.*query=/);
		await page.getByRole("link", { name: `${FAILING_CHECK} on ${CONNECTION}` }).click();
		await page.waitForURL(new RegExp(`/checks/${web.checkId}\\?connection=${web.connectionId}`));
		await page.goBack();
		await page.getByLabel("Filter checks").fill("no such check");
		await page.getByText("No check matches the filters.").waitFor();
	});

	it("are first of what needs attention on the overview", async () => {
		const page = await web.open("/");
		const first = page.locator("section", { hasText: "Needs attention" }).getByRole("listitem").first();
		await first.getByText(`Check "${FAILING_CHECK}" is failing`).waitFor();
		await first.getByText(`${CONNECTION}: `).waitFor();
		await first.getByRole("link", { name: "Open" }).click();
		await page.getByRole("heading", { level: 1, name: FAILING_CHECK }).waitFor();
	});

	it("of a query are on its page and behind its row in the library", async () => {
		const page = await web.open(`/builder/${web.queryId}`);
		await page.getByRole("button", { name: "3 checks Failing" }).click();
		const dialog = page.getByRole("dialog", { name: `Checks of ${QUERY}` });
		await expect.poll(() => dialog.getByRole("listitem").first().textContent()).toContain(FAILING_CHECK);
		expect(await findViolations(page)).toEqual([]);
		await dialog.getByRole("link", { name: "New check" }).click();
		await page.getByRole("heading", { level: 1, name: "New check" }).waitFor();
		await expect.poll(() => page.getByLabel("Query", { exact: true }).inputValue()).toBe(web.queryId);
		await page.goto("/library");
		await page.getByRole("button", { name: `More for ${QUERY}` }).click();
		await page.getByRole("menuitem", { name: "Checks" }).click();
		await page.waitForURL(new RegExp(`/checks\\?query=${web.queryId}`));
		await page.getByRole("link", { name: FAILING_CHECK, exact: true }).waitFor();
	});

	it("of others are seen, and not changed", async () => {
		const { client } = await web.user("checks.sharing", ["Editor"]);
		const { id: saved_query } = await client.call(savedQueryRoutes.create, {
			body: { name: "Shared with readers", flow_data: buildFlow("fvTenant"), is_public: true },
		});
		const { id } = await client.call(checkRoutes.create, {
			body: { name: "A public check", saved_query, type: "no_rows", is_public: true },
		});
		const reader = await web.user("checks.reader", ["Viewer"]);
		const page = await web.open(`/checks/${id}`, { as: reader.refresh });
		await page.getByRole("heading", { level: 1, name: "A public check" }).waitFor();
		await page.getByText("No state yet").waitFor();
		expect(await page.getByRole("button", { name: /^Edit/ }).count()).toBe(0);
		// A viewer has no verb of a check, nor makes schedules.
		expect(await page.getByRole("button", { name: "More about this check" }).count()).toBe(0);
		await page.goto(`/checks/${id}/edit`);
		await page.getByText("You may not change this check.").waitFor();
		expect(await page.getByRole("button", { name: "Save" }).count()).toBe(0);
	});
});
