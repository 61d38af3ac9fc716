/**
 * Controller connections that sign in with a certificate: their fields, the change between password
 * and certificate, and that private keys stay inside.
 */
import { generateKeyPairSync } from "node:crypto";
import { Writable } from "node:stream";
import { type RunningController, startController } from "@weft/lab";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import { findAudit } from "../support/rights.ts";

const PATH = "/api/controller/connections/";
const PASSPHRASE = "planted-Passphrase-7731";
const keys = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const otherKeys = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const PEM = keys.privateKey.export({ type: "pkcs1", format: "pem" }).toString();
const STORED = keys.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const OTHER_PEM = otherKeys.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const ENCRYPTED = keys.privateKey
	.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: PASSPHRASE })
	.toString();
const publicPem = keys.publicKey.export({ type: "spki", format: "pem" }).toString();
const DN = "uni/userext/user-weft/usercert-ci";

let t: TestApp;
let lab: RunningController;
let ada: TestUser;
let log = "";
beforeAll(async () => {
	const sink = new Writable({
		write(chunk, _encoding, done) {
			log += chunk;
			done();
		},
	});
	lab = await startController({
		certificates: [
			{ user: "weft", name: "ci", pem: publicPem },
			{ user: "Weft", name: "ci", pem: publicPem, isApp: true },
		],
	});
	t = await startTestApp({ deps: { logger: pino({ level: "trace" }, sink) } });
	ada = await t.user("ada", ["Editor"]);
});
afterAll(async () => {
	await t.close();
	await lab.close();
});
beforeEach(() => lab.reset());

let counter = 0;
const buildBody = (fields: Record<string, unknown> = {}) => ({
	name: `Signed ${++counter}`,
	url: lab.url,
	auth_method: "certificate",
	certificate_dn: DN,
	private_key: PEM,
	...fields,
});
async function addConnection(fields: Record<string, unknown> = {}) {
	const { status, body: made, text } = await ada.api.post(PATH, buildBody(fields));
	expect([status, text]).toEqual([201, text]);
	return made;
}
const withPassword = () =>
	addConnection({
		auth_method: undefined,
		certificate_dn: undefined,
		private_key: undefined,
		username: "admin",
		password: lab.password,
	});
const patchConnection = (id: string, fields: Record<string, unknown>) => ada.api.patch(`${PATH}${id}/`, fields);
const testConnection = (id: string) => ada.api.post(`${PATH}${id}/test/`);
const runQuery = (connection_id: string) =>
	ada.api.post(`${PATH}execute_query/`, { connection_id, query_path: "/api/class/fvTenant.json?x=a b" });
const readRow = async (id: string) =>
	(await t.pool.query("select * from controller_connections where id = $1", [id])).rows[0];

describe("a connection with a certificate", () => {
	it("is stored without its key in the answer, and works without a session", async () => {
		const made = await addConnection();
		expect(made).toMatchObject({
			auth_method: "certificate",
			username: "weft",
			certificate_dn: DN,
			private_key_configured: true,
		});
		expect(Object.keys(made).filter((name) => /key|pass/.test(name))).toEqual(["private_key_configured"]);
		expect((await ada.api.get(`${PATH}${made.id}/`)).body).toEqual(made);
		expect((await testConnection(made.id)).body).toEqual({
			success: true,
			message: expect.stringContaining("6.0(9c)"),
			latency_ms: expect.any(Number),
			controller_version: "6.0(9c)",
			fabric_id: "weft-fabric/FDO20000001",
			members: expect.any(Array),
			suggested_urls: expect.any(Array),
		});
		expect((await runQuery(made.id)).status).toBe(200);
		expect(lab.stats().logins).toBe(0);
	});

	it("takes user and certificate name instead of the DN, an app, and an encrypted key", async () => {
		const named = await addConnection({ certificate_dn: undefined, username: "weft", certificate_name: "ci" });
		expect(named).toMatchObject({ certificate_dn: DN, username: "weft" });
		const app = await addConnection({
			certificate_dn: "uni/userext/appuser-Weft/usercert-ci",
			private_key: ENCRYPTED,
			private_key_passphrase: PASSPHRASE,
		});
		expect(app).toMatchObject({ username: "Weft", private_key_configured: true });
		for (const { id } of [named, app]) expect((await testConnection(id)).status).toBe(200);
		const { private_key_sealed, password_sealed } = await readRow(app.id);
		expect(t.deps.secrets.open(private_key_sealed, `controller_connection:${app.id}:private_key`)).toBe(STORED);
		expect(password_sealed).toBe("");
	});

	it("takes the DN over user and name, and stores no password", async () => {
		const made = await addConnection({ username: "admin", certificate_name: "other", password: "not used" });
		expect(made).toMatchObject({ certificate_dn: DN, username: "weft" });
		expect((await readRow(made.id)).password_sealed).toBe("");
	});

	const weak = generateKeyPairSync("rsa", { modulusLength: 1_024 }).privateKey;
	const ec = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
	const asPem = (key: typeof weak) => key.export({ type: "pkcs8", format: "pem" }).toString();
	it.each<[string, Record<string, unknown>, string, RegExp]>([
		["a word as DN", { certificate_dn: "weft" }, "certificate_dn", /uni\/userext\/user-USER\/usercert-NAME/],
		["a DN of a user", { certificate_dn: "uni/userext/user-weft" }, "certificate_dn", /usercert/],
		["a cookie in the DN", { certificate_dn: `${DN}; a=b` }, "certificate_dn", /Must be uni/],
		["a line break in the DN", { certificate_dn: `${DN}\r\nx: y` }, "certificate_dn", /Must be uni/],
		["a long DN", { certificate_dn: DN.repeat(10) }, "certificate_dn", /Must be uni/],
		["neither DN nor name", { certificate_dn: undefined, username: "weft" }, "certificate_dn", /certificate_name/],
		[
			"a name that no DN holds",
			{ certificate_dn: undefined, username: "a b", certificate_name: "ci" },
			"username",
			/letters/,
		],
		["a certificate's name with a slash", { certificate_name: "a/b" }, "certificate_name", /letters/],
		["no key", { private_key: undefined }, "private_key", /required/],
		["an empty key", { private_key: "" }, "private_key", /empty/],
		["a key that is a number", { private_key: 7 }, "private_key", /expected string, received number/],
		["a key that is too long", { private_key: "x".repeat(16_385) }, "private_key", /16384/],
		["a word as key", { private_key: "secret" }, "private_key", /PEM/],
		["a public key", { private_key: publicPem }, "private_key", /public key/],
		["1,024 bits", { private_key: asPem(weak) }, "private_key", /2048/],
		["an EC key", { private_key: asPem(ec) }, "private_key", /RSA/],
		["no passphrase", { private_key: ENCRYPTED }, "private_key_passphrase", /Enter its passphrase/],
		["a wrong passphrase", { private_key: ENCRYPTED, private_key_passphrase: "no" }, "private_key_passphrase", /open/],
		["another method", { auth_method: "token" }, "auth_method", /password or certificate/],
		[
			"a key with a password",
			{ auth_method: "password", certificate_dn: undefined, username: "u", password: "p" },
			"private_key",
			/auth_method/,
		],
		[
			"a DN with a password",
			{ auth_method: undefined, private_key: undefined, username: "u", password: "p" },
			"certificate_dn",
			/auth_method/,
		],
	])("is refused with %s", async (_, fields, field, message) => {
		const { status, body: errors, text } = await ada.api.post(PATH, buildBody(fields));
		expect([status, errors]).toEqual([400, { [field]: [expect.stringMatching(message)] }]);
		expect(text).not.toMatch(/PRIVATE KEY-----\s*MI/);
	});

	it("tells all fields that are missing at once", async () => {
		const { status, body: errors } = await ada.api.post(PATH, { auth_method: "certificate" });
		expect([status, Object.keys(errors).sort()]).toEqual([400, ["certificate_dn", "name", "private_key", "url"]]);
		const password = await ada.api.post(PATH, {});
		expect(Object.keys(password.body).sort()).toEqual(["name", "password", "url", "username"]);
	});
});

describe("the test of a certificate", () => {
	it("tells an unknown certificate, and a key that does not match", async () => {
		for (const [fields, message] of [
			[{ certificate_dn: `${DN}-2` }, /Add the certificate .*usercert-ci-2 to the user/],
			[{ private_key: OTHER_PEM }, /private key does not match/],
		] as const) {
			const { id } = await addConnection(fields);
			const { status, body: answer } = await testConnection(id);
			expect([status, answer]).toEqual([
				400,
				{ success: false, message: expect.stringMatching(message), reason: "credentials" },
			]);
			expect((await ada.api.get(`${PATH}${id}/`)).body).toMatchObject({
				last_test_status: false,
				last_test_message: answer.message,
			});
			const queried = await runQuery(id);
			expect([queried.status, queried.body.detail]).toEqual([502, expect.stringMatching(message)]);
		}
	});

	it("says when the stored key cannot be read", async () => {
		const { id } = await addConnection();
		await t.pool.query("update controller_connections set private_key_sealed = 'w1.x.y.z.a' where id = $1", [id]);
		const { status, body: answer } = await testConnection(id);
		expect([status, answer.reason]).toEqual([400, "private_key_unreadable"]);
		expect(answer.message).toContain("Enter the private key again");
		expect((await runQuery(id)).body).toEqual({ connection_id: [answer.message] });
	});
});

describe("a change", () => {
	it("of other fields keeps the key; another key takes effect at once", async () => {
		const made = await addConnection();
		const before = await readRow(made.id);
		expect((await patchConnection(made.id, { description: "new", certificate_dn: DN })).status).toBe(200);
		const after = await readRow(made.id);
		expect([after.private_key_sealed, after.revision]).toEqual([before.private_key_sealed, before.revision]);
		expect((await runQuery(made.id)).status).toBe(200);
		expect((await patchConnection(made.id, { private_key: OTHER_PEM })).status).toBe(200);
		expect((await runQuery(made.id)).status).toBe(502);
		expect((await patchConnection(made.id, { private_key: PEM })).status).toBe(200);
		expect((await runQuery(made.id)).status).toBe(200);
		const put = buildBody({ name: made.name, private_key: undefined });
		expect((await ada.api.put(`${PATH}${made.id}/`, put)).body).toMatchObject({ private_key_configured: true });
		expect((await runQuery(made.id)).status).toBe(200);
	});

	it("of user or certificate name changes the DN", async () => {
		const made = await addConnection({ certificate_dn: "uni/userext/appuser-Weft/usercert-ci" });
		expect((await patchConnection(made.id, { certificate_name: "next" })).body).toMatchObject({
			certificate_dn: "uni/userext/appuser-Weft/usercert-next",
		});
		expect((await patchConnection(made.id, { username: "Other" })).body).toMatchObject({
			certificate_dn: "uni/userext/appuser-Other/usercert-next",
			username: "Other",
		});
		expect((await patchConnection(made.id, { certificate_dn: "nonsense" })).status).toBe(400);
	});

	it("of the method needs the new secret, and forgets the old one", async () => {
		const made = await withPassword();
		expect(made).toMatchObject({ auth_method: "password", certificate_dn: null, private_key_configured: false });
		const refusals: [Record<string, unknown>, string][] = [
			[{ auth_method: "certificate", certificate_dn: DN }, "private_key"],
			[{ auth_method: "certificate", private_key: PEM }, "certificate_dn"],
			[{ private_key: PEM }, "private_key"],
			[{ certificate_dn: DN }, "certificate_dn"],
		];
		for (const [fields, field] of refusals) {
			const refused = await patchConnection(made.id, fields);
			expect([refused.status, Object.keys(refused.body)]).toEqual([400, [field]]);
		}
		const signed = await patchConnection(made.id, {
			auth_method: "certificate",
			username: "weft",
			certificate_name: "ci",
			private_key: PEM,
		});
		expect(signed.body).toMatchObject({ auth_method: "certificate", certificate_dn: DN, private_key_configured: true });
		expect(await readRow(made.id)).toMatchObject({ password_sealed: "" });
		expect((await runQuery(made.id)).status).toBe(200);
		expect(lab.stats().logins).toBe(0);

		for (const [fields, field] of [
			[{ auth_method: "password" }, "password"],
			[{ password: lab.password }, "password"],
			[{ private_key_passphrase: PASSPHRASE }, "private_key"],
		] as [Record<string, unknown>, string][]) {
			const refused = await patchConnection(made.id, fields);
			expect([refused.status, Object.keys(refused.body)]).toEqual([400, [field]]);
		}
		const put = { name: made.name, url: made.url, username: "admin" };
		expect((await ada.api.put(`${PATH}${made.id}/`, put)).body).toEqual({ password: [expect.any(String)] });
		const back = await ada.api.put(`${PATH}${made.id}/`, { ...put, password: lab.password });
		expect(back.body).toMatchObject({ auth_method: "password", certificate_dn: null, private_key_configured: false });
		expect(await readRow(made.id)).toMatchObject({ private_key_sealed: "" });
		expect((await runQuery(made.id)).status).toBe(200);
		expect(lab.stats().logins).toBe(1);
	});

	it.each([
		["address", { url: "https://evil.example.com" }],
		["check of certificates", { verify_ssl: false }],
	])("of the %s needs the key again", async (_, fields) => {
		const made = await addConnection();
		const refused = await t.admin.api.patch(`${PATH}${made.id}/`, fields);
		expect([refused.status, refused.body]).toEqual([400, { private_key: [expect.stringMatching(/signed with it/)] }]);
		expect((await patchConnection(made.id, { ...fields, private_key: PEM })).body).toMatchObject(fields);
	});

	it("can be the answer of a read, sent back", async () => {
		for (const made of [await addConnection(), await withPassword()]) {
			const answer = await ada.api.put(`${PATH}${made.id}/`, made);
			expect([answer.status, answer.body]).toEqual([200, { ...made, updated_at: answer.body.updated_at }]);
		}
	});
});

it("private keys and passphrases are encrypted at rest, and in no log and no audit entry", async () => {
	const made = await addConnection({ private_key: ENCRYPTED, private_key_passphrase: PASSPHRASE });
	await patchConnection(made.id, { private_key: ENCRYPTED, private_key_passphrase: PASSPHRASE });
	await ada.api.post(PATH, buildBody({ private_key: ENCRYPTED, private_key_passphrase: `${PASSPHRASE}-wrong` }));
	await testConnection(made.id);
	await runQuery(made.id);
	const { rows } = await t.pool.query(
		"select to_jsonb(c)::text as text from controller_connections c union all select to_jsonb(a)::text from audit_log a",
	);
	const everything = log + rows.map(({ text }) => text).join("\n");
	const lines = [PEM, STORED, ENCRYPTED].flatMap((pem) => pem.split("\n").filter((line) => line.length === 64));
	expect(lines.length).toBeGreaterThan(60);
	expect([PASSPHRASE, ...lines].filter((secret) => everything.includes(secret))).toEqual([]);
	const [update] = (await findAudit(t, made.id)).filter(({ action }) => action === "connection_update");
	expect(update.metadata).toEqual({ fields: ["private_key", "private_key_passphrase"] });
});
