/** Controller connections through the API: their fields, and that passwords stay inside. */
import { Writable } from "node:stream";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CONNECTIONS, createConnectionBodies, PLANTED, UNKNOWN } from "../support/connection-bodies.ts";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import { findAudit } from "../support/rights.ts";

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

const { buildBody, addConnection } = createConnectionBodies();
const countConnections = async (): Promise<number> => (await t.admin.api.get(`${CONNECTIONS}?page_size=1`)).body.count;
const readRow = async (id: string) =>
	(await t.pool.query("select * from controller_connections where id = $1", [id])).rows[0];

describe("fields", () => {
	it("answers the full resource without the password", async () => {
		const { status, body: made } = await ada.api.post(
			CONNECTIONS,
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
		expect((await ada.api.get(`${CONNECTIONS}${made.id}/`)).body).toEqual(made);
		expect((await ada.api.get(`${CONNECTIONS}${made.id.toUpperCase()}`)).body).toEqual(made);
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
	])("need the password again for another %s, where the stored one is not sent", async (_name, fields) => {
		const made = await addConnection(ada.api, { url: "https://apic1.example.com", verify_ssl: true });
		const path = `${CONNECTIONS}${made.id}/`;
		const refused = await t.admin.api.patch(path, fields);
		expect([refused.status, Object.keys(refused.body)]).toEqual([400, ["password"]]);
		expect((await ada.api.get(path)).body).toEqual(made);
		expect((await ada.api.patch(path, { ...fields, password: "again" })).body).toMatchObject(fields);
	});

	it("keeps the password for another path of the same server, and for its default port", async () => {
		const made = await addConnection(ada.api, { url: "https://apic1.example.com", verify_ssl: false });
		for (const fields of [{ url: "https://apic1.example.com:443/fabric" }, { verify_ssl: true }, { verify_ssl: true }])
			expect((await ada.api.patch(`${CONNECTIONS}${made.id}/`, fields)).status).toBe(200);
	});

	it("PATCH changes what is given, ignores what cannot be changed, and keeps the password", async () => {
		const made = await addConnection(ada.api, { description: "first" });
		const sealed = (await readRow(made.id)).password_sealed;
		await t.clock.advance(1000);
		const { status, body: changed } = await ada.api.patch(`${CONNECTIONS}${made.id}/`, {
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
		expect((await ada.api.patch(`${CONNECTIONS}${made.id}/`, {})).body).toEqual(changed);
	});

	it("PATCH and PUT replace the password when it is sent, and nothing shows it", async () => {
		const made = await addConnection(ada.api);
		for (const method of ["patch", "put"] as const) {
			const password = `${PLANTED}-${method}`;
			const answer = await ada.api[method](`${CONNECTIONS}${made.id}/`, buildBody({ password }));
			expect(answer.status).toBe(200);
			const { password_sealed } = await readRow(made.id);
			expect(t.deps.secrets.open(password_sealed, `controller_connection:${made.id}:password`)).toBe(password);
		}
	});

	it("PUT replaces everything, by the defaults where left out, but keeps the password", async () => {
		const made = await addConnection(ada.api, { description: "x", verify_ssl: false, timeout: 60, is_public: true });
		await ada.api.patch(`${CONNECTIONS}${made.id}/`, { is_active: false });
		const before = await readRow(made.id);
		const { status, body: put } = await ada.api.put(`${CONNECTIONS}${made.id}/`, {
			name: made.name,
			url: `${made.url}/fabric`,
			username: "reader",
		});
		expect(status).toBe(200);
		expect(put).toMatchObject({ description: "", verify_ssl: true, timeout: 30, is_active: true, is_public: false });
		expect(put).toMatchObject({ url: `${made.url}/fabric`, username: "reader" });
		expect((await readRow(made.id)).password_sealed).toBe(before.password_sealed);
		expect((await readRow(made.id)).revision).toBe(before.revision + 1);
		const missing = await ada.api.put(`${CONNECTIONS}${made.id}/`, { description: "only this" });
		expect(missing.status).toBe(400);
		expect(Object.keys(missing.body).sort()).toEqual(["name", "url", "username"]);
	});

	it("a name is unique per owner, also of two that come at once", async () => {
		const first = buildBody({ name: "Taken" });
		const answers = await Promise.all([ada.api.post(CONNECTIONS, first), ada.api.post(CONNECTIONS, first)]);
		expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
		expect(answers.find(({ status }) => status === 400)?.body).toEqual({ name: [expect.any(String)] });
		expect((await bob.api.post(CONNECTIONS, first)).status).toBe(201);
		const other = await addConnection(ada.api);
		expect((await ada.api.patch(`${CONNECTIONS}${other.id}/`, { name: "Taken" })).body).toEqual({
			name: [expect.any(String)],
		});
		expect((await t.admin.api.patch(`${CONNECTIONS}${other.id}/`, { name: "Taken" })).status).toBe(400);
	});

	it("two changes at once both count", async () => {
		const made = await addConnection(ada.api);
		for (let i = 0; i < 5; i++) {
			const answers = await Promise.all([
				ada.api.patch(`${CONNECTIONS}${made.id}/`, { description: `d${i}` }),
				ada.api.patch(`${CONNECTIONS}${made.id}/`, { username: `u${i}` }),
				t.admin.api.patch(`${CONNECTIONS}${made.id}/`, { timeout: 10 + i }),
			]);
			expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
			const { body: now } = await ada.api.get(`${CONNECTIONS}${made.id}/`);
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
		const before = await countConnections();
		const { status, body: errors, text } = await ada.api.post(CONNECTIONS, buildBody(fields));
		expect(status).toBe(400);
		expect(errors).toEqual({ [key]: [expect.any(String), ...errors[key].slice(1)] });
		expect(text).not.toContain(PLANTED);
		expect(await countConnections()).toBe(before);
	});

	it.each(["[]", "null", '"x"', "{", "", "7"])("refuses the body %j", async (payload) => {
		const made = await addConnection(ada.api);
		const headers = { "content-type": "application/json" };
		for (const [method, path] of [
			["POST", CONNECTIONS],
			["PATCH", `${CONNECTIONS}${made.id}/`],
			["PUT", `${CONNECTIONS}${made.id}/`],
			["POST", `${CONNECTIONS}execute_query/`],
		] as const) {
			expect((await ada.api.send(method, path, payload, headers)).status).toBe(400);
		}
	});
});

describe("passwords", () => {
	it("are encrypted at rest, and in no log and no audit entry", async () => {
		const made = await addConnection(ada.api);
		await ada.api.put(`${CONNECTIONS}${made.id}/`, buildBody({ is_public: true, url: "http://127.0.0.1:1" }));
		await ada.api.post(`${CONNECTIONS}${made.id}/test/`);
		await ada.api.post(`${CONNECTIONS}execute_query/`, {
			connection_id: made.id,
			query_path: "/api/class/fvTenant.json",
		});
		await ada.api.del(`${CONNECTIONS}${made.id}/`);
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
		await ada.api.patch(`${CONNECTIONS}${made.id}/`, { password: PLANTED, is_active: false });
		await ada.api.post(`${CONNECTIONS}${made.id}/test/`);
		await ada.api.del(`${CONNECTIONS}${made.id}/`);
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
