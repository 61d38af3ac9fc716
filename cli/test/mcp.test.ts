/** `weft mcp`, through the client of the Model Context Protocol. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { RunningModelSource } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection, buildClassNode, connectNodes, output, QUERIES } from "../../server/test/support/canvases.ts";
import { waitUntil } from "../../server/test/support/harness.ts";
import { BIN, useCli } from "./support/cli.ts";
import { importModel, startSite } from "./support/model.ts";

let site: RunningModelSource;
const cli = useCli({
	async deps() {
		const started = await startSite();
		site = started.site;
		return started.deps;
	},
});
let client: Client;
let ids: string[];
beforeAll(async () => {
	await addConnection(cli.ada.api, cli.lab, { name: "fab-2" });
	const body = {
		name: "Tenants",
		flow_data: connectNodes(buildClassNode("fvTenant"), output),
		enable_time_machine: true,
	};
	const query = await cli.ada.api.post(QUERIES, body);
	expect(query.status, query.text).toBe(201);
	ids = [];
	for (const [label, names] of [
		["before", ["a", "b"]],
		["after", ["b", "c"]],
	] as const) {
		const rows = names.map((name) => ({ fvTenant: { attributes: { dn: `uni/tn-${name}`, name } } }));
		const kept = await cli.ada.api.post("/api/time-machine/capture/", {
			saved_query_id: query.body.id,
			controller_connection_id: cli.connection,
			result_data: rows,
		});
		expect(kept.status, kept.text).toBe(200);
		ids.push(kept.body.snapshot_id);
		await cli.ada.api.post(`/api/time-machine/snapshots/${kept.body.snapshot_id}/annotate/`, { label });
	}
	client = new Client({ name: "test", version: "1" });
	const env = { PATH: process.env.PATH ?? "", XDG_CONFIG_HOME: cli.home };
	await client.connect(new StdioClientTransport({ command: process.execPath, args: [BIN, "mcp"], env }));
});
afterAll(async () => {
	await client.close();
	await site.close();
});

async function invokeTool(name: string, input: Record<string, unknown>) {
	const { content, isError } = await client.callTool({ name, arguments: input });
	const [only, ...others] = content as { type: string; text: string }[];
	expect(others).toEqual([]);
	return { isError: isError === true, text: only?.text ?? "" };
}
/** The object in an answer that is no refusal. */
async function readToolResult(name: string, input: Record<string, unknown>) {
	const { isError, text } = await invokeTool(name, input);
	expect(isError, text).toBe(false);
	return JSON.parse(text);
}

describe("weft mcp", () => {
	it("offers tools that only read, but for the one that stores runs and snapshots", async () => {
		const { tools } = await client.listTools();
		expect(tools.map(({ name }) => name)).toEqual([
			"list_queries",
			"list_connections",
			"list_snapshots",
			"search_classes",
			"get_class",
			"resolve_dn",
			"find_object",
			"get_object",
			"explain_canvas",
			"run_query",
			"compare_snapshots",
			"list_changes",
			"get_change_window",
		]);
		const storing = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true);
		expect(storing.map(({ name }) => name)).toEqual(["run_query"]);
		expect(tools.every(({ annotations }) => annotations?.destructiveHint === false)).toBe(true);
	});

	it("answers each tool in its output schema, and the same as text", async () => {
		const { tools } = await client.listTools();
		expect(tools.every(({ outputSchema }) => outputSchema?.type === "object")).toBe(true);
		// The client checks structured content against the schema.
		const { content, structuredContent } = await client.callTool({ name: "list_queries", arguments: {} });
		expect(structuredContent).toEqual(JSON.parse((content as [{ text: string }])[0].text));
	});

	it("shows a change window by its ticket, and names near tickets", async () => {
		const { body } = await cli.ada.api.get(`${QUERIES}?search=Tenants`);
		const { api } = cli.t.admin;
		const plan = await api.post("/api/change-plans/", { name: "Tenants", items: [{ query: body.results[0].id }] });
		expect(plan.status, plan.text).toBe(201);
		const window = await api.post("/api/change-windows/", {
			title: "New tenants",
			plan: plan.body.id,
			connection_ids: [cli.connection],
			ticket: { number: "CHG0031337" },
		});
		expect(window.status, window.text).toBe(201);
		expect(await readToolResult("get_change_window", { window: "CHG0031337" })).toMatchObject({
			id: window.body.id,
			state: "draft",
			verdict: null,
			connections: [{ connection_id: cli.connection }],
			total: 0,
			shown: 0,
			findings: [],
		});
		expect(await invokeTool("get_change_window", { window: "CHG0031338" })).toMatchObject({
			isError: true,
			text: expect.stringContaining('Did you mean "CHG0031337"?'),
		});
	});

	it("lists queries, connections and snapshots", async () => {
		expect(await readToolResult("list_queries", { search: "Tenan" })).toMatchObject({
			total: 1,
			shown: 1,
			queries: [{ name: "Tenants", time_machine: true, owner: "ada" }],
		});
		const { connections, total } = await readToolResult("list_connections", {});
		expect([total, connections.map(({ name }: { name: string }) => name).sort()]).toEqual([2, ["fab-1", "fab-2"]]);
		expect(await readToolResult("list_connections", { limit: 1 })).toMatchObject({ total: 2, shown: 1 });
		const { snapshots, is_complete } = await readToolResult("list_snapshots", {
			query: "Tenants",
			connection: "fab-1",
		});
		const stored = snapshots.filter(({ id }: { id: string }) => ids.includes(id));
		expect([is_complete, stored.map(({ label }: { label: string }) => label)]).toEqual([true, ["after", "before"]]);
		expect(await readToolResult("list_snapshots", { query: "Tenants", limit: 1 })).toMatchObject({
			shown: 1,
			is_complete: false,
		});
	});

	it("lists changes, and refuses a text that is no time", async () => {
		const read = () => readToolResult("list_changes", { connection: "fab-1", class: "fvTenant", limit: 1 });
		await waitUntil("the changes are in the feed", async () => (await read()).total === 2);
		expect(await read()).toMatchObject({
			shown: 1,
			changes: [{ class_name: "fvTenant", connection: { name: "fab-1" } }],
		});
		expect(await readToolResult("list_changes", { search: "tn-c", change: "added" })).toMatchObject({ total: 1 });
		expect(await invokeTool("list_changes", { since: "whenever" })).toMatchObject({ isError: true });
	});

	it("takes numbers, lists and objects that are sent as text", async () => {
		const input = { query: "Tenants", connections: "fab-1", variables: "{}", limit: "2" };
		expect(await readToolResult("run_query", input)).toMatchObject({ shown: 2, runs: [{ connection: "fab-1" }] });
		const both = await readToolResult("run_query", { query: "Tenants", connections: '["fab-1","fab-2"]', limit: 1 });
		expect(both.runs).toHaveLength(2);
		const flow_data = JSON.stringify(connectNodes(buildClassNode("fvTenant"), output));
		expect(await readToolResult("explain_canvas", { flow_data })).toMatchObject({ total: 1 });
	});

	it("reports the progress of a run", async () => {
		const messages: (string | undefined)[] = [];
		const onprogress = ({ message }: { message?: string | undefined }) => void messages.push(message);
		const call = { name: "run_query", arguments: { query: "Tenants", connections: ["fab-1"] } };
		await client.callTool(call, undefined, { onprogress });
		expect(messages[0]).toMatch(/^fab-1: run .* started\.$/);
		expect(messages.at(-1)).toMatch(/^fab-1: \d+ rows in/);
	});

	it("cancels the run of a call that the client cancels", async () => {
		await cli.lab.setFaults({ hang: { match: "fvTenant" } });
		const cancelling = new AbortController();
		const call = { name: "run_query", arguments: { query: "Tenants", connections: ["fab-1"] } };
		const onprogress = ({ message = "" }: { message?: string | undefined }) => {
			if (message.endsWith("started.")) cancelling.abort();
		};
		const answer = client.callTool(call, undefined, { signal: cancelling.signal, onprogress });
		await expect(answer).rejects.toThrow(/abort/i);
		await waitUntil("the run is cancelled", async () => {
			const { body } = await cli.ada.api.get("/api/queries/pipeline-executions/?page_size=1");
			return body.results[0].status === "cancelled";
		});
		await cli.lab.clearFaults();
	});

	it("runs a query on several connections, and says how many rows there are beside those shown", async () => {
		const answer = await readToolResult("run_query", { query: "Tenants", connections: ["fab-1", "fab-2"], limit: 3 });
		expect(answer).toMatchObject({ shown: 3, is_complete: true });
		expect(answer.rows).toHaveLength(3);
		expect(answer.total).toBe(answer.runs[0].total_rows + answer.runs[1].total_rows);
		expect(Object.keys(answer.rows[0])).toEqual(["connection", "fvTenant"]);
	});

	it("compares snapshots by label and by id", async () => {
		const answer = await readToolResult("compare_snapshots", { from: "before", to: "after" });
		expect(answer).toMatchObject({ total: 2, shown: 2, identical: false });
		expect(answer.changes.map(({ change, dn }: { change: string; dn: string }) => [change, dn])).toEqual([
			["deleted", "uni/tn-a"],
			["added", "uni/tn-c"],
		]);
		const elsewhere = { from: "before", to: "after", connection: "fab-2" };
		expect(await invokeTool("compare_snapshots", elsewhere)).toMatchObject({
			isError: true,
			text: expect.stringContaining('There is no snapshot with the label "before".'),
		});
		expect(await readToolResult("compare_snapshots", { ...elsewhere, connection: "fab-1" })).toMatchObject({
			total: 2,
		});
		expect(await readToolResult("compare_snapshots", { from: ids[0], to: ids[0] })).toMatchObject({
			total: 0,
			identical: true,
		});
	});

	it("explains a canvas", async () => {
		const answer = await readToolResult("explain_canvas", {
			flow_data: connectNodes(buildClassNode("fvTenant"), output),
		});
		expect(answer).toMatchObject({ total: 1, stages: [{ class_name: "fvTenant" }] });
	});

	it.each([
		["run_query", { query: "Tenant" }, 'There is no query "Tenant". Did you mean "Tenants"?'],
		["run_query", { query: "Tenants", connections: ["fab-3"] }, /There is no .*"fab-3"\. Did you mean "fab-[12]"/],
		["compare_snapshots", { from: "befor", to: "after" }, /Did you mean "before"\?/],
		["run_query", { query: "Tenants" }, /^Give the argument connections\. The tool list_connections/],
		["run_query", { query: "Tenants", conections: "fab-1" }, /no argument "conections"\. Did you mean "connections"/],
		["run_query", { query: "Tenants", variables: { x: 1 } }, /^Argument "variables": x: .* has no such variable/],
		["run_query", {}, /^Argument "query": Is missing\.$/],
		["list_snapshots", { query: "Tenant" }, 'Did you mean "Tenants"?'],
		["run_querry", {}, 'There is no tool "run_querry". Did you mean "run_query"?'],
	])("refuses %s of %j with a sentence", async (name, input, sentence) => {
		const { isError, text } = await invokeTool(name, input);
		expect(isError).toBe(true);
		expect(text).toMatch(sentence);
	});

	it("refuses input that is none", async () => {
		const { isError, text } = await invokeTool("run_query", { query: "Tenants", limit: 100_000 });
		expect(isError).toBe(true);
		expect(text).toMatch(/^Argument "limit": /);
	});
});

describe("weft mcp with a loaded model", () => {
	let name: string;
	beforeAll(async () => {
		await importModel(cli.t);
		const { body } = await cli.ada.api.get("/api/mim/explorer/tree/");
		name = body.find(({ has_children }: { has_children: boolean }) => has_children).name;
	});

	it("searches and shows classes", async () => {
		const { classes, total, shown } = await readToolResult("search_classes", { query: name });
		expect(classes[0].name).toBe(name);
		expect([total, shown]).toEqual([classes.length, classes.length]);
		const answer = await readToolResult("get_class", { class_name: name });
		const { body } = await cli.ada.api.get(`/api/mim/explorer/class/${name}/`);
		expect(answer).toMatchObject({ name, total: body.properties.length, properties: body.properties });
	});

	it("resolves a DN", async () => {
		const { body } = await cli.ada.api.get("/api/mim/dn/?dn=uni");
		expect(await readToolResult("resolve_dn", { dn: "uni" })).toMatchObject({
			total: body.parts.length,
			parts: body.parts,
		});
	});

	it.each([
		["get_class", () => ({ class_name: `${name}X` })],
		["explain_canvas", () => ({ flow_data: connectNodes(buildClassNode(`${name}X`), output) })],
	])("refuses an invented class in %s, and names the nearest ones", async (tool, input) => {
		const { isError, text } = await invokeTool(tool, input());
		expect(isError).toBe(true);
		expect(text).toContain(`Did you mean "${name}"`);
	});
});
