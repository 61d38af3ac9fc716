/**
 * Allowed values of a column from a saved query: fresh when rows are checked, bounded, and reported
 * if they are unavailable.
 */
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { API, type Body, REQUESTS, type Rig, startRig } from "../support/automation.ts";
import { addConnection, buildClassNode, connectNodes, output, QUERIES, RUNS } from "../support/canvases.ts";
import { type TestUser, waitUntilAfter } from "../support/harness.ts";
import { createEagerDriver } from "../support/runs.ts";

let rig: Rig;
let controller: RunningController;
let eve: TestUser;
let fabric: string;
let query: string;
let tenants: string[];
const FRESH_MS = 61_000;

beforeAll(async () => {
	controller = await startController({ size: "small" });
	rig = await startRig({ deps: { controllers: createEagerDriver() } });
	eve = await rig.t.user("eve", ["Editor", "Operator"]);
	fabric = await addConnection(eve.api, controller);
	query = await saveQuery(buildClassNode("fvTenant"));
	const { body } = await eve.api.post("/api/controller/connections/execute_query/", {
		connection_id: fabric,
		query_path: "/api/class/fvTenant.json",
		method: "GET",
	});
	tenants = body.data.imdata.map((row: Body) => row.fvTenant.attributes.name);
});
afterAll(async () => {
	await rig.close();
	await controller.close();
});

let names = 0;
async function saveQuery(node: ReturnType<typeof buildClassNode>): Promise<string> {
	const { status, body, text } = await eve.api.post(QUERIES, {
		name: `Values ${++names}`,
		flow_data: connectNodes(node, output),
		is_public: true,
	});
	expect(status, text).toBe(201);
	return body.id;
}
const createColumn = (field_type: string, field = "name", saved_query = query) => ({
	name: "tenant",
	field_type,
	required: true,
	values_from: { saved_query, controller_connection: fabric, field },
});
/** Runs take their time by the clock that the test moves. */
async function awaitWork<T>(work: Promise<T>): Promise<T> {
	let over = false;
	void work.finally(() => {
		over = true;
	});
	await waitUntilAfter(rig.t.clock, 250, "it is answered", () => over);
	return work;
}
const postRequest = (template: Body, tenant: unknown, user = eve) =>
	awaitWork(user.api.post(REQUESTS, { template: template.id, title: "T", input_data: [{ tenant }] }));
const countRuns = async () => (await eve.api.get(RUNS)).body.count;

describe("values of a query", () => {
	it.each(["text", "enum"])("are what a cell of a %s column may have", async (field_type) => {
		const template = await rig.template({ schema: [createColumn(field_type)] }, eve);
		expect((await postRequest(template, tenants[0])).status).toBe(201);
		const wrong = await postRequest(template, "nowhere");
		expect([wrong.status, wrong.body.input_data[0]]).toEqual([
			400,
			expect.objectContaining({ row: 0, column: "tenant", value: "nowhere", allowed_values: expect.anything() }),
		]);
		const allowed: string[] = wrong.body.input_data[0].allowed_values;
		expect(allowed).toHaveLength(Math.min(10, tenants.length));
		expect(allowed.filter((value) => !tenants.includes(value))).toEqual([]);
	});

	it("are asked for once a minute, by one run for all columns of a query, and are the fabric's of then", async () => {
		await rig.t.clock.advance(FRESH_MS);
		const dn = { ...createColumn("text", "fvTenant.dn"), name: "dn", required: false };
		const template = await rig.template({ schema: [createColumn("enum"), dn] }, eve);
		const before = await countRuns();
		expect((await postRequest(template, tenants[0])).status).toBe(201);
		expect((await postRequest(template, "brand-new")).status).toBe(400);
		expect(await countRuns()).toBe(before + 1);
		const { status } = await eve.api.post("/api/controller/connections/execute_query/", {
			connection_id: fabric,
			query_path: "/api/mo/uni/tn-brand-new.json",
			method: "POST",
			data: { fvTenant: { attributes: { dn: "uni/tn-brand-new", name: "brand-new" } } },
		});
		expect(status).toBe(200);
		await rig.t.clock.advance(FRESH_MS);
		expect((await postRequest(template, "brand-new")).status).toBe(201);
		expect(await countRuns()).toBe(before + 2);
	});

	it("are asked for by checks in the background too", async () => {
		const template = await rig.template({ schema: [createColumn("enum")] }, eve);
		const check = async (tenant: string) => {
			const { status, body, text } = await eve.api.post(`${API}templates/validate-input/`, {
				template: template.id,
				input_data: [{ tenant }],
			});
			expect(status, text).toBe(202);
			return rig.settle("it is checked", async () => {
				const answer = await eve.api.get(`${API}templates/validation-status/${body.task_id}/`);
				return answer.body.completed ? answer.body : null;
			});
		};
		expect(await check(tenants[0] ?? "")).toMatchObject({ state: "SUCCESS", result: { valid: true } });
		expect(await check("nowhere")).toMatchObject({ state: "SUCCESS", result: { valid: false, error_count: 1 } });
		await rig.t.clock.advance(FRESH_MS);
		controller.setFaults({ access_denied: { match: "fvTenant" } });
		expect(await check(tenants[0] ?? "")).toMatchObject({
			state: "FAILURE",
			result: null,
			error: expect.stringContaining('The allowed values of the column "tenant" cannot be had'),
		});
		controller.clearFaults();
	});

	it("that cannot be had are told: a controller that refuses, no such attribute, a query or connection that is not seen", async () => {
		const told = (answer: Body) => [answer.status, answer.body.input_data?.[0]];
		await rig.t.clock.advance(FRESH_MS);
		const template = await rig.template({ schema: [createColumn("enum")], is_public: true }, eve);
		controller.setFaults({ access_denied: { match: "fvTenant" } });
		expect(told(await postRequest(template, tenants[0]))).toEqual([400, expect.stringContaining("cannot be had")]);
		controller.clearFaults();
		expect((await postRequest(template, tenants[0])).status).toBe(201);
		const odd = await rig.template({ schema: [createColumn("enum", "colour")] }, eve);
		expect(told(await postRequest(odd, "red"))).toEqual([
			400,
			expect.stringContaining('it gives no value of "colour"'),
		]);
		const bob = await rig.t.user("bob", ["Operator"]);
		expect(told(await postRequest(template, tenants[0], bob))).toEqual([
			400,
			expect.stringContaining("There is no such controller connection that you can see."),
		]);
	});

	it("are refused in a template whose maker cannot run the query, and for columns that take none", async () => {
		const carl = await rig.t.user("carl", ["Operator"]);
		const post = (schema: unknown[], user = eve) =>
			user.api.post(`${API}templates/`, {
				name: "V",
				automation_connection: rig.connection,
				automation_job_template_id: 22,
				schema,
			});
		expect((await post([createColumn("enum")], carl)).body).toEqual({
			schema: [expect.stringContaining('The values of the column "tenant" cannot be had')],
		});
		expect(Object.keys((await post([createColumn("password")])).body)).toEqual(["schema.0.values_from"]);
		const many = await Promise.all(Array.from({ length: 6 }, () => saveQuery(buildClassNode("fvTenant"))));
		const six = await post(many.map((one, at) => ({ ...createColumn("text", "name", one), name: `c${at}` })));
		expect(six.body).toEqual({ schema: ["Values may come from at most 5 queries."] });
	});
});
