/** Lists and ways on: filters and keys of lists, links between objects, and missing objects. */
import { pipelineRoutes } from "@weft/contracts";
import { expect, it } from "vitest";
import { describeInBrowser } from "./browser.ts";
import { CONNECTION, QUERY } from "./seed.ts";

const NOBODY = "01890000-0000-7000-8000-000000000000";

describeInBrowser("lists", (web) => {
	it("of runs are filtered by query, controller and day, and gone through by keys", async () => {
		const { client, refresh } = await web.user("lists.runs", ["Editor"]);
		const flow_data = { nodes: [{ id: "a", type: "classNode", data: { className: "fvTenant" } }], edges: [] };
		const body = { flow_data, controller_connection_id: web.connectionId };
		for (let round = 0; round < 2; round++) await client.call(pipelineRoutes.create, { body });
		const page = await web.open("/runs", { as: refresh });
		const runs = page.getByRole("region", { name: "Runs" }).getByRole("link");
		await expect.poll(() => runs.count()).toBe(2);
		await page.keyboard.press("j");
		await page.keyboard.press("j");
		expect(await runs.nth(1).evaluate((link) => link === document.activeElement)).toBe(true);
		await page.keyboard.press("k");
		await page.keyboard.press("ArrowDown");
		const href = await runs.nth(1).getAttribute("href");
		await page.keyboard.press("Enter");
		await page.waitForURL(`**${href}`);
		await page.goBack();
		await page.getByLabel("Fabric").selectOption({ label: CONNECTION });
		await expect.poll(() => runs.count()).toBe(2);
		await page.getByLabel("To day").fill("2020-01-31");
		await page.getByText("No run matches the filters.").waitFor();
		await page.waitForURL(/controller=.*to=2020-01-31/);
		await page.getByRole("button", { name: "Clear the filters" }).click();
		await expect.poll(() => runs.count()).toBe(2);
		await page.getByLabel("Query name").fill("bridge");
		await page.getByText("No run matches the filters.").waitFor();
	});

	it("are reached from the page's filter", async () => {
		const page = await web.open("/library");
		await page.getByRole("link", { name: QUERY }).waitFor();
		await page.keyboard.press("/");
		await page.keyboard.type("bridge");
		await page.getByRole("link", { name: "Faults by severity" }).waitFor({ state: "detached" });
		await page.keyboard.press("ArrowDown");
		await page.keyboard.press("Enter");
		await page.waitForURL(/\/builder\//);
	});

	it("of the model's search are opened by keys", async () => {
		const page = await web.open("/model");
		await page.getByRole("searchbox", { name: "Search the model" }).fill("fvBD");
		await page.keyboard.press("Enter");
		await page.getByRole("heading", { level: 1, name: "fvBD" }).waitFor();
		await page.getByRole("searchbox", { name: "Search the model" }).fill("tenant");
		await page.getByRole("list", { name: "Found" }).getByText("fvTenant", { exact: true }).first().waitFor();
		const links = page.getByRole("list", { name: "Found" }).getByRole("link");
		const second = await links.nth(1).getAttribute("href");
		await page.keyboard.press("ArrowDown");
		await page.keyboard.press("ArrowDown");
		await page.keyboard.press("Enter");
		await page.waitForURL((url) => second !== null && `${url.pathname}${url.search}` === second);
	});

	it("lead from a query and its run to a schedule, and from the run to its snapshot", async () => {
		const page = await web.open(`/runs/${web.runId}`);
		await page.getByRole("link", { name: "Snapshot", exact: true }).click();
		await page.getByRole("heading", { level: 1, name: /^Snapshot of/ }).waitFor();
		await page.goto(`/runs/${web.runId}`);
		await page.getByRole("link", { name: "Schedule", exact: true }).click();
		const dialog = page.getByRole("dialog", { name: "New schedule" });
		await expect.poll(() => dialog.getByLabel("Query").inputValue()).toBe(web.queryId);
		await page.goto("/library");
		await page.getByRole("button", { name: `More for ${QUERY}` }).click();
		await page.getByRole("menuitem", { name: "Schedule" }).click();
		await expect.poll(() => dialog.getByLabel("Query").inputValue()).toBe(web.queryId);
		await page.goto(`/builder/${web.queryId}`);
		await page.getByRole("button", { name: "More about this query" }).click();
		await page.getByRole("menuitem", { name: "Schedule" }).click();
		await expect.poll(() => dialog.getByLabel("Query").inputValue()).toBe(web.queryId);
	});

	it("are the way on from an object that is missing", async () => {
		const page = await web.open("/");
		for (const [path, what, list] of [
			[`/runs/${NOBODY}`, "Run", "Runs"],
			[`/schedules/${NOBODY}`, "Schedule", "Schedules"],
			[`/checks/${NOBODY}`, "Check", "Checks"],
			[`/builder/${NOBODY}`, "Query", "Library"],
			[`/time-machine/snapshots/${NOBODY}`, "Snapshot", "Snapshots"],
			[`/time-machine/${NOBODY}`, "Query", "Snapshots"],
			[`/time-machine/compare?from=${NOBODY}&to=${NOBODY}`, "Comparison", "Snapshots"],
			[`/automation/requests/${NOBODY}`, "Request", "Requests"],
			[`/automation/executions/${NOBODY}`, "Execution", "Requests"],
			[`/automation/templates/${NOBODY}`, "Template", "Templates"],
			["/model/fvNoSuch", "Class", "Class model"],
		] as const) {
			await page.goto(path);
			await page.getByRole("heading", { level: 1, name: `${what} not found` }).waitFor();
			await page.getByText(`This ${what.toLowerCase()} does not exist, or you have no access to it.`).waitFor();
			await page
				.getByRole("main")
				.getByRole("link", { name: `To ${list}` })
				.click();
			await page.getByRole("heading", { level: 1, name: list, exact: true }).waitFor();
		}
	});
});
