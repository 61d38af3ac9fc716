/** Testing a controller connection, against the lab's controller and its faults. */
import { createServer } from "node:net";
import type { FaultSettings, RunningController } from "@weft/lab";
import { beforeAll, describe, expect, it } from "vitest";
import { CONNECTIONS, PLANTED, UNKNOWN } from "../support/connection-bodies.ts";
import { useConnections } from "../support/connection-use.ts";
import { type TestApp, type TestUser, waitUntil } from "../support/harness.ts";

const use = useConnections();
const { tested, requested, addConnection, testConnection, executeQuery, getDetail, expireDeadlines } = use;
let t: TestApp;
let lab: RunningController;
let ada: TestUser;
let bob: TestUser;
beforeAll(() => {
	({ t, lab, ada, bob } = use);
});

/** A port at which nothing listens. */
async function findClosedPort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as { port: number };
	await new Promise((resolve) => server.close(resolve));
	return port;
}

describe("a test of a connection", () => {
	it("signs in, reports the version and records the success", async () => {
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

	it("reports each failure in words of its own, and records it", async () => {
		const text = `FAILED local authentication of ${PLANTED}`;
		const faults: [reason: string, fields: Record<string, unknown>, fault: FaultSettings][] = [
			["refused", { url: `http://127.0.0.1:${await findClosedPort()}` }, {}],
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

	it("is answered for each of two at once, and one of them is recorded", async () => {
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
		use.gate = new Promise<void>((resolve) => {
			release = resolve;
		});
		const pending = testConnection(id);
		await waitUntil("the test is under way", () => tested.length > 0);
		await meanwhile();
		release();
		return pending;
	}

	it("records nothing of a login that was changed in the meantime, and keeps the record after other changes", async () => {
		const { id } = await addConnection();
		expect((await testMeanwhile(id, () => ada.api.patch(`${CONNECTIONS}${id}/`, { username: "other" }))).status).toBe(
			200,
		);
		expect(tested[0]?.username).toBe("admin");
		expect(await getDetail(id)).toMatchObject({ username: "other", last_tested_at: null, last_test_status: null });
		await ada.api.patch(`${CONNECTIONS}${id}/`, { username: "admin" });
		expect((await testMeanwhile(id, () => ada.api.patch(`${CONNECTIONS}${id}/`, { description: "new" }))).status).toBe(
			200,
		);
		expect(await getDetail(id)).toMatchObject({ description: "new", last_test_status: true });
	});

	it("answers 404 for a connection that was deleted in the meantime", async () => {
		const { id } = await addConnection();
		expect((await testMeanwhile(id, () => ada.api.del(`${CONNECTIONS}${id}/`))).status).toBe(404);
	});

	it("fails with the reason, as queries do, if the stored password belongs to another row or key", async () => {
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
