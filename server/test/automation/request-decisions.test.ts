/** Decisions on requests: who approves what, of which version, and what a change does to it. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { API, REQUESTS, type Rig } from "../support/automation.ts";
import type { TestUser } from "../support/harness.ts";
import { createGroup, getRequest, grantPermission, postAction, startRequestRig } from "../support/requests.ts";

let rig: Rig;
let bob: TestUser;
let carol: TestUser;
beforeAll(async () => {
	({ rig, bob, carol } = await startRequestRig());
});
afterAll(() => rig.close());
afterEach(() => rig.lab.clearFaults());

describe("approval", () => {
	it("lets users with the permission approve a request, and never its requester", async () => {
		const template = await rig.template({ requires_approval: true, is_public: true });
		const request = await rig.request(template);
		expect(request).toMatchObject({ status: "awaiting_approval", can_execute: false, requires_approval: true });
		expect((await postAction(rig.alice, request, "execute")).status).toBe(409);
		// Operators may not approve at all; a viewer with the right may; the requester may not,
		// whatever their rights.
		expect((await postAction(rig.alice, request, "approve")).status).toBe(403);
		expect((await postAction(bob, request, "approve")).status).toBe(403);
		expect((await getRequest(carol, request)).can_approve).toBe(true);
		const own = await rig.request(template, {}, rig.t.admin);
		expect((await postAction(carol, own, "reject", { reason: "No." })).body).toMatchObject({
			status: "rejected",
			rejected_by: "carol",
			rejection_reason: "No.",
		});
		const approved = await postAction(carol, request, "approve", { comment: "Fine." });
		expect(approved.body).toMatchObject({ status: "approved", approved_by: "carol", approval_comment: "Fine." });
		expect(approved.body.approved_at).toEqual(expect.any(String));
		expect((await postAction(carol, request, "approve")).status).toBe(409);
		expect((await postAction(carol, request, "reject", { reason: "x" })).status).toBe(409);
		expect((await rig.t.admin.api.get("/api/auth/profile/")).status).toBe(200);
		await rig.execute(request);
		expect((await rig.over(request)).status).toBe("successful");
		expect((await postAction(rig.alice, own, "reject", {})).status).toBe(403);
	});

	it("lets superusers approve their own requests, and no other administrators", async () => {
		const template = await rig.template({ requires_approval: true, is_public: true });
		const dora = await rig.t.user("dora", ["Admin"]);
		const hers = await rig.request(template, {}, dora);
		expect((await postAction(dora, hers, "approve")).status).toBe(403);
		expect((await getRequest(dora, hers)).can_approve).toBe(false);
		const roots = await rig.request(template, {}, rig.t.admin);
		expect((await postAction(rig.t.admin, roots, "approve")).body.status).toBe("approved");
		expect((await postAction(dora, await rig.request(template), "approve")).body.status).toBe("approved");
	});

	it("lets only members of the approving groups approve a request", async () => {
		const erin = await rig.t.user("erin", ["Viewer"]);
		await grantPermission(rig, erin, "approve_automationrequest");
		const group = await createGroup(rig, "Change board", erin);
		const request = await rig.request(await rig.template({ requires_approval: true, approver_groups: [group] }));
		expect((await carol.api.get(`${REQUESTS}${request.id}/`)).status).toBe(404);
		expect((await postAction(carol, request, "approve")).status).toBe(404);
		expect((await postAction(erin, request, "approve")).body.status).toBe("approved");
		await rig.settle("the approvers are notified", async () => {
			const { rows } = await rig.t.pool.query("select user_id from notifications where key like $1", [
				`automation_approval:${request.id}:%`,
			]);
			return rows.length === 1 && rows[0].user_id === erin.id;
		});
		const notices = await rig.t.pool.query(
			"select user_id, facts from notifications where key like 'automation_approval:' || $1 || ':%'",
			[request.id],
		);
		expect(notices.rows.every(({ user_id }) => user_id === erin.id)).toBe(true);
		expect(notices.rows[0]?.facts).toMatchObject({
			event: "request_awaiting_approval",
			objects: [{ kind: "automation_request", id: request.id, name: request.title, after: "awaiting_approval" }],
		});
	});

	it("refuses the approval of the user who changed the request last", async () => {
		const template = await rig.template({ requires_approval: true });
		const request = await rig.request(template);
		const changed = await rig.t.admin.api.patch(`${REQUESTS}${request.id}/`, { input_data: [{ name: "planted" }] });
		expect(changed.body.can_approve).toBe(false);
		const refused = await postAction(rig.t.admin, request, "approve");
		expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining("changed this request last")]);
		expect((await postAction(rig.t.admin, request, "reject", { reason: "no" })).status).toBe(403);
		await rig.alice.api.patch(`${REQUESTS}${request.id}/`, { input_data: [{ name: "mine" }] });
		expect((await postAction(rig.t.admin, request, "approve")).status).toBe(200);
	});

	it("refuses an approval with 409 if the rows changed after they were read", async () => {
		const request = await rig.request(await rig.template({ requires_approval: true }));
		const path = `${REQUESTS}${request.id}/`;
		const read = (await carol.api.get(path)).body;
		await rig.alice.api.patch(path, { input_data: [{ name: "planted" }] });
		const ifMatch = (value: string) => carol.api.send("POST", `${path}approve/`, undefined, { "if-match": value });
		for (const stale of [
			await postAction(carol, request, "approve", { updated_at: read.updated_at }),
			await postAction(carol, request, "reject", { reason: "no", updated_at: read.updated_at }),
			await ifMatch(`"${read.updated_at}"`),
		])
			expect([stale.status, stale.body.detail]).toEqual([409, expect.stringContaining("changed since")]);
		expect((await ifMatch("yesterday")).status).toBe(400);
		const now = (await carol.api.get(path)).body;
		expect(now).toMatchObject({ status: "awaiting_approval", input_data: [{ name: "planted" }] });
		expect((await ifMatch(`"${now.updated_at}"`)).body.status).toBe("approved");
	});

	it("refuses a change of an older version with 409, and keeps the newer rows", async () => {
		const request = await rig.request(await rig.template());
		const path = `${REQUESTS}${request.id}/`;
		const change = (name: string, updated_at: string) =>
			rig.alice.api.patch(path, { input_data: [{ name }], updated_at });
		const first = await change("first", request.updated_at);
		expect([first.status, first.body.input_data]).toEqual([200, [{ name: "first" }]]);
		const second = await change("second", request.updated_at);
		expect([second.status, second.body.updated_at]).toEqual([409, first.body.updated_at]);
		const third = Buffer.from(JSON.stringify({ title: "third" }));
		const headers = { "content-type": "application/json", "if-match": `"${request.updated_at}"` };
		expect((await rig.alice.api.send("PATCH", path, third, headers)).status).toBe(409);
		expect((await rig.alice.api.get(path)).body).toEqual(first.body);
	});

	it("accepts changes before the approval, and freezes the approved content", async () => {
		const template = await rig.template({ requires_approval: true });
		const request = await rig.request(template);
		const patched = await rig.alice.api.patch(`${REQUESTS}${request.id}/`, {
			input_data: [{ name: "new" }],
			check_mode: true,
		});
		expect(patched.body).toMatchObject({
			status: "awaiting_approval",
			input_data: [{ name: "new" }],
			check_mode: true,
		});
		await postAction(carol, request, "approve");
		for (const change of [{ input_data: [{ name: "x" }] }, { check_mode: false }, { title: "T" }]) {
			expect((await rig.alice.api.patch(`${REQUESTS}${request.id}/`, change)).status).toBe(409);
		}
		// Not even by hand: the store refuses.
		for (const set of ["input_data = '[]'", "check_mode = false", "credential_id = 7", "template_snapshot = '{}'"]) {
			await expect(
				rig.t.pool.query(`update automation_requests set ${set} where id = $1`, [request.id]),
			).rejects.toThrow(/cannot be changed/);
		}
		// The approved content runs, whatever becomes of the template.
		await rig.alice.api.patch(`${API}templates/${template.id}/`, {
			automation_job_template_id: 10,
			variable_mappings: { secs: 9 },
		});
		await rig.execute(request);
		const done = await rig.over(request);
		const job = (await rig.lab.jobs()).find(({ id }) => id === done.automation_job_id);
		expect([job?.name, job?.job_type, JSON.parse(String(job?.extra_vars)).secs]).toEqual([
			"Configure the fabric",
			"check",
			undefined,
		]);
	});

	it("requires approval of pending requests when their template begins to require it", async () => {
		const template = await rig.template();
		const request = await rig.request(template);
		await rig.alice.api.patch(`${API}templates/${template.id}/`, { requires_approval: true });
		expect((await getRequest(rig.alice, request)).status).toBe("awaiting_approval");
		expect((await postAction(rig.alice, request, "execute")).status).toBe(409);
	});
});
