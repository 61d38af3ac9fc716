/**
 * Capturing snapshots, through the API: every outcome, connections, and captures at the same
 * time.
 */
import { beforeAll, describe, expect, it } from "vitest";
import type { TestApp, TestUser } from "../support/harness.ts";
import { auditEntries } from "../support/rights.ts";
import {
	captureSnapshot,
	captureText,
	createAnswer,
	createBridgeDomain,
	getSnapshot,
	listSnapshots,
	postCapture,
	TM,
	useHistories,
} from "../support/time-machine.ts";

const histories = useHistories({ poolSize: 12 });
const { createQuery } = histories;
let t: TestApp;
let ada: TestUser;
let bob: TestUser;
beforeAll(() => {
	({ t, ada, bob } = histories);
});

const json = { "content-type": "application/json" };

describe("capture", () => {
	it("stores a first snapshot, skips an equal one in any order, and reports a change", async () => {
		const saved_query_id = await createQuery(ada, { name: "BDs" });
		const first = await postCapture(ada.api, {
			saved_query_id,
			controller_connection_name: "lab",
			class_name: "fvBD",
			execution_time_ms: 12.5,
			result_data: createAnswer(createBridgeDomain("a"), createBridgeDomain("b")),
		});
		expect(first.body).toEqual({
			success: true,
			snapshot_id: expect.any(String),
			result_count: 2,
			result_size_mb: expect.any(Number),
			is_duplicate: false,
			has_changes: false,
		});
		const again = await postCapture(ada.api, {
			saved_query_id,
			controller_connection_name: "lab",
			result_data: createAnswer(createBridgeDomain("b"), createBridgeDomain("a")),
		});
		expect(again.body).toEqual({
			success: true,
			skipped: true,
			reason: "duplicate",
			previous_snapshot_id: first.body.snapshot_id,
		});
		const changed = await postCapture(ada.api, {
			saved_query_id,
			controller_connection_name: "lab",
			result_data: createAnswer(createBridgeDomain("b"), createBridgeDomain("a", { descr: "x" })),
		});
		expect(changed.body).toMatchObject({ success: true, is_duplicate: false, has_changes: true });
		const back = await postCapture(ada.api, {
			saved_query_id,
			controller_connection_name: "lab",
			result_data: createAnswer(createBridgeDomain("a"), createBridgeDomain("b")),
		});
		expect(back.body).toMatchObject({ has_changes: true, is_duplicate: false });

		const { body } = await listSnapshots(ada.api, saved_query_id);
		expect(body.total_count).toBe(3);
		expect(body.snapshots.at(-1)).toEqual({
			id: first.body.snapshot_id,
			saved_query_id,
			query_name: "BDs",
			class_name: "fvBD",
			result_count: 2,
			result_size_bytes: JSON.stringify(createAnswer(createBridgeDomain("a"), createBridgeDomain("b"))).length,
			executed_at: new Date(t.clock.now()).toISOString(),
			executed_by: "ada",
			controller_connection_id: null,
			controller_connection_name: "lab",
			execution_time_ms: 12.5,
			result_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
			is_duplicate: false,
			query_version: "v1.0",
			query_version_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
			execution_type: "manual",
			origin: "client",
			is_private: false,
			has_changes: false,
			drift: null,
			annotation: null,
			label: null,
		});
		expect(await auditEntries(t, { action: "snapshot_capture", user: String(ada.id) })).toHaveLength(3);
	});

	it("stores duplicates for users who choose that", async () => {
		const cid = await t.user("cid");
		await cid.api.put(`${TM}settings/`, { store_duplicates: true });
		const body = { query_name: "dup", result_data: createAnswer(createBridgeDomain("a")) };
		await captureSnapshot(cid.api, body);
		expect((await postCapture(cid.api, body)).body).toMatchObject({ is_duplicate: true, has_changes: false });
		expect((await postCapture(cid.api, { ...body, result_data: [] })).body).toMatchObject({ has_changes: true });
	});

	it("compares within one history only: user, name, class and connection", async () => {
		const body = {
			query_name: "h",
			class_name: "c",
			controller_connection_name: "one",
			result_data: [createBridgeDomain("a")],
		};
		const id = await captureSnapshot(ada.api, body);
		for (const other of [{ query_name: "h2" }, { class_name: "c2" }, { controller_connection_name: "two" }]) {
			expect((await postCapture(ada.api, { ...body, ...other })).body).toMatchObject({ is_duplicate: false });
		}
		expect((await postCapture(bob.api, body)).body).toHaveProperty("snapshot_id");
		expect((await postCapture(ada.api, body)).body).toMatchObject({ skipped: true, previous_snapshot_id: id });
		const saved_query_id = await createQuery(ada, { name: "h" });
		expect((await postCapture(ada.api, { ...body, saved_query_id })).body).toHaveProperty("snapshot_id");
	});

	it.each([
		[
			"an error message",
			{ imdata: [createBridgeDomain("a")], messages: [{ severity: "error", text: "no" }] },
			/error: no/,
		],
		["a warning", { imdata: [createBridgeDomain("a")], messages: [{ severity: "warning" }] }, /warning/],
		[
			"an error entry",
			{ totalCount: "1", imdata: [{ error: { attributes: { code: "400", text: "bad class" } } }] },
			/error 400: bad class/,
		],
		["a busy controller", { totalCount: "37", imdata: [] }, /37/],
	])("keeps nothing of %s", async (_, result_data, reason) => {
		const outcome = await postCapture(ada.api, { query_name: "errors", result_data });
		expect(outcome.status).toBe(200);
		expect(outcome.body).toEqual({
			success: false,
			error: "controller_error_response",
			reason: expect.stringMatching(reason),
		});
	});

	it("refuses what is larger than the caller's limit, to the byte", async () => {
		const eve = await t.user("eve");
		await eve.api.put(`${TM}settings/`, { max_snapshot_size_mb: 0.5 });
		const fits = `["${"x".repeat(0.5 * 1024 * 1024 - 4)}"]`;
		expect((await captureText(eve.api, fits)).body).toMatchObject({ result_size_mb: 0.5, result_count: 1 });
		const outcome = await captureText(eve.api, `["x${fits.slice(2)}`);
		expect(outcome.status).toBe(200);
		expect(outcome.body).toEqual({
			success: false,
			error: "snapshot_too_large",
			size_mb: expect.closeTo(0.500001, 7),
			limit_mb: 0.5,
		});
		// Whitespace does not count, and the error of a controller goes before the size.
		expect((await captureText(eve.api, ` ${fits.replace("[", `[${" ".repeat(9)}`)}`)).body).toMatchObject({
			skipped: true,
		});
		const error = { imdata: [{ error: { attributes: {} } }], pad: "x".repeat(600_000) };
		expect((await postCapture(eve.api, { result_data: error })).body).toMatchObject({
			error: "controller_error_response",
		});
	});

	it("checks in the order of the interface: permission before the body, then shape, visibility, quota", async () => {
		const saved_query_id = await createQuery(ada);
		const { body: group } = await t.admin.api.post("/api/auth/groups/", { name: "no time machine" });
		await t.admin.api.put(`/api/auth/groups/${group.id}/quota/`, { can_use_time_machine: false });
		const { id, api } = await t.user("fay", ["no time machine"]);
		expect((await postCapture(api, { saved_query_id, result_data: 1 })).status).toBe(400);
		expect((await postCapture(api, { saved_query_id, result_data: [] })).status).toBe(404);
		const limited = await postCapture(api, { result_data: [] });
		expect([limited.status, limited.body.quota]).toEqual([403, "can_use_time_machine"]);
		await t.pool.query("delete from user_groups where user_id = $1", [id]);
		await t.clock.advance(15 * 60_000);
		for (const body of [{ saved_query_id, result_data: 1 }, { saved_query_id, result_data: [] }, { result_data: [] }])
			expect((await postCapture(api, body)).status).toBe(403);
		expect((await t.anonymous.post(`${TM}capture/`, { result_data: [] })).status).toBe(401);
	});

	it.each([
		["", "detail"],
		["{", "detail"],
		['{"result_data":[}', "detail"],
		['{"result_data":{"a":01}}', "detail"],
		['{"result_data":["\\x"]}', "detail"],
		['{"result_data":[]} x', "detail"],
		['{"result_data":[],}', "detail"],
		[`{"result_data":${"[".repeat(600)}${"]".repeat(600)}}`, "detail"],
		[`{"result_data":[],"query_structure":"${"x".repeat(1_100_000)}"}`, "detail"],
		[
			`{"result_data":[{"c":{"attributes":{"dn":"${"d".repeat(300_000)}"},"children":[${Array(1000)
				.fill('{"c":{"attributes":{"rn":"r"}}}')
				.join()}]}}]}`,
			"detail",
		],
		["[]", "non_field_errors"],
		["null", "non_field_errors"],
		["{}", "result_data"],
		['{"result_data":null}', "result_data"],
		['{"result_data":"[]"}', "result_data"],
		['{"result_data":[],"result_data":7}', "result_data"],
		['{"result_data":[],"saved_query_id":"7"}', "saved_query_id"],
		['{"result_data":[],"execution_time_ms":-1}', "execution_time_ms"],
		['{"result_data":[],"query_name":"\\u0000"}', "query_name"],
		['{"result_data":[],"query_name":"\\ud800"}', "query_name"],
		['{"result_data":[],"query_structure":{"a":["\\u0000"]}}', "query_structure.a.0"],
		['{"query_name":5}', "query_name"],
	])("refuses %j", async (payload, key) => {
		const { status, body } = await ada.api.send("POST", `${TM}capture/`, payload, json);
		expect(status).toBe(400);
		expect(body).toHaveProperty([key]);
	});

	it("refuses bytes that are not UTF-8, and names everything that is wrong at once", async () => {
		expect((await captureText(ada.api, Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]))).status).toBe(400);
		const { body } = await ada.api.send("POST", `${TM}capture/`, '{"query_name":5,"class_name":[]}', json);
		expect(Object.keys(body).sort()).toEqual(["class_name", "query_name", "result_data"]);
	});

	it("answers 404 for a query or a connection that is not there", async () => {
		const id = "01890000-0000-7000-8000-000000000000";
		expect((await postCapture(ada.api, { saved_query_id: id, result_data: [] })).status).toBe(404);
		expect((await postCapture(ada.api, { controller_connection_id: id, result_data: [] })).status).toBe(404);
	});
});

describe("connections", () => {
	it("must be visible, give the name where none is given, and separate histories", async () => {
		const add = async (name: string) =>
			(
				await ada.api.post("/api/controller/connections/", {
					name,
					url: "https://apic.example.com",
					username: "admin",
					password: "planted",
				})
			).body.id;
		const [one, two] = [await add("one"), await add("two")];
		const body = (id: string) => ({
			controller_connection_id: id,
			query_name: "conn",
			result_data: [createBridgeDomain("a")],
		});
		const id = await captureSnapshot(ada.api, body(one));
		expect((await getSnapshot(ada.api, id)).body).toMatchObject({
			controller_connection_id: one,
			controller_connection_name: "one",
		});
		expect((await postCapture(ada.api, body(two))).body).toMatchObject({ success: true, has_changes: false });
		expect((await postCapture(ada.api, body(one.toUpperCase()))).body).toMatchObject({ skipped: true });
		expect((await postCapture(bob.api, body(one))).status).toBe(404);
		expect((await ada.api.del(`/api/controller/connections/${one}/`)).status).toBe(204);
		expect((await getSnapshot(ada.api, id)).body).toMatchObject({ controller_connection_name: "one" });
	});
});

describe("captures at the same time", () => {
	it("of one history store equal answers once", async () => {
		const saved_query_id = await createQuery(ada);
		const body = { saved_query_id, result_data: createAnswer(createBridgeDomain("a")) };
		const outcomes = await Promise.all(Array.from({ length: 10 }, () => postCapture(ada.api, body)));
		const stored = outcomes.filter(({ body: outcome }) => outcome.snapshot_id);
		expect(stored).toHaveLength(1);
		for (const { body: outcome } of outcomes.filter(({ body: other }) => other.skipped)) {
			expect(outcome.previous_snapshot_id).toBe(stored[0]?.body.snapshot_id);
		}
		expect((await listSnapshots(ada.api, saved_query_id)).body.total_count).toBe(1);
	});

	it("of one history make a chain in which each differs from the one before", async () => {
		const saved_query_id = await createQuery(ada);
		const outcomes = await Promise.all(
			Array.from({ length: 10 }, (_, i) =>
				postCapture(ada.api, { saved_query_id, result_data: createAnswer(createBridgeDomain("a", { v: i % 3 })) }),
			),
		);
		for (const { status } of outcomes) expect(status).toBe(200);
		const { rows } = await t.pool.query(
			"select result_hash, has_changes, position from snapshots where saved_query_id = $1 order by position",
			[saved_query_id],
		);
		expect(rows.map(({ position }) => position)).toEqual(rows.map((_, at) => at + 1));
		for (const [at, row] of rows.entries()) {
			expect(row.has_changes).toBe(at > 0);
			if (at > 0) expect(row.result_hash).not.toBe(rows[at - 1].result_hash);
		}
		const { body } = await listSnapshots(ada.api, saved_query_id);
		expect(body.snapshots.map((item: { result_hash: string }) => item.result_hash)).toEqual(
			rows.map((row) => row.result_hash).reverse(),
		);
	});

	it("of different histories do not wait for one another, nor do large ones disturb small requests", async () => {
		const large = createAnswer(
			...Array.from({ length: 5000 }, (_, i) => createBridgeDomain(`${i}`, { descr: "x".repeat(300) })),
		);
		const outcomes = await Promise.all(
			Array.from({ length: 12 }, (_, i) =>
				postCapture(ada.api, {
					query_name: `apart ${i}`,
					result_data: i % 4 === 0 ? large : createAnswer(createBridgeDomain(`${i}`)),
				}),
			),
		);
		for (const { body } of outcomes) expect(body).toMatchObject({ success: true, has_changes: false });
	});
});
