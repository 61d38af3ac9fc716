/**
 * Connections to automation servers: stored tokens, one default, the test, discovery without the
 * server's own addresses.
 */
import type { RunningAutomation } from "@weft/lab";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startServer } from "../support/automation.ts";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";

const PATH = "/api/automation/connections/";
let t: TestApp;
let lab: RunningAutomation;
let alice: TestUser;
let bob: TestUser;
let viewer: TestUser;
let serial = 0;

beforeAll(async () => {
	[t, lab] = await Promise.all([startTestApp(), startServer()]);
	alice = await t.user("alice", ["Operator"]);
	bob = await t.user("bob", ["Operator"]);
	viewer = await t.user("vera", ["Viewer"]);
});
afterAll(async () => {
	await t.close();
	await lab.close();
});
beforeEach(() => lab.clearFaults());

const buildConnectionInput = (more: Record<string, unknown> = {}) => ({
	name: `Server ${++serial}`,
	base_url: lab.url,
	username: "admin",
	oauth_token: lab.token,
	...more,
});
const createConnection = async (user: TestUser, more: Record<string, unknown> = {}) => {
	const { status, body } = await user.api.post(PATH, buildConnectionInput(more));
	expect(status, JSON.stringify(body)).toBe(201);
	return body;
};

describe("a connection", () => {
	it("is stored with its token encrypted, and never shows it", async () => {
		const made = await createConnection(alice, { description: "rig" });
		expect(made).toMatchObject({
			token_configured: true,
			is_default: false,
			is_public: false,
			verify_ssl: true,
			timeout: 30,
			last_test_status: "untested",
			last_tested_at: null,
			server_version: null,
			can_edit: true,
			created_by: { username: "alice" },
		});
		const all = [made, (await alice.api.get(PATH)).body, (await alice.api.get(`${PATH}${made.id}/`)).body];
		expect(JSON.stringify(all)).not.toContain(lab.token);
		const { rows } = await t.pool.query("select token_sealed from automation_connections where id = $1", [made.id]);
		expect(rows[0].token_sealed).not.toContain(lab.token);
		const log = await t.pool.query("select * from audit_log");
		expect(JSON.stringify(log.rows)).not.toContain(lab.token);
	});

	it("is the owner's, or everybody's when public; others see nothing, and may not change what they see", async () => {
		const [own, shared] = [await createConnection(alice), await createConnection(alice, { is_public: true })];
		expect((await bob.api.get(`${PATH}${own.id}/`)).status).toBe(404);
		expect((await bob.api.get(`${PATH}${shared.id}/`)).body).toMatchObject({ can_edit: false, can_delete: false });
		expect((await bob.api.patch(`${PATH}${shared.id}/`, { name: "Mine" })).status).toBe(403);
		expect((await bob.api.del(`${PATH}${shared.id}/`)).status).toBe(403);
		expect((await bob.api.post(`${PATH}${shared.id}/test/`)).status).toBe(403);
		expect((await viewer.api.post(PATH, buildConnectionInput())).status).toBe(403);
		expect((await t.admin.api.patch(`${PATH}${own.id}/`, { description: "seen" })).status).toBe(200);
		const names = (await bob.api.get(`${PATH}?page_size=200`)).body.results.map(({ id }: { id: string }) => id);
		expect([names.includes(shared.id), names.includes(own.id)]).toEqual([true, false]);
	});

	it("says what is wrong with its fields", async () => {
		const wrong = { name: "x", base_url: "ftp://x", oauth_token: "", timeout: "soon" };
		const { status, body } = await alice.api.post(PATH, wrong);
		expect([status, Object.keys(body).sort()]).toEqual([400, ["base_url", "name", "oauth_token", "timeout"]]);
		const { name } = await createConnection(alice);
		expect((await alice.api.post(PATH, buildConnectionInput({ name }))).body).toEqual({
			name: [expect.stringMatching(/another/)],
		});
		expect((await alice.api.post(PATH, buildConnectionInput({ timeout: 1000 }))).body.timeout).toBe(300);
		const { body: missing } = await alice.api.post(PATH, {});
		expect(Object.keys(missing).sort()).toEqual(["base_url", "name", "oauth_token"]);
	});

	it("keeps its token on PUT and PATCH without one", async () => {
		const { id, name } = await createConnection(alice);
		const changed = await alice.api.put(`${PATH}${id}/`, { name, base_url: lab.url });
		expect(changed.body).toMatchObject({ username: "", token_configured: true });
		expect((await alice.api.post(`${PATH}${id}/test/`)).status).toBe(200);
		await alice.api.patch(`${PATH}${id}/`, { oauth_token: "another" });
		expect((await alice.api.post(`${PATH}${id}/test/`)).body).toMatchObject({ success: false, reason: "credentials" });
	});

	it("needs its token again when it leads to another server, and keeps it within one", async () => {
		const { id } = await createConnection(alice);
		const moved = await alice.api.patch(`${PATH}${id}/`, { base_url: "http://127.0.0.1:1" });
		expect([moved.status, Object.keys(moved.body)]).toEqual([400, ["oauth_token"]]);
		expect((await alice.api.get(`${PATH}${id}/`)).body.base_url).toBe(lab.url);
		expect((await alice.api.patch(`${PATH}${id}/`, { base_url: `${lab.url}/controller` })).status).toBe(200);
	});

	it("can be deleted", async () => {
		const { id } = await createConnection(alice);
		expect((await alice.api.del(`${PATH}${id}/`)).status).toBe(204);
		expect((await alice.api.get(`${PATH}${id}/`)).status).toBe(404);
	});
});

/** The default that a template without a connection gets; null: the field is required. */
async function readDefault(user: TestUser): Promise<string | null> {
	const body = { name: `Template ${++serial}`, automation_job_template_id: 9 };
	const answer = await user.api.post("/api/automation/templates/", body);
	if (answer.status === 400) {
		expect(answer.body).toEqual({ automation_connection: [expect.stringMatching(/no default connection/)] });
		return null;
	}
	expect(answer.status, answer.text).toBe(201);
	return answer.body.automation_connection;
}
const listDefaults = async (user: TestUser): Promise<string[]> =>
	(await user.api.get(`${PATH}?page_size=200`)).body.results
		.filter((each: { is_default: boolean }) => each.is_default)
		.map(({ id }: { id: string }) => id)
		.sort();

describe("the default connection", () => {
	afterEach(() => t.pool.query("update automation_connections set is_default = false"));

	it("each user has one default server, also when several are marked at the same time", async () => {
		const made = await Promise.all(
			Array.from({ length: 5 }, () =>
				alice.api.post(PATH, buildConnectionInput({ is_default: true, is_public: true })),
			),
		);
		expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
		expect(await listDefaults(alice)).toHaveLength(1);
		const other = await createConnection(bob, { is_default: true });
		expect(await listDefaults(bob)).toEqual([other.id]);
		expect(await listDefaults(alice)).toHaveLength(1);
		await bob.api.patch(`${PATH}${other.id}/`, { is_default: false });
		expect(await listDefaults(bob)).toEqual([]);
	});

	it("the default of an ordinary user counts for that user only, although the connection is public", async () => {
		const own = await createConnection(alice, { is_default: true, is_public: true });
		expect(own).toMatchObject({ is_default: true, is_default_candidate: true });
		for (const user of [bob, t.admin]) {
			const seen = (await user.api.get(`${PATH}${own.id}/`)).body;
			expect(seen).toMatchObject({ is_public: true, is_default: false, is_default_candidate: false });
			expect(await readDefault(user)).toBeNull();
		}
		expect(await readDefault(alice)).toBe(own.id);
	});

	it("the default of an administrator counts for all users, also after a user marks another one", async () => {
		const team = await createConnection(t.admin, { is_default: true, is_public: true });
		expect(await readDefault(bob)).toBe(team.id);
		const own = await createConnection(alice, { is_default: true, is_public: true });
		expect([await readDefault(alice), await readDefault(bob), await readDefault(t.admin)]).toEqual([
			own.id,
			team.id,
			team.id,
		]);
		expect(await listDefaults(bob)).toEqual([team.id]);
		expect((await bob.api.get(`${PATH}${team.id}/`)).body).toMatchObject({
			is_default: true,
			is_default_candidate: true,
		});
		await alice.api.patch(`${PATH}${own.id}/`, { is_default: false });
		expect(await readDefault(alice)).toBe(team.id);
	});

	it("all users have one common default, whichever administrator marks it", async () => {
		const other = await t.user("olga", ["Admin"]);
		await Promise.all(
			[t.admin, other, t.admin, other].map((user) =>
				user.api.post(PATH, buildConnectionInput({ is_default: true, is_public: true })),
			),
		);
		expect(await listDefaults(bob)).toHaveLength(1);
		const team = await createConnection(t.admin, { is_default: true, is_public: true });
		expect(await listDefaults(bob)).toEqual([team.id]);
		// A private default of an administrator is nobody else's, until the connection is shared.
		const own = await createConnection(other, { is_default: true });
		expect([await readDefault(other), await readDefault(bob)]).toEqual([own.id, team.id]);
		expect(await listDefaults(t.admin)).toEqual([team.id]);
		await other.api.patch(`${PATH}${own.id}/`, { is_public: true });
		expect([await listDefaults(bob), await listDefaults(t.admin)]).toEqual([[own.id], [own.id]]);
	});

	it("a connection of an ordinary user never becomes the default of all users", async () => {
		const own = await createConnection(alice, { is_public: true });
		const refused = await t.admin.api.patch(`${PATH}${own.id}/`, { is_default: true });
		expect([refused.status, refused.body]).toEqual([400, { is_default: [expect.stringMatching(/administrator/)] }]);
		await alice.api.patch(`${PATH}${own.id}/`, { is_default: true });
		expect((await t.admin.api.patch(`${PATH}${own.id}/`, { description: "seen" })).body.is_default).toBe(false);
		expect(await listDefaults(alice)).toEqual([own.id]);
	});

	it("the default ends with the account of its owner", async () => {
		const leaver = await t.user("leo", ["Operator"]);
		const left = await createConnection(leaver, { is_public: true, is_default: true });
		expect((await t.admin.api.del(`/api/auth/management/${leaver.id}/`)).status).toBe(204);
		expect(await readDefault(bob)).toBeNull();
		// The connection is the administrators' then: they may make it the default of all users.
		expect((await t.admin.api.patch(`${PATH}${left.id}/`, { is_default: true })).status).toBe(200);
		expect(await readDefault(bob)).toBe(left.id);
	});
});

describe("the test", () => {
	it("records what it found", async () => {
		const { id } = await createConnection(alice);
		const { status, body } = await alice.api.post(`${PATH}${id}/test/`);
		expect([status, body]).toEqual([
			200,
			{
				success: true,
				server_version: lab.version,
				can_launch: true,
				latency_ms: expect.any(Number),
				message: `Signed in to ${lab.product} ${lab.version} as admin.`,
			},
		]);
		expect((await alice.api.get(`${PATH}${id}/`)).body).toMatchObject({
			last_test_status: "success",
			server_version: lab.version,
			last_tested_at: expect.any(String),
			last_test_message: body.message,
		});
		await alice.api.patch(`${PATH}${id}/`, { base_url: "http://127.0.0.1:1", oauth_token: lab.token });
		const failed = await alice.api.post(`${PATH}${id}/test/`);
		expect([failed.status, failed.body.success, failed.body.reason]).toEqual([400, false, "refused"]);
		expect((await alice.api.get(`${PATH}${id}/`)).body).toMatchObject({
			last_test_status: "failed",
			server_version: null,
		});
	});
});

describe("discovery", () => {
	let id: string;
	beforeAll(async () => {
		({ id } = await createConnection(alice, { is_public: true }));
	});

	it("pages templates, credentials and types with links of this service", async () => {
		const { body } = await viewer.api.get(`${PATH}${id}/job-templates/?page_size=5`);
		expect(body).toMatchObject({
			count: 12,
			previous: null,
			next: expect.stringContaining(`${PATH}${id}/job-templates/`),
		});
		expect(body.results).toHaveLength(5);
		expect(body.results[0]).toMatchObject({ kind: "job", can_start: true, asks: { variables: expect.any(Boolean) } });
		const last = await viewer.api.get(`${PATH}${id}/job-templates/?page_size=5&page=3`);
		expect([last.body.results.length, last.body.next]).toEqual([2, null]);
		const found = await viewer.api.get(`${PATH}${id}/job-templates/?search=row`);
		expect(found.body.results.map(({ name }: { name: string }) => name)).toEqual(["Rows"]);
		expect((await viewer.api.get(`${PATH}${id}/workflow-templates/`)).body.count).toBe(3);
		expect((await viewer.api.get(`${PATH}${id}/credentials/`)).body.results[0]).not.toHaveProperty("inputs");
		expect((await viewer.api.get(`${PATH}${id}/credential-types/`)).body.count).toBe(19);
		expect((await viewer.api.get(`${PATH}${id}/job-templates/?page=99`)).status).toBe(404);
	});

	it("shows one template with its survey, one workflow with its nodes", async () => {
		const job = await viewer.api.get(`${PATH}${id}/job-templates/16/`);
		expect(job.body.survey_spec.spec).toHaveLength(4);
		const workflow = await viewer.api.get(`${PATH}${id}/workflow-templates/17/`);
		expect(workflow.body).toMatchObject({ kind: "workflow", survey_spec: null });
		expect(workflow.body.workflow_nodes).toHaveLength(4);
		expect(job.text + workflow.text).not.toContain(lab.url);
		expect((await viewer.api.get(`${PATH}${id}/job-templates/999/`)).status).toBe(404);
	});

	it("answers 502 and 504 when the server does not", async () => {
		lab.setFaults({ html_error: { status: 502 } });
		const failed = await viewer.api.get(`${PATH}${id}/job-templates/`);
		expect([failed.status, failed.body]).toEqual([
			502,
			{ success: false, detail: expect.any(String), upstream_status: 502, request_id: expect.any(String) },
		]);
	});

	it("is not for those who cannot see the connection", async () => {
		const own = await createConnection(alice);
		expect((await bob.api.get(`${PATH}${own.id}/job-templates/`)).status).toBe(404);
	});
});
