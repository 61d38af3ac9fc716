/** One query on several fabrics: groups, progress, merged rows, differences, one that is down. */
import {
	connectionGroupRoutes,
	connectionRoutes,
	groupExecutionRoutes,
	savedQueryRoutes,
	timeMachineRoutes,
} from "@weft/contracts";
import { startController } from "@weft/lab";
import { expect, it, onTestFinished } from "vitest";
import { describeInBrowser, findViolations } from "./browser.ts";
import { CONNECTION } from "./seed.ts";

describeInBrowser("many fabrics", (web) => {
	it("are grouped by keys, run at once, merged, compared, and run again after a failure", async () => {
		const other = await startController({ size: "small", seed: 9 });
		const { client, refresh } = await web.user("fabrics.owner", ["Editor"]);
		const add = (name: string, url: string) =>
			client.call(connectionRoutes.create, {
				body: { name, url, username: other.username, password: other.password },
			});
		try {
			const second = await add("fab-dc2", other.url);
			const queryId = await web.copyOfQuery("Domains everywhere", client);

			const page = await web.open("/settings/connections", { as: refresh });
			await page.getByRole("link", { name: "Groups", exact: true }).press("Enter");
			await page.getByText("A group names connections").waitFor();
			await page.keyboard.press("c");
			const form = page.getByRole("dialog", { name: "New group" });
			await page.keyboard.type("All sites");
			await form.getByLabel("fab-dc2", { exact: true }).press("Space");
			await form.getByLabel(CONNECTION, { exact: true }).press("Space");
			await form.getByRole("button", { name: `Move ${CONNECTION} up` }).press("Enter");
			expect(await findViolations(page)).toEqual([]);
			await form.getByLabel("Name", { exact: true }).press("Enter");
			const row = page.getByRole("row", { name: /All sites/ });
			await row.getByText(`${CONNECTION}, fab-dc2`).waitFor();

			// From the builder's run button.
			await page.goto(`/builder/${queryId}`);
			await page.getByRole("button", { name: "Choose the fabric" }).click();
			await page.getByRole("menuitem", { name: "Several fabrics" }).click();
			const start = page.getByRole("dialog", { name: "Run on several fabrics" });
			await start.getByText(/Domains everywhere, as it is saved \(v1\.0\)/).waitFor();
			await start.getByRole("button", { name: "Run", exact: true }).click();
			await start.getByText(/at least one connection/i).waitFor();
			await page.keyboard.press("Escape");

			// The query names the group, and the dialog then starts with it.
			await page.goto(`/builder/${queryId}`);
			await page.getByRole("button", { name: "More about this query" }).click();
			await page.getByRole("menuitem", { name: "Name and settings" }).click();
			const group = { label: "All sites (2 fabrics)" };
			await page.getByRole("button", { name: "Choose a group of fabrics" }).press("Enter");
			await page.getByLabel("Runs on the group").selectOption(group);
			await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
			await page.getByRole("dialog").waitFor({ state: "detached" });
			await page.getByRole("button", { name: "Choose the fabric" }).click();
			await page.getByRole("menuitem", { name: "Several fabrics" }).click();
			await start.getByLabel("Group").getByText("All sites").first().waitFor({ state: "attached" });
			await expect.poll(() => start.getByLabel("Group").inputValue()).not.toBe("");
			await start.getByRole("button", { name: "Run", exact: true }).click();
			await page.waitForURL(/\/runs\/groups\/[0-9a-f-]{36}$/);
			const runs = page.getByRole("region", { name: "Runs of the group" });
			await expect.poll(() => runs.getByText("Succeeded").count()).toBe(2);

			await page.getByRole("link", { name: "All rows" }).click();
			const grid = page.getByRole("grid");
			await grid.getByRole("columnheader", { name: /connection/ }).waitFor();
			await grid.getByText(CONNECTION, { exact: true }).first().waitFor();
			await page.getByRole("link", { name: "Differences" }).click();
			const differences = page.getByRole("region", { name: "Differences of the fabrics" });
			await differences.getByRole("columnheader", { name: "fab-dc2" }).waitFor();
			expect(await findViolations(page)).toEqual([]);
			await page.getByLabel("Match objects by").fill("dn");
			await page.getByRole("button", { name: "Show" }).click();
			await page.waitForURL(/key=dn/);
			await differences.getByRole("columnheader", { name: "fab-dc2" }).waitFor();

			// A canvas that is not saved runs at once on a group chosen from the run button's menu.
			await page.goto("/builder");
			await page.getByRole("button", { name: "Add node" }).first().click();
			await page.getByRole("dialog").getByRole("combobox").fill("fvTenant");
			await page.keyboard.press("Enter");
			await page.getByRole("button", { name: "Choose the fabric" }).click();
			await page.getByRole("menuitem", { name: "All sites" }).click();
			await page.getByRole("heading", { level: 1, name: "Unsaved query" }).waitFor();
			await expect.poll(() => runs.getByText("Succeeded").count()).toBe(2);

			// From the library.
			await page.goto("/library?q=Domains+everywhere");
			await page.getByRole("button", { name: "More for Domains everywhere" }).click();
			await page.getByRole("menuitem", { name: "Run on several fabrics" }).click();
			await start.getByText(/Domains everywhere, as it is saved \(v1\.0\)/).waitFor();

			// One fabric is down: every view says which rows are missing.
			await fetch(`${other.url}/_lab/faults`, {
				method: "POST",
				body: JSON.stringify({ error: { on: true, match: "fvBD", status: 400, code: 107, text: "Down tonight" } }),
			});
			const { results } = await client.call(connectionGroupRoutes.list, { query: {} });
			const groupId = results.find(({ name }) => name === "All sites")?.id ?? "";
			const partial = await client.call(groupExecutionRoutes.create, {
				body: { saved_query_id: queryId, connection_group: groupId },
			});
			await page.goto(`/runs/groups/${partial.id}`);
			await page.getByText("Without the rows of fab-dc2.").waitFor();
			await page
				.getByText(/Down tonight/)
				.first()
				.waitFor();
			await page.getByText("Partial", { exact: true }).waitFor();
			await page.getByRole("link", { name: "All rows" }).click();
			await page.getByText("Without the rows of fab-dc2.").waitFor();
			await grid.getByText(CONNECTION, { exact: true }).first().waitFor();
			await expect.poll(() => grid.getByText("_partial").count()).toBe(0);
			await fetch(`${other.url}/_lab/faults`, { method: "POST", body: JSON.stringify({ error: false }) });
			await page.getByRole("button", { name: "Run the 1 failed one again" }).click();
			await page.getByText("Without the rows of fab-dc2.").waitFor({ state: "detached" });
			await page.getByRole("link", { name: "Fabrics", exact: true }).last().click();
			await expect.poll(() => runs.getByText("Succeeded").count()).toBe(2);

			await page.goto("/runs");
			await page.getByRole("link", { name: "Group runs" }).click();
			await expect
				.poll(() =>
					page.getByRole("region", { name: "Group runs" }).getByRole("link", { name: "Domains everywhere" }).count(),
				)
				.toBe(2);

			await page.goto(`/schedules?new=${queryId}`);
			await page.getByLabel("Name", { exact: true }).fill("All sites, every day");
			await page.getByLabel(CONNECTION, { exact: true }).uncheck();
			await page.getByRole("button", { name: "Choose a group of fabrics" }).click();
			await page.getByLabel("And every fabric of the group").selectOption(group);
			await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
			await page.getByText("all of the group All sites", { exact: true }).waitFor();
			await client.call(connectionGroupRoutes.remove, { params: { id: groupId } });
			await client.call(connectionRoutes.remove, { params: { id: second.id } });
		} finally {
			await other.close();
		}
	});

	it("ask little while a group run is under way, and tell a release that lacks the class", async () => {
		const other = await startController({ size: "small", seed: 9 });
		try {
			const { client, refresh } = await web.user("fabrics.watcher", ["Editor"]);
			const add = (name: string) =>
				client.call(connectionRoutes.create, {
					body: { name, url: other.url, username: other.username, password: other.password },
				});
			const names = Array.from({ length: 12 }, (_, at) => `watch-${at}`);
			const made = [];
			for (const name of names) made.push((await add(name)).id);
			const queryId = await web.copyOfQuery("Watched everywhere", client);
			await fetch(`${other.url}/_lab/faults`, {
				method: "POST",
				body: JSON.stringify({ error: { text: "Request failed, unresolved class for fvBD", match: "fvBD" } }),
			});
			const page = await web.open(`/builder/${queryId}`, { as: refresh });
			const calls: string[] = [];
			page.on("request", (request) => {
				if (/group-executions\/[0-9a-f-]+\/$/.test(request.url())) calls.push(request.url());
			});
			await page.getByRole("button", { name: "Choose the fabric" }).click();
			await page.getByRole("menuitem", { name: "Several fabrics" }).click();
			const start = page.getByRole("dialog", { name: "Run on several fabrics" });
			for (const name of [CONNECTION, ...names]) await start.getByLabel(name, { exact: true }).press("Space");
			await start.getByRole("button", { name: "Run", exact: true }).click();
			await page.getByText(/the release lacks a class of the query/).waitFor();
			const runs = page.getByRole("region", { name: "Runs of the group" });
			await expect.poll(() => runs.getByText("Succeeded").count()).toBe(1);
			expect(calls.length, calls.join()).toBeLessThan(names.length);
			for (const id of made) await client.call(connectionRoutes.remove, { params: { id } });
		} finally {
			await other.close();
		}
	});

	it("send the value that a choice shows", async () => {
		const { client, refresh } = await web.user("fabrics.chooser", ["Editor"]);
		const { id } = await client.call(savedQueryRoutes.create, {
			body: {
				name: "One tenant everywhere",
				flow_data: {
					nodes: [
						{ id: "start", type: "startNode", data: {} },
						{ id: "tenant", type: "classNode", data: { className: "fvTenant" } },
						{
							id: "named",
							type: "filterNode",
							// biome-ignore lint/suspicious/noTemplateCurlyInString: this is a canvas's own placeholder
							data: { property: "name", operator: "eq", value: "${tenant}" },
						},
						{ id: "out", type: "outputNode", data: {} },
					],
					edges: [
						{ id: "e1", source: "start", target: "tenant" },
						{ id: "e2", source: "tenant", target: "named" },
						{ id: "e3", source: "tenant", target: "out" },
					],
				},
				variables: [{ id: "tenant", label: "Tenant", type: "select", required: true, options: ["common", "infra"] }],
			},
		});
		const page = await web.open(`/builder/${id}`, { as: refresh });
		await page.getByRole("button", { name: "Choose the fabric" }).click();
		await page.getByRole("menuitem", { name: "Several fabrics" }).click();
		const start = page.getByRole("dialog", { name: "Run on several fabrics" });
		await start.getByLabel(CONNECTION, { exact: true }).press("Space");
		expect(await start.getByLabel("Tenant").inputValue()).toBe("common");
		await start.getByRole("button", { name: "Run", exact: true }).click();
		await page.getByText("Succeeded").first().waitFor();
		await page.getByRole("link", { name: "All rows" }).click();
		await page.getByRole("grid").getByText("common", { exact: true }).first().waitFor();
	});

	it("are compared by name, without the numbers of nodes", async () => {
		const other = await startController({ size: "small", seed: 9 });
		try {
			const { client, refresh } = await web.user("fabrics.comparer", ["Editor"]);
			const second = await client.call(connectionRoutes.create, {
				body: { name: "fab-dc9", url: other.url, username: other.username, password: other.password },
			});
			const queryId = await web.copyOfQuery("Ports everywhere", client);
			const capture = async (connection: string, node: number, state: string) => {
				const port = (id: string, adminSt: string) => ({
					l1PhysIf: { attributes: { dn: `topology/pod-1/node-${node}/sys/phys-[${id}]`, id, adminSt } },
				});
				const answer = await client.call(timeMachineRoutes.capture, {
					body: {
						result_data: { imdata: [port("eth1/1", "up"), port("eth1/2", state)] },
						saved_query_id: queryId,
						controller_connection_id: connection,
					},
				});
				if (!("snapshot_id" in answer)) throw new Error("The answer was not kept.");
				return answer.snapshot_id;
			};
			const from = await capture(web.connectionId, 101, "up");
			const to = await capture(second.id, 201, "down");
			const page = await web.open(`/time-machine/compare?from=${from}&to=${to}&query=${queryId}`, { as: refresh });
			await page.getByText("This compares two fabrics").waitFor();
			await page.getByText("2 only in fab-dc9").first().waitFor();
			await page.getByRole("button", { name: "Match by name" }).press("Enter");
			await page.getByText("1 differs").first().waitFor();
			await page.getByText("adminSt").first().waitFor();
			expect(await page.getByText("2 only in fab-dc9").count()).toBe(0);
			expect(await findViolations(page)).toEqual([]);
			await client.call(connectionRoutes.remove, { params: { id: second.id } });
		} finally {
			await other.close();
		}
	});

	it("are compared without the ids of each fabric, until a person asks for them", async () => {
		const other = await startController({ size: "small", seed: 9 });
		const { client, refresh } = await web.user("fabrics.twins", ["Editor"]);
		const second = await client.call(connectionRoutes.create, {
			body: { name: "fab-twin", url: other.url, username: other.username, password: other.password },
		});
		onTestFinished(async () => {
			await client.call(connectionRoutes.remove, { params: { id: second.id } });
			await other.close();
		});
		const queryId = await web.copyOfQuery("Ports everywhere", client);
		const capture = async (connection: string, pcTag: string, arpFlood: string) => {
			const domain = { fvBD: { attributes: { dn: "uni/tn-a/BD-web", pcTag, seg: `16${pcTag}`, arpFlood } } };
			const answer = await client.call(timeMachineRoutes.capture, {
				body: { result_data: { imdata: [domain] }, saved_query_id: queryId, controller_connection_id: connection },
			});
			if (!("snapshot_id" in answer)) throw new Error("The answer was not kept.");
			return answer.snapshot_id;
		};
		const from = await capture(web.connectionId, "32770", "no");
		const to = await capture(second.id, "49153", "yes");
		const page = await web.open(`/time-machine/compare?from=${from}&to=${to}&query=${queryId}`, { as: refresh });
		await page.getByText("arpFlood").first().waitFor();
		await page.getByText("without ids of one fabric").waitFor();
		expect(await page.getByText("pcTag").count()).toBe(0);
		await page.getByRole("button", { name: "Compare ids" }).click();
		await page.getByText("pcTag").first().waitFor();
		await page.waitForURL(/identity=1/);
		expect(await page.getByText("without ids of one fabric").count()).toBe(0);
	});

	it("fit on a phone", async () => {
		const narrow = { width: 390, height: 780 };
		for (const path of ["/settings/connection-groups?edit=new", "/runs/groups", `/runs/groups/${web.groupRunId}`]) {
			const page = await web.open(path, narrow);
			await page.getByRole("heading", { level: 1 }).waitFor();
			expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
		}
	});
});
