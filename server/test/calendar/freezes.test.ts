/** Freezes: refused changes, overrides, and scheduled launches that they hold. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Body, EXECUTIONS, REQUESTS, type Rig, startRig } from "../support/automation.ts";
import { grantPermission } from "../support/requests.ts";
import { findAudit } from "../support/rights.ts";

const ENTRIES = "/api/calendar/entries/";
const HOUR_MS = 3_600_000;

let rig: Rig;
let frozen: string;
let free: string;
let freezes: string[] = [];
beforeAll(async () => {
	rig = await startRig();
	[frozen, free] = [await addConnection("Frozen"), await addConnection("Free")];
});
afterAll(() => rig.close());
afterEach(async () => {
	for (const id of freezes) await rig.t.admin.api.del(`${ENTRIES}${id}/`);
	freezes = [];
});

async function addConnection(name: string): Promise<string> {
	const login = { url: "http://127.0.0.1:9", username: "admin", password: "a password" };
	const { status, body, text } = await rig.alice.api.post("/api/controller/connections/", { name, ...login });
	expect(status, text).toBe(201);
	return body.id;
}

/** Adds a freeze that began an hour ago and ends in an hour. */
async function addFreeze(
	fields: Record<string, unknown> = {},
): Promise<{ id: string; title: string; ends_at: string }> {
	const now = rig.t.clock.now();
	const { status, body, text } = await rig.t.admin.api.post(ENTRIES, {
		kind: "freeze",
		title: "End of the year",
		controller_connection_ids: [frozen],
		starts_at: new Date(now - HOUR_MS).toISOString(),
		ends_at: new Date(now + HOUR_MS).toISOString(),
		...fields,
	});
	expect(status, text).toBe(201);
	freezes.push(body.id);
	return { id: body.id, title: body.title, ends_at: body.ends_at };
}

const addRequest = async (fields: Record<string, unknown> = {}): Promise<Body> =>
	rig.request(await rig.template(), { target_controller: frozen, ...fields });
const postAction = (request: Body, action: string, body?: unknown) =>
	rig.alice.api.post(`${REQUESTS}${request.id}/${action}/`, body);
const getRequest = async ({ id }: Body) => (await rig.alice.api.get(`${REQUESTS}${id}/`)).body;

describe("a launch during a freeze", () => {
	it("refuses a launch with the freeze of its target, and lets launches on other targets pass", async () => {
		const freeze = await addFreeze();
		const request = await addRequest();
		const refused = await postAction(request, "execute");
		expect(refused.status).toBe(409);
		expect(refused.body).toEqual({ detail: expect.stringContaining("End of the year"), freeze });
		expect(await getRequest(request)).toMatchObject({ status: "pending", executions_total: 0 });
		const other = await addRequest({ target_controller: free });
		expect((await postAction(other, "execute")).status).toBe(202);
		await rig.over(other);
	});

	it("refuses a launch without a target in each freeze, as it may change any connection", async () => {
		const request = await addRequest({ target_controller: null });
		await addFreeze();
		expect((await postAction(request, "execute")).status).toBe(409);
	});

	it("refuses a launch with the freeze that ends last of several", async () => {
		await addFreeze();
		const ends_at = new Date(rig.t.clock.now() + 2 * HOUR_MS).toISOString();
		const freeze = await addFreeze({ controller_connection_ids: [], ends_at });
		const { status, body } = await postAction(await addRequest(), "execute");
		expect([status, body.freeze]).toEqual([409, freeze]);
	});

	it("lets a launch pass outside of the occurrences of a freeze, and if the freeze is not active", async () => {
		const now = rig.t.clock.now();
		const yesterday = { starts_at: new Date(now - 25 * HOUR_MS).toISOString() };
		await addFreeze({ ...yesterday, ends_at: new Date(now).toISOString(), rrule: "FREQ=WEEKLY" });
		await addFreeze({ is_active: false });
		const request = await addRequest();
		expect((await postAction(request, "execute")).status).toBe(202);
		await rig.over(request);
	});

	it("refuses a retry and a relaunch during a freeze", async () => {
		const request = await addRequest({ input_data: [{ name: "bad", rc: 1 }] });
		const { id } = await rig.execute(request);
		await rig.over(request);
		const freeze = await addFreeze();
		const retried = await postAction(request, "retry");
		expect([retried.status, retried.body.freeze]).toEqual([409, freeze]);
		const relaunched = await rig.alice.api.post(`${EXECUTIONS}${id}/relaunch/`);
		expect([relaunched.status, relaunched.body.freeze]).toEqual([409, freeze]);
		expect(await getRequest(request)).toMatchObject({ status: "failed", executions_total: 1 });
	});

	it("cancels a launch that is under way during a freeze", async () => {
		const request = await addRequest();
		await rig.execute(request);
		await addFreeze();
		expect((await postAction(request, "cancel")).status).toBe(202);
		await rig.over(request);
	});
});

describe("an override of a freeze", () => {
	it("overrides a freeze with a reason and the permission, and records it in the audit log and the history", async () => {
		const freeze = await addFreeze();
		const request = await addRequest();
		const without = await postAction(request, "execute", { override_freeze: {} });
		expect([without.status, Object.keys(without.body)]).toEqual([400, ["override_freeze.reason"]]);
		const override_freeze = { reason: "The fabric is down" };
		expect((await postAction(request, "execute", { override_freeze })).status).toBe(403);
		const { id, api } = rig.t.admin;
		const launched = await api.post(`${REQUESTS}${request.id}/execute/`, { override_freeze });
		expect(launched.status, launched.text).toBe(202);
		const overridden = { id: freeze.id, title: freeze.title, reason: "The fabric is down" };
		const [entry] = (await findAudit(rig.t, request.id)).filter(
			({ action }) => action === "automation_request_execute",
		);
		const detail = (await api.get(`/api/audit/logs/${entry.id}/`)).body;
		expect(detail).toMatchObject({ user_id: id, metadata: { overridden_freeze: overridden } });
		const { results } = (await api.get(`${REQUESTS}${request.id}/history/`)).body;
		expect(results.map(({ comment }: Body) => comment)).toContain(
			'Launched during the freeze "End of the year": The fabric is down',
		);
		await rig.over(request);
	});
});

describe("a scheduled launch that a freeze holds", () => {
	it("keeps the status of a scheduled launch, names the freeze, and waits for a person after it", async () => {
		const at = new Date(rig.t.clock.now() + 10 * 60_000).toISOString();
		const request = await addRequest({ scheduled_for: at });
		const freeze = await addFreeze();
		const held = await rig.settle(
			"the launch is held",
			async () => {
				const body = await getRequest(request);
				return body.held_by === null ? null : body;
			},
			60_000,
		);
		expect(held).toMatchObject({ status: "pending", held_by: { freeze }, executions_total: 0 });
		await rig.settle("the requester has a notification", async () => {
			const { body } = await rig.alice.api.get("/api/notifications/notifications/");
			return body.results.some(({ title }: Body) => title === `"${request.title}" was not launched`);
		});
		await rig.t.clock.advance(2 * HOUR_MS);
		const other = await addRequest({ scheduled_for: new Date(rig.t.clock.now() + 60_000).toISOString() });
		await rig.over(other);
		expect(await getRequest(request)).toMatchObject({ status: "pending", executions_total: 0 });
		await rig.execute(request);
		expect(await rig.over(request)).toMatchObject({ status: "successful", held_by: null });
	});

	it("launches a held request on schedule after it gets a new time", async () => {
		const at = new Date(rig.t.clock.now() + 60_000).toISOString();
		const request = await addRequest({ scheduled_for: at });
		const { id } = await addFreeze();
		await rig.settle("the launch is held", async () => (await getRequest(request)).held_by !== null, 30_000);
		await rig.t.admin.api.patch(`${ENTRIES}${id}/`, { ends_at: new Date(rig.t.clock.now()).toISOString() });
		const scheduled_for = new Date(rig.t.clock.now() + 60_000).toISOString();
		const changed = await rig.alice.api.patch(`${REQUESTS}${request.id}/`, { scheduled_for });
		expect(changed.body).toMatchObject({ held_by: null });
		expect(await rig.over(request)).toMatchObject({ status: "successful" });
	});
});

describe("a request to a controller", () => {
	it("refuses a change on a controller during a freeze of its connection, and lets a read pass", async () => {
		await grantPermission(rig, rig.alice, "write_controllerconnection");
		const freeze = await addFreeze();
		const execute = (connection_id: string, method: string, more: Record<string, unknown> = {}) =>
			rig.alice.api.post("/api/controller/connections/execute_query/", {
				connection_id,
				query_path: "/api/mo/uni.json",
				method,
				...more,
			});
		const refused = await execute(frozen, "POST", { data: {} });
		expect([refused.status, refused.body.freeze]).toEqual([409, freeze]);
		expect((await execute(frozen, "DELETE")).status).toBe(409);
		// Nothing listens at the address.
		expect((await execute(frozen, "GET")).status).toBe(502);
		expect((await execute(free, "POST", { data: {} })).status).toBe(502);
		const override_freeze = { reason: "The fabric is down" };
		expect((await execute(frozen, "POST", { data: {}, override_freeze })).status).toBe(403);
		await grantPermission(rig, rig.alice, "override_freeze");
		expect((await execute(frozen, "POST", { data: {}, override_freeze })).status).toBe(502);
		const entries = await findAudit(rig.t, frozen);
		const [sent] = entries.filter(({ description }) => description.includes("sends POST"));
		const { body } = await rig.t.admin.api.get(`/api/audit/logs/${sent.id}/`);
		expect(body.metadata).toMatchObject({ phase: "sent", overridden_freeze: { id: freeze.id } });
	});
});
