/** Clients that go before they are answered: log and metrics count no fault of the service. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { Writable } from "node:stream";
import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createMetrics } from "../../src/core/system/prometheus.ts";
import { startTestApp, TEST_PASSWORD, type TestApp, waitUntil } from "../support/harness.ts";

const CAPTURE = "/api/time-machine/capture/";
const FILE = "/api/automation/templates/01890000-0000-7000-8000-000000000000/read-file/";
const QUERY = "/api/controller/connections/execute_query/";
const METRICS_TOKEN = "a token for the metrics of tests";
const ERROR_LEVEL = 50;
const JSON_TYPE = "application/json";
const FORM_TYPE = "multipart/form-data; boundary=x";
const FORM_START = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n';

interface Line {
	readonly level: number;
	readonly msg: string;
	readonly path?: string;
	readonly status?: number;
}

const lines: Line[] = [];
let t: TestApp;
let token: string;
/** Accepts connections and never answers on them. */
let silent: Server;
const held: Socket[] = [];
beforeAll(async () => {
	const stream = new Writable({
		write(chunk, _encoding, done) {
			lines.push(JSON.parse(String(chunk)));
			done();
		},
	});
	silent = createServer((socket) => held.push(socket.on("error", () => undefined))).listen(0, "127.0.0.1");
	await once(silent, "listening");
	t = await startTestApp({
		deps: { logger: pino({ level: "info" }, stream), metrics: { ...createMetrics("1"), token: METRICS_TOKEN } },
	});
	const { body } = await t.anonymous.post("/api/auth/login/", { username: "root", password: TEST_PASSWORD });
	token = body.access;
});
afterAll(async () => {
	for (const socket of held) socket.destroy();
	await t.close();
	silent.close();
});

/** Sends a request's head and the given part of a body of `length` bytes. */
function beginRequest(path: string, type: string, body: string, length: number): Socket {
	const { port } = t.app.server.server.address() as AddressInfo;
	const socket = connect(port, "127.0.0.1").on("error", () => undefined);
	const headers = { host: "x", authorization: `Bearer ${token}`, "content-type": type, "content-length": length };
	const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
	socket.write(`POST ${path} HTTP/1.1\r\n${head.join("")}\r\n${body}`);
	return socket;
}

/** The status of the first request to `path` in the log behind `from` lines. Waits for it. */
async function findLoggedStatus(path: string, from: number): Promise<number | undefined> {
	const line = await waitUntil("the request is logged", () =>
		lines.slice(from).find((one) => one.msg === "request" && one.path === path),
	);
	return line.status;
}

async function expectNoFault(): Promise<void> {
	expect(lines.filter(({ level, status = 0 }) => level >= ERROR_LEVEL || status >= 500)).toEqual([]);
	expect(lines.filter(({ msg }) => msg === "request failed")).toEqual([]);
	const { text } = await t.anonymous.get("/metrics", { authorization: `Bearer ${METRICS_TOKEN}` });
	expect(text).toContain('status="200"');
	expect(text).not.toMatch(/status="5\d\d"/);
}

it.each([
	["a small body", QUERY, JSON_TYPE, '{"connection_id":', 5_000],
	["a large body", CAPTURE, JSON_TYPE, `{"result_data":[${"1,".repeat(100_000)}`, 20_000_000],
	["a form", FILE, FORM_TYPE, `${FORM_START}a,b`, 5_000],
] as const)("a client that closes in the middle of %s is no fault", async (_name, path, type, body, length) => {
	const from = lines.length;
	const accepted = once(t.app.server.server, "connection");
	const socket = beginRequest(path, type, body, length);
	const [service] = await accepted;
	await waitUntil("the service reads the body", () => (service as Socket).bytesRead > body.length);
	socket.resetAndDestroy();
	expect(await findLoggedStatus(path, from)).toBe(499);
	await expectNoFault();
});

it("a client that closes while its answer is made is no fault", async () => {
	const { port } = silent.address() as AddressInfo;
	const { body: connection } = await t.admin.api.post("/api/controller/connections/", {
		name: "silent",
		url: `http://127.0.0.1:${port}`,
		username: "u",
		password: "p",
	});
	for (const close of ["destroy", "resetAndDestroy", "end"] as const) {
		const from = lines.length;
		const known = held.length;
		const text = JSON.stringify({ connection_id: connection.id, query_path: "/api/class/fvTenant.json" });
		const socket = beginRequest(QUERY, JSON_TYPE, text, text.length);
		await waitUntil("the controller is asked", () => held.length > known);
		socket[close]();
		expect(await findLoggedStatus(QUERY, from)).toBe(499);
		for (const one of held) one.destroy();
	}
	await expectNoFault();
});
