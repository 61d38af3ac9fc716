/**
 * Approval that belongs to the server: `approval` and `free_job_template_ids` of a connection. No
 * template, second connection, retry or relaunch gets around them.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { API, type Body, EXECUTIONS, REQUESTS, type Rig, startRig } from "../support/automation.ts";
import type { TestUser } from "../support/harness.ts";
import { setRights } from "../support/rights.ts";

const CONNECTIONS = `${API}connections/`;
const TEMPLATES = `${API}templates/`;
/** Job templates of the lab. */
const JOB = 22;
const OTHER_JOB = 7;

let rig: Rig;
let bob: TestUser;
beforeAll(async () => {
	rig = await startRig();
	bob = await rig.t.user("bob", ["Operator"]);
});
afterAll(() => rig.close());
afterEach(async () => {
	await setApproval({ approval: "by_template", free_job_template_ids: [] });
});

async function setApproval(fields: Record<string, unknown>, user = rig.t.admin): Promise<void> {
	const { status, text } = await user.api.patch(`${CONNECTIONS}${rig.connection}/`, fields);
	expect(status, text).toBe(200);
}
const getRequest = async ({ id }: Body): Promise<Body> => (await rig.t.admin.api.get(`${REQUESTS}${id}/`)).body;
const postAction = (user: TestUser, { id }: Body, action: string, body?: unknown) =>
	user.api.post(`${REQUESTS}${id}/${action}/`, body);
const addConnection = (user: TestUser, more: Record<string, unknown>) =>
	user.api.post(CONNECTIONS, {
		name: `Server of ${user.username}`,
		base_url: rig.lab.url,
		oauth_token: rig.lab.token,
		...more,
	});

describe("the fields of a connection", () => {
	it("are by_template and no free job templates where they are absent", async () => {
		const { body } = await rig.alice.api.get(`${CONNECTIONS}${rig.connection}/`);
		expect(body).toMatchObject({ approval: "by_template", free_job_template_ids: [] });
	});

	it("are written by administrators only", async () => {
		for (const fields of [{ approval: "always" }, { free_job_template_ids: [JOB] }]) {
			const { status, body } = await rig.alice.api.patch(`${CONNECTIONS}${rig.connection}/`, fields);
			expect([status, body.detail]).toEqual([403, expect.stringContaining("administrators")]);
			expect((await addConnection(bob, fields)).status).toBe(403);
		}
		const made = await addConnection(rig.t.admin, { approval: "always", free_job_template_ids: [9, 7, 7] });
		expect([made.status, made.body]).toMatchObject([201, { approval: "always", free_job_template_ids: [7, 9] }]);
		await rig.t.admin.api.del(`${CONNECTIONS}${made.body.id}/`);
	});

	it("stay when the owner saves the connection, who can neither move nor delete it", async () => {
		await setApproval({ approval: "always", free_job_template_ids: [OTHER_JOB] });
		const path = `${CONNECTIONS}${rig.connection}/`;
		const whole = { name: "Lab", base_url: rig.lab.url, username: "admin", is_public: true, is_default: true };
		const { status, body } = await rig.alice.api.put(path, whole);
		expect([status, body]).toMatchObject([200, { approval: "always", free_job_template_ids: [OTHER_JOB] }]);
		const same = { approval: "always", free_job_template_ids: [OTHER_JOB], description: "d" };
		expect((await rig.alice.api.patch(path, same)).status).toBe(200);
		const move = { base_url: "https://elsewhere.example.com", oauth_token: rig.lab.token };
		expect((await rig.alice.api.patch(path, move)).status).toBe(403);
		expect((await rig.alice.api.del(path)).status).toBe(403);
	});

	it.each([
		[{ approval: "never" }, "approval"],
		[{ free_job_template_ids: [0] }, "free_job_template_ids.0"],
		[{ free_job_template_ids: "7" }, "free_job_template_ids"],
		[{ free_job_template_ids: Array.from({ length: 501 }, (_, i) => i + 1) }, "free_job_template_ids"],
	])("are checked: case %$", async (fields, field) => {
		const { status, body } = await rig.t.admin.api.patch(`${CONNECTIONS}${rig.connection}/`, fields);
		expect([status, Object.keys(body)]).toEqual([400, [field]]);
	});
});

describe("under always", () => {
	it("a template of one's own cannot switch approval off", async () => {
		const before = await rig.template({ requires_approval: false }, bob);
		await setApproval({ approval: "always" });
		const read = async (id: string) => (await bob.api.get(`${TEMPLATES}${id}/`)).body.requires_approval;
		expect(await read(before.id)).toBe(true);
		const { body: list } = await bob.api.get(`${TEMPLATES}?my_templates=true`);
		expect(list.results.find(({ id }: Body) => id === before.id).requires_approval).toBe(true);
		const template = await rig.template({}, bob);
		expect(template.requires_approval).toBe(true);
		const refused = [
			await bob.api.patch(`${TEMPLATES}${template.id}/`, { requires_approval: false }),
			await bob.api.post(TEMPLATES, {
				name: "Free",
				automation_connection: rig.connection,
				automation_job_template_id: JOB,
				requires_approval: false,
			}),
		];
		for (const { status, body } of refused)
			expect([status, body]).toEqual([400, { requires_approval: [expect.stringContaining("job template 22")] }]);
		for (const one of [before, template]) {
			const request = await rig.request(one, {}, bob);
			expect(request).toMatchObject({ status: "awaiting_approval", requires_approval: true });
			expect((await postAction(bob, request, "execute")).status).toBe(409);
		}
	});

	it("dry runs wait for approval too, and an approved request runs", async () => {
		await setApproval({ approval: "always" });
		const request = await rig.request(await rig.template({ allow_check_mode: true }), { check_mode: true });
		expect(request.status).toBe("awaiting_approval");
		expect((await postAction(rig.t.admin, request, "approve", {})).status).toBe(200);
		expect((await postAction(rig.alice, request, "execute")).status).toBe(202);
		expect((await rig.over(request)).status).toBe("successful");
	});

	it("job templates of the list are free", async () => {
		const template = await rig.template();
		await setApproval({ approval: "always", free_job_template_ids: [JOB] });
		expect((await rig.alice.api.patch(`${TEMPLATES}${template.id}/`, { requires_approval: false })).status).toBe(200);
		expect(await rig.request(template)).toMatchObject({ status: "pending", requires_approval: false });
		const asking = await rig.template({ requires_approval: true });
		expect(await rig.request(asking)).toMatchObject({ status: "awaiting_approval" });
	});

	it("holds on every connection with the same host, for requests through another connection too", async () => {
		const own = (await addConnection(bob, { name: "Own", base_url: `${rig.lab.url}/` })).body;
		const template = await rig.template({ automation_connection: own.id }, bob);
		expect(template.requires_approval).toBe(false);
		await setApproval({ approval: "always", free_job_template_ids: [OTHER_JOB] });
		expect((await bob.api.get(`${TEMPLATES}${template.id}/`)).body.requires_approval).toBe(true);
		expect((await rig.request(template, {}, bob)).status).toBe("awaiting_approval");
		const elsewhere = (await addConnection(bob, { name: "Elsewhere", base_url: "https://awx.example.com" })).body;
		const away = await rig.template({ automation_connection: elsewhere.id }, bob);
		expect(away.requires_approval).toBe(false);
		const through = await rig.request(away, { automation_connection: own.id }, bob);
		expect(through).toMatchObject({ status: "awaiting_approval", requires_approval: true });
	});

	it("what was ready to launch waits for approval, and tells the approvers", async () => {
		const carol = await rig.t.user("carol");
		await setRights(rig.t, carol, { groups: ["Viewer"], permissions: ["approve_automationrequest"] });
		const request = await rig.request(await rig.template());
		const later = new Date(rig.t.clock.now() + 3_600_000).toISOString();
		const scheduled = await rig.request(await rig.template(), { scheduled_for: later });
		await setApproval({ approval: "always" });
		for (const one of [request, scheduled])
			expect(await getRequest(one)).toMatchObject({ status: "awaiting_approval", requires_approval: true });
		const { body } = await carol.api.get("/api/notifications/notifications/");
		expect(body.results.map(({ title }: Body) => title)).toContain(`"${request.title}" waits for approval`);
	});

	it("a request that was never approved is neither retried nor relaunched", async () => {
		const done = await rig.request(await rig.template());
		const execution = await rig.execute(done);
		expect((await rig.over(done)).status).toBe("successful");
		const cancelled = await rig.request(await rig.template());
		expect((await postAction(rig.alice, cancelled, "cancel")).status).toBe(202);
		await setApproval({ approval: "always" });
		const relaunch = await rig.alice.api.post(`${EXECUTIONS}${execution.id}/relaunch/`, { hosts: "all" });
		expect([relaunch.status, relaunch.body.detail]).toEqual([409, expect.stringContaining("approval")]);
		const retry = await postAction(rig.alice, cancelled, "retry");
		expect([retry.status, retry.body]).toEqual([
			409,
			{ detail: expect.stringContaining("approval"), status: "awaiting_approval" },
		]);
		expect(await getRequest(cancelled)).toMatchObject({ status: "awaiting_approval", requires_approval: true });
	});
});

describe("a request that waits for approval", () => {
	it("cannot be cancelled and then retried past its approvers", async () => {
		const request = await rig.request(await rig.template({ requires_approval: true }));
		expect((await postAction(rig.alice, request, "cancel")).status).toBe(202);
		expect((await postAction(rig.alice, request, "retry")).status).toBe(409);
		expect((await getRequest(request)).status).toBe("awaiting_approval");
		expect((await postAction(rig.t.admin, request, "approve", {})).status).toBe(200);
		expect((await postAction(rig.alice, request, "execute")).status).toBe(202);
		expect((await rig.over(request)).status).toBe("successful");
	});
});

describe("administrators", () => {
	it("notifies administrators once of each server whose launches need no approval", async () => {
		const { body: made } = await addConnection(bob, { name: "Open server" });
		const notices = async () => {
			const { body } = await rig.t.admin.api.get("/api/notifications/notifications/?page_size=200");
			return body.results.filter(({ link }: Body) => link === `${CONNECTIONS}${made.id}/`);
		};
		const [notice] = await rig.settle("administrators have a notification", async () => {
			const found = await notices();
			return found.length > 0 ? found : null;
		});
		expect(notice).toMatchObject({
			category: "system",
			severity: "warning",
			title: 'Launches through "Open server" need no approval',
		});
		await rig.t.admin.api.del(`/api/notifications/notifications/${notice.id}/`);
		await rig.t.clock.advance(3_600_000);
		expect(await notices()).toEqual([]);
	});
});
