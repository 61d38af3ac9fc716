/** A stop waits for the requests that are under way, and for nothing else. */
import { Agent, request } from "node:http";
import { expect, it } from "vitest";
import { createPasswords } from "../../src/core/system/argon2.ts";
import { startTestApp, waitUntil } from "../support/harness.ts";

// Far below the time for which an idle connection is kept alive.
it("ends with the last request, whose connection would be kept alive", { timeout: 40_000 }, async () => {
	const passwords = createPasswords({ memoryCost: 64, timeCost: 1 });
	let release = () => {};
	let verifying = () => {};
	const released = new Promise<void>((resolve) => {
		release = resolve;
	});
	const begun = new Promise<void>((resolve) => {
		verifying = resolve;
	});
	const t = await startTestApp({
		deps: {
			passwords: {
				...passwords,
				async verify(...args) {
					verifying();
					await released;
					return passwords.verify(...args);
				},
			},
		},
	});
	const address = t.app.server.server.address();
	const port = typeof address === "object" ? address?.port : undefined;
	const agent = new Agent({ keepAlive: true });
	const status = new Promise((resolve, reject) => {
		const sent = request({
			agent,
			port,
			host: "127.0.0.1",
			method: "POST",
			path: "/api/auth/login/",
			headers: { "content-type": "application/json" },
		});
		sent.on("error", reject);
		sent.on("response", (response) => response.resume().on("end", () => resolve(response.statusCode)));
		sent.end(JSON.stringify({ username: "root", password: "wrong" }));
	});
	await begun;
	const closed = t.app.close();
	release();
	expect(await status).toBe(401);
	await closed;
	agent.destroy();
	await t.close();
});

it("ends after the background work that runs, so that its store is still open", async () => {
	const t = await startTestApp();
	// The work that removes old audit entries waits for this lock.
	const held = await t.pool.connect();
	await held.query("begin");
	await held.query("lock table audit_log in access exclusive mode");
	await t.app.work();
	const waiting =
		"select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%audit_log%'";
	await waitUntil("the audit log's work waits", async () => (await t.pool.query(waiting)).rowCount);
	let ended = false;
	const closed = t.app.close().then(() => {
		ended = true;
	});
	await t.anonymous.get("/api/health/").catch(() => {});
	const endedBefore = ended;
	await held.query("commit");
	held.release();
	await closed;
	expect(endedBefore).toBe(false);
	expect((await t.pool.query(waiting)).rowCount).toBe(0);
	await t.close();
});
