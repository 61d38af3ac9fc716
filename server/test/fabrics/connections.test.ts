/**
 * Controller connections through the API: their fields, who sees and changes them, and that
 * passwords stay inside.
 */
import { Writable } from "node:stream";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import { findAudit } from "../support/rights.ts";

const PATH = "/api/controller/connections/";
const PLANTED = "planted-Passw0rd-7731";
const UNKNOWN = "01890000-0000-7000-8000-000000000000";

let t: TestApp;
let ada: TestUser;
let bob: TestUser;
let log = "";
beforeAll(async () => {
	const sink = new Writable({
		write(chunk, _encoding, done) {
			log += chunk;
			done();
		},
	});
	t = await startTestApp({ deps: { logger: pino({ level: "trace" }, sink) } });
	[ada, bob] = [await t.user("ada", ["Editor"]), await t.user("bob")];
});
afterAll(() => t.close());

let counter = 0;
const buildBody = (fields: Record<string, unknown> = {}) => ({
	name: `Fabric ${++counter}`,
	url: "https://apic.example.com",
	username: "admin",
	password: PLANTED,
	...fields,
});
async function addConnection(api: Api, fields: Record<string, unknown> = {}) {
	const answer = await api.post(PATH, buildBody(fields));
	expect(answer.status).toBe(201);
	return answer.body;
}
const connectionCount = async (): Promise<number> => (await t.admin.api.get(`${PATH}?page_size=1`)).body.count;
const readRow = async (id: string) =>
	(await t.pool.query("select * from controller_connections where id = $1", [id])).rows[0];

describe("fields", () => {
	it("answers the full resource without the password", async () => {
		const { status, body: made } = await ada.api.post(
			PATH,
			buildBody({ name: "  Lab one ", url: "https://APIC.lab:443/" }),
		);
		expect(status).toBe(201);
		const at = new Date(t.clock.now()).toISOString();
		const owner = { id: ada.id, username: "ada", first_name: "", last_name: "" };
		expect(made).toEqual({
			id: expect.stringMatching(/^[0-9a-f-]{36}$/),
			name: "Lab one",
			description: "",
			url: "https://apic.lab",
			alternate_urls: [],
			fabric_id: null,
			is_one_fabric_confirmed: false,
			members: [{ url: "https://apic.lab", state: "unknown", last_error: null, since: null }],
			auth_method: "password",
			username: "admin",
			certificate_dn: null,
			private_key_configured: false,
			verify_ssl: true,
			pinned_certificate: null,
			timeout: 30,
			is_active: true,
			is_public: false,
			is_default_candidate: true,
			last_tested_at: null,
			last_test_status: null,
			last_test_message: "",
			created_by: owner,
			created_at: at,
			updated_at: at,
			can_edit: true,
			can_delete: true,
		});
		expect((await ada.api.get(`${PATH}${made.id}/`)).body).toEqual(made);
		expect((await ada.api.get(`${PATH}${made.id.toUpperCase()}`)).body).toEqual(made);
	});

	it.each([
		[1, 5],
		[-5, 5],
		[4.4, 5],
		[5, 5],
		[42.6, 43],
		[300, 300],
		[300.4, 300],
		[1e300, 300],
	])("clamps a timeout of %d to %d silently", async (given, kept) => {
		expect((await addConnection(ada.api, { timeout: given })).timeout).toBe(kept);
	});

	it.each([
		["host", { url: "https://evil.example.com" }],
		["port", { url: "https://apic1.example.com:8443" }],
		["scheme", { url: "http://apic1.example.com" }],
		["check of certificates", { verify_ssl: false }],
	])("the stored password is not sent past another %s: it is needed again", async (_name, fields) => {
		const made = await addConnection(ada.api, { url: "https://apic1.example.com", verify_ssl: true });
		const path = `${PATH}${made.id}/`;
		const refused = await t.admin.api.patch(path, fields);
		expect([refused.status, Object.keys(refused.body)]).toEqual([400, ["password"]]);
		expect((await ada.api.get(path)).body).toEqual(made);
		expect((await ada.api.patch(path, { ...fields, password: "again" })).body).toMatchObject(fields);
	});

	it("keeps the password for another path of the same server, and for its default port", async () => {
		const made = await addConnection(ada.api, { url: "https://apic1.example.com", verify_ssl: false });
		for (const fields of [{ url: "https://apic1.example.com:443/fabric" }, { verify_ssl: true }, { verify_ssl: true }])
			expect((await ada.api.patch(`${PATH}${made.id}/`, fields)).status).toBe(200);
	});

	it("PATCH changes what is given, ignores what cannot be changed, and keeps the password", async () => {
		const made = await addConnection(ada.api, { description: "first" });
		const sealed = (await readRow(made.id)).password_sealed;
		await t.clock.advance(1000);
		const { status, body: changed } = await ada.api.patch(`${PATH}${made.id}/`, {
			name: "Renamed",
			timeout: 1000,
			id: UNKNOWN,
			created_by: bob.id,
			last_test_status: true,
			can_edit: false,
			created_at: "2000-01-01T00:00:00Z",
		});
		expect(status).toBe(200);
		expect(changed).toEqual({
			...made,
			name: "Renamed",
			timeout: 300,
			updated_at: new Date(t.clock.now()).toISOString(),
		});
		expect((await readRow(made.id)).password_sealed).toBe(sealed);
		expect((await ada.api.patch(`${PATH}${made.id}/`, {})).body).toEqual(changed);
	});

	it("PATCH and PUT replace the password when it is sent, and nothing shows it", async () => {
		const made = await addConnection(ada.api);
		for (const method of ["patch", "put"] as const) {
			const password = `${PLANTED}-${method}`;
			const answer = await ada.api[method](`${PATH}${made.id}/`, buildBody({ password }));
			expect(answer.status).toBe(200);
			const { password_sealed } = await readRow(made.id);
			expect(t.deps.secrets.open(password_sealed, `controller_connection:${made.id}:password`)).toBe(password);
		}
	});

	it("PUT replaces everything, by the defaults where left out, but keeps the password", async () => {
		const made = await addConnection(ada.api, { description: "x", verify_ssl: false, timeout: 60, is_public: true });
		await ada.api.patch(`${PATH}${made.id}/`, { is_active: false });
		const before = await readRow(made.id);
		const { status, body: put } = await ada.api.put(`${PATH}${made.id}/`, {
			name: made.name,
			url: `${made.url}/fabric`,
			username: "reader",
		});
		expect(status).toBe(200);
		expect(put).toMatchObject({ description: "", verify_ssl: true, timeout: 30, is_active: true, is_public: false });
		expect(put).toMatchObject({ url: `${made.url}/fabric`, username: "reader" });
		expect((await readRow(made.id)).password_sealed).toBe(before.password_sealed);
		expect((await readRow(made.id)).revision).toBe(before.revision + 1);
		const missing = await ada.api.put(`${PATH}${made.id}/`, { description: "only this" });
		expect(missing.status).toBe(400);
		expect(Object.keys(missing.body).sort()).toEqual(["name", "url", "username"]);
	});

	it("a name is unique per owner, also of two that come at once", async () => {
		const first = buildBody({ name: "Taken" });
		const answers = await Promise.all([ada.api.post(PATH, first), ada.api.post(PATH, first)]);
		expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
		expect(answers.find(({ status }) => status === 400)?.body).toEqual({ name: [expect.any(String)] });
		expect((await bob.api.post(PATH, first)).status).toBe(201);
		const other = await addConnection(ada.api);
		expect((await ada.api.patch(`${PATH}${other.id}/`, { name: "Taken" })).body).toEqual({
			name: [expect.any(String)],
		});
		expect((await t.admin.api.patch(`${PATH}${other.id}/`, { name: "Taken" })).status).toBe(400);
	});

	it("two changes at once both count", async () => {
		const made = await addConnection(ada.api);
		for (let i = 0; i < 5; i++) {
			const answers = await Promise.all([
				ada.api.patch(`${PATH}${made.id}/`, { description: `d${i}` }),
				ada.api.patch(`${PATH}${made.id}/`, { username: `u${i}` }),
				t.admin.api.patch(`${PATH}${made.id}/`, { timeout: 10 + i }),
			]);
			expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
			const { body: now } = await ada.api.get(`${PATH}${made.id}/`);
			expect(now).toMatchObject({ description: `d${i}`, username: `u${i}`, timeout: 10 + i });
		}
	});

	it.each<[Record<string, unknown>, string]>([
		[{ name: undefined }, "name"],
		[{ name: "ab" }, "name"],
		[{ name: "  a  " }, "name"],
		[{ name: "a".repeat(101) }, "name"],
		[{ name: "line\nbreak" }, "name"],
		[{ name: 7 }, "name"],
		[{ name: null }, "name"],
		[{ name: "nul\0" }, "name"],
		[{ name: "\ud800abc" }, "name"],
		[{ description: "x".repeat(2001) }, "description"],
		[{ description: [] }, "description"],
		[{ url: undefined }, "url"],
		[{ url: "apic" }, "url"],
		[{ url: "ftp://apic" }, "url"],
		[{ url: `https://admin:${PLANTED}@apic` }, "url"],
		[{ url: "https://apic/?x=1" }, "url"],
		[{ url: "https://apic/#x" }, "url"],
		[{ url: {} }, "url"],
		[{ username: "" }, "username"],
		[{ username: "x".repeat(256) }, "username"],
		[{ password: undefined }, "password"],
		[{ password: "" }, "password"],
		[{ password: null }, "password"],
		[{ password: "x".repeat(1025) }, "password"],
		[{ password: { $ne: "" } }, "password"],
		[{ verify_ssl: "false" }, "verify_ssl"],
		[{ verify_ssl: null }, "verify_ssl"],
		[{ timeout: "30" }, "timeout"],
		[{ timeout: null }, "timeout"],
		[{ timeout: true }, "timeout"],
		[{ timeout: [] }, "timeout"],
		[{ is_active: 1 }, "is_active"],
		[{ is_public: "yes" }, "is_public"],
	])("refuses %j under %s and writes nothing", async (fields, key) => {
		const before = await connectionCount();
		const { status, body: errors, text } = await ada.api.post(PATH, buildBody(fields));
		expect(status).toBe(400);
		expect(errors).toEqual({ [key]: [expect.any(String), ...errors[key].slice(1)] });
		expect(text).not.toContain(PLANTED);
		expect(await connectionCount()).toBe(before);
	});

	it.each(["[]", "null", '"x"', "{", "", "7"])("refuses the body %j", async (payload) => {
		const made = await addConnection(ada.api);
		const headers = { "content-type": "application/json" };
		for (const [method, path] of [
			["POST", PATH],
			["PATCH", `${PATH}${made.id}/`],
			["PUT", `${PATH}${made.id}/`],
			["POST", `${PATH}execute_query/`],
		] as const) {
			expect((await ada.api.send(method, path, payload, headers)).status).toBe(400);
		}
	});
});

describe("who sees and does what", () => {
	const act = async (api: Api, id: string) => ({
		detail: (await api.get(`${PATH}${id}/`)).status,
		listed: (await api.get(`${PATH}?page_size=200`)).body.results?.some((one: { id: string }) => one.id === id),
		patch: (await api.patch(`${PATH}${id}/`, { description: "changed" })).status,
		put: (await api.put(`${PATH}${id}/`, buildBody({ is_public: undefined }))).status,
		test: (await api.post(`${PATH}${id}/test/`)).status,
		remove: (await api.del(`${PATH}${id}/`)).status,
	});
	/** Nothing listens there. */
	const url = "http://127.0.0.1:1";

	it("the owner and administrators do everything", async () => {
		const boss = await t.user("boss", ["Admin"]);
		for (const api of [ada.api, t.admin.api, boss.api]) {
			const { id } = await addConnection(ada.api, { url });
			const all = { detail: 200, listed: true, patch: 200, put: 200, test: 400, remove: 204 };
			expect(await act(api, id)).toEqual(all);
			expect(await act(api, id)).toMatchObject({ detail: 404, patch: 404, put: 404, test: 404, remove: 404 });
		}
	});

	it("others see public connections and change nothing, and do not see private ones", async () => {
		const shared = await addConnection(ada.api, { is_public: true, url });
		const own = await addConnection(ada.api, { url });
		expect(await act(bob.api, shared.id)).toEqual({
			detail: 200,
			listed: true,
			patch: 403,
			put: 403,
			test: 403,
			remove: 403,
		});
		expect((await bob.api.get(`${PATH}${shared.id}/`)).body).toMatchObject({ can_edit: false, can_delete: false });
		expect((await t.admin.api.get(`${PATH}${own.id}/`)).body).toMatchObject({ can_edit: true, can_delete: true });
		const none = { detail: 404, listed: false, patch: 404, put: 404, test: 404, remove: 404 };
		expect(await act(bob.api, own.id)).toEqual(none);
		expect(await act(bob.api, UNKNOWN)).toEqual(none);
		expect(await act(bob.api, "nonsense")).toEqual(none);
	});

	it("the permissions of the groups count", async () => {
		const shared = await addConnection(ada.api, { is_public: true, url });
		const only = async (username: string, groups: string[]) => {
			const user = await t.user(username, groups);
			await t.setGroups(user, groups);
			return user;
		};
		const viewer = await only("vic", ["Viewer"]);
		expect(await act(viewer.api, shared.id)).toMatchObject({ detail: 200, listed: true, patch: 403, remove: 403 });
		expect((await viewer.api.post(PATH, buildBody())).status).toBe(403);
		const mine = buildBody();
		await t.pool.query(
			`insert into controller_connections (id, name, url, username, password_sealed, created_by, created_at, updated_at)
			values ($1, $2, $3, 'x', 'x', $4, now(), now())`,
			[UNKNOWN.replace("8000", "8001"), mine.name, url, viewer.id],
		);
		const { body: seen } = await viewer.api.get(`${PATH}${UNKNOWN.replace("8000", "8001")}/`);
		expect(seen).toMatchObject({ can_edit: false, can_delete: false });
		const nobody = await only("nic", []);
		expect((await nobody.api.get(PATH)).status).toBe(403);
		expect((await t.anonymous.get(PATH)).status).toBe(401);
	});

	it("lists by name, in pages, and offers neither search nor ordering", async () => {
		const cat = await t.user("cat");
		for (const name of ["Site C", "Site A", "Site B"]) await addConnection(cat.api, { name });
		const first = await cat.api.get(`${PATH}?page_size=2&search=nothing&ordering=-nonsense`);
		expect(first.status).toBe(200);
		const mine = (answer: { body: { results: { name: string; created_by: { id: number } }[] } }) =>
			answer.body.results.filter(({ created_by }) => created_by.id === cat.id).map(({ name }) => name);
		expect(first.body.results).toHaveLength(2);
		expect(first.body.next).toContain("page=2");
		expect(mine(await cat.api.get(`${PATH}?page_size=500`))).toEqual(["Site A", "Site B", "Site C"]);
		expect((await cat.api.get(`${PATH}?page=999`)).status).toBe(404);
		expect((await cat.api.get(`${PATH}?page_size=0`)).status).toBe(400);
		const all = (await t.admin.api.get(`${PATH}?page_size=1`)).body.count;
		const { rows } = await t.pool.query("select count(*)::int as count from controller_connections");
		expect(all).toBe(rows[0].count);
		expect((await cat.api.get(PATH)).body.count).toBeLessThan(all);
	});

	it("execute_query is no connection's id", async () => {
		const { status, headers } = await ada.api.get(`${PATH}execute_query/`);
		expect(status).toBe(405);
		expect(headers.allow).toBe("POST");
	});
});

describe("passwords", () => {
	it("are encrypted at rest, and in no log and no audit entry", async () => {
		const made = await addConnection(ada.api);
		await ada.api.put(`${PATH}${made.id}/`, buildBody({ is_public: true, url: "http://127.0.0.1:1" }));
		await ada.api.post(`${PATH}${made.id}/test/`);
		await ada.api.post(`${PATH}execute_query/`, { connection_id: made.id, query_path: "/api/class/fvTenant.json" });
		await ada.api.del(`${PATH}${made.id}/`);
		await addConnection(ada.api);
		const { rows } = await t.pool.query(
			"select to_jsonb(c)::text as text from controller_connections c union all select to_jsonb(a)::text from audit_log a",
		);
		expect(rows.length).toBeGreaterThan(10);
		expect(rows.filter(({ text }) => text.includes(PLANTED))).toEqual([]);
		expect(log).toContain('"path":"/api/controller/connections/"');
		expect(log).not.toContain(PLANTED);
	});

	it("changes leave audit entries that name the fields", async () => {
		const made = await addConnection(ada.api, { url: "http://127.0.0.1:1" });
		await ada.api.patch(`${PATH}${made.id}/`, { password: PLANTED, is_active: false });
		await ada.api.post(`${PATH}${made.id}/test/`);
		await ada.api.del(`${PATH}${made.id}/`);
		const entries = await findAudit(t, made.id);
		expect(entries.map(({ action }) => action)).toEqual([
			"connection_create",
			"connection_update",
			"connection_test",
			"connection_delete",
		]);
		for (const entry of entries) expect(entry).toMatchObject({ category: "controller_management", user_id: ada.id });
		expect(entries[1].metadata).toEqual({ fields: ["password", "is_active"] });
	});
});

describe("the choice of a default", () => {
	it("has own connections, and public ones of administrators; never public ones of other users", async () => {
		const keys = await Promise.all([
			addConnection(ada.api, { is_public: true }),
			addConnection(bob.api),
			addConnection(t.admin.api, { is_public: true }),
			addConnection(t.admin.api),
		]);
		const listCandidates = async ({ api }: TestUser): Promise<boolean[]> => {
			const { results } = (await api.get(`${PATH}?page_size=200`)).body;
			return keys.map(
				({ id }) => results.find((each: { id: string }) => each.id === id)?.is_default_candidate ?? false,
			);
		};
		expect(await listCandidates(ada)).toEqual([true, false, true, false]);
		expect(await listCandidates(bob)).toEqual([false, true, true, false]);
		expect(await listCandidates(t.admin)).toEqual([false, false, true, true]);
	});

	it("follows the rights of the owner", async () => {
		const lead = await t.user("lena", ["Editor", "Admin"]);
		const { id } = await addConnection(lead.api, { is_public: true });
		const isCandidate = async () => (await bob.api.get(`${PATH}${id}/`)).body.is_default_candidate;
		expect(await isCandidate()).toBe(true);
		await t.pool.query("delete from user_groups where user_id = $1", [lead.id]);
		expect(await isCandidate()).toBe(false);
	});
});
