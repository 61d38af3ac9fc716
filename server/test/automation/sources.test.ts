/**
 * Rows of a request that come from a run of a query, or from what changed between two snapshots.
 */
import { type RunningController, startController } from "@weft/lab";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { attributeAt, buildRowsOfObjects } from "../../src/areas/automation/templates/rules/objects.ts";
import { type Body, REQUESTS, type Rig, startRig } from "../support/automation.ts";
import {
	addConnection,
	buildClassNode,
	connectNodes,
	output,
	QUERIES,
	RUNS,
	UNKNOWN,
	waitForRun,
} from "../support/canvases.ts";
import type { TestUser } from "../support/harness.ts";
import { createEagerDriver } from "../support/runs.ts";

let rig: Rig;
let controller: RunningController;
let eve: TestUser;
let fabric: string;
let template: Body;
beforeAll(async () => {
	controller = await startController({ size: "small" });
	rig = await startRig({ deps: { controllers: createEagerDriver() } });
	eve = await rig.t.user("eve", ["Editor", "Operator"]);
	fabric = await addConnection(eve.api, controller);
	template = await rig.template(
		{
			schema: [
				{ name: "name", field_type: "text", required: true },
				{ name: "note", field_type: "text" },
			],
		},
		eve,
	);
});
afterAll(async () => {
	await rig.close();
	await controller.close();
});

async function runQuery(user = eve): Promise<Body> {
	const answer = await user.api.post(RUNS, {
		flow_data: connectNodes(buildClassNode("fvTenant"), output),
		controller_connection_id: fabric,
	});
	expect(answer.status, answer.text).toBe(201);
	return waitForRun(user.api, answer.body.id);
}
const postRequest = (input_source: unknown, more: Record<string, unknown> = {}, user = eve) =>
	user.api.post(REQUESTS, { template: template.id, title: "From elsewhere", input_source, ...more });
const buildRunSource = (id: string, mapping: Record<string, string> = { name: "name" }) => ({
	type: "query_run",
	pipeline_execution_id: id,
	mapping,
});

describe("rows of a run", () => {
	it("are taken attribute by attribute, checked, kept, and say where they are from", async () => {
		const { id, total_rows } = await runQuery();
		const source = buildRunSource(id, { name: "fvTenant.name", note: "dn" });
		const { status, body, text } = await postRequest(source);
		expect(status, text).toBe(201);
		expect(body).toMatchObject({ row_count: total_rows, input_source: source });
		for (const row of body.input_data) expect(row.note).toBe(`uni/tn-${row.name}`);
		const given = { input_data: [{ name: "by hand" }] };
		const changed = await eve.api.patch(`${REQUESTS}${body.id}/`, given);
		expect(changed.body).toMatchObject({ ...given, input_source: null });
	});

	it("name the row and the column that do not fit, and columns that nothing fills", async () => {
		const { id } = await runQuery();
		const narrow = await rig.template(
			{ schema: [{ name: "name", field_type: "text", required: true, max_length: 1 }] },
			eve,
		);
		const wrong = await postRequest(buildRunSource(id), { template: narrow.id });
		expect(wrong.status).toBe(400);
		expect(wrong.body.input_data[0]).toEqual({
			row: 0,
			column: "name",
			value: expect.any(String),
			sheet: null,
			message: "Must be at most 1 characters.",
		});
		const nothing = await postRequest(buildRunSource(id, { name: "name", note: "fvBD.name" }));
		expect(nothing.body.input_data).toEqual([
			expect.objectContaining({ row: null, column: "note", message: expect.stringContaining('"fvBD.name"') }),
		]);
		const unknown = await postRequest(buildRunSource(id, { name: "name", colour: "name" }));
		expect(unknown.body).toEqual({ "input_source.mapping.colour": ["The template has no such column."] });
	});

	it("are nobody's who does not see the run; a run that is not over, a body with rows, a wrong sheet are refused", async () => {
		const { id } = await runQuery();
		const field = "input_source.pipeline_execution_id";
		const mallory = await rig.t.user("mallory", ["Operator"]);
		const open = await rig.template({ is_public: true }, eve);
		const hidden = await postRequest(buildRunSource(id), { template: open.id }, mallory);
		const absent = await postRequest(buildRunSource(UNKNOWN));
		expect([hidden.status, hidden.body]).toEqual([400, absent.body]);
		expect(Object.keys(absent.body)).toEqual([field]);
		expect(Object.keys((await postRequest(buildRunSource(id), { input_data: [{ name: "a" }] })).body)).toEqual([
			"input_data",
		]);
		expect(Object.keys((await postRequest({ ...buildRunSource(id), sheet: "S" })).body)).toEqual([
			"input_source.sheet",
		]);
		expect((await postRequest({ ...buildRunSource(id), type: "rumour" })).status).toBe(400);
		expect((await postRequest(buildRunSource(id, {}))).status).toBe(400);
		controller.setFaults({ hang: { match: "fvTenant" } });
		const body = { flow_data: connectNodes(buildClassNode("fvTenant"), output), controller_connection_id: fabric };
		const { body: stuck } = await eve.api.post(RUNS, body);
		expect((await postRequest(buildRunSource(stuck.id))).body).toEqual({
			[field]: ["The run has not been completed yet."],
		});
		controller.clearFaults();
		await eve.api.post(`${RUNS}${stuck.id}/cancel/`);
	});

	it("fill one sheet, beside rows that are given for others", async () => {
		const { id, total_rows } = await runQuery();
		const sheet = (name: string) => ({
			name,
			variable: name.toLowerCase(),
			columns: [{ name: "name", field_type: "text" }],
		});
		const two = await rig.template({ schema: [], sheets: [sheet("A"), sheet("B")] }, eve);
		const source = { ...buildRunSource(id), sheet: "B" };
		const made = await postRequest(source, { template: two.id, input_data: { A: [{ name: "x" }] } });
		expect(made.status, made.text).toBe(201);
		expect([made.body.input_data.A, made.body.input_data.B.length]).toEqual([[{ name: "x" }], total_rows]);
		expect(Object.keys((await postRequest(buildRunSource(id), { template: two.id })).body)).toEqual([
			"input_source.sheet",
		]);
	});
});

describe("rows of a comparison", () => {
	const tenant = (name: string, descr = "") => ({
		fvTenant: { attributes: { dn: `uni/tn-${name}`, name, descr } },
	});
	async function captureSnapshot(query: string, objects: object[], user = eve): Promise<string> {
		const { body, text } = await user.api.post("/api/time-machine/capture/", {
			result_data: { totalCount: String(objects.length), imdata: objects },
			controller_connection_id: fabric,
			controller_connection_name: "fabric",
			saved_query_id: query,
			query_name: "Tenants",
			class_name: "fvTenant",
			execution_time_ms: 1,
		});
		expect(body.snapshot_id, text).toBeTruthy();
		return body.snapshot_id;
	}

	it("are those that were added and modified, or as asked for; hidden snapshots are nobody's", async () => {
		const { body: query } = await eve.api.post(QUERIES, {
			name: "Tenants",
			flow_data: connectNodes(buildClassNode("fvTenant"), output),
			enable_time_machine: true,
		});
		const from = await captureSnapshot(query.id, [tenant("kept"), tenant("gone"), tenant("changed", "old")]);
		const to = await captureSnapshot(query.id, [tenant("kept"), tenant("new"), tenant("changed", "now")]);
		const source = {
			type: "snapshot_comparison",
			snapshot_from_id: from,
			snapshot_to_id: to,
			mapping: { name: "name", note: "descr" },
		};
		const made = await postRequest(source);
		expect(made.status, made.text).toBe(201);
		expect(made.body.input_data).toEqual([
			{ name: "new", note: "" },
			{ name: "changed", note: "now" },
		]);
		expect(made.body.input_source).toEqual({ ...source, changes: ["added", "modified"] });
		const deleted = await postRequest({ ...source, changes: ["deleted"] });
		expect(deleted.body.input_data).toEqual([{ name: "gone", note: "" }]);
		const same = await postRequest({ ...source, snapshot_to_id: from });
		expect([same.status, Object.keys(same.body)]).toEqual([400, ["input_data"]]);
		const oscar = await rig.t.user("oscar", ["Editor", "Operator"]);
		const open = await rig.template({ is_public: true }, eve);
		const hidden = await postRequest({ ...source, mapping: { name: "name" } }, { template: open.id }, oscar);
		expect([hidden.status, Object.keys(hidden.body)]).toEqual([400, ["input_source.snapshot_to_id"]]);
	});
});

describe("whatever the objects", () => {
	it("each gives a row, each cell is the object's attribute, and nothing is invented", () => {
		const name = fc.constantFrom("name", "dn", "__proto__", "constructor", "a.b");
		const flat = fc.dictionary(name, fc.oneof(fc.string(), fc.integer()));
		const object = fc.oneof(
			flat,
			flat.map((attributes) => ({ fvBD: { attributes } })),
			fc.constant(null),
			fc.string(),
		);
		fc.assert(
			fc.property(fc.array(object), fc.dictionary(fc.constantFrom("a", "b", "__proto__"), name), (objects, mapping) => {
				const pairs = Object.entries(mapping);
				const { rows, problems } = buildRowsOfObjects(objects, pairs, null);
				expect(rows).toHaveLength(objects.length);
				for (const [at, row] of rows.entries()) {
					for (const [column, attribute] of pairs) {
						const value = attributeAt(objects[at], attribute);
						expect(Object.hasOwn(row, column)).toBe(value !== undefined);
						if (value !== undefined) expect(row[column]).toBe(value);
					}
				}
				const empty = pairs.filter(([column]) => !rows.some((row) => Object.hasOwn(row, column)));
				expect(problems.map(({ column }) => column)).toEqual(
					objects.length === 0 ? [] : empty.map(([column]) => column),
				);
			}),
		);
	});
});
