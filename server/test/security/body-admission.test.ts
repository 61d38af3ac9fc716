/** The right to a route, and room for a body, come before the body's first byte. */
import type { AddressInfo } from "node:net";
import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, TEST_PASSWORD, type TestApp, waitUntil, waitUntilAfter } from "../support/harness.ts";
import { setRights } from "../support/rights.ts";

const POOL_BYTES = 4 * 1024 * 1024;
const CAPTURE = "/api/time-machine/capture/";
const FILE = "/api/automation/templates/01890000-0000-7000-8000-000000000000/read-file/";

let t: TestApp;
let token: string;
const sockets: Socket[] = [];
beforeAll(async () => {
	t = await startTestApp({ deps: { bodyPoolBytes: POOL_BYTES } });
	const { body } = await t.anonymous.post("/api/auth/login/", { username: "root", password: TEST_PASSWORD });
	token = body.access;
});
afterEach(() => {
	for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => t.close());

/** Sends a request's head and the given part of its body; collects the answer. */
function beginRequest(method: string, path: string, headers: Record<string, string | number>, body = "") {
	const { port } = t.app.server.server.address() as AddressInfo;
	const socket = connect(port, "127.0.0.1").on("error", () => undefined);
	sockets.push(socket);
	let received = "";
	socket.on("data", (bytes) => {
		received += bytes.toString("latin1");
	});
	const lines = Object.entries({ host: "x", "content-type": "application/json", ...headers });
	socket.write(
		`${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`,
	);
	return {
		socket,
		received: () => received,
		answered: async () => {
			await waitUntil(
				"the request is answered",
				() => /^HTTP\/1\.1 [2-5]/m.test(received) && received.includes("\r\n\r\n"),
			);
			return { status: Number(/^HTTP\/1\.1 ([2-5]\d\d)/m.exec(received)?.[1]), text: received };
		},
	};
}

const buildBearer = () => ({ authorization: `Bearer ${token}` });
const LARGE = 50 * 1024 * 1024;

describe("a request that has no right to its route", () => {
	it.each([
		["no token", "POST", CAPTURE, {}, 401],
		["a wrong token", "POST", CAPTURE, { authorization: "Bearer x.y.z" }, 401],
		["an address of nothing", "POST", "/api/nothing/", {}, 404],
		["another method", "PUT", CAPTURE, {}, 405],
		["a large body for a route of small ones", "POST", "/api/auth/login/", {}, 413],
	] as const)("because of %s is answered before its body arrives", async (_name, method, path, headers, expected) => {
		const { status, text } = await beginRequest(method, path, { "content-length": LARGE, ...headers }).answered();
		expect(status).toBe(expected);
		expect(text).toMatch(/x-request-id: \S+/i);
	});

	it("because of a missing permission is answered before its body arrives", async () => {
		const user = await t.user("reader");
		const { body } = await t.anonymous.post("/api/auth/login/", { username: "reader", password: user.password });
		const headers = { "content-length": 500_000, authorization: `Bearer ${body.access}` };
		expect((await beginRequest("POST", "/api/auth/management/", headers).answered()).status).toBe(403);
		await setRights(t, user, {});
		expect((await beginRequest("POST", CAPTURE, { ...headers, "content-length": LARGE }).answered()).status).toBe(403);
	});

	it("is not asked for the body it offers, and one with the right is", async () => {
		const expects = { "content-length": 2, expect: "100-continue" };
		const refused = beginRequest("POST", CAPTURE, expects);
		expect((await refused.answered()).text).not.toContain("100 Continue");
		const admitted = beginRequest("POST", CAPTURE, { ...expects, ...buildBearer() });
		await waitUntil("the body is asked for", () => admitted.received().startsWith("HTTP/1.1 100 Continue"));
		admitted.socket.write("{}");
		expect((await admitted.answered()).status).toBe(400);
	});
});

describe("bodies", () => {
	it("that do not fit into the memory for all of them are refused until there is room", async () => {
		const first = beginRequest("POST", CAPTURE, { "content-length": 3_000_000, ...buildBearer() }, " ".repeat(1_000));
		const chunked = { "transfer-encoding": "chunked", ...buildBearer() };
		const second = await waitUntil("the first is being read", async () => {
			const answer = await beginRequest("POST", CAPTURE, chunked, "2\r\n{}\r\n0\r\n\r\n").answered();
			return answer.status === 503 ? answer : null;
		});
		expect(second.text).toMatch(/retry-after: \d+/i);
		const upload = { ...buildBearer(), "content-type": "multipart/form-data; boundary=x", "content-length": 3_000_000 };
		expect((await beginRequest("POST", FILE, upload).answered()).status).toBe(503);
		expect((await t.admin.api.get("/api/auth/profile/")).status).toBe(200);

		first.socket.destroy();
		await waitUntil("there is room again", async () => {
			const { status } = await beginRequest(
				"POST",
				CAPTURE,
				{ "content-length": 3_000_000, ...buildBearer() },
				" ".repeat(3_000_000),
			).answered();
			return status === 400;
		});
	});

	it("of requests without a user have a part of that memory", async () => {
		const { text, status } = await beginRequest("POST", "/api/auth/login/", { "content-length": 900_000 }).answered();
		expect([status, /retry-after: \d+/i.test(text)]).toEqual([503, true]);
		expect((await t.anonymous.post("/api/auth/login/", { username: "root", password: TEST_PASSWORD })).status).toBe(
			200,
		);
	});

	it.each([
		["JSON", CAPTURE, "application/json"],
		["a form", FILE, "multipart/form-data; boundary=x"],
	])("of %s that arrive too slowly end with 408", async (_name, path, type) => {
		const form = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n';
		const slow = beginRequest(
			"POST",
			path,
			{ "content-length": 1_000_000, ...buildBearer(), "content-type": type },
			form,
		);
		const status = await waitUntilAfter(t.clock, 1_000, "the slow body is refused", () => {
			slow.socket.write(" ");
			return /^HTTP\/1\.1 (\d+)/.exec(slow.received())?.[1];
		});
		expect(status).toBe("408");
		expect(slow.received()).toContain("KB per second");
	});
});

describe("requests that HTTP itself refuses", () => {
	it.each([
		["an expectation that is not 100-continue", { expect: "200-ok" }, 417],
		["no Host", { host: null }, 400],
	] as const)("because of %s have a request id and a detail", async (_name, headers, expected) => {
		const lines = Object.entries({ host: "x", ...headers }).filter(([, value]) => value !== null);
		const { port } = t.app.server.server.address() as AddressInfo;
		const socket = connect(port, "127.0.0.1").on("error", () => undefined);
		sockets.push(socket);
		let text = "";
		socket.on("data", (bytes) => {
			text += bytes.toString("latin1");
		});
		const given = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
		socket.write(`GET /api/health/ HTTP/1.1\r\nx-request-id: mine-1\r\n${given}\r\n`);
		await waitUntil("the request is answered", () => text.includes("\r\n\r\n") && text.trimEnd().endsWith("}"));
		expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${expected} `));
		expect(text).toMatch(/^x-request-id: mine-1\r$/im);
		expect(text).toMatch(/^x-content-type-options: nosniff\r$/im);
		expect(text).toMatch(/\{"detail":"[^"]+"\}$/);
	});
});
