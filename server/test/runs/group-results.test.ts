/** The merged results of one query on several connections, in every format. */
import type { RunningController } from "@weft/lab";
import { beforeAll, describe, expect, it } from "vitest";
import { addConnection, buildClassNode, connectNodes } from "../support/canvases.ts";
import { useGroupRuns } from "../support/group-runs.ts";
import type { TestApp, TestUser } from "../support/harness.ts";

const groups = useGroupRuns();
const { held, startGroup, waitForGroup, runGroup, getRows } = groups;
let t: TestApp;
let ada: TestUser;
let labs: [RunningController, RunningController];
let east: string;
let west: string;
let down: string;
let query: string;
beforeAll(() => {
	({ t, ada, labs, east, west, down, query } = groups);
});

describe("results", () => {
	it("are the rows of all connections in their order, each with its connection first", async () => {
		const group = await runGroup({ saved_query_id: query, connection_ids: [west, east] });
		const [a, b] = await Promise.all(
			group.runs.map((one: { pipeline_job_id: string }) => getRows(one.pipeline_job_id)),
		);
		const merged = [
			...a.map((row: object) => ({ connection: "West", ...row })),
			...b.map((row: object) => ({ connection: "East", ...row })),
		];
		const all = (await ada.api.get(`${group.results_url}?page_size=200`)).body;
		expect(all).toEqual({ count: merged.length, next: null, previous: null, results: merged });
		// A page over the border of two connections.
		const size = a.length - 1;
		const second = (await ada.api.get(`${group.results_url}?page=2&page_size=${size}`)).body;
		expect(second.results).toEqual(merged.slice(size, 2 * size));
		expect(second.previous).toContain("page=1");

		const json = await ada.api.get(`${group.results_url}?export=json`);
		expect(JSON.parse(json.text)).toEqual(merged);
		expect(json.headers["content-disposition"]).toContain(`All-tenants-${group.id}.json`);
		const ndjson = (await ada.api.get(`${group.results_url}?export=ndjson`)).text;
		const lines = ndjson.trimEnd().split("\n");
		expect(lines.map((line) => JSON.parse(line))).toEqual(merged);
		expect(lines[0]).toMatch(/^\{"connection":"West","fvTenant":/);
		const csv = (await ada.api.get(`${group.results_url}?export=csv`)).text.split("\r\n");
		expect(csv[0]).toMatch(/^connection,dn,/);
		expect(csv).toHaveLength(merged.length + 2);
		expect(csv[1]).toMatch(/^West,uni\/tn-/);
		expect(csv.at(-2)).toMatch(/^East,uni\/tn-/);
	});

	it("say in every form that a connection is missing", async () => {
		const group = await runGroup({ saved_query_id: query, connection_ids: [down, east] });
		const partial = [{ connection: "Down", error: group.runs[0].error }];
		const page = await ada.api.get(`${group.results_url}?page_size=1`);
		expect(page.body).toMatchObject({ partial, count: group.total_rows });
		const [json, ndjson, csv] = await Promise.all(
			["json", "ndjson", "csv"].map((format) => ada.api.get(`${group.results_url}?export=${format}`)),
		);
		expect(JSON.parse(json?.text ?? "")[0]).toEqual({ _partial: partial });
		expect(JSON.parse(ndjson?.text.split("\n")[0] ?? "")).toEqual({ _partial: partial });
		expect(csv?.text.split("\r\n")[0]).toBe(`# partial: Down: ${group.runs[0].error}`);
		for (const answer of [page, json, ndjson, csv]) expect(answer?.headers["x-weft-partial"]).toBe("true");
	});

	it("give a spreadsheet no formula in the line that names a connection", async () => {
		const name = "far,=HYPERLINK(1)";
		const far = await addConnection(ada.api, { url: "http://127.0.0.1:9", username: "u", password: "p" }, { name });
		const group = await runGroup({ saved_query_id: query, connection_ids: [far, east] });
		const [first] = (await ada.api.get(`${group.results_url}?export=csv`)).text.split("\r\n");
		expect(first).toContain("# partial: far,'=HYPERLINK(1): ");
	});

	it("by a property show who has each value, who lacks it and what differs", async () => {
		const group = await runGroup({ saved_query_id: query, connection_ids: [east, west, down] });
		const byName = async (job: string) =>
			new Map<string, Record<string, string>>(
				(await getRows(job)).map((row: Record<string, { attributes: Record<string, string> }>) => {
					const { attributes = {} } = row.fvTenant ?? {};
					return [attributes.name, attributes];
				}),
			);
		const [a, b] = [await byName(group.runs[0].pipeline_job_id), await byName(group.runs[1].pipeline_job_id)];
		const { body, headers } = await ada.api.get(`${group.results_url}?pivot=name&page_size=200`);
		expect(headers["x-weft-partial"]).toBe("true");
		expect(body.partial).toHaveLength(1);
		const keys = [...new Set([...a.keys(), ...b.keys()])].sort();
		expect(body.count).toBe(keys.length);
		expect(body.results.map(({ key }: { key: string }) => key)).toEqual(keys);
		for (const { key, connections, missing, differing } of body.results) {
			expect(connections).toEqual([...(a.has(key) ? ["East"] : []), ...(b.has(key) ? ["West"] : [])]);
			expect(missing).toEqual([...(a.has(key) ? [] : ["East"]), ...(b.has(key) ? [] : ["West"])]);
			for (const [name, values] of Object.entries(differing)) {
				expect(values).toEqual({ East: a.get(key)?.[name], West: b.get(key)?.[name] });
			}
		}
		const page = (await ada.api.get(`${group.results_url}?pivot=name&page=2&page_size=2`)).body;
		expect(page.results.map(({ key }: { key: string }) => key)).toEqual(keys.slice(2, 4));
		expect((await ada.api.get(`${group.results_url}?pivot=nothing`)).body).toEqual({
			pivot: ['No row has the property "nothing".'],
		});
		expect((await ada.api.get(`${group.results_url}?pivot=name&export=csv`)).status).toBe(400);
	});

	it("append the connection's id if two connections have the same name", async () => {
		const bob = await t.user("second-bob", ["Editor"]);
		const twin = await addConnection(bob.api, labs[0], { name: "East", is_public: true });
		const group = await runGroup({ saved_query_id: query, connection_ids: [east, twin] });
		const { results } = (await ada.api.get(`${group.results_url}?page_size=200`)).body;
		const shown = new Set(results.map(({ connection }: { connection: string }) => connection));
		expect([...shown]).toEqual([`East (${east.slice(-8)})`, `East (${twin.slice(-8)})`]);
	});

	it("wait for the end of all runs", async () => {
		const release = held.hold(/fvCtx/);
		const { id, results_url } = await startGroup({
			flow_data: connectNodes(buildClassNode("fvCtx")),
			connection_ids: [east],
		});
		expect((await ada.api.get(results_url)).status).toBe(409);
		release();
		await waitForGroup(id);
		expect((await ada.api.get(results_url)).status).toBe(200);
	});
});
