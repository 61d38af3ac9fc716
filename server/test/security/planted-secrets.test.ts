/**
 * Secrets must not leak: a real service runs all its features, successfully and not, with planted
 * secrets. Then every log line, every answer and every row of its store is searched for them.
 */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allRoutes, TOKEN_PREFIX } from "@weft/contracts";
import { type RunningController, startController } from "@weft/lab";
import { Secret, TOTP } from "otpauth";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startEmbeddedPostgres } from "../../src/storage/embedded-postgres/index.ts";
import { type Answer, type Api, TEST_PASSWORD, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { type RunningService, runBuiltProgram, startService } from "../support/process.ts";
import { dumpTables, getForms, getPrecedingText, mayAnswer, runWithStore } from "../support/secret-search.ts";
import { createWorld, VALID_CALLS } from "../support/valid-calls.ts";

const createSecret = (name: string): string => `${name}-${randomBytes(12).toString("hex")}`;
const PLANTED = {
	controller: createSecret("controller-password"),
	chosen: createSecret("a chosen password"),
	refused: createSecret("1"),
	smtp: createSecret("mail-server-password"),
	ldap: createSecret("directory-password"),
	oidc: createSecret("client-secret"),
	query: createSecret("in-the-address"),
	header: createSecret("in-a-header"),
	webhook: createSecret("webhook-secret"),
	passphrase: createSecret("passphrase-of-a-key"),
};
const keys = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const ENCRYPTED_KEY = keys.privateKey
	.export({ type: "pkcs1", format: "pem", cipher: "aes-256-cbc", passphrase: PLANTED.passphrase })
	.toString();
/** A line in the middle of its PEM text. */
const getLine = (pem: string): string => pem.split("\n").filter((line) => line.length === 64)[10] ?? "";
/** What the service made, by what it is. */
const made = new Map<string, string>();
const answers: { readonly what: string; readonly text: string }[] = [];
const outputs: { readonly what: string; readonly text: () => string }[] = [];
const mails: string[] = [];

let dataDir: string;
let service: RunningService;
let lab: RunningController;
let smtp: SMTPServer;
let smtpLogin = "";

beforeAll(async () => {
	dataDir = await mkdtemp(join(tmpdir(), "weft planted "));
	const pem = keys.publicKey.export({ type: "spki", format: "pem" }).toString();
	lab = await startController({ size: "small", certificates: [{ user: "weft", name: "ci", pem }] });
	smtp = new SMTPServer({
		authOptional: false,
		allowInsecureAuth: true,
		disabledCommands: ["STARTTLS"],
		onAuth(auth, _session, done) {
			smtpLogin = auth.password ?? "";
			done(null, { user: auth.username });
		},
		onData(stream, _session, done) {
			const pieces: Buffer[] = [];
			stream.on("data", (piece) => pieces.push(piece));
			stream.on("end", () => {
				// Lines are folded in transit.
				mails.push(Buffer.concat(pieces).toString().replaceAll("=\r\n", "").replaceAll("=3D", "="));
				done();
			});
		},
	});
	const port = await new Promise<number>((resolve) => {
		const server = smtp.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
	});
	service = await startService(dataDir, {
		WEFT_LOG_LEVEL: "debug",
		WEFT_SMTP_URL: `smtp://weft:${PLANTED.smtp}@127.0.0.1:${port}`,
		WEFT_SMTP_FROM: "weft@example.com",
		WEFT_FRONTEND_URL: "https://weft.example.com",
		// Nothing listens there: the log of the failure is searched too.
		WEFT_LDAP_URI: "ldap://127.0.0.1:9",
		WEFT_LDAP_BIND_DN: "cn=weft,dc=example,dc=com",
		WEFT_LDAP_BIND_PASSWORD: PLANTED.ldap,
		WEFT_LDAP_USER_BASE: "dc=example,dc=com",
		WEFT_OIDC_ISSUER: "http://127.0.0.1:9",
		WEFT_OIDC_CLIENT_ID: "weft",
		WEFT_OIDC_CLIENT_SECRET: PLANTED.oidc,
	});
	outputs.push({ what: "the service", text: () => service.output.stdout + service.output.stderr });
}, 60_000);

afterAll(async () => {
	service.child.kill("SIGKILL");
	await service.ended;
	const left = await startEmbeddedPostgres({ dataDir, log: () => {} });
	await left.stop();
	await Promise.all([lab.close(), new Promise<void>((done) => smtp.close(() => done()))]);
	await rm(dataDir, { recursive: true, force: true });
});

/** Calls as the tests of the built app make them, but over HTTP. */
function buildApi(authorization: () => Promise<string | null>): Api {
	const send: Api["send"] = async (method, path, payload, headers = {}) => {
		const token = await authorization();
		const response = await fetch(service.url + path, {
			method,
			headers: { ...(token === null ? {} : { authorization: token }), "x-secret": PLANTED.header, ...headers },
			redirect: "manual",
			...(payload === undefined ? {} : { body: payload as string }),
		});
		const text = await response.text();
		answers.push({ what: `${method} ${path}`, text: `${JSON.stringify([...response.headers])}${text}` });
		const isJson = response.headers.get("content-type")?.startsWith("application/json");
		return { status: response.status, text, body: isJson ? JSON.parse(text) : undefined, headers: {} } satisfies Answer;
	};
	const json =
		(method: string) =>
		(path: string, body?: unknown, headers: Record<string, string> = {}) =>
			body === undefined
				? send(method, path, undefined, headers)
				: send(method, path, JSON.stringify(withSecrets(path, body)), {
						"content-type": "application/json",
						...headers,
					});
	return {
		send,
		post: json("POST"),
		put: json("PUT"),
		patch: json("PATCH"),
		get: (path, headers) => send("GET", path, undefined, headers),
		del: (path) => send("DELETE", path),
		open: () => Promise.reject(new Error("no sockets here")),
	};
}

/** Fields that keep and give back whatever JSON they get: that is what they are for. */
const KEEPS_ANYTHING = new Set(["class_browser_sections", "filters", "options", "response_content", "result_data"]);

/** The controller's password, and the secrets of webhooks, are planted ones. */
function withSecrets(path: string, body: unknown): unknown {
	if (path.startsWith("/api/notifications/webhook") && typeof body === "object" && body !== null && "secret" in body)
		return { ...body, secret: PLANTED.webhook };
	return path.startsWith("/api/controller/") && typeof body === "object" && body !== null && "password" in body
		? { ...body, password: PLANTED.controller }
		: body;
}

const anonymous = buildApi(async () => null);

async function openSession(username: string, id: number): Promise<TestUser> {
	let token: string | null = null;
	const api = buildApi(async () => {
		if (token === null) {
			const { body } = await anonymous.post("/api/auth/login/", { username, password: TEST_PASSWORD });
			made.set(`access token of ${username}`, body.access);
			made.set(`refresh token of ${username}`, body.refresh);
			token = `Bearer ${body.access}`;
		}
		return token;
	});
	return { id, username, password: TEST_PASSWORD, api };
}

describe("secrets", () => {
	it("are in no log, no answer, no audit entry and nowhere in the store", async () => {
		const admin = await openSession("admin", 1);
		const groups = (await admin.api.get("/api/auth/groups/")).body.results as { id: number; name: string }[];
		const app = {
			admin,
			anonymous,
			clock: { now: () => Date.now() },
			async user(username: string, names: string[] = []) {
				const group_ids = groups.filter(({ name }) => names.includes(name)).map(({ id }) => id);
				const user = { username, password: TEST_PASSWORD, group_ids };
				const { body } = await admin.api.post("/api/auth/management/", user);
				return openSession(username, body.id);
			},
		};

		// All that is right, and each of it in wrong forms.
		const world = await runWithStore(dataDir, (pool) => createWorld({ ...app, pool } as unknown as TestApp));
		made.set("refresh token", world.refresh);
		for (const [id, right] of Object.entries(VALID_CALLS)) {
			const route = allRoutes.find((candidate) => candidate.id === id);
			if (route === undefined) continue;
			const call = await right(world);
			const { api } = { admin, user: world.user, nobody: { api: anonymous } }[call.as];
			const body = withSecrets(call.path, call.body) as Record<string, unknown>;
			const send = (payload: string) =>
				api.send(route.method, call.path, payload, { "content-type": "application/json" });
			for (const wrong of Object.keys(body).filter((field) => !KEEPS_ANYTHING.has(field)))
				await send(JSON.stringify({ ...body, [wrong]: { not: PLANTED.refused } }));
			await send(JSON.stringify({ ...body, password: PLANTED.refused, new_password: [PLANTED.refused] }));
			await send(`${JSON.stringify({ a: PLANTED.refused })}${PLANTED.refused}`);
			await send(`{"password": ${PLANTED.refused}`);
			const { body: answer } = await send(JSON.stringify(body));
			for (const [i, code] of (answer?.backup_codes ?? []).entries()) made.set(`backup code ${i}`, code);
			if (answer?.mfa_token) made.set("mfa token", answer.mfa_token);
			if (answer?.token) plantApiToken(answer.token);
		}
		await admin.api.get(`/api/auth/email/verify/?token=${PLANTED.query}`);
		await admin.api.get(`/api/audit/logs/?search=x&password=${PLANTED.query}`);
		await anonymous.get(`/nowhere/?password=${PLANTED.query}`);
		await anonymous.get("/api/auth/profile/", { authorization: `Bearer ${PLANTED.header}` });
		await anonymous.get("/api/auth/oidc/start/");
		await anonymous.get(`/api/auth/oidc/callback/?code=${PLANTED.query}&state=${PLANTED.query}`);
		await anonymous.post("/api/auth/ldap-login/", { username: "unknown", password: PLANTED.chosen });
		await anonymous.post("/api/auth/login/", { username: "admin", password: PLANTED.chosen });

		await useApiTokens(world.user);

		// A working controller, one with a wrong password, and one that is unreachable.
		const connections = [];
		made.set("private key as sent", getLine(ENCRYPTED_KEY));
		for (const type of ["pkcs1", "pkcs8"] as const) {
			made.set(`private key as ${type}`, getLine(keys.privateKey.export({ type, format: "pem" }).toString()));
		}
		const byPassword = (password: string) => ({ username: lab.username, password });
		const byCertificate = (certificate_dn: string) => ({
			auth_method: "certificate",
			certificate_dn,
			private_key: ENCRYPTED_KEY,
			private_key_passphrase: PLANTED.passphrase,
		});
		for (const [name, url, login] of [
			["works", lab.url, byPassword(lab.password)],
			["refuses", lab.url, byPassword(PLANTED.controller)],
			["is not there", "http://127.0.0.1:9", byPassword(PLANTED.controller)],
			["has no certificate", "https://127.0.0.1:9", byPassword(PLANTED.controller)],
			["is signed", lab.url, byCertificate("uni/userext/user-weft/usercert-ci")],
			["is signed and refuses", lab.url, byCertificate("uni/userext/user-weft/usercert-none")],
		] as const) {
			const made = await world.user.api.send(
				"POST",
				"/api/controller/connections/",
				JSON.stringify({ name, url, ...login, verify_ssl: name !== "has no certificate" }),
				{ "content-type": "application/json" },
			);
			const id = made.body.id as string;
			connections.push(id);
			await world.user.api.post(`/api/controller/connections/${id}/test/`);
			await world.user.api.post("/api/controller/connections/execute_query/", {
				connection_id: id,
				query_path: "/api/class/fvTenant.json",
			});
			const run = await world.user.api.post(`/api/queries/saved-queries/${world.query}/execute_background/`, {
				controller_connection_id: id,
			});
			await waitUntil(
				"the run has ended",
				async () => {
					const { body } = await world.user.api.get(`/api/queries/pipeline-executions/${run.body.id}/`);
					return ["completed", "failed"].includes(body.status);
				},
				60_000,
			);
		}

		// A second factor in use, mails, a code of an administrator, a ticket.
		const holder = await app.user("holder");
		const setup = (await holder.api.post("/api/auth/mfa/setup/")).body;
		made.set("secret of the second factor", setup.secret);
		const totp = new TOTP({ secret: Secret.fromBase32(setup.secret) });
		const verified = await holder.api.post("/api/auth/mfa/verify/", { code: totp.generate() });
		for (const [i, code] of verified.body.backup_codes.entries()) made.set(`holder's backup code ${i}`, code);
		const begun = await anonymous.post("/api/auth/login/", { username: "holder", password: TEST_PASSWORD });
		made.set("begun sign-in", begun.body.mfa_token);
		await anonymous.post("/api/auth/mfa-login/", { mfa_token: begun.body.mfa_token, code: "000000" });
		await holder.api.patch("/api/auth/profile/", { email: "holder@example.com" });
		await holder.api.post("/api/auth/email/send-verification/");
		await anonymous.post("/api/auth/password-reset/", { email: "holder@example.com" });
		await waitUntil(
			"both mails are there",
			() => mails.filter((mail) => mail.includes("holder@example.com")).length >= 2,
			60_000,
		);
		expect(smtpLogin).toBe(PLANTED.smtp);
		for (const mail of mails) {
			const token = /token(?:=|[^:]*:\s+)([\w-]+(?::|%3A)[\w-]{43})/s.exec(mail)?.[1];
			if (token !== undefined) made.set(`mailed token ${made.size}`, decodeURIComponent(token).split(":")[1] ?? "");
		}
		expect([...made.keys()].filter((name) => name.startsWith("mailed token")).length).toBeGreaterThanOrEqual(2);
		const code = await admin.api.post(`/api/auth/management/${holder.id}/generate_reset_code/`);
		made.set("reset code", code.body.code);
		made.set("ticket", (await holder.api.post("/api/ws-ticket/")).body.ticket);
		made.set("secret key", (await readFile(join(dataDir, "secret.key"), "utf8")).trim());
		for (const command of [["audit-verify"], ["rotate-key"], ["unlock", "holder"], ["reset-password", "holder"]]) {
			const { ended, output } = runBuiltProgram(
				"admin",
				dataDir,
				{ WEFT_PASSWORD: PLANTED.chosen, WEFT_LOG_LEVEL: "debug" },
				command,
			);
			outputs.push({ what: command.join(" "), text: () => output.stdout + output.stderr });
			expect([command, await ended]).toEqual([command, 0]);
		}
		made.set("new secret key", (await readFile(join(dataDir, "secret.key"), "utf8")).trim().split("\n")[0] ?? "");
		await admin.api.get("/api/audit/logs/?page_size=200");
		await admin.api.get("/api/audit/logs/export/");
		await admin.api.get("/api/audit/login-attempts/?page_size=200");

		// Now everything is searched.
		const store = await runWithStore(dataDir, dumpTables);
		const secrets = new Map<string, string>([
			...Object.entries(PLANTED),
			...made,
			["password", TEST_PASSWORD],
			["lab", lab.password],
		]);
		const found: string[] = [];
		const search = (where: string, text: string, allowed: (name: string) => boolean): void => {
			for (const [name, secret] of secrets) {
				if (allowed(name)) continue;
				for (const [form, spelt] of Object.entries(getForms(secret))) {
					if (text.includes(spelt)) found.push(`${name} (${form}) in ${where}: ${getPrecedingText(text, spelt)}`);
				}
			}
		};
		for (const { what, text } of outputs) search(what, text(), () => false);
		for (const row of store) search("the store", row, () => false);
		for (const { what, text } of answers) search(`the answer to ${what}`, text, (name) => mayAnswer(what, name));
		expect(found).toEqual([]);

		// The search must find planted text: log lines per call, rows and answers.
		expect(service.output.stderr.split("\n").filter((line) => line.includes('"msg":"request"')).length).toBeGreaterThan(
			200,
		);
		// The log must have warnings: the unreachable directory, and the unverified certificate.
		for (const words of ["directory", "the certificate of a controller is not validated"]) {
			expect([words, service.output.stderr.includes(words)]).toEqual([words, true]);
		}
		expect(store.length).toBeGreaterThan(300);
		expect(answers.length).toBeGreaterThan(200);
	}, 300_000);
});

function plantApiToken(secret: string): void {
	const name = `API token ${made.size}`;
	made.set(name, secret);
	made.set(`${name} without its prefix`, secret.slice(TOKEN_PREFIX.length));
}

/** Uses tokens rightly and wrongly: in the header, and where a secret does not belong. */
async function useApiTokens(user: TestUser): Promise<void> {
	const options = [{}, { read_only: true }, { allowed_addresses: ["192.0.2.0/24"] }, { permission_ids: [] }];
	for (const [i, more] of options.entries()) {
		const { status, body, text } = await user.api.post("/api/auth/tokens/", { name: `planted ${i}`, ...more });
		expect(status, text).toBe(201);
		const { id, token: secret } = body;
		plantApiToken(secret);
		const api = buildApi(async () => `Bearer ${secret}`);
		const answers = [
			await api.get("/api/auth/profile/"),
			await api.post("/api/ws-ticket/"),
			await api.patch("/api/auth/preferences/", { theme: "dark" }),
			await api.get("/api/auth/tokens/"),
			await api.post("/api/queries/saved-queries/", { name: [secret], flow_data: secret }),
			await api.get(`/api/auth/profile/?token=${secret}`),
			await api.get(`/api/auth/tokens/${secret}/`),
			await anonymous.get("/api/auth/profile/", { authorization: `Basic ${secret}` }),
			await anonymous.get("/api/auth/profile/", { authorization: `Bearer ${secret}!` }),
			await anonymous.post("/api/auth/token/refresh/", { refresh: secret }),
			await anonymous.post("/api/auth/login/", { username: "admin", password: secret }),
		];
		expect(answers.map((answer) => answer.status)).toContain(i === 2 ? 401 : 200);
		expect((await user.api.del(`/api/auth/tokens/${id}/`)).status).toBe(204);
		expect((await api.get("/api/auth/profile/")).body.code).toBe("token_revoked");
	}
	await user.api.get("/api/auth/tokens/");
}
