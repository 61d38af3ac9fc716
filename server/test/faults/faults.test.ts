/**
 * Processes killed at random moments under load of every kind, the store and the cache restarted, the controller failing now
 * and then; and afterwards the proof that nothing acknowledged is lost, nothing ran twice and nothing is stuck. Short by
 * default; `WEFT_FAULT_MINUTES` makes it longer, `WEFT_FAULT_SEED` draws other moments.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FaultSettings, type RunningController, startController } from "@weft/lab";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { serverPid } from "../../src/adapters/embedded-postgres/harness.ts";
import {
	attachEmbeddedPostgres,
	type EmbeddedPostgres,
	startEmbeddedPostgres,
} from "../../src/adapters/embedded-postgres/index.ts";
import { TEST_PASSWORD, until } from "../harness.ts";
import { freePort, type RunningProcess, run } from "../process.ts";
import { createCaller, createLoad, prepare } from "./load.ts";

const MINUTES = Number(process.env.WEFT_FAULT_MINUTES ?? 0.5);
const SEED = Number(process.env.WEFT_FAULT_SEED ?? 7);
const REDIS = ["/usr/bin/redis-server", "/usr/bin/valkey-server"].find((path) => existsSync(path));
const CONTROLLER_FAULTS: FaultSettings[] = [
	{ hang: { rate: 0.3 } },
	{ reset: { rate: 0.3 } },
	{ html_error: { rate: 0.3 } },
	{ token_expired: { rate: 0.1 } },
	{ busy: { rate: 0.3 } },
	{ latency: { ms: 400 } },
];

interface Node {
	readonly roles: string;
	readonly port: number;
	process: RunningProcess;
}

let folder: string;
let lab: RunningController;
let store: EmbeddedPostgres;
let redis: { port: number; child: ChildProcess } | null = null;
let pool: pg.Pool;
const nodes: Node[] = [];

const storeFolder = () => join(folder, "store");

async function startRedis(port: number): Promise<ChildProcess | null> {
	if (REDIS === undefined) return null;
	const options = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
	return spawn(REDIS, options, { stdio: "ignore", cwd: folder });
}

async function startNode(roles: string, port: number): Promise<Node> {
	const { host, port: storePort, user, database } = store.connection;
	const address = `postgres://${user}@localhost:${storePort}/${database}?host=${encodeURIComponent(host)}`;
	const process = run("main", join(folder, "unused"), {
		...{ WEFT_ROLES: roles, WEFT_PORT: String(port), WEFT_THROTTLE: "off", WEFT_DATABASE_POOL: "6" },
		...{ WEFT_DATABASE_URL: address, WEFT_SECRET_KEY: "a key that only fault tests use" },
		...{ WEFT_ADMIN_PASSWORD: TEST_PASSWORD, WEFT_LOG_LEVEL: "error" },
		...(redis === null ? {} : { WEFT_REDIS_URL: `redis://127.0.0.1:${redis.port}` }),
	});
	return { roles, port, process };
}

const ready = (node: Node) =>
	until(`a ${node.roles} node is ready`, () => node.process.output.stdout.includes("ready"), 60_000);

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "weft-faults-"));
	lab = await startController({ size: "small" });
	store = await startEmbeddedPostgres({ dataDir: storeFolder(), log: () => {} });
	const port = await freePort();
	const child = await startRedis(port);
	redis = child && { port, child };
	if (redis === null) process.stderr.write("fault tests without Redis: redis-server is not installed\n");
	for (const roles of ["web", "web", "worker", "worker"]) {
		const node = await startNode(roles, roles === "web" ? await freePort() : 0);
		nodes.push(node);
		await ready(node);
	}
	pool = new pg.Pool({ ...store.connection, ssl: false, max: 2 });
	pool.on("error", () => {});
}, 120_000);

afterAll(async () => {
	for (const { process } of nodes) {
		process.child.kill("SIGKILL");
		await process.ended;
	}
	redis?.child.kill("SIGKILL");
	await pool?.end();
	await store?.stop();
	await lab?.close();
	await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}, 60_000);

async function again(node: Node): Promise<void> {
	node.process = (await startNode(node.roles, node.port)).process;
	await ready(node);
}

/** What dies; each ends with everything running again. */
const faults: Record<string, (random: () => number) => Promise<void>> = {
	async "a process killed"(random) {
		const node = nodes[Math.floor(random() * nodes.length)] as Node;
		node.process.child.kill("SIGKILL");
		await node.process.ended;
		await again(node);
	},
	async "a process stopped"(random) {
		const node = nodes[Math.floor(random() * nodes.length)] as Node;
		node.process.child.kill("SIGTERM");
		await node.process.ended;
		await again(node);
	},
	async "the store killed"() {
		const pid = await serverPid(storeFolder());
		if (pid === undefined) throw new Error("The store does not run.");
		process.kill(pid, "SIGKILL");
		await until("the store has ended", async () => (await serverPid(storeFolder())) === undefined);
		store = await attachEmbeddedPostgres({ dataDir: storeFolder(), log: () => {} });
	},
	async "the cache emptied and restarted"() {
		if (redis === null) return;
		const gone = new Promise((resolve) => redis?.child.once("exit", resolve));
		redis.child.kill("SIGKILL");
		await gone;
		redis = { port: redis.port, child: (await startRedis(redis.port)) as ChildProcess };
	},
	async "the controller failing"(random) {
		lab.setFaults(CONTROLLER_FAULTS[Math.floor(random() * CONTROLLER_FAULTS.length)] as FaultSettings);
		await new Promise((resolve) => setTimeout(resolve, 1_500));
		lab.clearFaults();
	},
};

it("loses nothing, does nothing twice and leaves nothing stuck", { timeout: (MINUTES + 5) * 60_000 }, async () => {
	const caller = createCaller(() =>
		nodes.filter(({ roles }) => roles === "web").map(({ port }) => `http://127.0.0.1:${port}`),
	);
	const load = createLoad(caller, pool, await prepare(caller, lab));
	const done: Record<string, number> = {};
	const kinds = Object.keys(faults);
	const moments = fc.sample(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), {
		numRuns: 20_000,
		seed: SEED,
	});
	let at = 0;
	const random = () => moments[at++ % moments.length] as number;
	const end = Date.now() + MINUTES * 60_000;
	// Each kind at least once, however short the run is.
	for (let n = 0; n < kinds.length || Date.now() < end; n++) {
		const kind = (n < kinds.length ? kinds[n] : kinds[Math.floor(random() * kinds.length)]) as string;
		await new Promise((resolve) => setTimeout(resolve, random() * 1_500));
		await faults[kind]?.(random);
		done[kind] = (done[kind] ?? 0) + 1;
	}
	await load.stop();
	await until("everything has come to its end", async () => (await load.unfinished()) === 0, 120_000);
	const { tried, "without an answer": lost, acknowledged, ...wrong } = await load.verify();
	process.stderr.write(`faults: ${JSON.stringify({ ...done, tried, lost, acknowledged, ...wrong })}\n`);
	expect(acknowledged).toBeGreaterThan(20);
	expect(wrong).toEqual(Object.fromEntries(Object.keys(wrong).map((name) => [name, 0])));

	// What the dead held is free again: no connection of theirs is left in the store.
	const { rows } = await pool.query(
		"select count(*)::int as n from pg_stat_activity where application_name like 'weft%'",
	);
	expect(rows[0].n).toBeLessThanOrEqual(nodes.length * 15);
});
