/** Harmful requests over real sockets: headers, bodies, URLs, connections. The service survives. */
import { connect, type Socket } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp, waitUntil } from "../support/harness.ts";

let t: TestApp;
let port: number;
beforeAll(async () => {
	t = await startTestApp();
	const address = t.app.server.server.address();
	port = typeof address === "object" && address !== null ? address.port : 0;
});
afterAll(() => t.close());

/** Sends bytes as they are; resolves with what came back once the other side is done with it. */
async function sendRaw(bytes: string | Buffer): Promise<string> {
	const socket: Socket = connect(port, "127.0.0.1");
	let answer = "";
	socket.setEncoding("utf8").on("data", (piece) => {
		answer += piece;
	});
	const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()).on("error", () => {}));
	socket.write(bytes);
	await Promise.race([closed, waitUntil("it is answered", () => /\r\n\r\n/.test(answer) || socket.destroyed)]);
	socket.destroy();
	return answer;
}
const getStatus = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
const postLogin = (body: string | Buffer, headers: Record<string, string> = {}) =>
	t.anonymous.send("POST", "/api/auth/login/", body, { "content-type": "application/json", ...headers });
const assertServiceWorks = async (): Promise<void> =>
	expect((await t.admin.api.get("/api/auth/profile/")).status).toBe(200);

describe("headers", () => {
	it.each([
		["one of 64 KB", `X-Long: ${"a".repeat(65_536)}\r\n`],
		["thousands of them", Array.from({ length: 5_000 }, (_, i) => `X-${i}: ${"b".repeat(20)}\r\n`).join("")],
		["a token of 64 KB", `Authorization: Bearer ${"c".repeat(65_536)}\r\n`],
		["a cookie of 64 KB", `Cookie: ${"d=e; ".repeat(13_000)}\r\n`],
		["a name of 64 KB", `${"f".repeat(65_536)}: x\r\n`],
	])("%s are too large", async (_name, headers) => {
		const answer = await sendRaw(`GET /api/health/ HTTP/1.1\r\nHost: x\r\n${headers}\r\n`);
		expect(getStatus(answer)).toBe(431);
		expect(answer).toContain('"detail"');
		await assertServiceWorks();
	});

	it.each([
		["two lengths", "POST /api/auth/login/ HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x"],
		[
			"length and chunks",
			"POST /api/auth/login/ HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		],
		[
			"chunks in other letters",
			"POST /api/auth/login/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
		],
		["a negative length", "POST /api/auth/login/ HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"],
		[
			"a length beyond all numbers",
			"POST /api/auth/login/ HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
		],
		["a bare line end in a header", "GET /api/health/ HTTP/1.1\r\nHost: x\r\nX-A: a\nX-B: b\r\n\r\n"],
		["a NUL in a header", "GET /api/health/ HTTP/1.1\r\nHost: x\r\nX-A: a\0b\r\n\r\n"],
		["a space before the colon", "GET /api/health/ HTTP/1.1\r\nHost: x\r\nContent-Length : 0\r\n\r\n"],
		[
			"a broken chunk",
			"POST /api/auth/login/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
		],
		["no HTTP at all", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
		["an unknown method", "BREW /api/health/ HTTP/1.1\r\nHost: x\r\n\r\n"],
		["no host", "GET /api/health/ HTTP/1.1\r\n\r\n"],
	])("%s are refused", async (_name, request) => {
		const status = getStatus(await sendRaw(request));
		expect(status).toBeGreaterThanOrEqual(400);
		expect(status).toBeLessThan(500);
		await assertServiceWorks();
	});

	it("a host header with markup does not occur in links", async () => {
		const api = t.admin.api;
		for (let i = 0; i < 2; i++) await api.post("/api/auth/groups/", { name: `group ${i}` });
		const { body } = await api.get("/api/auth/groups/?page_size=1", {
			host: 'evil"><script>',
			"x-forwarded-host": "evil.example",
		});
		expect(body.next).toMatch(/^http:\/\/localhost\/api\//);
	});
});

describe("bodies", () => {
	const deep = (open: string, close: string, n: number) => `${open.repeat(n)}1${close.repeat(n)}`;
	it.each([
		["a hundred thousand brackets", deep("[", "]", 100_000)],
		["a hundred thousand braces", deep('{"a":', "}", 100_000)],
		["brackets that do not close", "[".repeat(500_000)],
		["a list of a hundred thousand", `{"username":[${"1,".repeat(100_000)}1]}`],
		["fifty thousand fields", `{${Array.from({ length: 50_000 }, (_, i) => `"f${i}":1`).join(",")}}`],
		["the same field fifty thousand times", `{${'"username":"a",'.repeat(50_000)}"username":"b"}`],
		["a number of half a million digits", `{"username":${"9".repeat(500_000)}}`],
		["an exponent beyond all numbers", '{"username":1e999999999}'],
		["text of a million letters", `{"username":"${"a".repeat(1_000_000)}","password":"x"}`],
		["escapes only", `{"username":"${"\\u0041".repeat(150_000)}","password":"x"}`],
		["unpaired surrogates", '{"username":"\\ud800","password":"x"}'],
		["NULs", '{"username":"a\\u0000b","password":"x"}'],
		["a field that is a prototype", '{"__proto__":{"username":"root"},"password":"x"}'],
		["a quarter of a million spaces", `{"username":"a"${" ".repeat(250_000)},"password":1}`],
	])("%s are refused", async (_name, body) => {
		const { status, text } = await postLogin(body);
		expect(status).toBe(400);
		expect(text.length).toBeLessThan(2_000);
		expect({}).not.toHaveProperty("username");
		await assertServiceWorks();
	});

	it("that are longer than a route takes are not read to their end", async () => {
		expect((await postLogin(`{"username":"${"a".repeat(2_000_000)}"}`)).status).toBe(413);
		const head = "POST /api/auth/login/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
		expect(getStatus(await sendRaw(`${head}Content-Length: 999999999\r\n\r\n{`))).toBe(413);
		const chunk = `${(100_000).toString(16)}\r\n${" ".repeat(100_000)}\r\n`;
		expect(getStatus(await sendRaw(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(12)}`))).toBe(413);
		await assertServiceWorks();
	});

	it("that come in pieces, with their length or without it, are read whole", async () => {
		const { username, password } = await t.user("ada");
		const body = `${" ".repeat(300_000)}${JSON.stringify({ username, password })}`;
		const ends = [1, 65_536, 65_537, 200_000, body.length];
		const pieces = ends.map((end, at) => body.slice(ends[at - 1] ?? 0, end));
		const chunked = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join("");
		const head = "POST /api/auth/login/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
		expect(getStatus(await sendRaw(`${head}Transfer-Encoding: chunked\r\n\r\n${chunked}0\r\n\r\n`))).toBe(200);
		expect(getStatus(await sendRaw(`${head}Content-Length: ${body.length}\r\n\r\n${body}`))).toBe(200);
	});

	it("that are packed are not unpacked", async () => {
		const bomb = Buffer.alloc(50_000_000, 0x20);
		for (const [name, packed] of [
			["gzip", gzipSync(bomb)],
			["br", brotliCompressSync(bomb.subarray(0, 1_000_000))],
			["deflate", Buffer.from("{}")],
		] as const) {
			const { status } = await postLogin(packed, { "content-encoding": name });
			expect([name, status]).toEqual([name, 415]);
		}
		await assertServiceWorks();
	});

	it.each([
		"text/plain",
		"application/xml",
		"multipart/form-data; boundary=x",
		"application/x-www-form-urlencoded",
		"",
		"application/json-seq",
	])("of type %j are not taken", async (type) => {
		const { status } = await t.anonymous.send("POST", "/api/auth/login/", "{}", { "content-type": type });
		expect(status).toBe(415);
	});
});

describe("addresses", () => {
	it.each([
		"/api/auth/../../etc/passwd",
		"/api/%2e%2e/%2e%2e/etc/passwd",
		"/api/docs-assets/..%2f..%2fpackage.json",
		"/api/docs-assets/%2e%2e%2fserver.js",
		"//evil.example/api/health/",
		"/api/health/%00",
		"/api/health/%ff%fe",
		"/api/health/%zz",
		`/api/auth/management/${"9".repeat(400)}/`,
		`/${"a".repeat(10_000)}/`,
		"/api/auth/profile/;admin=true",
		"/API/HEALTH/",
		"/api/health//",
	])("%s lead nowhere", async (path) => {
		const { status, text } = await t.anonymous.get(path);
		expect([400, 401, 404, 414]).toContain(status);
		expect(text).not.toMatch(/root:|"dependencies"/);
	});
});

describe("connections", () => {
	it("that send nothing, or their request by the letter, keep nobody from being answered", async () => {
		const idle = Array.from({ length: 300 }, () => connect(port, "127.0.0.1").on("error", () => {}));
		for (const [i, socket] of idle.entries()) if (i % 2 === 0) socket.write("GET /api/health/ HTTP/1.1\r\nX-Slow: ");
		for (let i = 0; i < 20; i++) await assertServiceWorks();
		for (const socket of idle) socket.destroy();
		// None of them is kept for ever.
		expect(t.app.server.server.headersTimeout).toBeGreaterThan(0);
		expect(t.app.server.server.headersTimeout).toBeLessThanOrEqual(60_000);
		expect(t.app.server.server.requestTimeout).toBe(120_000);
	});
});
