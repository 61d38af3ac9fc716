/**
 * Access and refresh tokens of every broken kind, for requests and for sockets: none is taken, and
 * each is refused in the same words.
 */
import { createHmac, generateKeyPairSync, randomUUID } from "node:crypto";
import { EncryptJWT, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, TEST_PASSWORD, type TestApp } from "../support/harness.ts";

let t: TestApp;
let access: string;
let refresh: string;
let claims: Record<string, unknown>;
let key: Buffer;
beforeAll(async () => {
	t = await startTestApp();
	const { body } = await t.anonymous.post("/api/auth/login/", { username: "root", password: TEST_PASSWORD });
	({ access, refresh } = body);
	claims = JSON.parse(Buffer.from(access.split(".")[1] ?? "", "base64url").toString());
	key = t.deps.secrets.derive("tokens");
});
afterAll(() => t.close());

const HEADER = { alg: "HS256", typ: "JWT" };
const encode = (value: unknown): string =>
	Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const mac = (input: string, secret: Buffer | string = key, hash = "sha256"): string =>
	createHmac(hash, secret).update(input).digest("base64url");
/** Signed rightly, whatever it says. */
const signed = (payload: unknown, header: unknown = HEADER, secret: Buffer | string = key, hash = "sha256"): string => {
	const input = `${encode(header)}.${encode(payload)}`;
	return `${input}.${mac(input, secret, hash)}`;
};
const parts = (token: string) => token.split(".") as [string, string, string];
const flipped = (text: string, at: number): string =>
	`${text.slice(0, at)}${text[at] === "A" ? "B" : "A"}${text.slice(at + 1)}`;
const now = () => Math.floor(t.clock.now() / 1000);

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const publicPem = rsa.publicKey.export({ type: "spki", format: "pem" }).toString();

const BROKEN: Record<string, () => string | Promise<string>> = {
	"no algorithm": () => `${encode({ alg: "none" })}.${encode(claims)}.`,
	"no algorithm, in other letters": () => `${encode({ alg: "nOnE", typ: "JWT" })}.${encode(claims)}.`,
	"no algorithm, with a signature": () => signed(claims, { alg: "none" }),
	"no signature": () => parts(access).slice(0, 2).join("."),
	"an empty signature": () => `${parts(access).slice(0, 2).join(".")}.`,
	"half a signature": () => access.slice(0, -20),
	"a changed first letter of the signature": () =>
		`${parts(access).slice(0, 2).join(".")}.${flipped(parts(access)[2], 0)}`,
	"a changed payload": () => {
		const [header, , signature] = parts(access);
		return `${header}.${encode({ ...claims, user_id: 2, sub: "2" })}.${signature}`;
	},
	"a changed header": () => `${encode({ ...HEADER, kid: "x" })}.${parts(access).slice(1).join(".")}`,
	"an empty key": () => signed(claims, HEADER, ""),
	"another key": () => signed(claims, HEADER, "secret"),
	"the key of another purpose": () => signed(claims, HEADER, t.deps.secrets.derive("mail-links")),
	"the service's secret itself as key": () => signed(claims, HEADER, "a secret key that only tests use"),
	"another hash": () => signed(claims, { alg: "HS512", typ: "JWT" }, key, "sha512"),
	"another hash that the header does not tell": () => signed(claims, HEADER, key, "sha512"),
	"RS256 of somebody": () => new SignJWT(claims).setProtectedHeader({ alg: "RS256" }).sign(rsa.privateKey),
	"a public key as secret": () => signed(claims, HEADER, publicPem),
	"a key of its own in the header": () =>
		signed(claims, { ...HEADER, jwk: { kty: "oct", k: Buffer.from("mine").toString("base64url") } }, "mine"),
	"a key to be fetched": () =>
		signed(claims, { ...HEADER, jku: "http://127.0.0.1:9/keys", x5u: "http://127.0.0.1:9/" }, "mine"),
	"a key named by a path": () => signed(claims, { ...HEADER, kid: "../../../../dev/null" }, ""),
	"a key named by a statement": () => signed(claims, { ...HEADER, kid: "x' union select 'mine" }, "mine"),
	"an extension that must be understood": () => signed(claims, { ...HEADER, crit: ["b64"], b64: false }),
	"an unknown extension that must be understood": () => signed(claims, { ...HEADER, crit: ["x"], x: 1 }),
	"another issuer": () => signed({ ...claims, iss: "somebody" }),
	"no issuer": () => signed({ ...claims, iss: undefined }),
	"another audience": () => signed({ ...claims, aud: "somebody" }),
	"no audience": () => signed({ ...claims, aud: undefined }),
	"several issuers": () => signed({ ...claims, iss: ["weft"] }),
	"a time that is over": () => signed({ ...claims, exp: now() - 1 }),
	"a time that has not begun": () => signed({ ...claims, nbf: now() + 600 }),
	"no end": () => signed({ ...claims, exp: undefined }),
	"an end as text": () => signed({ ...claims, exp: String(now() + 600) }),
	"an end that is no number": () => signed(JSON.stringify(claims).replace(/"exp":\d+/, '"exp":1e999')),
	"an end before all time": () => signed({ ...claims, exp: -1 }),
	"no subject": () => signed({ ...claims, sub: undefined }),
	"no session": () => signed({ ...claims, sid: undefined }),
	"a session that is none": () => signed({ ...claims, sid: "'; drop table sessions; --" }),
	"a session that is a list": () => signed({ ...claims, sid: [claims.sid] }),
	"a session that is an object": () => signed({ ...claims, sid: { toString: "x" } }),
	"a session that does not exist": () => signed({ ...claims, sid: randomUUID() }),
	"no id": () => signed({ ...claims, jti: undefined }),
	"no kind": () => signed({ ...claims, token_type: undefined }),
	"the other kind": () => refresh,
	"a kind that is a list": () => signed({ ...claims, token_type: ["access"] }),
	"a payload that is null": () => signed("null"),
	"a payload that is a list": () => signed([claims]),
	"a payload that is no JSON": () => signed("{"),
	"a header that is null": () => `${encode("null")}.${parts(access).slice(1).join(".")}`,
	"a header that is no JSON": () => `${encode("{")}.${parts(access).slice(1).join(".")}`,
	"an encrypted token": () =>
		new EncryptJWT(claims).setProtectedHeader({ alg: "dir", enc: "A256GCM" }).encrypt(key.subarray(0, 32)),
	"four parts": () => `${access}.x`,
	"five parts": () => `${access}.x.x`,
	"one part": () => "x",
	"dots only": () => "..",
	"the JSON form": () =>
		encode({ payload: parts(access)[1], protected: parts(access)[0], signature: parts(access)[2] }),
	"a session key that is long": () => signed({ ...claims, sid: "x".repeat(1000) }),
	"four thousand letters": () => "a".repeat(4096),
	"more than a token may have": () => "a".repeat(5000),
	"letters that none has": () => `${access}\u00e9`,
	"a second one beside it": () => `${access} ${access}`,
};

describe("a token", () => {
	it("is one, so that what follows shows something", async () => {
		expect((await t.as(access).get("/api/auth/profile/")).status).toBe(200);
		expect((await t.as(signed(claims)).get("/api/auth/profile/")).status).toBe(200);
	});

	it.each(Object.entries(BROKEN))("with %s is refused", async (_name, make) => {
		const token = await make();
		const asked = await t.as(token).get("/api/auth/profile/");
		expect([asked.status, asked.headers["www-authenticate"]]).toEqual([401, "Bearer"]);
		expect(Object.keys(asked.body)).toEqual(["detail"]);
		expect(asked.body.detail).toMatch(
			/^(A bearer token is needed\.|The token is not valid or its session has ended\.)$/,
		);
		const renewed = await t.anonymous.post("/api/auth/token/refresh/", { refresh: token === refresh ? access : token });
		expect([400, 401]).toContain(renewed.status);
		const socket = await t
			.as(access)
			.open(`/ws/chain-execution/${randomUUID()}/?ticket=${encodeURIComponent(token)}&x=`);
		expect((await socket.closed).code).toBe(4001);
	});

	it("that names another user is still its session's user", async () => {
		await t.user("ada");
		const other = signed({ ...claims, sub: "2", user_id: 2 });
		expect((await t.as(other).get("/api/auth/profile/")).body.username).toBe("root");
	});

	it.each([
		["no scheme", (token: string) => token],
		["Basic", (token: string) => `Basic ${token}`],
		["a colon", (token: string) => `Bearer: ${token}`],
		["two spaces", (token: string) => `Bearer  ${token}`],
		["quotes", (token: string) => `Bearer "${token}"`],
	])("is not taken with %s", async (_name, header) => {
		const { status } = await t.anonymous.get("/api/auth/profile/", { authorization: header(access) });
		expect(status).toBe(401);
	});

	it("is not taken from the address, a cookie or the body", async () => {
		for (const name of ["token", "access_token", "access", "jwt"]) {
			expect((await t.anonymous.get(`/api/auth/profile/?${name}=${access}`)).status).toBe(401);
			expect((await t.anonymous.get("/api/auth/profile/", { cookie: `${name}=${access}` })).status).toBe(401);
			expect((await t.anonymous.post("/api/auth/logout/", { [name]: access })).status).toBe(401);
		}
	});
});
