/** A new request with the rows of another one: all of them, or those that its job left open. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Body, REQUESTS, type Rig, startRig } from "../support/automation.ts";

let rig: Rig;
beforeAll(async () => {
	rig = await startRig();
});
afterAll(() => rig.close());

const ROWS = [{ name: "good" }, { name: "bad", rc: 3 }, { name: "next" }, { name: "worse", rc: 4 }];
const copyRequest = (request: Body, rows: unknown, user = rig.alice) =>
	user.api.post(`${REQUESTS}${request.id}/copy/`, { rows });

/** A request whose job has failed at two of its rows. */
async function createFailedRequest(more: Body = {}): Promise<Body> {
	const request = await rig.request(await rig.template(), { input_data: ROWS, ...more });
	await rig.execute(request);
	return rig.over(request);
}

describe("a copy of a request", () => {
	it("holds the rows that failed, and launches these alone", async () => {
		const request = await createFailedRequest({ description: "of rack 7", check_mode: false });
		const { status, body } = await copyRequest(request, "failed");
		expect([status, body.input_data]).toEqual([201, [ROWS[1], ROWS[3]]]);
		expect(body).toMatchObject({
			status: "pending",
			title: `Failed rows of ${request.title}`,
			description: "of rack 7",
			template: request.template,
			automation_connection: request.automation_connection,
			requested_by: "alice",
			executions_total: 0,
			rollback_of: null,
		});
		const { id } = await rig.execute(body);
		expect((await rig.over(body)).status).toBe("failed");
		const results = (await rig.alice.api.get(`/api/automation/executions/${id}/row-results/`)).body;
		expect(results.summary).toMatchObject({ failed: 2, changed: 0, ok: 0 });
		expect((await rig.listExecutions(request)).length).toBe(1);
	});

	it("holds the rows whose result is not known", async () => {
		await rig.lab.control("template", {
			id: 71,
			name: "Included",
			playbook: "include.yml",
			simultaneous: true,
			asks: ["variables"],
		});
		const template = await rig.template({
			automation_job_template_id: 71,
			variable_mappings: { row_results: [{ row: 0, status: "ok" }] },
		});
		const request = await rig.request(template, { input_data: [{ name: "a" }, { name: "b" }] });
		await rig.execute(request);
		await rig.over(request);
		const { status, body } = await copyRequest(request, "unknown");
		expect([status, body.input_data]).toEqual([201, [{ name: "b" }]]);
	});

	it("holds the rows at the given places, each once and in their order", async () => {
		const request = await rig.request(await rig.template(), { input_data: ROWS });
		const { status, body } = await copyRequest(request, [2, 0, 2]);
		expect([status, body.input_data]).toEqual([201, [ROWS[0], ROWS[2]]]);
	});

	it("holds all rows of a rejected request, and waits for approval again", async () => {
		const request = await rig.request(await rig.template({ requires_approval: true }), { input_data: ROWS });
		await rig.t.admin.api.post(`${REQUESTS}${request.id}/reject/`, { reason: "not now" });
		const { status, body } = await copyRequest(request, "all");
		expect([status, body.input_data]).toEqual([201, ROWS]);
		expect(body).toMatchObject({ status: "awaiting_approval", rejected_by: null, rejection_reason: null });
	});

	it("takes the rows of each sheet", async () => {
		const columns = [{ name: "name", field_type: "text" }];
		const template = await rig.template({
			schema: [],
			sheets: [
				{ name: "Ports", variable: "ports", columns },
				{ name: "Vlans", variable: "vlans", columns },
			],
		});
		const input_data = { Ports: [{ name: "p1" }, { name: "p2" }], Vlans: [{ name: "v1" }] };
		const request = await rig.request(template, { input_data });
		expect((await copyRequest(request, "all")).body.input_data).toEqual(input_data);
		const wrong = await copyRequest(request, [0]);
		expect([wrong.status, wrong.body.rows]).toEqual([400, [expect.stringMatching(/several sheets/)]]);
	});

	it("gives the copy to the user who makes it, if this user may use the template", async () => {
		const request = await createFailedRequest();
		const bob = await rig.t.user("bob", ["Operator"]);
		expect((await copyRequest(request, "all", bob)).status).toBe(404);
		const { status, body } = await copyRequest(request, "failed", rig.t.admin);
		expect([status, body.requested_by]).toEqual([201, "root"]);
	});

	it("keeps the passwords of the rows for their requester, and for nobody who only decides", async () => {
		const schema = [
			{ name: "name", field_type: "text" },
			{ name: "key", field_type: "password" },
		];
		const template = await rig.template({ schema, requires_approval: true });
		const request = await rig.request(template, { input_data: [{ name: "a", key: "hunter22" }] });
		const carol = await rig.t.user("carol", ["Operator"]);
		await rig.t.pool.query(
			`insert into user_permissions (user_id, permission_id)
			select u.id, p.id from users u, permissions p
			where u.username = 'carol' and p.codename = 'approve_automationrequest' on conflict do nothing`,
		);
		const refused = await copyRequest(request, "all", carol);
		expect([refused.status, refused.body.detail]).toEqual([403, expect.stringMatching(/passwords/)]);
		const { status, body } = await copyRequest(request, "all");
		expect([status, body.input_data]).toEqual([201, [{ name: "a", key: "********" }]]);
		expect((await rig.t.admin.api.post(`${REQUESTS}${body.id}/approve/`)).status).toBe(200);
		await rig.execute(body);
		await rig.over(body);
		const sent = (await rig.lab.jobs()).map(({ extra_vars }) => JSON.parse(String(extra_vars)));
		expect(sent.find(({ request_id }) => request_id === body.id).rows).toEqual([{ name: "a", key: "hunter22" }]);
	});

	it("is not made of rows that there are not", async () => {
		const request = await rig.request(await rig.template(), { input_data: ROWS.slice(0, 1) });
		const early = await copyRequest(request, "failed");
		expect([early.status, early.body.detail]).toEqual([409, expect.stringMatching(/has no job yet/)]);
		await rig.execute(request);
		const busy = await copyRequest(request, "failed");
		expect([busy.status, busy.body.detail]).toEqual([409, expect.stringMatching(/is not over/)]);
		await rig.over(request);
		for (const [rows, message] of [
			["failed", "No row is failed."],
			["unknown", "No row is unknown."],
			[[1], "There is no row 1: the request has 1, from 0 on."],
			[[], "Name at least one row."],
		] as const) {
			const { status, body } = await copyRequest(request, rows);
			expect([status, body]).toEqual([400, { rows: [message] }]);
		}
		expect((await copyRequest(request, "some")).status).toBe(400);
		expect((await copyRequest(request, [-1])).status).toBe(400);
	});
});

describe("an execution", () => {
	it.each([
		["leaf101", 1],
		["leaf101,leaf102", 2],
	])("counts the hosts of the limit %s", async (limit, count) => {
		const id = 71 + count;
		const asks = ["variables"];
		await rig.lab.control("template", { id, name: `Hosts ${count}`, playbook: "rows.yml", asks, limit });
		const request = await rig.request(await rig.template({ automation_job_template_id: id }), { input_data: ROWS });
		const { host_count, ...execution } = await rig.execute(request);
		expect(host_count).toBeNull();
		await rig.over(request);
		expect((await rig.execution(execution.id)).host_count).toBe(count);
	});
});
