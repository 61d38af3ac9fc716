/**
 * Requests: visibility, validation, approval by each role, schedule, idempotency, rollback, frozen
 * content, secrets.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { API, type Body, EXECUTIONS, REQUESTS, type Rig } from "../support/automation.ts";
import type { TestUser } from "../support/harness.ts";
import { createGroup, getRequest, postAction, startRequestRig } from "../support/requests.ts";
import { auditEntries } from "../support/rights.ts";

let rig: Rig;
let bob: TestUser;
let carol: TestUser;
beforeAll(async () => {
	({ rig, bob, carol } = await startRequestRig());
});
afterAll(() => rig.close());
afterEach(() => rig.lab.clearFaults());

describe("a request", () => {
	it("has every field of the interface", async () => {
		const template = await rig.template();
		const request = await rig.request(template, {
			description: "d",
			automation_credential_id: 3,
			automation_credential_name: "m2",
		});
		expect(request).toMatchObject({
			status: "pending",
			description: "d",
			template: template.id,
			template_name: template.name,
			automation_connection: rig.connection,
			automation_connection_name: "Lab",
			target_controller: null,
			automation_credential_id: 3,
			automation_credential_name: "m2",
			requested_by: "alice",
			check_mode: false,
			input_data: [{ name: "r1" }, { name: "r2" }],
			row_count: 2,
			scheduled_for: null,
			approved_by: null,
			approved_at: null,
			rejection_reason: null,
			automation_job_id: null,
			launch_error: null,
			rollback_of: null,
			can_execute: true,
			can_cancel: true,
			can_approve: false,
			can_edit: true,
			warnings: [],
			template_snapshot: { name: template.name, automation_job_template_id: 22 },
		});
	});

	it("with wrong rows is refused with their exact places", async () => {
		const template = await rig.template();
		const rows = [{ name: "a" }, { name: "", rc: "many" }, { other: 1, name: "c" }];
		const { status, body } = await rig.alice.api.post(REQUESTS, {
			template: template.id,
			title: "T",
			input_data: rows,
		});
		expect(status).toBe(400);
		expect(body.input_data.map(({ row, column }: Body) => [row, column])).toEqual([
			[1, "name"],
			[1, "rc"],
			[2, "other"],
		]);
		const none = await rig.alice.api.post(REQUESTS, { template: template.id, title: "T", input_data: [] });
		expect(none.body).toEqual({ input_data: ["There must be at least one row."] });
	});

	it("names what it refers to wrongly", async () => {
		const ghost = "01890000-0000-7000-8000-000000000000";
		const template = await rig.template();
		const hidden = await rig.template({}, bob);
		const rejected = async (more: Record<string, unknown>) =>
			Object.keys(
				(
					await rig.alice.api.post(REQUESTS, {
						template: template.id,
						title: "T",
						input_data: [{ name: "a" }],
						...more,
					})
				).body,
			);
		expect(await rejected({ template: ghost })).toEqual(["template"]);
		expect(await rejected({ template: hidden.id })).toEqual(["template"]);
		expect(await rejected({ automation_connection: ghost })).toEqual(["automation_connection"]);
		expect(await rejected({ target_controller: ghost })).toEqual(["target_controller"]);
		expect(await rejected({ scheduled_for: "2020-01-01T00:00:00Z" })).toEqual(["scheduled_for"]);
		expect(await rejected({ title: "" })).toEqual(["title"]);
		const strict = await rig.template({ allow_check_mode: false });
		expect(await rejected({ template: strict.id, check_mode: true })).toEqual(["check_mode"]);
		const workflow = await rig.template({ kind: "workflow", automation_job_template_id: 17 });
		expect(await rejected({ template: workflow.id, check_mode: true })).toEqual(["check_mode"]);
	});

	it("is made once for a key, also when it is asked for at the same time", async () => {
		const template = await rig.template();
		const ask = (user: TestUser, title: string) =>
			user.api.post(REQUESTS, { template: template.id, title, input_data: [{ name: "a" }], idempotency_key: "k1" });
		const answers = await Promise.all(Array.from({ length: 6 }, (_, at) => ask(rig.alice, `Title ${at}`)));
		expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
		expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201]);
		const { rows } = await rig.t.pool.query(
			"select count(*)::int as count from automation_requests where idempotency_key = 'k1'",
		);
		expect(rows[0].count).toBe(1);
		const shared = await rig.template({ is_public: true });
		const other = await bob.api.post(REQUESTS, {
			template: shared.id,
			title: "B",
			input_data: [{ name: "a" }],
			idempotency_key: "k1",
		});
		expect(other.status).toBe(201);
	});

	it("is seen by who asked, who decides, and administrators", async () => {
		const own = await rig.request(await rig.template());
		const decided = await rig.request(await rig.template({ requires_approval: true }));
		const status = async (user: TestUser, request: Body) => (await user.api.get(`${REQUESTS}${request.id}/`)).status;
		expect([await status(bob, own), await status(carol, own), await status(rig.t.admin, own)]).toEqual([404, 404, 200]);
		expect([await status(bob, decided), await status(carol, decided)]).toEqual([404, 200]);
		expect((await postAction(bob, own, "execute")).status).toBe(404);
		expect((await postAction(carol, decided, "execute")).status).toBe(403);
		expect((await carol.api.get(`${EXECUTIONS}?automation_request=${own.id}`)).body.count).toBe(0);
	});

	it("is listed, filtered and ordered; many rows are left to the request itself", async () => {
		const template = await rig.template();
		const many = await rig.request(template, {
			title: "Needle of many",
			input_data: Array.from({ length: 150 }, (_, at) => ({ name: `n${at}` })),
		});
		const few = await rig.request(template, { title: "A needle of few" });
		const list = async (query: string) => (await rig.alice.api.get(`${REQUESTS}?${query}`)).body.results;
		const [first, second] = await list(`template=${template.id}&ordering=title`);
		expect([first.id, first.input_data.length]).toEqual([few.id, 2]);
		expect([second.id, second.input_data, second.row_count]).toEqual([many.id, null, 150]);
		expect((await getRequest(rig.alice, many)).input_data).toHaveLength(150);
		expect((await list("search=NEEDLE&status=pending")).length).toBe(2);
		expect(await list("status=running")).toEqual([]);
		expect((await list("requested_by=bob")).every((one: Body) => one.requested_by === "bob")).toBe(true);
		expect((await rig.alice.api.get(`${REQUESTS}?status=odd`)).body).toHaveProperty("status");
	});
});

describe("schedule", () => {
	it("launches once when it is due, approved or not needing it", async () => {
		const at = new Date(rig.t.clock.now() + 3_600_000).toISOString();
		const request = await rig.request(await rig.template(), { scheduled_for: at });
		const waiting = await rig.request(await rig.template({ requires_approval: true }), { scheduled_for: at });
		await rig.t.clock.advance(1_000);
		expect((await getRequest(rig.alice, request)).status).toBe("pending");
		await rig.t.clock.advance(3_600_000);
		expect((await rig.over(request)).status).toBe("successful");
		expect((await getRequest(rig.alice, waiting)).status).toBe("awaiting_approval");
		await postAction(carol, waiting, "approve");
		expect((await rig.over(waiting)).status).toBe("successful");
		for (const one of [request, waiting]) expect(await rig.listExecutions(one)).toHaveLength(1);
	});

	it("launches nothing for a requester who is gone", async () => {
		const frank = await rig.t.user("frank", ["Operator"]);
		const template = await rig.template({ is_public: true });
		const at = new Date(rig.t.clock.now() + 60_000).toISOString();
		const request = await rig.request(template, { scheduled_for: at }, frank);
		await rig.t.admin.api.post(`/api/auth/management/${frank.id}/deactivate/`);
		await rig.t.clock.advance(61_000);
		expect(await rig.over(request)).toMatchObject({ status: "failed", launch_error: "frank is not active any more." });
	});
});

describe("rollback", () => {
	it("asks for the configured template with the same rows, through approval if it asks so", async () => {
		const undo = await rig.template({
			requires_approval: true,
			schema: [{ name: "name", field_type: "text", required: true }],
		});
		const template = await rig.template({ rollback_template: undo.id });
		const request = await rig.request(template, { input_data: [{ name: "a", rc: 0 }] });
		expect((await postAction(rig.alice, request, "rollback")).status).toBe(409);
		await rig.execute(request);
		const done = await rig.over(request);
		expect(done.can_rollback).toBe(true);
		const { status, body } = await postAction(rig.alice, request, "rollback");
		expect(status).toBe(201);
		expect(body).toMatchObject({
			status: "awaiting_approval",
			rollback_of: request.id,
			template: undo.id,
			input_data: [{ name: "a" }],
			title: `Rollback of ${request.title}`,
		});
		await postAction(carol, body, "approve");
		await rig.execute(body);
		const undone = await rig.over(body);
		const job = (await rig.lab.jobs()).find(({ id }) => id === undone.automation_job_id);
		expect(JSON.parse(String(job?.extra_vars))).toMatchObject({
			rollback_of: request.id,
			rollback_of_job: done.automation_job_id,
		});
		const without = await rig.request(await rig.template());
		await rig.execute(without);
		await rig.over(without);
		expect((await postAction(rig.alice, without, "rollback")).body.detail).toMatch(/no rollback/);
	});
});

describe("giving up", () => {
	it("is possible before anything was launched", async () => {
		const request = await rig.request(await rig.template());
		expect((await postAction(rig.alice, request, "cancel")).body.status).toBe("cancelled");
		expect((await postAction(rig.alice, request, "execute")).status).toBe(409);
		expect((await postAction(rig.alice, request, "retry")).status).toBe(202);
		expect((await rig.over(request)).status).toBe("successful");
		const open = await rig.template();
		await rig.request(open);
		expect((await rig.alice.api.del(`${API}templates/${open.id}/`)).status).toBe(409);
	});

	it("answers 404 to others at once, although the execution is locked", async () => {
		const request = await rig.request(
			await rig.template({ automation_job_template_id: 10, variable_mappings: { secs: 60 } }),
		);
		const { id } = await rig.execute(request);
		const client = await rig.t.pool.connect();
		try {
			await client.query("begin");
			await client.query("select from automation_executions where id = $1 for update", [id]);
			expect((await postAction(bob, request, "cancel")).status).toBe(404);
		} finally {
			await client.query("rollback");
			client.release();
		}
		await postAction(rig.alice, request, "cancel");
		await rig.over(request);
	});

	it("a connection with open jobs stays", async () => {
		const request = await rig.request(
			await rig.template({ automation_job_template_id: 10, variable_mappings: { secs: 60 } }),
		);
		await rig.execute(request);
		expect((await rig.alice.api.del(`${API}connections/${rig.connection}/`)).status).toBe(409);
		await postAction(rig.alice, request, "cancel");
		await rig.over(request);
	});
});

describe("limits", () => {
	it("of jobs at the same time answer 429, of requests a day as well", async () => {
		const gina = await rig.t.user("gina", ["Operator"]);
		const group = await createGroup(rig, "Careful", gina);
		const none = { automation_requests_daily: 3, automation_concurrent: 1 };
		expect((await rig.t.admin.api.put(`/api/auth/groups/${group}/quota/`, none)).status).toBe(200);
		const template = await rig.template({
			is_public: true,
			automation_job_template_id: 10,
			variable_mappings: { secs: 600 },
		});
		const [first, second] = [await rig.request(template, {}, gina), await rig.request(template, {}, gina)];
		await rig.execute(first, gina);
		const busy = await postAction(gina, second, "execute");
		expect([busy.status, busy.body.quota, busy.headers["retry-after"]]).toEqual([429, "automation_concurrent", "30"]);
		expect((await getRequest(gina, second)).status).toBe("pending");
		await rig.request(template, {}, gina);
		const fourth = await gina.api.post(REQUESTS, { template: template.id, title: "T", input_data: [{ name: "a" }] });
		expect([fourth.status, fourth.body.quota]).toEqual([429, "automation_requests_daily"]);
		await postAction(gina, first, "cancel");
		await rig.over(first);
	});
});

describe("passwords", () => {
	it("are sealed, masked wherever they would be seen, and sent to the job", async () => {
		const secret = 'hunter2 "quoted" ü';
		const template = await rig.template({
			schema: [
				{ name: "name", field_type: "text", required: true },
				{ name: "password", field_type: "password" },
				{ name: "note", field_type: "text", send: false },
				{ name: "rc", field_type: "number" },
			],
		});
		const rows = [
			{ name: "r1", password: secret, note: "for people", rc: 1 },
			{ name: "r2", password: "other one", note: "" },
		];
		const request = await rig.request(template, { input_data: rows });
		expect(request.input_data[0]).toEqual({ name: "r1", password: "********", note: "for people", rc: 1 });
		// A masked value that is sent back unchanged keeps its secret.
		const kept = await rig.alice.api.patch(`${REQUESTS}${request.id}/`, {
			input_data: [request.input_data[0], { ...request.input_data[1], password: "third one" }],
		});
		expect(kept.body.input_data.map(({ password }: Body) => password)).toEqual(["********", "********"]);
		const { id } = await rig.execute(request);
		const socket = await rig.alice.api.open(`/ws/automation/execution/${id}/`);
		const done = await rig.over(request);
		const job = (await rig.lab.jobs()).find((one) => one.id === done.automation_job_id);
		expect(JSON.parse(String(job?.extra_vars)).rows).toEqual([
			{ name: "r1", password: secret, rc: 1 },
			{ name: "r2", password: "third one" },
		]);
		const seen = [
			await getRequest(rig.alice, request),
			(await rig.alice.api.get(REQUESTS)).body,
			(await rig.alice.api.get(`${EXECUTIONS}${id}/output/`)).body,
			(await rig.alice.api.get(`${EXECUTIONS}${id}/row-results/`)).body,
			await rig.execution(id),
			socket.frames,
		];
		const { rows: results } = await rig.t.pool.query(
			"select status from automation_row_results r join automation_executions e on e.id = r.execution_id where e.id = $1",
			[id],
		);
		expect(results.length).toBeGreaterThan(0);
		const tables =
			"automation_requests automation_executions automation_output automation_row_results audit_log notifications automation_validations";
		for (const table of tables.split(" ")) seen.push((await rig.t.pool.query(`select * from ${table}`)).rows);
		for (const text of ["hunter2", "other one", "third one"]) expect(JSON.stringify(seen)).not.toContain(text);
		expect(JSON.stringify(seen[2])).toContain("********");
	});
});

describe("what happens", () => {
	it("is in the audit log, and told to who asked", async () => {
		const request = await rig.request(await rig.template());
		const { id } = await rig.execute(request);
		await rig.over(request);
		const told = [request.id, id];
		const entries = (await auditEntries(rig.t)).filter(({ target_id }) => told.includes(target_id));
		expect(entries.map(({ action }) => action)).toEqual([
			"automation_request_create",
			"automation_request_execute",
			"automation_job_launch",
			"automation_job_end",
		]);
		for (const entry of entries) expect(entry).toMatchObject({ username: "alice", category: "automation_execution" });
		await rig.settle("the requester has a notification", async () => {
			const found = await rig.t.pool.query("select * from notifications where key = $1", [
				`automation_execution:${id}`,
			]);
			return found.rows[0]?.severity === "info" && found.rows[0]?.link === `/api/automation/requests/${request.id}/`;
		});
	});
});
