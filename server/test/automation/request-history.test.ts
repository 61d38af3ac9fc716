/**
 * The history of a request: correction after a rejection, comments, earlier versions, the values in
 * audit entries, and the facts for its approvers.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { API, type Body, EXECUTIONS, REQUESTS, type Rig, startRig } from "../support/automation.ts";
import type { TestUser } from "../support/harness.ts";
import { findAudit, setRights } from "../support/rights.ts";

let rig: Rig;
let bob: TestUser;
/** May approve. */
let carol: TestUser;
beforeAll(async () => {
	rig = await startRig();
	bob = await rig.t.user("bob", ["Operator"]);
	carol = await rig.t.user("carol", ["Viewer"]);
	await setRights(rig.t, carol, { groups: ["Viewer"], permissions: ["approve_automationrequest"] });
});
afterAll(() => rig.close());
afterEach(() => rig.lab.clearFaults());

const postAction = (user: TestUser, request: Body, action: string, body?: unknown) =>
	user.api.post(`${REQUESTS}${request.id}/${action}/`, body);
const patchRequest = (user: TestUser, request: Body, body: unknown) =>
	user.api.patch(`${REQUESTS}${request.id}/`, body);
const findHistory = async (request: Body, user = rig.alice): Promise<Body[]> =>
	(await user.api.get(`${REQUESTS}${request.id}/history/`)).body.results;
const formatTitles = async (user: TestUser): Promise<string[]> =>
	(await user.api.get("/api/notifications/notifications/?page_size=200")).body.results.map(({ title }: Body) => title);

async function createRejectedRequest(more: Body = {}): Promise<Body> {
	const request = await rig.request(await rig.template({ requires_approval: true }), more);
	const { status, body } = await postAction(carol, request, "reject", {
		reason: "wrong rack",
		changes_requested: true,
	});
	expect(status).toBe(200);
	return body;
}

describe("a request that waits for approval", () => {
	it.each([
		[1, "1 row"],
		[2, "2 rows"],
	])("tells approvers the number of its rows: %i as %s", async (count, words) => {
		const template = await rig.template({ requires_approval: true });
		const input_data = Array.from({ length: count }, (_, index) => ({ name: `r${index}` }));
		const { id } = await rig.request(template, { input_data });
		const { results } = (await carol.api.get("/api/notifications/notifications/?page_size=200")).body;
		const notice = results.find(({ link }: Body) => link === `${REQUESTS}${id}/`);
		expect(notice.body).toBe(`alice asks for ${words} of "${template.name}".`);
	});
});

describe("a request that no user may approve", () => {
	it("notifies superusers of a request that no user may approve, and names them", async () => {
		await setRights(rig.t, carol, { groups: ["Viewer"], permissions: [] });
		const request = await rig.request(await rig.template({ requires_approval: true }));
		const { results } = (await rig.t.admin.api.get("/api/notifications/notifications/?page_size=200")).body;
		expect(results.map(({ link }: Body) => link)).toContain(`${REQUESTS}${request.id}/`);
		const { body } = await rig.alice.api.get(`${REQUESTS}${request.id}/review/`);
		expect(body.approvers).toEqual([rig.t.admin.username]);
		await setRights(rig.t, carol, { groups: ["Viewer"], permissions: ["approve_automationrequest"] });
	});
});

describe("a rejected request", () => {
	it("is corrected by its requester, waits for approval again, and keeps its history", async () => {
		const request = await createRejectedRequest();
		expect(request).toMatchObject({ status: "rejected", changes_requested: true, version: 1 });
		const { status, body } = await patchRequest(rig.alice, request, {
			input_data: [{ name: "r1" }, { name: "r3", rc: 0 }],
		});
		expect([status, body]).toMatchObject([
			200,
			{ status: "awaiting_approval", requires_approval: true, changes_requested: false, version: 2, finished_at: null },
		]);
		expect(body).toMatchObject({ rejected_by: null, rejected_at: null, rejection_reason: null });
		expect(await formatTitles(carol)).toContain(`"${request.title}" waits for approval`);
		expect((await postAction(carol, request, "approve", { comment: "now it is" })).status).toBe(200);
		await rig.execute(request);
		await rig.over(request);
		const history = await findHistory(request);
		expect(history.map(({ user, action, version, comment }) => [user, action, version, comment])).toEqual([
			["alice", "created", 1, ""],
			["carol", "changes_requested", 1, "wrong rack"],
			["alice", "changed", 2, ""],
			["carol", "approved", 2, "now it is"],
			["alice", "launched", 2, ""],
			["alice", "ended", 2, ""],
		]);
		expect(history[2]).toMatchObject({
			changes: [
				{ path: "input_data.1.name", before: "r2", after: "r3" },
				{ path: "input_data.1.rc", before: null, after: 0 },
			],
			changes_total: 2,
		});
		expect(history[0].digest).toMatch(/^[0-9a-f]{64}$/);
		expect(history[3].digest).toBe(history[2].digest);
		expect(history[3].digest).not.toBe(history[0].digest);
	});

	it("waits for approval again even if its template asks for none any more", async () => {
		const request = await createRejectedRequest();
		await rig.alice.api.patch(`${API}templates/${request.template}/`, { requires_approval: false });
		const { body } = await patchRequest(rig.alice, request, { title: "Again" });
		expect(body).toMatchObject({ status: "awaiting_approval", requires_approval: true });
	});

	it("is changed neither by other users nor by those who decide", async () => {
		const request = await createRejectedRequest();
		expect((await patchRequest(bob, request, { title: "Mine" })).status).toBe(404);
		expect((await patchRequest(carol, request, { title: "Mine" })).status).toBe(403);
	});

	it("says in its notification whether changes are wanted", async () => {
		const request = await createRejectedRequest();
		const plain = await rig.request(await rig.template({ requires_approval: true }));
		await postAction(carol, plain, "reject", { reason: "no" });
		const titles = await formatTitles(rig.alice);
		expect(titles).toContain(`carol requests changes of "${request.title}"`);
		expect(titles).toContain(`"${plain.title}" was rejected by carol`);
	});

	it("that is launched no more stays as it is", async () => {
		const request = await rig.request(await rig.template());
		await postAction(rig.alice, request, "cancel");
		expect((await patchRequest(rig.alice, request, { title: "x" })).status).toBe(409);
		expect((await findHistory(request)).map(({ action }) => action)).toEqual(["created", "cancelled"]);
	});
});

describe("the jobs of a request", () => {
	it("shows jobs in the history of a request with their rows by result, and counts those of the newest in lists", async () => {
		const input_data = [{ name: "r1" }, { name: "r2", rc: 1 }, { name: "r3", skip: true }];
		const request = await rig.request(await rig.template(), { input_data });
		expect(request.row_counts).toBeNull();
		const { id } = await rig.execute(request);
		const done = await rig.over(request);
		const counts = { ok: 0, changed: 1, failed: 1, skipped: 1, unreachable: 0, censored: 0, unknown: 0 };
		expect(done).toMatchObject({ row_counts: counts });
		expect((await rig.execution(id)).row_counts).toEqual(counts);
		const { summary } = (await rig.alice.api.get(`${EXECUTIONS}${id}/row-results/`)).body;
		expect(summary).toEqual(counts);
		const { results } = (await rig.alice.api.get(REQUESTS)).body;
		expect(results.find((one: Body) => one.id === request.id).row_counts).toEqual(counts);
		const job = { id, automation_job_id: done.automation_job_id, status: done.status, row_counts: counts };
		expect(
			(await findHistory(request)).map(({ action, execution, request: other }) => [action, execution, other]),
		).toEqual([
			["created", null, null],
			["launched", job, null],
			["ended", job, null],
		]);
		expect((await rig.alice.api.post(`${EXECUTIONS}${id}/relaunch/`)).status).toBe(201);
		expect((await findHistory(request)).map(({ action }) => action)).toEqual([
			"created",
			"launched",
			"ended",
			"launched",
		]);
		expect((await rig.alice.api.get(`${REQUESTS}${request.id}/`)).body.row_counts).toBeNull();
		expect((await rig.over(request)).row_counts).toEqual(counts);
	});

	it("links a request to its rollback, and a copy to its original", async () => {
		const undo = await rig.template();
		const request = await rig.request(await rig.template({ rollback_template: undo.id }));
		await rig.execute(request);
		await rig.over(request);
		const { body: rollback } = await postAction(rig.alice, request, "rollback");
		const { body: copy } = await postAction(rig.alice, request, "copy", { rows: "all" });
		const find = async (of: Body, action: string) => (await findHistory(of)).find((one) => one.action === action);
		const made = { id: request.id, title: request.title };
		expect(await find(request, "rolled_back")).toMatchObject({
			user: "alice",
			request: { id: rollback.id, title: rollback.title },
		});
		expect((await find(rollback, "created")).request).toEqual(made);
		expect((await find(copy, "created")).request).toEqual(made);
	});

	it("names another request only to users who see it", async () => {
		const template = await rig.template({ is_public: true, requires_approval: true });
		const request = await rig.request(template);
		const rights = ["add_automationrequest", "approve_automationrequest"];
		await setRights(rig.t, carol, { groups: ["Viewer"], permissions: rights });
		const { body: copy } = await postAction(carol, request, "copy", { rows: "all" });
		expect((await findHistory(copy, carol))[0].request).toMatchObject({ id: request.id });
		await setRights(rig.t, carol, { groups: ["Viewer"], permissions: ["add_automationrequest"] });
		expect((await findHistory(copy, carol))[0].request).toBeNull();
		await setRights(rig.t, carol, { groups: ["Viewer"], permissions: ["approve_automationrequest"] });
	});
});

describe("an earlier version", () => {
	it("can be opened with its rows, and so can the current one", async () => {
		const request = await createRejectedRequest();
		await patchRequest(rig.alice, request, { title: "Second", input_data: [{ name: "x" }] });
		const read = async (version: number) => rig.alice.api.get(`${REQUESTS}${request.id}/history/${version}/`);
		const [first, second, third] = [await read(1), await read(2), await read(3)];
		expect([first.status, first.body]).toMatchObject([
			200,
			{ version: 1, title: request.title, input_data: [{ name: "r1" }, { name: "r2" }], check_mode: false },
		]);
		expect([second.status, second.body]).toMatchObject([
			200,
			{ version: 2, title: "Second", input_data: [{ name: "x" }] },
		]);
		expect(first.body.rows_digest).toBe(request.rows_digest);
		expect(third.status).toBe(404);
		expect((await bob.api.get(`${REQUESTS}${request.id}/history/1/`)).status).toBe(404);
		expect((await bob.api.get(`${REQUESTS}${request.id}/history/`)).status).toBe(404);
	});

	it("is refused after 50 versions", async () => {
		const request = await rig.request(await rig.template());
		await rig.t.pool.query("update automation_requests set version = 50 where id = $1", [request.id]);
		const { status, body } = await patchRequest(rig.alice, request, { title: "One more" });
		expect([status, body.detail]).toEqual([409, expect.stringContaining("50 versions")]);
	});
});

describe("the audit entries of a request", () => {
	it("have the values before and after, with masked passwords, and the digest of the rows", async () => {
		const schema = [
			{ name: "name", field_type: "text" },
			{ name: "key", field_type: "password" },
		];
		const template = await rig.template({ schema, requires_approval: true });
		const request = await rig.request(template, { input_data: [{ name: "a", key: "first-secret" }] });
		const rows = [{ name: "b", key: "second-secret" }];
		expect((await patchRequest(rig.alice, request, { input_data: rows, check_mode: true })).status).toBe(200);
		const { body: approved } = await postAction(carol, request, "approve", {});
		const entries = await findAudit(rig.t, request.id);
		const getEntry = (action: string) => entries.find((one: Body) => one.action === action);
		expect(getEntry("automation_request_update").metadata).toMatchObject({
			version: 2,
			digest: approved.rows_digest,
			changes: [
				{ path: "check_mode", before: false, after: true },
				{ path: "input_data.0.name", before: "a", after: "b" },
				{ path: "input_data.0.key", before: "********", after: "********" },
			],
		});
		expect(getEntry("automation_request_approve").metadata).toMatchObject({ version: 2, digest: approved.rows_digest });
		const everything = JSON.stringify([entries, await findHistory(request)]);
		expect(everything).not.toMatch(/first-secret|second-secret/);
	});
});

describe("comments", () => {
	it("are made by the requester and by those who decide, and notify the other side", async () => {
		const request = await rig.request(await rig.template({ requires_approval: true }));
		const asked = await postAction(carol, request, "comments", { text: "Which rack?" });
		expect([asked.status, asked.body]).toMatchObject([
			201,
			{ user: "carol", action: "commented", comment: "Which rack?" },
		]);
		expect((await postAction(rig.alice, request, "comments", { text: "Rack 7" })).status).toBe(201);
		expect((await findHistory(request, carol)).map(({ user, comment }) => [user, comment]).slice(1)).toEqual([
			["carol", "Which rack?"],
			["alice", "Rack 7"],
		]);
		expect(await formatTitles(rig.alice)).toContain(`carol commented on "${request.title}"`);
		expect(await formatTitles(carol)).toContain(`alice commented on "${request.title}"`);
		// A comment is no other version: a decision on the version that was read is still taken.
		const { status } = await postAction(carol, request, "approve", { updated_at: request.updated_at });
		expect(status).toBe(200);
	});

	it("are refused to users who do not see the request, empty ones, and after 200", async () => {
		const request = await rig.request(await rig.template({ requires_approval: true }));
		expect((await postAction(bob, request, "comments", { text: "Hi" })).status).toBe(404);
		expect(Object.keys((await postAction(carol, request, "comments", { text: "  " })).body)).toEqual(["text"]);
		await rig.t.pool.query(
			`insert into automation_request_events (request_id, at, username, action, version, comment)
			select $1, now(), 'carol', 'commented', 1, 'x' from generate_series(1, 200)`,
			[request.id],
		);
		const { status, body } = await postAction(carol, request, "comments", { text: "one more" });
		expect([status, body.detail]).toEqual([409, expect.stringContaining("200 comments")]);
	});
});

describe("the review of a request", () => {
	const review = (request: Body, user = carol) => user.api.get(`${REQUESTS}${request.id}/review/`);

	it("shows server, job, playbook, inventory, constants and fabric", async () => {
		const template = await rig.template({ requires_approval: true, variable_mappings: { site: "east" } });
		const request = await rig.request(template);
		const { status, body } = await review(request);
		expect([status, body]).toMatchObject([
			200,
			{
				server: { id: rig.connection, name: "Lab" },
				job: { id: 22, kind: "job", name: expect.any(String), playbook: expect.stringMatching(/\.yml$/) },
				constants: { site: "east", request_id: request.id, requested_by: "alice", dry_run: false },
				fabric: null,
				problem: null,
				approver_groups: [],
				approvers: expect.arrayContaining(["carol"]),
				dry_run: null,
			},
		]);
		expect(body.job.url).toBe(`${rig.lab.url}/#/templates/job_template/22/details`);
		expect(body.approvers).not.toContain("alice");
		await postAction(carol, request, "approve");
		expect((await review(request)).body.approvers).toEqual([]);
		expect(body.job.inventory).toEqual(expect.any(String));
		expect((await review(request, bob)).status).toBe(404);
	});

	it("shows the newest dry run of the same rows", async () => {
		const template = await rig.template({ requires_approval: false, allow_check_mode: true });
		const dry = await rig.request(template, { check_mode: true });
		await rig.execute(dry);
		const done = await rig.over(dry);
		const other = await rig.request(template, { input_data: [{ name: "other" }] });
		const same = await rig.request(template);
		expect((await review(other, rig.alice)).body.dry_run).toBeNull();
		expect((await review(same, rig.alice)).body.dry_run).toMatchObject({
			request: dry.id,
			status: done.status,
			automation_job_id: done.automation_job_id,
			playbook_counts: { ok: expect.any(Number), changed: expect.any(Number), failed: 0 },
		});
	});

	it("says why the server could not be asked, and shows the rest", async () => {
		const request = await rig.request(await rig.template({ requires_approval: true }));
		await rig.t.pool.query(
			"update automation_connections set base_url = 'http://127.0.0.1:9', revision = revision + 1",
		);
		const { status, body } = await review(request);
		await rig.t.pool.query("update automation_connections set base_url = $1, revision = revision + 1", [rig.lab.url]);
		expect([status, body]).toMatchObject([
			200,
			{ job: { id: 22, name: null, playbook: null }, problem: expect.stringMatching(/Lab|server/) },
		]);
	});
});
