/** Who changed it: stored after the capture of a run, and asked for in a comparison. */
import { type RunningController, startController } from "@weft/lab";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { addConnection, buildClassNode, connectNodes, output, QUERIES, waitForRun } from "../support/canvases.ts";
import { startTestApp, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { findPermissionIds } from "../support/rights.ts";
import { createEagerDriver } from "../support/runs.ts";

const TM = "/api/time-machine/";
const SECRET = "hunter2-in-a-change-set";
let t: TestApp;
let lab: RunningController;
let ada: TestUser;
let connection: string;
beforeAll(async () => {
	// The controller, its driver and the service have one clock, that of the service.
	const now = (): number => t?.clock.now() ?? Date.parse("2026-01-15T10:00:00Z");
	lab = await startController({ size: "small", now, users: [{ name: "carol", password: "carols" }] });
	t = await startTestApp({ work: true, deps: { controllers: createEagerDriver({ clock: { now } }) } });
	ada = await t.user("ada", ["Editor"]);
	connection = await addConnection(ada.api, lab);
	await writeObject("carol", "POST", "uni", { fvTenant: { attributes: { name: "t" } } });
});
afterAll(async () => {
	await t.close();
	await lab.close();
});
afterEach(() => lab.clearFaults());

type Body = Record<string, { attributes: Record<string, string>; children?: Body[] }>;
const MINUTE = 60_000;

/** Changes the fabric as one of its users; returns the time by the controller's clock. */
async function writeObject(
	user: "admin" | "carol",
	method: "POST" | "DELETE",
	dn: string,
	body?: Body,
): Promise<string> {
	const pwd = user === "admin" ? lab.password : "carols";
	const send = (how: string, path: string, content: unknown, cookie = "") =>
		fetch(`${lab.url}/api/${encodeURI(path)}.json`, {
			method: how,
			headers: { cookie },
			...(content === undefined ? {} : { body: JSON.stringify(content) }),
		});
	const login = await send("POST", "aaaLogin", { aaaUser: { attributes: { name: user, pwd } } });
	const answer = await send(method, `mo/${dn}`, body, login.headers.get("set-cookie")?.split(";")[0]);
	expect(answer.status, await answer.text()).toBe(200);
	return new Date(Date.parse(answer.headers.get("date") ?? "")).toISOString();
}

const TENANT = "uni/tn-t";
const createBridgeDomain = (name: string, attributes: Record<string, string> = {}): Body => ({
	fvBD: { attributes: { name, ...attributes } },
});
const setBridgeDomain = (user: "admin" | "carol", name: string, attributes: Record<string, string> = {}) =>
	writeObject(user, "POST", TENANT, createBridgeDomain(name, attributes));
const removeObject = (user: "admin" | "carol", dn: string) => writeObject(user, "DELETE", dn);

let names = 0;
async function addQuery(className = "fvBD", data: Record<string, unknown> = {}, more: object = {}): Promise<string> {
	const { status, body, text } = await ada.api.post(QUERIES, {
		name: `Query ${++names}`,
		flow_data: connectNodes(buildClassNode(className, data), output),
		enable_time_machine: true,
		...more,
	});
	expect(status, text).toBe(201);
	return body.id;
}

const listSnapshots = async (query: string) =>
	(await ada.api.get(`${TM}snapshots/?saved_query_id=${query}`)).body.snapshots as { id: string }[];

/** Runs the query in the background a minute later. Returns the id of its snapshot. */
async function captureSnapshot(query: string): Promise<string> {
	await t.clock.advance(MINUTE);
	const known = new Set((await listSnapshots(query)).map(({ id }) => id));
	const { status, body, text } = await ada.api.post(`${QUERIES}${query}/execute_background/`, {
		controller_connection_id: connection,
	});
	expect(status, text).toBe(202);
	await waitForRun(ada.api, body.id);
	const found = await waitUntil("the snapshot is stored", async () =>
		(await listSnapshots(query)).find(({ id }) => !known.has(id)),
	);
	// A lookup that runs is given up by this clock: small steps let it end before.
	for (let step = 0; step < 5; step++) await t.clock.advance(MINUTE / 5);
	return found.id;
}

const readAttribution = async (snapshot: string) =>
	(await t.pool.query("select found from snapshot_attributions where snapshot_id = $1", [snapshot])).rows[0]?.found;
const countTasks = async (): Promise<number> =>
	(
		await t.pool.query(
			"select 1 from pgboss.job where name = 'time_machine.attribute' and state in ('created', 'active', 'retry')",
		)
	).rowCount ?? 0;
const waitForLookups = () => waitUntil("lookups have ended", async () => (await countTasks()) === 0);

interface Entry {
	readonly dn: string;
	readonly changed_by?: object[];
	readonly changed_by_reason?: string | null;
}

async function compareSnapshots(from: string, to: string, options = "attribution=1", user = ada) {
	const { status, body, text } = await user.api.post(`${TM}compare/?${options}`, {
		snapshot_from_id: from,
		snapshot_to_id: to,
		ignore_volatile: true,
	});
	expect(status, text).toBe(200);
	const { added, deleted, modified } = body.diff;
	const entries = [...added, ...deleted, ...modified] as Entry[];
	const of = (name: string) => entries.find(({ dn }) => dn === `${TENANT}/BD-${name}`);
	return { body, entries, of };
}

const buildAttribution = (user: string, action: string, at: string) => ({
	user,
	action,
	at: expect.stringContaining(at.slice(0, 19)),
	session: expect.stringMatching(/^[\w+/]{22}==$/),
});

/** A query with one snapshot, then changes, then another. */
async function captureAround(change: () => Promise<unknown>, query?: string): Promise<{ from: string; to: string }> {
	const id = query ?? (await addQuery());
	const from = await captureSnapshot(id);
	await change();
	const to = await captureSnapshot(id);
	await waitForLookups();
	return { from, to };
}

describe("asked for in a comparison", () => {
	it("names who created, modified and deleted an object, when and in which session", async () => {
		await setBridgeDomain("admin", "gone");
		await setBridgeDomain("admin", "kept");
		const at: Record<string, string> = {};
		const { from, to } = await captureAround(async () => {
			at.new = await setBridgeDomain("carol", "new");
			await t.clock.advance(1000);
			at.kept = await setBridgeDomain("admin", "kept", { arpFlood: "yes" });
			at.gone = await removeObject("carol", `${TENANT}/BD-gone`);
		});
		const { of, body } = await compareSnapshots(from, to);
		expect(of("new")?.changed_by).toEqual([buildAttribution("carol", "created", at.new ?? "")]);
		expect(of("kept")?.changed_by).toEqual([buildAttribution("admin", "modified", at.kept ?? "")]);
		expect(of("gone")?.changed_by).toEqual([buildAttribution("carol", "deleted", at.gone ?? "")]);
		expect(of("new")).not.toHaveProperty("changed_by_reason");
		expect(body.attribution).toEqual({ clock_skew_ms: 0, requests: expect.any(Number), complete: true, error: null });
		expect(body.attribution.requests).toBeLessThanOrEqual(2);
	});

	it("lists several records, newest first, and leaves out those of attributes that do not differ", async () => {
		await setBridgeDomain("admin", "often", { descr: "1", arpFlood: "no" });
		const { from, to } = await captureAround(async () => {
			await setBridgeDomain("admin", "often", { descr: "2" });
			await t.clock.advance(1000);
			await setBridgeDomain("carol", "often", { descr: "3" });
			await t.clock.advance(1000);
			await setBridgeDomain("admin", "often", { arpFlood: "yes" });
			await setBridgeDomain("admin", "often", { arpFlood: "no" });
		});
		const { of } = await compareSnapshots(from, to);
		expect(of("often")?.changed_by).toMatchObject([
			{ user: "carol", action: "modified" },
			{ user: "admin", action: "modified" },
		]);
	});

	it("counts a child's record for its parent where nested children differ", async () => {
		await setBridgeDomain("admin", "parent");
		const query = await addQuery();
		const client = async (vrf: string): Promise<string> => {
			await t.clock.advance(MINUTE);
			const children = [{ fvRsCtx: { attributes: { tnFvCtxName: vrf } } }];
			const { body } = await ada.api.post(`${TM}capture/`, {
				saved_query_id: query,
				controller_connection_id: connection,
				result_data: { imdata: [{ fvBD: { attributes: { dn: `${TENANT}/BD-parent` }, children } }] },
			});
			await t.clock.advance(MINUTE);
			return body.snapshot_id;
		};
		const from = await client("");
		await writeObject("carol", "POST", `${TENANT}/BD-parent/rsctx`, { fvRsCtx: { attributes: { tnFvCtxName: "v" } } });
		const { of } = await compareSnapshots(from, await client("v"));
		expect(of("parent")?.changed_by).toMatchObject([{ user: "carol", action: "modified" }]);
	});

	it("takes the deletion of an object above for one without a record", async () => {
		await writeObject("admin", "POST", "uni", {
			fvTenant: { attributes: { name: "whole" }, children: [createBridgeDomain("inner")] },
		});
		const { from, to } = await captureAround(() => removeObject("carol", "uni/tn-whole"));
		const { entries } = await compareSnapshots(from, to);
		const found = entries.find(({ dn }) => dn === "uni/tn-whole/BD-inner");
		expect(found?.changed_by).toMatchObject([{ user: "carol", action: "deleted" }]);
	});

	it("says why nobody is named: no record, or the log no longer reaches back, or it may not be read", async () => {
		await setBridgeDomain("admin", "silent");
		const { from, to } = await captureAround(async () => {
			lab.load([{ fvBD: { attributes: { dn: `${TENANT}/BD-silent`, name: "silent", mac: "00:00:00:00:00:01" } } }]);
		});
		expect((await compareSnapshots(from, to)).of("silent")).toMatchObject({
			changed_by: [],
			changed_by_reason: "no_record",
		});
		lab.setFaults({ audit_rotation: { keep: 2 } });
		await setBridgeDomain("admin", "other", { descr: "x" });
		await setBridgeDomain("admin", "other", { descr: "y" });
		expect((await compareSnapshots(from, to)).of("silent")).toMatchObject({
			changed_by: [],
			changed_by_reason: "rotated",
		});
		for (const fault of [{ access_denied: { match: "aaaModLR" } }, { error: { match: "aaaModLR" } }]) {
			lab.setFaults(fault);
			const { of, body } = await compareSnapshots(from, to);
			expect(of("silent")).toMatchObject({ changed_by: [], changed_by_reason: "not_readable" });
			expect(body.attribution).toMatchObject({ complete: false, error: expect.any(String) });
			lab.clearFaults();
		}
	});

	it.each([7_200_000, -7_200_000])("moves the window by the clock skew of the controller: %d ms", async (ms) => {
		const name = ms > 0 ? "ahead" : "behind";
		const { from, to } = await captureAround(async () => {
			lab.setFaults({ clock_skew: { ms } });
			await setBridgeDomain("carol", name);
		});
		// A record that the window by the other clock would take.
		lab.clearFaults();
		await setBridgeDomain("admin", name, { descr: "later" });
		lab.setFaults({ clock_skew: { ms } });
		await compareSnapshots(from, to);
		const { of, body } = await compareSnapshots(from, to);
		expect(Math.abs(body.attribution.clock_skew_ms - ms)).toBeLessThanOrEqual(1000);
		expect(of(name)?.changed_by).toMatchObject([{ user: "carol", action: "created" }]);
	});

	it("shows the comparison without it where the controller fails, or takes too long", async () => {
		const { from, to } = await captureAround(() => setBridgeDomain("carol", "failing"));
		await t.pool.query("delete from snapshot_attributions");
		lab.setFaults({ html_error: { match: "aaaModLR" } });
		const failed = await compareSnapshots(from, to);
		expect(failed.of("failing")).toMatchObject({ changed_by: [], changed_by_reason: null });
		expect(failed.body.attribution).toMatchObject({ complete: false, error: expect.stringContaining("503") });
		lab.setFaults({ html_error: false, hang: { match: "aaaModLR" } });
		const asked = compareSnapshots(from, to);
		await waitUntil("the controller was asked", () => lab.stats().faults.hang);
		await t.clock.advance(31_000);
		expect((await asked).body.attribution).toMatchObject({
			complete: false,
			error: "The controller's records could not be read within 30 s.",
		});
	});

	it("reads several pages where many objects changed", { timeout: 180_000 }, async () => {
		const query = await addQuery();
		const from = await captureSnapshot(query);
		const children = Array.from({ length: 1_500 }, (_, i) => createBridgeDomain(`many-${i}`));
		await writeObject("carol", "POST", TENANT, { fvTenant: { attributes: {}, children } });
		const to = await captureSnapshot(query);
		await waitForLookups();
		lab.resetStats();
		const { entries, body } = await compareSnapshots(from, to);
		const created = entries.filter(({ dn }) => dn.startsWith(`${TENANT}/BD-many-`));
		expect(created).toHaveLength(1_500);
		for (const entry of created) expect(entry.changed_by).toMatchObject([{ user: "carol", action: "created" }]);
		expect(body.attribution.complete).toBe(true);
		const asked = lab.stats().last.filter(({ target }) => target.includes("aaaModLR"));
		expect(asked.length).toBeGreaterThan(1);
		expect(asked.length).toBeLessThanOrEqual(4);
	});

	it("is only for those who may use the connection, and only within one", async () => {
		const query = await addQuery("fvBD", {}, { is_public: true });
		const { from, to } = await captureAround(() => setBridgeDomain("carol", "rights"), query);
		const bob = await t.user("bob", ["Editor"]);
		const ask = (user: TestUser, body: object) => user.api.post(`${TM}compare/?attribution=1`, body);
		const body = { snapshot_from_id: from, snapshot_to_id: to };
		lab.resetStats();
		expect((await ask(bob, body)).body).toEqual({ attribution: [expect.any(String)] });
		const permission_ids = await findPermissionIds(t, "view_snapshot");
		const token = await ada.api.post("/api/auth/tokens/", { name: "reads", permission_ids });
		const limited = t.as(token.body.token);
		expect((await limited.post(`${TM}compare/?attribution=1`, body)).status).toBe(403);
		expect(lab.stats().last).toEqual([]);
		expect((await compareSnapshots(from, to, "", bob)).of("rights")?.changed_by).toMatchObject([{ user: "carol" }]);
		const client = await ada.api.post(`${TM}capture/`, { saved_query_id: query, result_data: [] });
		const refused = await ask(ada, { snapshot_from_id: from, snapshot_to_id: client.body.snapshot_id });
		expect(refused).toMatchObject({ status: 400, body: { attribution: [expect.any(String)] } });
		expect((await ada.api.post(`${TM}compare/?attribution=yes`, body)).status).toBe(400);
	});

	it("is in every format", async () => {
		const { from, to } = await captureAround(() => setBridgeDomain("carol", "formats"));
		const text = async (format: string) =>
			(
				await ada.api.post(`${TM}compare/?attribution=1&format=${format}`, {
					snapshot_from_id: from,
					snapshot_to_id: to,
				})
			).text;
		expect(JSON.parse((await text("ndjson")).split("\n")[0] ?? "")).toMatchObject({
			change: "added",
			changed_by: [{ user: "carol", action: "created" }],
		});
		expect(await text("csv")).toMatch(/^change,.*,changed_by\r?\n.*carol created it at 2026-/);
		expect(await text("html")).toContain("carol created it at 2026-");
		expect(JSON.parse(await text("summary")).attribution).toMatchObject({ complete: true });
	});
});

describe("after a capture", () => {
	it("is stored beside the snapshot, and shown without being asked for, across snapshots too", async () => {
		const query = await addQuery();
		const first = await captureSnapshot(query);
		await setBridgeDomain("carol", "stored", { descr: "1" });
		const second = await captureSnapshot(query);
		await setBridgeDomain("admin", "stored", { descr: "2" });
		const third = await captureSnapshot(query);
		await waitUntil("both are stored", async () => (await readAttribution(second)) && (await readAttribution(third)));
		lab.resetStats();
		expect((await compareSnapshots(first, second, "")).of("stored")?.changed_by).toMatchObject([{ user: "carol" }]);
		const { of, body } = await compareSnapshots(first, third, "");
		expect(of("stored")?.changed_by).toMatchObject([
			{ user: "admin", action: "modified" },
			{ user: "carol", action: "created" },
		]);
		expect(body.attribution).toMatchObject({ complete: true, clock_skew_ms: 0, error: null });
		expect(lab.stats().last).toEqual([]);
	});

	it("makes at most two requests more for a small run, and stores no values", async () => {
		const query = await addQuery();
		await captureSnapshot(query);
		await waitForLookups();
		await setBridgeDomain("carol", "secret", { descr: SECRET });
		lab.resetStats();
		const snapshot = await captureSnapshot(query);
		const found = await waitUntil("it is stored", () => readAttribution(snapshot));
		expect(found.objects[`${TENANT}/BD-secret`].changed_by).toMatchObject([{ user: "carol" }]);
		expect(JSON.stringify(found)).not.toContain(SECRET);
		const asked = lab.stats().last.filter(({ target }) => target.includes("aaaModLR"));
		expect(asked.length).toBeGreaterThan(0);
		expect(asked.length).toBeLessThanOrEqual(2);
	});

	it("is not looked up where nothing drifted, or a client captured", async () => {
		const query = await addQuery();
		await captureSnapshot(query);
		await waitForLookups();
		lab.resetStats();
		const rows = [{ fvBD: { attributes: { dn: `${TENANT}/BD-x`, name: "x" } } }];
		await ada.api.post(`${TM}capture/`, {
			saved_query_id: query,
			controller_connection_id: connection,
			result_data: { imdata: rows },
		});
		expect(await countTasks()).toBe(0);
		expect(lab.stats().last).toEqual([]);
	});

	it.each([
		["refuses it", { access_denied: { match: "aaaModLR" } }, "not_readable"],
		["fails", { html_error: { match: "aaaModLR" } }, undefined],
		["hangs", { hang: { match: "aaaModLR" } }, undefined],
	])("does not fail the capture where the controller %s", async (what, faults, reason) => {
		const query = await addQuery();
		const from = await captureSnapshot(query);
		await waitForLookups();
		await setBridgeDomain("carol", "unread", { descr: what });
		lab.setFaults(faults);
		const to = await captureSnapshot(query);
		if (what === "hangs") {
			await waitUntil("the controller was asked", () => lab.stats().faults.hang);
			await t.clock.advance(11_000);
		}
		await waitForLookups();
		const { of, body } = await compareSnapshots(from, to, "");
		expect(of("unread")?.changed_by_reason).toBe(reason);
		if (reason === undefined) expect(body).not.toHaveProperty("attribution");
		lab.clearFaults();
		expect((await compareSnapshots(from, to)).of("unread")?.changed_by).toMatchObject([{ user: "carol" }]);
	});

	it("goes with its snapshot", async () => {
		const { to } = await captureAround(() => setBridgeDomain("carol", "deleted"));
		expect(await readAttribution(to)).toBeDefined();
		await t.pool.query("delete from snapshots where id = $1", [to]);
		expect(await readAttribution(to)).toBeUndefined();
	});
});
