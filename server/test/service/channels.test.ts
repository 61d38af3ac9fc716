/**
 * What holds for every WebSocket channel: one-shot tickets, keepalive, close codes, slow readers.
 */
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import WebSocket from "ws";
import { startTestApp, type TestApp, type TestUser, waitUntil, waitUntilAfter } from "../support/harness.ts";

let t: TestApp;
/** A channel that stays open: its run waits for a worker, and there is none. */
let path: string;
let run: object;

beforeAll(async () => {
	t = await startTestApp({ inProcess: true });
	const connection = await t.admin.api.post("/api/controller/connections/", {
		name: "Nowhere",
		url: "http://127.0.0.1:9",
		username: "admin",
		password: "x",
	});
	run = {
		flow_data: {
			nodes: [{ id: "a", type: "classNode", position: { x: 0, y: 0 }, data: { className: "fvTenant" } }],
			edges: [],
		},
		controller_connection_id: connection.body.id,
	};
	const job = await t.admin.api.post("/api/queries/pipeline-executions/", run);
	expect(job.status).toBe(201);
	path = `/ws/chain-execution/${job.body.id}/`;
});
afterAll(() => t.close());

const buildAddress = (query: string): string => {
	const bound = t.app.server.server.address();
	return `ws://127.0.0.1:${typeof bound === "object" ? bound?.port : ""}${path}${query}`;
};

/** How the service closes a socket that is opened with these parameters. */
const waitForClose = (query: string): Promise<number> =>
	new Promise((resolve, reject) => {
		const socket = new WebSocket(buildAddress(query));
		socket.on("close", (code) => resolve(code));
		socket.on("error", reject);
	});

const createTicket = async (): Promise<string> => (await t.admin.api.post("/api/ws-ticket/")).body.ticket;

describe("tickets", () => {
	it("open one socket, whatever is tried at the same time", async () => {
		const once = await createTicket();
		const sockets = Array.from({ length: 5 }, () => new WebSocket(buildAddress(`?ticket=${once}`)));
		const codes: number[] = [];
		for (const socket of sockets) socket.on("close", (code) => codes.push(code));
		await waitUntil("all but one are closed", () => codes.length === 4);
		expect(codes).toEqual([4001, 4001, 4001, 4001]);
		for (const socket of sockets) socket.close();
		expect(await waitForClose(`?ticket=${once}`)).toBe(4001);
	});

	it.each(["", "?ticket=", "?ticket=nonsense", "?ticket=a&ticket=b", `?ticket=${"x".repeat(2000)}`, "?ticket=%00"])(
		"that are none (%s) close the socket with 4001",
		async (query) => expect(await waitForClose(query)).toBe(4001),
	);

	it("end after a minute", async () => {
		const old = await createTicket();
		await t.clock.advance(60_001);
		expect(await waitForClose(`?ticket=${old}`)).toBe(4001);
	});
});

/** Opens a socket, and waits until the service has taken its place: then its timers run. */
async function openServed(user: TestUser, at: string) {
	const socket = await user.api.open(at);
	const places = () => t.pool.query("select 1 from open_sockets where user_id = $1", [user.id]);
	await waitUntil("the socket has its place", async () => (await places()).rowCount);
	return socket;
}

describe("an open socket", () => {
	it("gets a keepalive frame every 30 seconds, and an answer to its own ping", async () => {
		const socket = await t.admin.api.open(path);
		socket.send("ping");
		socket.send('{"type":"ping"}');
		socket.send("anything else, which is ignored");
		await waitUntil("both are answered", () => socket.frames.filter(({ type }) => type === "pong").length === 2);
		const keepalives = () => socket.frames.filter(({ type }) => type === "ping");
		// It is answered a little before its keepalive begins.
		await waitUntilAfter(t.clock, 30_000, "three keepalives came", () => keepalives().length >= 3);
		const [first, second, third] = keepalives().map(({ timestamp }) => Date.parse(`${timestamp}`)) as [
			number,
			number,
			number,
		];
		expect([second - first, third - second]).toEqual([30_000, 30_000]);
		for (const frame of socket.frames) {
			expect(frame).toEqual({ type: expect.any(String), timestamp: expect.any(String), data: {} });
		}
		socket.close();
	});

	it("is closed with 4001 when its session has ended", async () => {
		const ada = await t.user("ada", ["Admin"]);
		const socket = await openServed(ada, path);
		await waitUntil("it is open", () => socket.frames.length === 0);
		expect((await ada.api.post("/api/auth/logout/")).status).toBe(204);
		await t.clock.advance(30_000);
		expect((await socket.closed).code).toBe(4001);
	});

	it("is closed with 4003 within ten seconds when its owner lost the right", async () => {
		const ben = await t.user("ben", ["Admin"]);
		const socket = await openServed(ben, path);
		expect((await t.admin.api.patch(`/api/auth/management/${ben.id}/`, { group_ids: [] })).status).toBe(200);
		await t.clock.advance(10_000);
		expect((await socket.closed).code).toBe(4003);
	});

	it("of one's own run is closed with 4003 within ten seconds when the right to see runs is lost", async () => {
		const cleo = await t.user("cleo", ["Admin"]);
		const job = await cleo.api.post("/api/queries/pipeline-executions/", run);
		expect(job.status).toBe(201);
		const socket = await openServed(cleo, `/ws/chain-execution/${job.body.id}/`);
		expect((await t.admin.api.patch(`/api/auth/management/${cleo.id}/`, { group_ids: [] })).status).toBe(200);
		await t.clock.advance(10_000);
		expect((await socket.closed).code).toBe(4003);
	});

	it("of one's own group run is closed with 4003 within ten seconds when that right is lost", async () => {
		const gina = await t.user("gina", ["Admin"]);
		const { flow_data, controller_connection_id } = run as { flow_data: object; controller_connection_id: string };
		const body = { flow_data, connection_ids: [controller_connection_id] };
		const group = await gina.api.post("/api/queries/group-executions/", body);
		expect([group.status, group.body]).toEqual([201, expect.anything()]);
		const socket = await openServed(gina, `/ws/group-execution/${group.body.id}/`);
		expect((await t.admin.api.patch(`/api/auth/management/${gina.id}/`, { group_ids: [] })).status).toBe(200);
		await t.clock.advance(10_000);
		expect((await socket.closed).code).toBe(4003);
	});

	it("is closed with 4004 within ten seconds when its object is gone", async () => {
		const job = await t.admin.api.post("/api/queries/pipeline-executions/", run);
		const socket = await openServed(t.admin, `/ws/chain-execution/${job.body.id}/`);
		await t.pool.query("delete from pipeline_jobs where id = $1", [job.body.id]);
		await t.clock.advance(10_000);
		expect((await socket.closed).code).toBe(4004);
	});

	it("that is no channel is not upgraded", async () => {
		const socket = new WebSocket(buildAddress("").replace("chain-execution", "nothing"));
		const [error] = await new Promise<[Error]>((resolve) => socket.once("error", (reason) => resolve([reason])));
		expect(error.message).toMatch(/404/);
	});

	it("that sends too much, or no frames at all, harms nobody", async () => {
		const socket = await t.admin.api.open(path);
		socket.send("x".repeat(100_000));
		expect((await socket.closed).code).toBe(1009);
		const bound = t.app.server.server.address();
		const raw = connect(typeof bound === "object" ? (bound?.port ?? 0) : 0, "127.0.0.1");
		raw.write(
			`GET ${path}?ticket=x HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: ` +
				`Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
		);
		raw.write(Buffer.alloc(1000, 0xff));
		raw.on("error", () => {});
		raw.resume();
		await new Promise((resolve) => raw.once("close", resolve));
		expect((await t.anonymous.get("/api/health/")).status).toBe(200);
	});
});
