import { createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestClient, type TestClient } from "../testing.ts";

const keys = generateKeyPairSync("rsa", {
	modulusLength: 2048,
	publicKeyEncoding: { type: "spki", format: "pem" },
	privateKeyEncoding: { type: "pkcs8", format: "pem" },
});
const TIMEOUT = "Token was invalid (Error: Token timeout)";
let now = Date.UTC(2026, 0, 1);
let client: TestClient;

beforeAll(async () => {
	client = await startTestClient({
		now: () => now,
		domains: ["corp"],
		users: [
			{ name: "late", password: "secret", refused: "Password must be changed" },
			{ name: "reader", password: "secret" },
		],
		certificates: [
			{ user: "automation", name: "ci", pem: keys.publicKey },
			{ user: "Exporter", name: "app", isApp: true, pem: keys.publicKey },
		],
	});
});
afterAll(() => client.close());
beforeEach(() => client.login());

const readAttributes = (answer: Awaited<ReturnType<TestClient["get"]>>) =>
	Object.values(answer.imdata[0] ?? {})[0]?.attributes ?? {};

describe("aaaLogin", () => {
	it("gives a token, as attribute and as cookie, with the session's times and the version", async () => {
		const answer = await client.login();
		expect(answer).toMatchObject({ status: 200, totalCount: "1" });
		expect(readAttributes(answer)).toMatchObject({
			refreshTimeoutSeconds: "600",
			maximumLifetimeSeconds: "86400",
			restTimeoutSeconds: "90",
			userName: "admin",
			version: "6.0(9c)",
			creationTime: String(now / 1000),
		});
		expect(readAttributes(answer).token?.length).toBeGreaterThan(100);
		expect(answer.headers.get("set-cookie")).toBe(`APIC-cookie=${client.token}; path=/; HttpOnly; SameSite=Strict`);
		expect(answer.imdata[0]?.aaaLogin?.children?.flatMap((child) => Object.keys(child))).toContain("DnDomainMapEntry");
	});

	it.each(["apic:corp\\admin", "apic#corp\\admin", "apic:fallback\\admin", "admin"])(
		"takes the name %s",
		async (name) => {
			expect((await client.login(name)).status).toBe(200);
			expect((await client.get("/api/mo/uni.json")).status).toBe(200);
		},
	);

	it.each([
		["admin", "wrong", "Username or password is incorrect - FAILED local authentication"],
		["nobody", "weft-lab", "Username or password is incorrect - FAILED local authentication"],
		["late", "secret", "Password must be changed"],
	])("refuses %s with %s", async (name, password, text) => {
		expect(await client.login(name, password)).toMatchObject({ status: 401, error: { code: "401", text } });
	});

	it("refuses a login domain there is not", async () => {
		expect((await client.login("apic:other\\admin")).status).toBe(401);
	});

	it("takes XML and answers in XML", async () => {
		const answer = await client.request("POST", "/api/aaaLogin.xml", '<aaaUser name="admin" pwd="weft-lab"/>');
		expect(answer.text).toMatch(/^<\?xml .*<imdata totalCount="1"><aaaLogin token="/);
	});

	it("refuses a body that is not a login", async () => {
		expect((await client.request("POST", "/api/aaaLogin.json", "{")).error.code).toBe("400");
		expect((await client.request("POST", "/api/aaaLogin.json", { fvTenant: { attributes: {} } })).error.code).toBe(
			"400",
		);
	});
});

describe("sessions", () => {
	it("are needed for everything but logging in", async () => {
		const { token } = client;
		client.token = "";
		expect(await client.get("/api/mo/uni.json")).toMatchObject({
			status: 403,
			error: { code: "403", text: expect.stringMatching(/^Need a valid webtoken cookie/) },
		});
		client.token = "garbage";
		expect(await client.get("/api/mo/uni.json")).toMatchObject({ status: 403, error: { text: TIMEOUT } });
		client.token = token;
		expect((await client.get("/api/mo/uni.json")).status).toBe(200);
	});

	it("end with the refresh timeout, reads do not prolong them", async () => {
		now += 599_000;
		expect((await client.get("/api/mo/uni.json")).status).toBe(200);
		now += 1000;
		expect(await client.get("/api/mo/uni.json")).toMatchObject({ status: 403, error: { code: "403", text: TIMEOUT } });
	});

	it.each(["GET", "POST"])("are prolonged by aaaRefresh with %s, which gives another token", async (method) => {
		const { token } = client;
		now += 500_000;
		const answer = await client.request(method, "/api/aaaRefresh.json");
		client.token = answer.imdata[0]?.aaaLogin?.attributes.token ?? "";
		expect(client.token).not.toBe(token);
		now += 500_000;
		expect((await client.get("/api/mo/uni.json")).status).toBe(200);
		client.token = token;
		expect((await client.get("/api/mo/uni.json")).status).toBe(403);
	});

	it("cannot be prolonged beyond the maximum lifetime", async () => {
		const end = now + 86_400_000;
		while (now + 500_000 < end) {
			now += 500_000;
			client.token = readAttributes(await client.get("/api/aaaRefresh.json")).token ?? "";
		}
		expect((await client.get("/api/mo/uni.json")).status).toBe(200);
		now = end;
		expect((await client.get("/api/aaaRefresh.json")).error.text).toBe(TIMEOUT);
	});

	it("are closed by aaaLogout", async () => {
		const body = { aaaUser: { attributes: { name: "admin" } } };
		expect((await client.request("POST", "/api/aaaLogout.json", body)).text).toBe('{"totalCount":"0","imdata":[]}');
		expect(await client.get("/api/mo/uni.json")).toMatchObject({ status: 403, error: { text: TIMEOUT } });
	});

	it("with gui-token-request need the challenge too, as header or option", async () => {
		const answer = await client.login("admin", "weft-lab", "?gui-token-request=yes");
		const urlToken = readAttributes(answer).urlToken ?? "";
		expect((await client.get("/api/mo/uni.json")).status).toBe(403);
		expect((await client.request("GET", "/api/mo/uni.json", undefined, { "APIC-challenge": urlToken })).status).toBe(
			200,
		);
		expect((await client.get(`/api/mo/uni.json?challenge=${urlToken}`)).status).toBe(200);
		expect((await client.get("/api/mo/uni.json?challenge=other")).status).toBe(403);
	});

	it("read on when the cookie comes twice", async () => {
		const twice = { Cookie: `APIC-cookie=${client.token}; APIC-cookie=${client.token}` };
		expect((await client.request("GET", "/api/mo/uni.json", undefined, twice)).totalCount).toBe("1");
	});
});

it("aaaListDomains needs no session and is not in the shape of objects", async () => {
	client.token = "";
	expect(JSON.parse((await client.get("/api/aaaListDomains.json")).text)).toEqual({
		totalCount: "3",
		imdata: [
			{ name: "DefaultAuth", type: "DefaultAuth" },
			{ name: "fallback", type: "local", guiBanner: "" },
			{ name: "corp", type: "DefaultAuth" },
		],
	});
});

describe("signed requests", () => {
	const signed = (method: string, path: string, body = "", change: Readonly<Record<string, string>> = {}) => {
		const signature = sign("RSA-SHA256", Buffer.from(method + path + body), createPrivateKey(keys.privateKey)).toString(
			"base64",
		);
		const cookies = {
			"APIC-Certificate-Algorithm": "v1.0",
			"APIC-Certificate-Fingerprint": "fingerprint",
			"APIC-Certificate-DN": "uni/userext/user-automation/usercert-ci",
			"APIC-Request-Signature": signature,
			...change,
		};
		return {
			Cookie: Object.entries(cookies)
				.map(([name, value]) => `${name}=${value}`)
				.join("; "),
		};
	};
	const PATH = "/api/class/fvBD.json?order-by=fvBD.dn&page-size=2";

	beforeEach(() => {
		client.token = "";
	});

	it("need no session", async () => {
		expect(await client.request("GET", PATH, undefined, signed("GET", PATH))).toMatchObject({
			status: 200,
			totalCount: "20",
		});
	});

	it("sign the body of a write", async () => {
		const path = "/api/mo/uni/tn-signed.json";
		const body = '{"fvTenant":{"attributes":{"name":"signed"}}}';
		expect((await client.request("POST", path, body, signed("POST", path, body))).status).toBe(200);
		expect(await client.request("POST", path, `${body} `, signed("POST", path, body))).toMatchObject({
			status: 403,
			error: { text: "bad signature" },
		});
	});

	it.each([
		["a space between method and path", 403, () => signed("GET ", PATH)],
		["another path", 403, () => signed("GET", "/api/class/fvBD.json")],
		["another method", 403, () => signed("POST", PATH)],
		[
			"another certificate",
			401,
			() => signed("GET", PATH, "", { "APIC-Certificate-DN": "uni/userext/user-automation/usercert-other" }),
		],
		[
			"the certificate of an app",
			401,
			() => signed("GET", PATH, "", { "APIC-Certificate-DN": "uni/userext/appuser-automation/usercert-ci" }),
		],
		["another algorithm", 401, () => signed("GET", PATH, "", { "APIC-Certificate-Algorithm": "v2.0" })],
		["a real fingerprint", 401, () => signed("GET", PATH, "", { "APIC-Certificate-Fingerprint": "ab:cd" })],
	] as const)("are refused with %s", async (_case, status, headers) => {
		expect((await client.request("GET", PATH, undefined, headers())).status).toBe(status);
	});

	it("of an app carry its own DN", async () => {
		const cookies = signed("GET", PATH, "", { "APIC-Certificate-DN": "uni/userext/appuser-Exporter/usercert-app" });
		expect((await client.request("GET", PATH, undefined, cookies)).status).toBe(200);
	});

	it("cannot subscribe, nor be refreshed", async () => {
		const path = "/api/class/fvBD.json?subscription=yes";
		expect((await client.request("GET", path, undefined, signed("GET", path))).error.text).toBe(
			"unable to locate opened web socket",
		);
		expect(
			(await client.request("GET", "/api/aaaRefresh.json", undefined, signed("GET", "/api/aaaRefresh.json"))).status,
		).toBe(400);
	});

	it("work with a key that was written to the controller", async () => {
		await client.login();
		const user = {
			aaaUser: {
				attributes: { name: "robot" },
				children: [{ aaaUserCert: { attributes: { name: "k1", data: keys.publicKey } } }],
			},
		};
		expect((await client.request("POST", "/api/mo/uni/userext.json", user)).status).toBe(200);
		client.token = "";
		const cookies = signed("GET", PATH, "", { "APIC-Certificate-DN": "uni/userext/user-robot/usercert-k1" });
		expect((await client.request("GET", PATH, undefined, cookies)).status).toBe(200);
	});
});
