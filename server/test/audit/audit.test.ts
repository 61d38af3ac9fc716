/**
 * The audit log as administrators read it: filters, search, detail, and the attempts to sign
 * in.
 */
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getIds, LOGS, listEntries, plantEntries } from "../support/audit-entries.ts";
import { startTestApp, TEST_PASSWORD, type TestApp, type TestUser } from "../support/harness.ts";

let t: TestApp;
let ada: TestUser;
beforeAll(async () => {
	t = await startTestApp();
	ada = await t.user("ada");
});
afterAll(() => t.close());

const SETTINGS = "/api/audit/settings/";
const ATTEMPTS = "/api/audit/login-attempts/";
const QUERIES = "/api/queries/saved-queries/";

describe("entries", () => {
	it("say who changed what, from where", async () => {
		const created = await ada.api.post(
			QUERIES,
			{ name: "Recorded", flow_data: { nodes: [], edges: [] } },
			{ "x-forwarded-for": "203.0.113.7, 198.51.100.9", "user-agent": "tests/1", "x-request-id": "req-1" },
		);
		const [entry] = await listEntries(t, "category=query_management&action=query_create");
		expect(entry).toEqual({
			id: expect.any(Number),
			category: "query_management",
			action: "query_create",
			username: "ada",
			user_id: ada.id,
			ip_address: "198.51.100.9",
			user_agent: "tests/1",
			request_id: "req-1",
			description: expect.stringContaining("Recorded"),
			target_type: "saved_query",
			target_id: created.body.id,
			metadata: expect.any(Object),
			content_compressed: false,
			content_size_bytes: 0,
			created_at: new Date(t.clock.now()).toISOString(),
		});
		const { body } = await t.admin.api.get(`${LOGS}${entry?.id}/`);
		expect(body).toEqual({ ...entry, content: null });
	});

	it("are for administrators, cannot be written, and answer 404 where there is none", async () => {
		for (const path of [LOGS, `${LOGS}1/`, `${LOGS}stats/`, `${LOGS}export/`, SETTINGS, ATTEMPTS]) {
			expect([path, (await ada.api.get(path)).status]).toEqual([path, 403]);
			expect([path, (await t.anonymous.get(path)).status]).toEqual([path, 401]);
			if (path !== SETTINGS) expect([path, (await t.admin.api.patch(path, {})).status]).toEqual([path, 405]);
			expect([path, (await t.admin.api.post(path, {})).status]).toEqual([path, 405]);
			expect([path, (await t.admin.api.del(path)).status]).toEqual([path, 405]);
		}
		for (const id of ["999999", "x", "1e3", "99999999999"]) {
			expect((await t.admin.api.get(`${LOGS}${id}/`)).status).toBe(404);
		}
	});

	it("are found by each filter, and by several at once", async () => {
		const [a, b, c] = await plantEntries(t, [
			{ category: "mim_registry", action: "import", user_id: 777, username: "Grace", ip_address: "2001:db8::1" },
			{ category: "mim_registry", action: "import_cancel", user_id: 778, username: "grace", ip_address: "192.0.2.77" },
			{
				category: "mim_explorer",
				action: "import",
				user_id: 778,
				username: "other",
				created_at: "2026-01-11T00:00:00Z",
			},
		]);
		expect(await getIds(t, "category=mim_registry")).toEqual([b, a]);
		expect(await getIds(t, "action=import")).toEqual([c, a]);
		expect(await getIds(t, "user=778")).toEqual([c, b]);
		expect(await getIds(t, "username=GRACE")).toEqual([b, a]);
		expect(await getIds(t, `ip=${encodeURIComponent("2001:db8::1")}`)).toEqual([a]);
		expect(await getIds(t, "category=mim_registry&user=778")).toEqual([b]);
		expect(await getIds(t, "category=mim_explorer&action=import_cancel")).toEqual([]);
		expect(await getIds(t, "user=778&ordering=created_at")).toEqual([b, c]);
		const from = "2026-01-11T00:00:00Z";
		expect(await getIds(t, `user=778&created_after=${from}`)).toEqual([c]);
		expect(await getIds(t, "user=778&created_before=2026-01-10T23:59:59Z")).toEqual([b]);
		expect(await getIds(t, `user=778&created_after=${from}&created_before=${from}`)).toEqual([c]);
		expect(
			await getIds(t, `category=mim_explorer&created_after=${encodeURIComponent("2026-01-11T01:00:00+01:00")}`),
		).toEqual([c]);
	});

	it("are found by the request that made them, however many those are", async () => {
		const query = { name: "Of one request", flow_data: { nodes: [], edges: [] } };
		expect((await ada.api.post(QUERIES, query, { "x-request-id": "of-one-request" })).status).toBe(201);
		const found = await listEntries(t, "request_id=of-one-request");
		expect(found).toMatchObject([{ request_id: "of-one-request", action: "query_create" }]);
		const ids = [found[0]?.id];
		expect(await getIds(t, "request_id=of-one-request&search=request&category=query_management&username=ada")).toEqual(
			ids,
		);
		expect(await getIds(t, "request_id=of-one-request&category=authentication")).toEqual([]);
		expect(await getIds(t, "request_id=of-one-requesT")).toEqual([]);
		// A client may give all of its requests one id; some entries are sealed, some are not yet.
		for (const table of ["audit_log", "audit_unsealed"])
			await t.pool.query(
				`insert into ${table} (category, action, username, description, request_id, created_at)
					select 'time_machine', 'of_many', 'planted', 'number ' || n, 'of-many', timestamptz '2026-01-12' + n * interval '1 s'
					from generate_series(1, 4000) n`,
			);
		const { body: page } = await t.admin.api.get(
			`${LOGS}?request_id=of-many&page=80&page_size=100&ordering=created_at`,
		);
		expect(page.count).toBe(8_000);
		expect(page.results.at(-1)).toMatchObject({ request_id: "of-many", description: "number 4000" });
		expect((await t.admin.api.get(`${LOGS}?request_id=${"x".repeat(129)}`)).status).toBe(400);
	});

	it("refuse filters that are none, by name", async () => {
		for (const [query, field] of [
			["category=cats", "category"],
			["user=x", "user"],
			["created_after=yesterday", "created_after"],
			["created_before=2026-01-01", "created_before"],
			["ordering=username", "ordering"],
			["page=0", "page"],
			[`search=${"x".repeat(201)}`, "search"],
		]) {
			const { status, body } = await t.admin.api.get(`${LOGS}?${query}`);
			expect([query, status, Object.keys(body)]).toEqual([query, 400, [field]]);
		}
		expect((await t.admin.api.get(`${LOGS}?ordering=id`)).body.ordering[0]).toContain("-created_at");
		expect((await t.admin.api.get(`${LOGS}?page=9999`)).status).toBe(404);
		for (const at of ["0000-01-01T00:00:00Z", "9999-12-31T23:59:59-14:00"]) {
			for (const name of ["created_after", "created_before"]) {
				const { status } = await t.admin.api.get(`${LOGS}?${name}=${encodeURIComponent(at)}`);
				expect([name, at, status]).toEqual([name, at, 200]);
			}
		}
	});

	it("are found by words of their description, whole or begun, in any case, split at punctuation", async () => {
		const [a, b, c] = await plantEntries(t, [
			{ description: "Zoë deleted uni/tn-Prod/BD-web_1 for good" },
			{ description: "zoe added the fabric 'north-west' & co" },
			{ description: "Öffnete 日本語 fabric" },
		]);
		expect(await getIds(t, "search=prod")).toEqual([a]);
		expect(await getIds(t, "search=tn-prod")).toEqual([a]);
		expect(await getIds(t, "search=FAB+nor")).toEqual([b]);
		expect(await getIds(t, "search=fabric")).toEqual([c, b]);
		expect(await getIds(t, `search=${encodeURIComponent("öffnete")}`)).toEqual([c]);
		expect(await getIds(t, `search=${encodeURIComponent("日本")}`)).toEqual([]);
		expect(await getIds(t, `search=${encodeURIComponent("日本語")}`)).toEqual([c]);
		expect(await getIds(t, "search=1+web")).toEqual([a]);
		expect(await getIds(t, "search=ros")).toEqual([]);
		expect(await getIds(t, `search=${encodeURIComponent("--- ' \" \\ & | ! ( ) : * <->")}`)).toEqual([]);
		expect(await getIds(t, `search=${encodeURIComponent("prod' & 'x")}`)).toEqual([]);
		expect(await getIds(t, `search=${encodeURIComponent("good:*|!bad")}`)).toEqual([]);
		expect((await listEntries(t, "search=")).length).toBeGreaterThan(3);
	});

	it("come in pages that neither repeat nor miss one, from both ends", async () => {
		const planted = await plantEntries(
			t,
			Array.from({ length: 25 }, (_, i) => ({ action: "paged", created_at: `2026-01-09T00:00:0${i % 5}Z` })),
		);
		const pages: number[] = [];
		for (let url: string | null = `${LOGS}?action=paged&page_size=7`; url !== null; ) {
			const { body } = await t.admin.api.get(url);
			expect(body.count).toBe(25);
			pages.push(...body.results.map(({ id }: { id: number }) => id));
			url = body.next === null ? null : body.next.slice(body.next.indexOf("/api"));
		}
		expect([...pages].sort((x, y) => x - y)).toEqual(planted);
		const { rows } = await t.pool.query(
			"select id from audit_log where action = 'paged' order by created_at desc, id desc",
		);
		expect(pages).toEqual(rows.map(({ id }) => id));
		expect((await getIds(t, "action=paged&page_size=200&ordering=created_at")).reverse()).toEqual(pages);
	});

	it("count exactly, while entries come", async () => {
		const counted = async (query: string) => (await t.admin.api.get(`${LOGS}?page_size=1&${query}`)).body.count;
		for (const query of ["action=counted", "search=countable", "username=counter&created_after=2026-01-01T00:00:00Z"]) {
			expect(await counted(query)).toBe(0);
		}
		const one = { action: "counted", username: "Counter", description: "countable thing" };
		for (let n = 1; n <= 3; n++) {
			await plantEntries(t, [one]);
			for (const query of [
				"action=counted",
				"action=counted&category=time_machine&created_after=2026-01-09T13:00:00Z&created_before=2026-01-11T07:00:00Z",
				"action=counted&created_after=2026-01-10T11:00:00Z&created_before=2026-01-10T13:00:00Z",
				"search=countable",
				"username=counter&created_after=2026-01-01T00:00:00Z",
			]) {
				expect([query, await counted(query)]).toEqual([query, n]);
			}
		}
		expect(await counted("action=counted&created_before=2026-01-10T11:00:00Z")).toBe(0);
		expect(await counted("action=counted&created_after=2026-01-11T00:00:00Z")).toBe(0);
	});

	it("bring their document with the detail, unpacked", async () => {
		const text = JSON.stringify({ rows: ["x".repeat(1000), "ü"] });
		const [plain, packed] = await plantEntries(t, [
			{ content: Buffer.from(text), content_size_bytes: text.length },
			{ content: gzipSync(text), content_compressed: true, content_size_bytes: text.length },
		]);
		for (const [id, compressed] of [
			[plain, false],
			[packed, true],
		]) {
			const { body } = await t.admin.api.get(`${LOGS}${id}/`);
			expect(body).toMatchObject({ id, content: JSON.parse(text), content_compressed: compressed });
		}
	});
});

describe("sign-ins", () => {
	const login = (username: string, password: string, ip: string) =>
		t.anonymous.post("/api/auth/login/", { username, password }, { "x-forwarded-for": ip, "user-agent": "attempts/1" });

	it("are in both logs, failures and unknown names included", async () => {
		await t.user("lin");
		await login("lin", TEST_PASSWORD, "198.51.100.1");
		await login("Lin", "wrong", "198.51.100.1");
		await login("nobody.here", "wrong", "198.51.100.2");
		const attempts = async (query: string) => (await t.admin.api.get(`${ATTEMPTS}?${query}`)).body.results;
		expect(await attempts("username=lin&success=true")).toEqual([
			{
				id: expect.any(String),
				username: "lin",
				success: true,
				failure_reason: null,
				ip_address: "198.51.100.1",
				user_agent: "attempts/1",
				attempted_at: new Date(t.clock.now()).toISOString(),
			},
		]);
		expect(await attempts("username=LIN&success=false")).toMatchObject([
			{ username: "Lin", failure_reason: "invalid_password" },
		]);
		expect(await attempts("ip=198.51.100.2")).toMatchObject([
			{ username: "nobody.here", failure_reason: "unknown_user", success: false },
		]);
		const now = new Date(t.clock.now()).toISOString();
		expect(await attempts(`ip=198.51.100.2&created_after=${now}&created_before=${now}`)).toHaveLength(1);
		expect(await attempts(`ip=198.51.100.2&created_before=2026-01-01T00:00:00Z`)).toEqual([]);
		for (const [name, reason] of [
			["Lin", "invalid_password"],
			["nobody.here", "unknown_user"],
		]) {
			expect(await listEntries(t, `action=login_failed&username=${name}`)).toMatchObject([
				{ category: "authentication", user_id: null, username: name, metadata: { reason } },
			]);
		}
		expect(await listEntries(t, "action=login&username=lin")).toHaveLength(1);
	});

	it("that are locked out are recorded as such", async () => {
		for (let i = 0; i < 6; i++) await login("locked.out", "wrong", "198.51.100.3");
		const reasons = (await listEntries(t, "username=locked.out")).map(
			(entry) => (entry as never as { metadata: object }).metadata,
		);
		expect(reasons).toEqual([{ reason: "locked" }, ...Array(5).fill({ reason: "unknown_user" })]);
		const { body } = await t.admin.api.get(`${ATTEMPTS}?username=locked.out&page_size=2&page=3&ordering=attempted_at`);
		expect(body).toMatchObject({ count: 6, next: null, results: [{}, {}] });
	});

	it("refuse filters that are none, by name", async () => {
		for (const [query, field] of [
			["success=maybe", "success"],
			["created_after=x", "created_after"],
			["ordering=ip_address", "ordering"],
		]) {
			const { status, body } = await t.admin.api.get(`${ATTEMPTS}?${query}`);
			expect([status, Object.keys(body)]).toEqual([400, [field]]);
		}
	});
});

describe("an entry and its change", () => {
	const kept = async () => ({
		queries: (await ada.api.get(QUERIES)).body.count,
		entries: (await t.admin.api.get(`${LOGS}?action=query_create`)).body.count,
	});
	const create = (name: string) => ada.api.post(QUERIES, { name, flow_data: { nodes: [], edges: [] } });
	const refuse = "begin raise exception 'refused'; end";

	it.each([
		["the entry", "before insert on audit_unsealed"],
		["the change, at its very end", "after insert on saved_queries deferrable initially deferred"],
	])("are both there or neither is, when the store refuses %s", async (what, when) => {
		const before = await kept();
		await t.pool.query(`create function refuse() returns trigger language plpgsql as $$ ${refuse} $$`);
		const kind = when.includes("deferred") ? "constraint trigger" : "trigger";
		await t.pool.query(`create ${kind} refuse ${when} for each row execute function refuse()`);
		expect((await create(what)).status).toBe(500);
		await t.pool.query("drop function refuse() cascade");
		expect(await kept()).toEqual(before);
		expect((await create(what)).status).toBe(201);
		expect(await kept()).toEqual({ queries: before.queries + 1, entries: before.entries + 1 });
	});
});

describe("the store", () => {
	it("lets nobody change or remove an entry or a block of the chain", async () => {
		await plantEntries(t, [{}]);
		for (const statement of [
			"update audit_log set description = 'nothing happened'",
			"delete from audit_log",
			"update audit_unsealed set description = 'nothing happened'",
			"delete from audit_unsealed",
			"truncate audit_log",
			"truncate audit_unsealed",
			"truncate audit_blocks",
		]) {
			await expect(t.pool.query(statement), statement).rejects.toThrow(/append-only/);
		}
	});
});
