/**
 * Capturing and reading snapshots, through the API: every outcome, exact round trips, visibility,
 * lists, concurrency, settings.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { snapshotDetail } from "@weft/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import { auditEntries } from "../support/rights.ts";

const TM = "/api/time-machine/";
let t: TestApp;
let ada: TestUser;
let bob: TestUser;
beforeAll(async () => {
	t = await startTestApp({ poolSize: 12 });
	[ada, bob] = await Promise.all([t.user("ada"), t.user("bob")]);
});
afterAll(() => t.close());

const createObject = (className: string, attributes: Record<string, unknown>) => ({ [className]: { attributes } });
const createAnswer = (...rows: unknown[]) => ({ totalCount: String(rows.length), imdata: rows });
const createBridgeDomain = (name: string, more: object = {}) =>
	createObject("fvBD", { dn: `uni/tn-a/BD-${name}`, name, ...more });

let serial = 0;
async function createQuery(user: TestUser, fields: object = {}): Promise<string> {
	const made = await user.api.post("/api/queries/saved-queries/", {
		name: `query ${++serial}`,
		flow_data: { nodes: [], edges: [] },
		enable_time_machine: true,
		...fields,
	});
	expect(made.status).toBe(201);
	return made.body.id;
}
const postCapture = (api: Api, body: object) => api.post(`${TM}capture/`, body);
async function captureSnapshot(api: Api, body: object): Promise<string> {
	const { status, body: outcome } = await postCapture(api, body);
	expect({ status, outcome }).toMatchObject({ status: 200, outcome: { success: true } });
	expect(outcome).toHaveProperty("snapshot_id");
	return outcome.snapshot_id;
}
const getSnapshot = (api: Api, id: string) => api.get(`${TM}snapshots/${id}/`);
const listSnapshots = (api: Api, id: string, more = "") => api.get(`${TM}snapshots/?saved_query_id=${id}${more}`);
const json = { "content-type": "application/json" };
/** Captures result_data given as text. */
const captureText = (api: Api, text: string | Buffer, fields: object = {}) =>
	api.send(
		"POST",
		`${TM}capture/`,
		Buffer.concat([
			Buffer.from(`{${JSON.stringify({ query_name: "raw", ...fields }).slice(1, -1)},"result_data":`),
			Buffer.from(text),
			Buffer.from("}"),
		]),
		json,
	);

describe("capture", () => {
	it("stores a first snapshot, skips an equal one in any order, and tells of a change", async () => {
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

	it("stores duplicates for who wants them", async () => {
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
			`{"result_data":[{"c":{"attributes":{"dn":"${"d".repeat(300_000)}"},"children":[${Array(1000).fill('{"c":{"attributes":{"rn":"r"}}}').join()}]}}]}`,
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
	it("must be visible, give the name where none is given, and tell histories apart", async () => {
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

describe("what was captured comes back exactly", () => {
	const odd: [string, string][] = [
		["an empty answer", '{"totalCount":"0","imdata":[]}'],
		[
			"numbers as they were spelt",
			'{"imdata":[{"a":{"attributes":{"dn":"n","x":1.0,"y":1e400,"z":-0,"b":12345678901234567890123}}}]}',
		],
		[
			"keys in their order, integers too",
			'{"imdata":[{"c":{"attributes":{"dn":"k","z":"1","10":"a","2":"b","a":"2"}}}]}',
		],
		[
			"duplicate keys",
			'{"imdata":[{"c":{"attributes":{"dn":"d","a":"1","a":"2"}}}],"imdata":[{"c":{"attributes":{"dn":"e"}}}]}',
		],
		["unicode", '["ℝ𝕖𝕒𝕝 ẗęẍť 🙂 \u2028\u2029\u00a0\ufeff","\\u00e9\\/\\b"]'],
		["lone surrogates and NUL as escapes", '["\\ud800","\\udc00x","\\u0000"]'],
		["a bare array", '[1,"two",null,true,[[]],{}]'],
		["an empty array", "[]"],
		["an empty object", "{}"],
		["an object that is no envelope", '{"imdata":{"not":"an array"},"totalCount":5}'],
		["an object of its own kind", '{"__proto__":{"a":1},"constructor":null,"":{"":""}}'],
		["depth", `${"[".repeat(500)}${"]".repeat(500)}`],
		["a value of 5 MB", JSON.stringify(createAnswer(createBridgeDomain("big", { descr: "ö".repeat(2_500_000) })))],
	];
	it.each(odd)("%s", async (name, text) => {
		const { body } = await captureText(ada.api, text, { query_name: `exact ${name}`, query_structure: { nodes: [1] } });
		expect(body).toMatchObject({ success: true });
		const read = await getSnapshot(ada.api, body.snapshot_id.toUpperCase());
		expect(read.status).toBe(200);
		expect(read.headers["content-type"]).toBe("application/json; charset=utf-8");
		expect(read.text.endsWith(`,"query_structure":{"nodes":[1]},"result_data":${text}}`)).toBe(true);
		expect(snapshotDetail.parse(read.body)).toMatchObject({ id: body.snapshot_id, executed_by: "ada" });
	});

	it("without the spaces that the request had between tokens", async () => {
		const { body } = await captureText(ada.api, ' {\n"imdata" : [ { "a" : { "attributes":{ "dn":" x " }\t} } ]\r\n}', {
			query_name: "spaces",
		});
		const { text } = await getSnapshot(ada.api, body.snapshot_id);
		expect(text).toContain('"result_data":{"imdata":[{"a":{"attributes":{"dn":" x "}}}]}}');
	});

	it("20,000 objects", async () => {
		const rows = Array.from({ length: 20_000 }, (_, i) =>
			createBridgeDomain(`${i}`, { descr: `${Math.imul(i, 2654435761) >>> 0}`.repeat(20) }),
		);
		const text = JSON.stringify(createAnswer(...rows));
		const { body } = await captureText(ada.api, text, { query_name: "many" });
		expect(body).toMatchObject({ result_count: 20_000 });
		expect((await getSnapshot(ada.api, body.snapshot_id)).text.endsWith(`"result_data":${text}}`)).toBe(true);
	});

	const RECORDED = new URL("../../../../shared/data/controller/answers/", import.meta.url);
	it.skipIf(!existsSync(RECORDED))(
		"recorded answers (skipped where ../shared is absent)",
		async () => {
			const names = readdirSync(RECORDED).filter((name) => name.endsWith(".json"));
			expect(names.length).toBeGreaterThan(100);
			const outcomes = { kept: 0, refused: 0 };
			for (const name of names) {
				const given = readFileSync(new URL(name, RECORDED), "utf8");
				const { body } = await captureText(ada.api, given, { query_name: name });
				outcomes[body.success ? "kept" : "refused"]++;
				if (!body.success) expect(body.error, name).toBe("controller_error_response");
				else expect((await getSnapshot(ada.api, body.snapshot_id)).body.result_data, name).toEqual(JSON.parse(given));
			}
			expect(outcomes.kept).toBeGreaterThan(100);
		},
		120_000,
	);
});

describe("visibility", () => {
	it("of a saved query's snapshots is the query's; of ad-hoc ones it is their user's", async () => {
		const mine = await captureSnapshot(ada.api, { query_name: "mine", result_data: [createBridgeDomain("a")] });
		const hidden = await createQuery(ada);
		const open = await createQuery(ada, { is_public: true });
		const inHidden = await captureSnapshot(ada.api, { saved_query_id: hidden, result_data: [createBridgeDomain("a")] });
		const inOpen = await captureSnapshot(ada.api, { saved_query_id: open, result_data: [createBridgeDomain("a")] });
		for (const [id, status] of [
			[mine, 404],
			[inHidden, 404],
			[inOpen, 200],
			["01890000-0000-7000-8000-000000000000", 404],
			["nonsense", 404],
		] as const) {
			expect((await getSnapshot(bob.api, id)).status, id).toBe(status);
			if (status === 404) {
				expect((await bob.api.post(`${TM}snapshots/${id}/annotate/`, { label: "x" })).status).toBe(404);
			}
		}
		for (const id of [mine, inHidden, inOpen]) expect((await getSnapshot(t.admin.api, id)).status).toBe(200);
		expect((await listSnapshots(bob.api, hidden)).status).toBe(404);
		expect((await listSnapshots(bob.api, open)).body.total_count).toBe(1);
	});

	it("a captured snapshot of somebody else's query is seen and annotated by who captured it and by administrators", async () => {
		const saved_query_id = await createQuery(ada, { is_public: true });
		const id = await captureSnapshot(bob.api, { saved_query_id, result_data: [createBridgeDomain("a")] });
		const dan = await t.user("dan");
		const annotate = (api: Api, body: object) => api.post(`${TM}snapshots/${id}/annotate/`, body);
		for (const { api } of [dan, ada]) expect((await annotate(api, { label: "mine" })).status).toBe(404);
		expect((await annotate(bob.api, { label: "before", annotation: "ticket 7" })).body).toMatchObject({
			id,
			label: "before",
			annotation: "ticket 7",
		});
		expect((await annotate(bob.api, { annotation: null })).body).toMatchObject({ label: "before", annotation: null });
		expect((await annotate(t.admin.api, { label: "" })).body).toMatchObject({ label: null });
		for (const wrong of [{}, { label: 5 }, { label: "x".repeat(201) }, { annotation: "\0" }]) {
			expect((await annotate(bob.api, wrong)).status).toBe(400);
		}
	});

	it("snapshots go with their saved query", async () => {
		const saved_query_id = await createQuery(ada);
		const id = await captureSnapshot(ada.api, { saved_query_id, result_data: [createBridgeDomain("a")] });
		expect((await ada.api.del(`/api/queries/saved-queries/${saved_query_id}/`)).status).toBe(204);
		expect((await getSnapshot(t.admin.api, id)).status).toBe(404);
		const { rows } = await t.pool.query("select 1 from snapshot_manifests where snapshot_id = $1", [id]);
		expect(rows).toEqual([]);
	});
});

describe("lists", () => {
	it("pages, most recent first", async () => {
		const saved_query_id = await createQuery(ada);
		const ids: string[] = [];
		for (let i = 0; i < 5; i++)
			ids.unshift(await captureSnapshot(ada.api, { saved_query_id, result_data: [createBridgeDomain(`${i}`)] }));
		const page = async (more: string) => {
			const { body } = await listSnapshots(ada.api, saved_query_id, more);
			return [body.total_count, body.snapshots.map(({ id }: { id: string }) => id)];
		};
		expect(await page("")).toEqual([5, ids]);
		expect(await page("&limit=2&offset=1")).toEqual([5, ids.slice(1, 3)]);
		expect(await page("&limit=1000&offset=4")).toEqual([5, ids.slice(4)]);
		expect(await page("&offset=5")).toEqual([5, []]);
		expect((await ada.api.get(`${TM}snapshots/?saved_query_id=${saved_query_id.toUpperCase()}`)).status).toBe(200);
	});

	it.each(["", "?saved_query_id=", "?saved_query_id=7", "?limit=5"])("needs the query: %j", async (search) => {
		const { status, body } = await ada.api.get(`${TM}snapshots/${search}`);
		expect(status).toBe(400);
		expect(body).toHaveProperty("saved_query_id");
	});

	it.each([
		["&limit=0", "limit"],
		["&limit=x", "limit"],
		["&offset=-1", "offset"],
		["&offset=9999999999", "offset"],
		["&date=2026-02-30", "date"],
		["&date=yesterday", "date"],
		["&timezone=Mars/Base", "timezone"],
		["&timezone=%2B02:00", "timezone"],
	])("refuses %s", async (more, key) => {
		const { status, body } = await listSnapshots(ada.api, "01890000-0000-7000-8000-000000000000", more);
		expect(status).toBe(400);
		expect(body).toHaveProperty(key);
	});

	it("finds the snapshots of a day in a zone, around midnight and where clocks change", async () => {
		const own = await startTestApp();
		try {
			const saved_query_id = (
				await own.admin.api.post("/api/queries/saved-queries/", { name: "q", flow_data: { nodes: [], edges: [] } })
			).body.id;
			let now = own.clock.now();
			for (const at of [
				"2026-03-28T22:59:59.999Z",
				"2026-03-28T23:00:00Z",
				"2026-03-29T12:00:00Z",
				"2026-03-29T21:59:59.999Z",
				"2026-03-29T22:00:00Z",
			]) {
				await own.clock.advance(Date.parse(at) - now);
				now = Date.parse(at);
				await captureSnapshot(own.admin.api, { saved_query_id, result_data: [at] });
			}
			const on = async (date: string, timezone: string) =>
				(await listSnapshots(own.admin.api, saved_query_id, `&date=${date}&timezone=${timezone}`)).body.total_count;
			expect(await on("2026-03-28", "Europe/Paris")).toBe(1);
			expect(await on("2026-03-29", "Europe/Paris")).toBe(3);
			expect(await on("2026-03-30", "Europe/Paris")).toBe(1);
			expect(await on("2026-03-28", "UTC")).toBe(2);
			expect(await on("2026-03-29", "Pacific/Kiritimati")).toBe(2);
			for (const date of ["0000-01-01", "1900-01-01", "9999-12-31"]) expect(await on(date, "UTC")).toBe(0);
		} finally {
			await own.close();
		}
	});

	it("queries: visible, enabled, with snapshots; the latest first", async () => {
		const gus = await t.user("gus");
		const older = await createQuery(gus, { name: "older" });
		const newer = await createQuery(gus, { name: "newer" });
		const off = await createQuery(gus, { enable_time_machine: false });
		await createQuery(gus, { name: "without snapshots" });
		const public_ = await createQuery(ada, { name: "public", is_public: true });
		for (const saved_query_id of [older, off, public_])
			await captureSnapshot(gus.api, { saved_query_id, result_data: [] });
		await t.clock.advance(1000);
		for (const result_data of [[], [createBridgeDomain("a")]])
			await captureSnapshot(gus.api, { saved_query_id: newer, result_data });
		const { body } = await gus.api.get(`${TM}queries/`);
		const known = body.queries.filter(({ id }: { id: string }) => [older, newer, off, public_].includes(id));
		expect(known[0]).toEqual({
			type: "saved_query",
			id: newer,
			name: "newer",
			snapshot_count: 2,
			latest_execution: new Date(t.clock.now()).toISOString(),
			version: "v1.0",
			enable_time_machine: true,
		});
		expect(known.map(({ id }: { id: string }) => id).sort()).toEqual([older, newer, public_].sort());
		expect((await bob.api.get(`${TM}queries/`)).text).not.toContain(older);
	});
});

describe("captures at the same time", () => {
	it("of one history: equal ones are stored once", async () => {
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

	it("of one history: different ones make a chain in which each differs from the one before", async () => {
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

describe("settings", () => {
	const path = `${TM}settings/`;
	const defaults = {
		retention_policy: "days",
		retention_days: 90,
		retention_count: 100,
		max_snapshot_size_mb: 10,
		warn_large_snapshots: true,
		auto_cleanup_enabled: true,
		store_duplicates: false,
	};

	it("are made from the defaults at the first read, also when many read first", async () => {
		const { id, api } = await t.user("hal");
		await api.get("/api/auth/profile/");
		const answers = await Promise.all(Array.from({ length: 8 }, () => api.get(path)));
		for (const { body } of answers) expect(body).toEqual(defaults);
		const { rows } = await t.pool.query("select * from snapshot_settings where user_id = $1", [id]);
		expect(rows).toHaveLength(1);
	});

	it("take part or all, and keep the rest", async () => {
		const { api } = await t.user("ida");
		expect((await api.put(path, { retention_policy: "count", unknown: 1 })).body).toEqual({
			...defaults,
			retention_policy: "count",
		});
		const all = {
			retention_policy: "unlimited",
			retention_days: 1,
			retention_count: 10_000,
			max_snapshot_size_mb: 0.1,
			warn_large_snapshots: false,
			auto_cleanup_enabled: false,
			store_duplicates: true,
		};
		expect((await api.put(path, all)).body).toEqual(all);
		expect((await api.put(path, {})).body).toEqual(all);
		await Promise.all([api.put(path, { retention_days: 7 }), api.put(path, { retention_count: 8 })]);
		expect((await api.get(path)).body).toEqual({ ...all, retention_days: 7, retention_count: 8 });
		expect((await ada.api.get(path)).body).toEqual(defaults);
	});

	it.each([
		{ retention_policy: "years" },
		{ retention_policy: null },
		{ retention_days: 0 },
		{ retention_days: 3651 },
		{ retention_days: 1.5 },
		{ retention_count: 0 },
		{ retention_count: 10_001 },
		{ max_snapshot_size_mb: 0.09 },
		{ max_snapshot_size_mb: 100.1 },
		{ max_snapshot_size_mb: "10" },
		{ store_duplicates: "true" },
	])("refuse %j", async (wrong) => {
		const { status, body } = await ada.api.put(path, wrong);
		expect(status).toBe(400);
		expect(Object.keys(body)).toEqual(Object.keys(wrong));
	});
});
