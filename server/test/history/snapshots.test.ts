/** Reading snapshots, through the API: exact round trips, visibility, lists, and settings. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { snapshotDetail } from "@weft/contracts";
import { beforeAll, describe, expect, it } from "vitest";
import { type Api, startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import {
	captureSnapshot,
	captureText,
	createAnswer,
	createBridgeDomain,
	getSnapshot,
	listSnapshots,
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

describe("a captured answer", () => {
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
	it.each(odd)("comes back exactly with %s", async (name, text) => {
		const { body } = await captureText(ada.api, text, { query_name: `exact ${name}`, query_structure: { nodes: [1] } });
		expect(body).toMatchObject({ success: true });
		const read = await getSnapshot(ada.api, body.snapshot_id.toUpperCase());
		expect(read.status).toBe(200);
		expect(read.headers["content-type"]).toBe("application/json; charset=utf-8");
		expect(read.text.endsWith(`,"query_structure":{"nodes":[1]},"result_data":${text}}`)).toBe(true);
		expect(snapshotDetail.parse(read.body)).toMatchObject({ id: body.snapshot_id, executed_by: "ada" });
	});

	it("comes back without the spaces that the request had between tokens", async () => {
		const { body } = await captureText(ada.api, ' {\n"imdata" : [ { "a" : { "attributes":{ "dn":" x " }\t} } ]\r\n}', {
			query_name: "spaces",
		});
		const { text } = await getSnapshot(ada.api, body.snapshot_id);
		expect(text).toContain('"result_data":{"imdata":[{"a":{"attributes":{"dn":" x "}}}]}}');
	});

	it("comes back exactly with 20,000 objects", async () => {
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
		"comes back exactly as recorded (skipped where ../shared is absent)",
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

	it("of a snapshot of another user's query is that of the user who captured it, and of administrators", async () => {
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

	it("have the visible queries that are enabled and have snapshots, the latest first", async () => {
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
