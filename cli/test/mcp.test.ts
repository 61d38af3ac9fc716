/** `weft mcp`, through the client of the Model Context Protocol. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { RunningModelSource } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection, chain, classNode, output, QUERIES } from "../../server/test/support/canvases.ts";
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
	const body = { name: "Tenants", flow_data: chain(classNode("fvTenant"), output), enable_time_machine: true };
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

async function use(name: string, input: Record<string, unknown>) {
	const { content, isError } = await client.callTool({ name, arguments: input });
	const [only, ...others] = content as { type: string; text: string }[];
	expect(others).toEqual([]);
	return { isError: isError === true, text: only?.text ?? "" };
}
/** The object in an answer that is no refusal. */
async function read(name: string, input: Record<string, unknown>) {
	const { isError, text } = await use(name, input);
	expect(isError, text).toBe(false);
	return JSON.parse(text);
}

describe("weft mcp", () => {
	it("offers tools that only read", async () => {
		const { tools } = await client.listTools();
		expect(tools.map(({ name }) => name)).toEqual([
			"search_classes",
			"get_class",
			"resolve_dn",
			"explain_canvas",
			"run_query",
			"compare_snapshots",
		]);
		expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
	});

	it("runs a query on several connections, and says how many rows there are beside those shown", async () => {
		const answer = await read("run_query", { query: "Tenants", connections: ["fab-1", "fab-2"], limit: 3 });
		expect(answer).toMatchObject({ shown: 3, is_complete: true });
		expect(answer.rows).toHaveLength(3);
		expect(answer.total).toBe(answer.runs[0].total_rows + answer.runs[1].total_rows);
		expect(Object.keys(answer.rows[0])).toEqual(["connection", "fvTenant"]);
	});

	it("compares snapshots by label and by id", async () => {
		const answer = await read("compare_snapshots", { from: "before", to: "after" });
		expect(answer).toMatchObject({ total: 2, shown: 2, identical: false });
		expect(answer.changes.map(({ change, dn }: { change: string; dn: string }) => [change, dn])).toEqual([
			["deleted", "uni/tn-a"],
			["added", "uni/tn-c"],
		]);
		expect(await read("compare_snapshots", { from: ids[0], to: ids[0] })).toMatchObject({ total: 0, identical: true });
	});

	it("explains a canvas", async () => {
		const answer = await read("explain_canvas", { flow_data: chain(classNode("fvTenant"), output) });
		expect(answer).toMatchObject({ total: 1, stages: [{ class_name: "fvTenant" }] });
	});

	it.each([
		["run_query", { query: "Tenant" }, 'There is no query "Tenant". Did you mean "Tenants"?'],
		["run_query", { query: "Tenants", connections: ["fab-3"] }, /There is no .*"fab-3"\. Did you mean "fab-[12]"/],
		["compare_snapshots", { from: "befor", to: "after" }, /Did you mean "before"\?/],
	])("refuses %s of %j with a sentence", async (name, input, sentence) => {
		const { isError, text } = await use(name, input);
		expect(isError).toBe(true);
		expect(text).toMatch(sentence);
	});

	it("refuses input that is none", async () => {
		const { isError, text } = await use("run_query", { query: "Tenants", limit: 100_000 });
		expect(isError).toBe(true);
		expect(text).toContain("limit");
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
		const { classes, total, shown } = await read("search_classes", { query: name });
		expect(classes[0].name).toBe(name);
		expect([total, shown]).toEqual([classes.length, classes.length]);
		const answer = await read("get_class", { class_name: name });
		const { body } = await cli.ada.api.get(`/api/mim/explorer/class/${name}/`);
		expect(answer).toMatchObject({ name, total: body.properties.length, properties: body.properties });
	});

	it("resolves a DN", async () => {
		const { body } = await cli.ada.api.get("/api/mim/dn/?dn=uni");
		expect(await read("resolve_dn", { dn: "uni" })).toMatchObject({ total: body.parts.length, parts: body.parts });
	});

	it.each([
		["get_class", () => ({ class_name: `${name}X` })],
		["explain_canvas", () => ({ flow_data: chain(classNode(`${name}X`), output) })],
	])("refuses an invented class in %s, and names the nearest ones", async (tool, input) => {
		const { isError, text } = await use(tool, input());
		expect(isError).toBe(true);
		expect(text).toContain(`Did you mean "${name}"`);
	});
});
