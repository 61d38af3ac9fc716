/**
 * Testing a controller connection and sending requests through it, against the lab's controller and
 * its faults.
 */
import { createServer } from "node:net";
import { Writable } from "node:stream";
import { type FaultSettings, type RunningController, startController } from "@weft/lab";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { warnUnverified } from "../../src/areas/fabrics/driver-log.ts";
import { createControllerDriver } from "../../src/integrations/apic/index.ts";
import type {
	ControllerAnswer,
	ControllerDriver,
	ControllerRequest,
	ControllerTarget,
} from "../../src/integrations/apic/port.ts";
import { type Api, startTestApp, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { findAudit } from "../support/rights.ts";

const PATH = "/api/controller/connections/";
const PLANTED = "planted-Passw0rd-7731";
const UNKNOWN = "01890000-0000-7000-8000-000000000000";

let t: TestApp;
let lab: RunningController;
let ada: TestUser;
let bob: TestUser;
let operator: TestUser;
let log = "";
/** Time limits of requests under way, which fire only by hand. */
const deadlines = new Set<() => void>();
/** Calls of the service to the driver. */
const tested: ControllerTarget[] = [];
const requested: ControllerRequest[] = [];
/** Holds tests back until it resolves. */
let gate: Promise<void> = Promise.resolve();

/** The answer to every request, instead of the controller's. */
let passed: ControllerAnswer | null = null;
beforeAll(async () => {
	const sink = new Writable({
		write(chunk, _encoding, done) {
			log += chunk;
			done();
		},
	});
	const logger = pino({ level: "trace" }, sink);
	lab = await startController({ password: PLANTED, users: [{ name: "reader", password: "another" }] });
	const driver = createControllerDriver({
		clock: { now: () => Date.now() },
		onUnverified: warnUnverified(logger, "a controller"),
		sleep: async (_ms, signal) => signal.throwIfAborted(),
		deadline: (_ms, expired) => {
			deadlines.add(expired);
			return () => deadlines.delete(expired);
		},
	});
	const controllers: ControllerDriver = {
		...driver,
		async test(target, signal) {
			tested.push(target);
			await gate;
			return driver.test(target, signal);
		},
		request(target, request) {
			requested.push(request);
			return passed === null ? driver.request(target, request) : Promise.resolve(passed);
		},
	};
	t = await startTestApp({ deps: { logger, controllers } });
	ada = await t.user("ada", ["Editor"]);
	bob = await t.user("bob");
	operator = await t.user("ops", ["Operator"]);
});
afterAll(async () => {
	await t.close();
	await lab.close();
});
beforeEach(() => {
	lab.reset();
	for (const calls of [tested, requested]) calls.length = 0;
});

let counter = 0;
async function addConnection(
	fields: Record<string, unknown> = {},
	api: Api = ada.api,
): Promise<{ id: string; name: string }> {
	const { status, body } = await api.post(PATH, {
		name: `Fabric ${++counter}`,
		url: lab.url,
		username: "admin",
		password: PLANTED,
		...fields,
	});
	expect(status).toBe(201);
	return body;
}
const testConnection = (id: string, api: Api = ada.api) => api.post(`${PATH}${id}/test/`);
const executeQuery = (connection_id: unknown, fields: Record<string, unknown> = {}, api: Api = ada.api) =>
	api.post(`${PATH}execute_query/`, { connection_id, query_path: "/api/class/fvTenant.json", ...fields });
const getDetail = async (id: string) => (await t.admin.api.get(`${PATH}${id}/`)).body;

async function expireDeadlines(): Promise<void> {
	await waitUntil("the controller is asked", () => deadlines.size > 0);
	for (const expired of deadlines) expired();
}

async function closedPort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as { port: number };
	await new Promise((resolve) => server.close(resolve));
	return port;
}

describe("test", () => {
	it("signs in, tells the version and records the success", async () => {
		const { id } = await addConnection();
		const { status, body } = await testConnection(id);
		expect(status).toBe(200);
		expect(body).toEqual({
			success: true,
			message: expect.stringContaining("6.0(9c)"),
			latency_ms: expect.any(Number),
			controller_version: "6.0(9c)",
			fabric_id: "weft-fabric/FDO20000001",
			members: [
				{
					url: lab.url,
					name: "apic1",
					node_id: 1,
					address: "192.168.10.11",
					answered: true,
					state: "ok",
					health: "fully-fit",
					version: "6.0(9c)",
				},
				expect.objectContaining({ url: null, name: "apic2", node_id: 2, answered: false, state: "unknown" }),
				expect.objectContaining({ url: null, name: "apic3", node_id: 3, answered: false, state: "unknown" }),
			],
			suggested_urls: ["192.168.10.12", "192.168.10.13"].map((host) => lab.url.replace("127.0.0.1", host)),
		});
		expect(await getDetail(id)).toMatchObject({
			last_tested_at: new Date(t.clock.now()).toISOString(),
			last_test_status: true,
			last_test_message: body.message,
		});
	});

	it("tells each failure in words of its own, and records it", async () => {
		const text = `FAILED local authentication of ${PLANTED}`;
		const faults: [reason: string, fields: Record<string, unknown>, fault: FaultSettings][] = [
			["refused", { url: `http://127.0.0.1:${await closedPort()}` }, {}],
			["dns", { url: "https://controller.invalid" }, {}],
			["tls", { url: lab.url.replace("http:", "https:") }, {}],
			["timeout", {}, { hang: true }],
			["reset", {}, { reset: true }],
			["credentials", {}, { login_refused: { text } }],
			["credentials", { password: "wrong" }, {}],
			["not_a_controller", {}, { html_error: { status: 200 } }],
			["reset", {}, { truncated_body: true }],
			["throttled", {}, { login_throttled: true }],
			["server", {}, { html_error: { status: 500 } }],
		];
		const messages = new Map<string, string>();
		for (const [reason, fields, fault] of faults) {
			lab.clearFaults();
			lab.setFaults(fault);
			const { id } = await addConnection(fields);
			const [{ status, body }] = await Promise.all([
				testConnection(id),
				...(reason === "timeout" ? [expireDeadlines()] : []),
			]);
			expect([reason, status, body]).toEqual([reason, 400, { success: false, message: expect.any(String), reason }]);
			expect(await getDetail(id)).toMatchObject({ last_test_status: false, last_test_message: body.message });
			messages.set(body.reason, body.message);
		}
		expect(new Set(messages.values()).size).toBe(messages.size);
		expect(messages.size).toBe(new Set(faults.map(([reason]) => reason)).size);
		expect([...messages.values()].join()).not.toContain(PLANTED);
	});

	it("is for the owner and administrators, also of an inactive connection", async () => {
		const { id } = await addConnection({ is_public: true, is_active: false });
		expect((await testConnection(id, bob.api)).status).toBe(403);
		expect(tested).toHaveLength(0);
		expect((await getDetail(id)).last_tested_at).toBeNull();
		expect((await testConnection(id, t.admin.api)).status).toBe(200);
		expect((await testConnection(UNKNOWN)).status).toBe(404);
		expect((await testConnection("nonsense")).status).toBe(404);
	});

	it("of two at once both answer, and one of them is the recorded one", async () => {
		const { id } = await addConnection();
		lab.setFaults({ login_refused: { count: 1 } });
		const answers = await Promise.all([testConnection(id), testConnection(id)]);
		expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
		const { last_test_message } = await getDetail(id);
		expect(answers.map(({ body }) => body.message)).toContain(last_test_message);
	});

	/** Runs a test and, while it is under way, something else. */
	async function testMeanwhile(id: string, meanwhile: () => Promise<unknown>) {
		tested.length = 0;
		let release = () => {};
		gate = new Promise<void>((resolve) => {
			release = resolve;
		});
		const pending = testConnection(id);
		await waitUntil("the test is under way", () => tested.length > 0);
		await meanwhile();
		release();
		return pending;
	}

	it("does not record what was changed in the meantime, but keeps what a change left alone", async () => {
		const { id } = await addConnection();
		expect((await testMeanwhile(id, () => ada.api.patch(`${PATH}${id}/`, { username: "other" }))).status).toBe(200);
		expect(tested[0]?.username).toBe("admin");
		expect(await getDetail(id)).toMatchObject({ username: "other", last_tested_at: null, last_test_status: null });
		await ada.api.patch(`${PATH}${id}/`, { username: "admin" });
		expect((await testMeanwhile(id, () => ada.api.patch(`${PATH}${id}/`, { description: "new" }))).status).toBe(200);
		expect(await getDetail(id)).toMatchObject({ description: "new", last_test_status: true });
	});

	it("answers 404 for a connection that was deleted in the meantime", async () => {
		const { id } = await addConnection();
		expect((await testMeanwhile(id, () => ada.api.del(`${PATH}${id}/`))).status).toBe(404);
	});

	it("and queries say so when the stored password belongs to another row or key", async () => {
		const [{ id }, other] = [await addConnection(), await addConnection()];
		await t.pool.query(
			`update controller_connections set password_sealed =
				(select password_sealed from controller_connections where id = $2) where id = $1`,
			[id, other.id],
		);
		const { status, body } = await testConnection(id);
		expect([status, body.reason]).toEqual([400, "password_unreadable"]);
		expect((await executeQuery(id)).body).toEqual({ connection_id: [body.message] });
		expect([...tested, ...requested]).toEqual([]);
	});
});

describe("execute_query", () => {
	it("answers what the controller answered, on one session for many requests", async () => {
		const { id, name } = await addConnection();
		const ask = () => executeQuery(id, { query_path: "/api/class/fvTenant.json?order-by=fvTenant.name|desc" });
		const { status, body } = await ask();
		expect(status).toBe(200);
		expect(body).toEqual({
			success: true,
			data: { totalCount: expect.any(String), imdata: expect.any(Array) },
			status_code: 200,
			execution_time_ms: expect.any(Number),
			connection: { id, name },
		});
		const names = body.data.imdata.map(
			(row: { fvTenant: { attributes: { name: string } } }) => row.fvTenant.attributes.name,
		);
		expect(names.length).toBe(Number(body.data.totalCount));
		expect(names).toEqual([...names].sort().reverse());
		await Promise.all([ask(), ask()]);
		expect(lab.stats().logins).toBe(1);
		expect((await findAudit(t, id)).map(({ action }) => action)).toEqual(["connection_create"]);
	});

	it("passes JSON on byte by byte, without parsing it", async () => {
		const { id, name } = await addConnection();
		const json = Buffer.from('{"totalCount":"1", "imdata":[{"x":{"attributes":{"n":12345678901234567890}}}]}');
		passed = {
			status: 200,
			json,
			text: null,
			get data(): unknown {
				throw new Error("the answer was parsed");
			},
			timings: { loginMs: 0, controllerMs: 0, localMs: 0, requests: 1, bytes: json.length },
		};
		const { status, text, body } = await executeQuery(id);
		passed = null;
		expect(status).toBe(200);
		expect(text).toContain(`"data":${json},"status_code":200,`);
		expect(body).toMatchObject({ success: true, connection: { id, name } });
	});

	it("uses public connections of others, and private ones of nobody else", async () => {
		const [own, shared] = [await addConnection(), await addConnection({ is_public: true })];
		expect((await executeQuery(shared.id, {}, bob.api)).status).toBe(200);
		expect((await executeQuery(own.id, {}, t.admin.api)).status).toBe(200);
		for (const id of [own.id, UNKNOWN]) {
			const { status, body } = await executeQuery(id, {}, bob.api);
			expect([status, body]).toEqual([404, { detail: "Not found." }]);
		}
		expect((await t.anonymous.post(`${PATH}execute_query/`, {})).status).toBe(401);
	});

	it("refuses an inactive connection, and starts over when it is active again", async () => {
		const { id } = await addConnection({ is_active: false });
		const { status, body } = await executeQuery(id);
		expect([status, body]).toEqual([400, { connection_id: [expect.stringContaining("not active")] }]);
		expect(requested).toEqual([]);
		await ada.api.patch(`${PATH}${id}/`, { is_active: true });
		expect((await executeQuery(id)).status).toBe(200);
	});

	it("signs in anew when the credentials change, and only then", async () => {
		const { id } = await addConnection();
		const change = async (fields: Record<string, unknown>) => {
			expect((await ada.api.patch(`${PATH}${id}/`, fields)).status).toBe(200);
			const { status, body } = await executeQuery(id);
			return [status, lab.stats().logins, body.detail ?? ""];
		};
		expect((await executeQuery(id)).status).toBe(200);
		expect(await change({ name: `Renamed ${id}`, timeout: 30, url: `${lab.url}/` })).toEqual([200, 1, ""]);
		expect(await change({ username: "reader" })).toEqual([502, 2, expect.stringContaining("password")]);
		expect(await change({ password: "another" })).toEqual([200, 3, ""]);
		expect(await change({ timeout: 60 })).toEqual([200, 4, ""]);
	});

	it.each<[Record<string, unknown>, string]>([
		[{ connection_id: undefined }, "connection_id"],
		[{ connection_id: "nonsense" }, "connection_id"],
		[{ connection_id: 7 }, "connection_id"],
		[{ query_path: undefined }, "query_path"],
		[{ query_path: 7 }, "query_path"],
		[{ query_path: "" }, "query_path"],
		[{ query_path: "class/fvBD.json" }, "query_path"],
		[{ query_path: "http://169.254.169.254/api/" }, "query_path"],
		[{ query_path: "//evil.example/api/" }, "query_path"],
		[{ query_path: "/api/../x" }, "query_path"],
		[{ query_path: "/api/%2e%2e/x" }, "query_path"],
		[{ query_path: "/api/%252e%252e/x" }, "query_path"],
		[{ query_path: "/api/a\\b" }, "query_path"],
		[{ query_path: "/api/a#b" }, "query_path"],
		[{ query_path: "/api/a\r\nCookie: x" }, "query_path"],
		[{ query_path: "/api/a\0" }, "query_path"],
		[{ query_path: "/api/aaaLogin.json", method: "POST" }, "query_path"],
		[{ query_path: "/api/aaaRefresh.json" }, "query_path"],
		[{ query_path: "/api/aaaLogout.json", method: "POST" }, "query_path"],
		[{ method: "PATCH" }, "method"],
		[{ method: "get" }, "method"],
		[{ method: "GET / HTTP/1.1\r\n" }, "method"],
		[{ method: null }, "method"],
	])("refuses %j under %s and sends nothing", async (fields, key) => {
		const { id } = await addConnection();
		const { status, body } = await executeQuery(id, fields, t.admin.api);
		expect(status).toBe(400);
		expect(Object.keys(body)).toEqual([key]);
		expect(requested).toEqual([]);
	});

	it.each(["x".repeat(8200), `class/fvBD.json?x=${"é".repeat(4000)}`])(
		"refuses a path that is too long",
		async (rest) => {
			const { status, body } = await executeQuery((await addConnection()).id, { query_path: `/api/${rest}` });
			expect([status, body]).toEqual([400, { query_path: [expect.any(String)] }]);
			expect(lab.stats().requests).toBe(0);
		},
	);

	it("needs the plus permission for anything but GET", async () => {
		const { id } = await addConnection({ is_public: true });
		for (const method of ["POST", "PUT", "DELETE"]) {
			const { status, body } = await executeQuery(id, { method, data: {} });
			expect([status, body.detail]).toEqual([403, expect.stringContaining("write_controllerconnection")]);
		}
		expect(requested).toEqual([]);
		const data = { fvTenant: { attributes: { name: "new", descr: PLANTED } } };
		const path = "/api/mo/uni.json?rsp-subtree=modified";
		expect((await executeQuery(id, { method: "POST", query_path: path, data }, operator.api)).status).toBe(200);
		const { body } = await executeQuery(id, { query_path: "/api/mo/uni/tn-new.json" });
		expect(body.data.imdata[0].fvTenant.attributes).toMatchObject({ name: "new", descr: PLANTED });
		const entries = (await findAudit(t, id)).slice(1);
		expect(entries.map(({ action, user_id, metadata }) => [action, user_id, metadata])).toEqual([
			["controller_write", operator.id, { method: "POST", path: "/api/mo/uni.json", phase: "sent" }],
			["controller_write", operator.id, { method: "POST", path: "/api/mo/uni.json", phase: "answered", status: 200 }],
		]);
		expect(JSON.stringify(entries)).not.toContain(PLANTED);
	});

	it("sends data with POST and PUT only, and text as it is", async () => {
		const { id } = await addConnection();
		const sent = async (method: string, data: unknown) => {
			await executeQuery(id, { method, data, query_path: "/api/mo/uni/tn-x.json" }, t.admin.api);
			return requested.at(-1)?.body;
		};
		expect(await sent("POST", "<fvTenant/>")).toBe("<fvTenant/>");
		expect(await sent("PUT", { a: [1] })).toEqual({ a: [1] });
		expect(await sent("POST", null)).toBeUndefined();
		expect(await sent("DELETE", { a: 1 })).toBeUndefined();
		expect(await sent("GET", { a: 1 })).toBeUndefined();
	});

	it("answers a controller's failure as 502 or 504, and a write's is on record", async () => {
		const text = "Prop 'cod' not found in class 'faultInst' property table";
		const match = "fvTenant";
		const error = (status: number, code: number, words: string) => ({ error: { match, status, code, text: words } });
		const faults: [status: number, upstream: number | null, words: string, fault: FaultSettings][] = [
			[502, 400, text, error(400, 121, text)],
			[502, 200, text, { error_with_200: { match, code: 121, text } }],
			[502, 403, "Access restricted", error(403, 403, "Access restricted")],
			[502, 500, "failed", { html_error: { match, status: 500 } }],
			[502, 503, "throttling", { html_error: { match, status: 503 } }],
			[502, 404, "no controller API", { html_error: { match, status: 404 } }],
			[502, 200, "web page", { html_error: { match, status: 200 } }],
			[502, null, "dropped", { reset: { match } }],
			[504, null, "within", { hang: { match } }],
			[504, 503, "Resolve timeout", { resolve_timeout: { match } }],
			[502, 401, "refused the username or password", { login_refused: true }],
		];
		for (const [status, upstream, words, fault] of faults) {
			lab.clearFaults();
			lab.setFaults(fault);
			const { id } = await addConnection();
			const [got] = await Promise.all([executeQuery(id), ...(fault.hang ? [expireDeadlines()] : [])]);
			expect([words, got.status, got.body]).toEqual([
				words,
				status,
				{
					success: false,
					detail: expect.stringContaining(words),
					upstream_status: upstream,
					request_id: got.headers["x-request-id"],
				},
			]);
		}
		lab.clearFaults();
		const { id } = await addConnection();
		lab.setFaults({ error: { match: "tn-x", status: 400, code: 102, text: "configured object not found" } });
		expect(
			(await executeQuery(id, { method: "DELETE", query_path: "/api/mo/uni/tn-x.json" }, t.admin.api)).status,
		).toBe(502);
		expect((await findAudit(t, id)).slice(1).map(({ metadata }) => metadata)).toEqual([
			{ method: "DELETE", path: "/api/mo/uni/tn-x.json", phase: "sent" },
			{ method: "DELETE", path: "/api/mo/uni/tn-x.json", phase: "failed", reason: "rejected", status: 400 },
		]);
	});

	it("logs a warning on each use of an unverified connection, without its credentials", async () => {
		const { id } = await addConnection({ verify_ssl: false });
		const warnings = () => log.split("\n").filter((line) => line.includes("not validated") && line.includes(id));
		await executeQuery(id);
		await executeQuery(id);
		await testConnection(id);
		expect(warnings()).toHaveLength(3);
		expect(JSON.parse(warnings()[0] ?? "")).toMatchObject({ level: 40, connectionId: id });
		const verified = await addConnection();
		await executeQuery(verified.id);
		expect(log.split("\n").filter((line) => line.includes("not validated") && line.includes(verified.id))).toEqual([]);
	});

	it("never shows the password, not even when the controller repeats it", async () => {
		lab.setFaults({ error: { match: "fvTenant", status: 400, code: 1, text: `the password ${PLANTED} of your own` } });
		const { text } = await executeQuery((await addConnection()).id);
		expect(text).not.toContain(PLANTED);
		const { rows } = await t.pool.query(
			"select to_jsonb(c)::text as text from controller_connections c union all select to_jsonb(a)::text from audit_log a",
		);
		expect(rows.filter((row) => row.text.includes(PLANTED))).toEqual([]);
		expect(log).not.toContain(PLANTED);
	});
});
