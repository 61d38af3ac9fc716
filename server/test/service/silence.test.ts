/**
 * A store, a cache or a directory that stands still without refusing: callers do not wait for long,
 * and all goes on by itself when it answers again.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startController } from "@weft/lab";
import { pino } from "pino";
import { expect, inject, it } from "vitest";
import { createLdapDirectory } from "../../src/integrations/ldap/ldap.ts";
import { createRedisCache, createRedisPubSub } from "../../src/storage/redis/redis.ts";
import { addConnection, RUNS, waitForRun } from "../support/canvases.ts";
import { freePort } from "../support/free-port.ts";
import { startTestApp, waitUntil } from "../support/harness.ts";
import { createEagerDriver } from "../support/runs.ts";
import { startSilentProxy } from "../support/silent-proxy.ts";
import { addPort, storeAddress } from "../support/store-address.ts";

const REDIS = ["/usr/bin/redis-server", "/usr/bin/valkey-server"].find((path) => existsSync(path));
const FLOW = {
	nodes: [{ id: "a", type: "classNode", position: { x: 0, y: 0 }, data: { className: "fvTenant" } }],
	edges: [],
};

it("answers 503 with Retry-After while the store stands still, and goes on when it answers", async () => {
	const proxy = await startSilentProxy(storeAddress());
	const lab = await startController({ size: "small" });
	const t = await startTestApp({
		work: true,
		through: (connection) => addPort(connection, proxy.port),
		deps: { controllers: createEagerDriver() },
	});
	try {
		const ada = await t.user("ada", ["Editor"]);
		const controller_connection_id = await addConnection(ada.api, lab, {});
		proxy.silence();
		const asked = [
			t.anonymous.get("/api/health/"),
			t.anonymous.post("/api/auth/login/", { username: "root", password: "wrong" }),
			// More than the store has connections.
			...Array.from({ length: 20 }, () => ada.api.get("/api/auth/profile/")),
			ada.api.post(RUNS, { flow_data: FLOW, controller_connection_id }),
		];
		for (const answer of await Promise.all(asked)) {
			expect(answer.status, answer.text).toBe(503);
			expect(answer.headers["retry-after"]).toBe("5");
		}
		// The old connections never answer again, as after a firewall that lost its state.
		proxy.abandon();
		await waitUntil("it is healthy", async () => (await t.anonymous.get("/api/health/")).status === 200);
		const started = await ada.api.post(RUNS, { flow_data: FLOW, controller_connection_id });
		expect(started.status, started.text).toBe(201);
		expect(await waitForRun(ada.api, started.body.id)).toMatchObject({ status: "completed" });
	} finally {
		await proxy.close();
		await t.close();
		await lab.close();
	}
});

/** A store elsewhere has processes that cannot be stopped from here. */
it.skipIf(inject("connection").connectionString !== undefined)(
	"answers 503 in time while a single backend of the store stands still",
	async () => {
		const t = await startTestApp({ poolSize: 1 });
		const ada = await t.user("ada");
		expect((await ada.api.get("/api/auth/profile/")).status).toBe(200);
		const { rows } = await t.pool.query(
			"select pid from pg_stat_activity where datname = current_database() and application_name = 'weft' and pid <> pg_backend_pid()",
		);
		// Those of the test's own pool are among them; the service has one.
		for (const { pid } of rows) process.kill(pid, "SIGSTOP");
		try {
			const answer = await ada.api.get("/api/auth/profile/");
			expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "5"]);
			expect((await ada.api.get("/api/auth/profile/")).status).toBe(200);
		} finally {
			for (const { pid } of rows) process.kill(pid, "SIGCONT");
			await t.close();
		}
	},
	// Longer than the limit of 10 s, and shorter than that of a statement at a store which answers.
	40_000,
);

it.skipIf(REDIS === undefined)("notices a Redis that stands still, also where it only listens", async () => {
	const folder = await mkdtemp(join(tmpdir(), "weft-redis-"));
	const port = await freePort();
	const redis = spawn(REDIS ?? "", ["--port", String(port), "--bind", "127.0.0.1", "--save", ""], {
		stdio: "ignore",
		cwd: folder,
	});
	const proxy = await startSilentProxy({ host: "127.0.0.1", port });
	const log = pino({ level: "silent" });
	const direct = await createRedisPubSub(`redis://127.0.0.1:${port}`, log);
	const cache = await createRedisCache(`redis://127.0.0.1:${proxy.port}`, log);
	const hub = await createRedisPubSub(`redis://127.0.0.1:${proxy.port}`, log);
	try {
		const heard: string[] = [];
		await hub.subscribe("topic", (message) => heard.push(message));
		const reaches = (message: string) => async () => {
			await direct.publish("topic", message).catch(() => {});
			return heard.includes(message);
		};
		await waitUntil("it listens", reaches("before"));
		await waitUntil("it counts", () => cache.increment("key", 60_000).catch(() => null));
		proxy.silence();
		await expect(cache.increment("key", 60_000)).rejects.toThrow();
		await expect(hub.publish("topic", "lost")).rejects.toThrow();
		proxy.abandon();
		await waitUntil("it counts again", () => cache.increment("key", 60_000).catch(() => null));
		await waitUntil("it listens again", reaches("after"), 60_000);
	} finally {
		await Promise.all([cache.close(), hub.close(), direct.close()]);
		await proxy.close();
		redis.kill("SIGKILL");
		await rm(folder, { recursive: true, force: true });
	}
});

it("gives up a directory that stands still in the middle of the TLS handshake", async () => {
	// The answer to StartTLS (RFC 4511, section 4.14), success, with the id of the question.
	const accepted = (id = 0) => Buffer.from([0x30, 12, 2, 1, id, 0x78, 7, 0x0a, 1, 0, 4, 0, 4, 0]);
	const silent = createServer((socket) => {
		socket.once("data", (question) => socket.write(accepted(question[4])));
		socket.on("error", () => {});
	});
	const port = await freePort();
	await new Promise<void>((resolve) => silent.listen(port, "127.0.0.1", resolve));
	const directory = createLdapDirectory(
		{
			uri: `ldap://127.0.0.1:${port}`,
			startTls: true,
			ca: null,
			bind: null,
			userBase: "dc=example",
			userFilter: "(uid={username})",
			groupBase: null,
			groupFilter: "(member={dn})",
			attributes: { username: "uid", email: "mail", first_name: "givenName", last_name: "sn" },
		},
		pino({ level: "silent" }),
	);
	await expect(directory.authenticate("ada", "secret")).rejects.toThrow("could not be asked");
	await new Promise((resolve) => silent.close(resolve));
});
