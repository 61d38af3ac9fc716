/** Requests through a controller connection, against the lab's controller and its faults. */

import type { FaultSettings, RunningController } from "@weft/lab";
import { beforeAll, describe, expect, it } from "vitest";
import { CONNECTIONS, PLANTED, UNKNOWN } from "../support/connection-bodies.ts";
import { useConnections } from "../support/connection-use.ts";
import type { TestApp, TestUser } from "../support/harness.ts";
import { findAudit } from "../support/rights.ts";

const use = useConnections();
const { requested, addConnection, testConnection, executeQuery, expireDeadlines } = use;
let t: TestApp;
let lab: RunningController;
let ada: TestUser;
let bob: TestUser;
let operator: TestUser;
beforeAll(() => {
	({ t, lab, ada, bob, operator } = use);
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
		use.passed = {
			status: 200,
			json,
			text: null,
			get data(): unknown {
				throw new Error("the answer was parsed");
			},
			timings: { loginMs: 0, controllerMs: 0, localMs: 0, requests: 1, bytes: json.length },
		};
		const { status, text, body } = await executeQuery(id);
		use.passed = null;
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
		expect((await t.anonymous.post(`${CONNECTIONS}execute_query/`, {})).status).toBe(401);
	});

	it("refuses an inactive connection, and starts over when it is active again", async () => {
		const { id } = await addConnection({ is_active: false });
		const { status, body } = await executeQuery(id);
		expect([status, body]).toEqual([400, { connection_id: [expect.stringContaining("not active")] }]);
		expect(requested).toEqual([]);
		await ada.api.patch(`${CONNECTIONS}${id}/`, { is_active: true });
		expect((await executeQuery(id)).status).toBe(200);
	});

	it("signs in anew when the credentials change, and only then", async () => {
		const { id } = await addConnection();
		const change = async (fields: Record<string, unknown>) => {
			expect((await ada.api.patch(`${CONNECTIONS}${id}/`, fields)).status).toBe(200);
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
		const warnings = () => use.log.split("\n").filter((line) => line.includes("not validated") && line.includes(id));
		await executeQuery(id);
		await executeQuery(id);
		await testConnection(id);
		expect(warnings()).toHaveLength(3);
		expect(JSON.parse(warnings()[0] ?? "")).toMatchObject({ level: 40, connectionId: id });
		const verified = await addConnection();
		await executeQuery(verified.id);
		expect(use.log.split("\n").filter((line) => line.includes("not validated") && line.includes(verified.id))).toEqual(
			[],
		);
	});

	it("never shows the password, not even when the controller repeats it", async () => {
		lab.setFaults({ error: { match: "fvTenant", status: 400, code: 1, text: `the password ${PLANTED} of your own` } });
		const { text } = await executeQuery((await addConnection()).id);
		expect(text).not.toContain(PLANTED);
		const { rows } = await t.pool.query(
			"select to_jsonb(c)::text as text from controller_connections c union all select to_jsonb(a)::text from audit_log a",
		);
		expect(rows.filter((row) => row.text.includes(PLANTED))).toEqual([]);
		expect(use.log).not.toContain(PLANTED);
	});
});
