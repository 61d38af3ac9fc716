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
const encodePart = (value: unknown): string =>
	Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const computeMac = (input: string, secret: Buffer | string = key, hash = "sha256"): string =>
	createHmac(hash, secret).update(input).digest("base64url");
/** Signed rightly, whatever it says. */
const signToken = (
	payload: unknown,
	header: unknown = HEADER,
	secret: Buffer | string = key,
	hash = "sha256",
): string => {
	const input = `${encodePart(header)}.${encodePart(payload)}`;
	return `${input}.${computeMac(input, secret, hash)}`;
};
const splitToken = (token: string) => token.split(".") as [string, string, string];
const flipChar = (text: string, at: number): string =>
	`${text.slice(0, at)}${text[at] === "A" ? "B" : "A"}${text.slice(at + 1)}`;
const getNowSeconds = () => Math.floor(t.clock.now() / 1000);

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const publicPem = rsa.publicKey.export({ type: "spki", format: "pem" }).toString();

const BROKEN: Record<string, () => string | Promise<string>> = {
	"no algorithm": () => `${encodePart({ alg: "none" })}.${encodePart(claims)}.`,
	"no algorithm, in other letters": () => `${encodePart({ alg: "nOnE", typ: "JWT" })}.${encodePart(claims)}.`,
	"no algorithm, with a signature": () => signToken(claims, { alg: "none" }),
	"no signature": () => splitToken(access).slice(0, 2).join("."),
	"an empty signature": () => `${splitToken(access).slice(0, 2).join(".")}.`,
	"half a signature": () => access.slice(0, -20),
	"a changed first letter of the signature": () =>
		`${splitToken(access).slice(0, 2).join(".")}.${flipChar(splitToken(access)[2], 0)}`,
	"a changed payload": () => {
		const [header, , signature] = splitToken(access);
		return `${header}.${encodePart({ ...claims, user_id: 2, sub: "2" })}.${signature}`;
	},
	"a changed header": () => `${encodePart({ ...HEADER, kid: "x" })}.${splitToken(access).slice(1).join(".")}`,
	"an empty key": () => signToken(claims, HEADER, ""),
	"another key": () => signToken(claims, HEADER, "secret"),
	"the key of another purpose": () => signToken(claims, HEADER, t.deps.secrets.derive("mail-links")),
	"the service's secret itself as key": () => signToken(claims, HEADER, "a secret key that only tests use"),
	"another hash": () => signToken(claims, { alg: "HS512", typ: "JWT" }, key, "sha512"),
	"another hash that the header does not tell": () => signToken(claims, HEADER, key, "sha512"),
	"RS256 with another key": () => new SignJWT(claims).setProtectedHeader({ alg: "RS256" }).sign(rsa.privateKey),
	"a public key as secret": () => signToken(claims, HEADER, publicPem),
	"a key of its own in the header": () =>
		signToken(claims, { ...HEADER, jwk: { kty: "oct", k: Buffer.from("mine").toString("base64url") } }, "mine"),
	"a key to be fetched": () =>
		signToken(claims, { ...HEADER, jku: "http://127.0.0.1:9/keys", x5u: "http://127.0.0.1:9/" }, "mine"),
	"a key named by a path": () => signToken(claims, { ...HEADER, kid: "../../../../dev/null" }, ""),
	"a key named by a statement": () => signToken(claims, { ...HEADER, kid: "x' union select 'mine" }, "mine"),
	"an extension that must be understood": () => signToken(claims, { ...HEADER, crit: ["b64"], b64: false }),
	"an unknown extension that must be understood": () => signToken(claims, { ...HEADER, crit: ["x"], x: 1 }),
	"another issuer": () => signToken({ ...claims, iss: "another-issuer" }),
	"no issuer": () => signToken({ ...claims, iss: undefined }),
	"another audience": () => signToken({ ...claims, aud: "another-audience" }),
	"no audience": () => signToken({ ...claims, aud: undefined }),
	"several issuers": () => signToken({ ...claims, iss: ["weft"] }),
	"a time that is over": () => signToken({ ...claims, exp: getNowSeconds() - 1 }),
	"a time that has not begun": () => signToken({ ...claims, nbf: getNowSeconds() + 600 }),
	"no end": () => signToken({ ...claims, exp: undefined }),
	"an end as text": () => signToken({ ...claims, exp: String(getNowSeconds() + 600) }),
	"an end that is no number": () => signToken(JSON.stringify(claims).replace(/"exp":\d+/, '"exp":1e999')),
	"an end before all time": () => signToken({ ...claims, exp: -1 }),
	"no subject": () => signToken({ ...claims, sub: undefined }),
	"no session": () => signToken({ ...claims, sid: undefined }),
	"a session that is none": () => signToken({ ...claims, sid: "'; drop table sessions; --" }),
	"a session that is a list": () => signToken({ ...claims, sid: [claims.sid] }),
	"a session that is an object": () => signToken({ ...claims, sid: { toString: "x" } }),
	"a session that does not exist": () => signToken({ ...claims, sid: randomUUID() }),
	"no id": () => signToken({ ...claims, jti: undefined }),
	"no kind": () => signToken({ ...claims, token_type: undefined }),
	"the other kind": () => refresh,
	"a kind that is a list": () => signToken({ ...claims, token_type: ["access"] }),
	"a payload that is null": () => signToken("null"),
	"a payload that is a list": () => signToken([claims]),
	"a payload that is no JSON": () => signToken("{"),
	"a header that is null": () => `${encodePart("null")}.${splitToken(access).slice(1).join(".")}`,
	"a header that is no JSON": () => `${encodePart("{")}.${splitToken(access).slice(1).join(".")}`,
	"an encrypted token": () =>
		new EncryptJWT(claims).setProtectedHeader({ alg: "dir", enc: "A256GCM" }).encrypt(key.subarray(0, 32)),
	"four parts": () => `${access}.x`,
	"five parts": () => `${access}.x.x`,
	"one part": () => "x",
	"dots only": () => "..",
	"the JSON form": () =>
		encodePart({ payload: splitToken(access)[1], protected: splitToken(access)[0], signature: splitToken(access)[2] }),
	"a session key that is long": () => signToken({ ...claims, sid: "x".repeat(1000) }),
	"four thousand letters": () => "a".repeat(4096),
	"more than a token may have": () => "a".repeat(5000),
	"letters that none has": () => `${access}\u00e9`,
	"a second one beside it": () => `${access} ${access}`,
};

describe("a token", () => {
	it("is one, so that what follows shows something", async () => {
		expect((await t.as(access).get("/api/auth/profile/")).status).toBe(200);
		expect((await t.as(signToken(claims)).get("/api/auth/profile/")).status).toBe(200);
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
		const other = signToken({ ...claims, sub: "2", user_id: 2 });
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
