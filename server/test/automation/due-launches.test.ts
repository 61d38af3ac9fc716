/** Scheduled launches that are due: refused, postponed, broken, or made to wait for approval. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Body, REQUESTS, type Rig } from "../support/automation.ts";
import type { TestUser } from "../support/harness.ts";
import { createGroup, getRequest, postAction, startRequestRig } from "../support/requests.ts";
import { findAudit } from "../support/rights.ts";

let rig: Rig;
beforeAll(async () => {
	({ rig } = await startRequestRig());
});
afterAll(() => rig.close());

const getTimeIn = (ms: number): string => new Date(rig.t.clock.now() + ms).toISOString();

/** Gives a user a group with a quota. */
async function limitUser(user: TestUser, quota: Record<string, unknown>): Promise<void> {
	const group = await createGroup(rig, `Group of ${user.username}`, user);
	expect((await rig.t.admin.api.put(`/api/auth/groups/${group}/quota/`, quota)).status).toBe(200);
}

/** Schedules a request of a new user, who may use no automation when it is due. */
async function refuseDueLaunch(name: string): Promise<{ user: TestUser; request: Body; ended: Body }> {
	const user = await rig.t.user(name, ["Operator"]);
	const template = await rig.template({ is_public: true });
	const request = await rig.request(template, { scheduled_for: getTimeIn(60_000) }, user);
	await limitUser(user, { can_use_automation: false });
	await rig.t.clock.advance(61_000);
	return { user, request, ended: await rig.over(request) };
}

const listHistory = async (user: TestUser, request: Body): Promise<Body[]> =>
	(await user.api.get(`${REQUESTS}${request.id}/history/`)).body.results;

const listNoticeTitles = async (user: TestUser): Promise<string[]> =>
	(await user.api.get("/api/notifications/notifications/")).body.results.map(({ title }: Body) => title);

describe("a due launch", () => {
	it("ends as failed, with the reason, if the requester may not use automation any more", async () => {
		const { ended } = await refuseDueLaunch("gina");
		expect(ended).toMatchObject({
			status: "failed",
			launch_error: "Your quota does not allow this.",
		});
	});

	it("launches the request of another user behind more due requests than are read at once", async () => {
		const hank = await rig.t.user("hank", ["Operator"]);
		await limitUser(hank, { automation_concurrent: 1 });
		const template = await rig.template({
			is_public: true,
			automation_job_template_id: 10,
			variable_mappings: { secs: 6_000 },
		});
		const running = await rig.request(template, {}, hank);
		await rig.execute(running, hank);
		const at = getTimeIn(60_000);
		const busy: Body[] = [];
		for (let count = 0; count < 21; count++) busy.push(await rig.request(template, { scheduled_for: at }, hank));
		const behind = await rig.request(await rig.template(), { scheduled_for: getTimeIn(62_000) });
		await rig.t.clock.advance(63_000);
		expect((await rig.over(behind)).status).toBe("successful");
		for (const one of busy) {
			expect((await getRequest(hank, one)).status).toBe("pending");
			await postAction(hank, one, "cancel");
		}
		await postAction(hank, running, "cancel");
		await rig.over(running);
	});

	it("launches a request although the launch of another one breaks", async () => {
		const broken = await rig.request(await rig.template(), { scheduled_for: getTimeIn(60_000) });
		const whole = await rig.request(await rig.template(), { scheduled_for: getTimeIn(60_000) });
		await rig.t.pool.query(
			`update automation_requests set template_snapshot =
				(template_snapshot::jsonb - 'automation_job_template_id')::json where id = $1`,
			[broken.id],
		);
		await rig.t.clock.advance(61_000);
		expect((await rig.over(whole)).status).toBe("successful");
		expect((await getRequest(rig.alice, broken)).status).toBe("pending");
		await postAction(rig.alice, broken, "cancel");
	});
});

describe("the record of a due launch", () => {
	it("names a refused launch in the audit log, in the history and in a notification", async () => {
		const { user: ivy, request } = await refuseDueLaunch("ivy");
		expect((await findAudit(rig.t, request.id)).at(-1)).toMatchObject({
			username: "ivy",
			action: "automation_request_execute",
			description: `The scheduled launch of the automation request "${request.title}" was refused`,
			metadata: { reason: "Your quota does not allow this." },
		});
		expect((await listHistory(ivy, request)).at(-1)).toMatchObject({
			user: "ivy",
			action: "launch_refused",
			comment: "Your quota does not allow this.",
			execution: null,
		});
		await rig.settle("ivy has a notification", async () =>
			(await listNoticeTitles(ivy)).includes(`"${request.title}" was not launched`),
		);
	});

	it("names a request that waits for approval in the audit log", async () => {
		const request = await rig.request(await rig.template(), { scheduled_for: getTimeIn(60_000) });
		await rig.t.pool.query("update automation_requests set requires_approval = true where id = $1", [request.id]);
		await rig.t.clock.advance(61_000);
		await rig.settle(
			"the request waits for approval",
			async () => (await getRequest(rig.alice, request)).status === "awaiting_approval",
		);
		expect((await findAudit(rig.t, request.id)).at(-1)).toMatchObject({
			username: "alice",
			action: "automation_request_execute",
			description: `The scheduled launch of the automation request "${request.title}" waits for approval`,
			metadata: { was: "pending" },
		});
	});
});
