/** The parts of a service as processes that can be killed: web, worker, store, cache, upstreams. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningLab, startLab } from "@weft/lab";
import { Redis } from "ioredis";
import pg from "pg";
import {
	attachEmbeddedPostgres,
	type EmbeddedPostgres,
	startEmbeddedPostgres,
} from "../../src/storage/embedded-postgres/index.ts";
import { readServerPid } from "../support/embedded-postgres.ts";
import { freePort } from "../support/free-port.ts";
import { TEST_PASSWORD, waitUntil } from "../support/harness.ts";
import { type RunningProcess, runBuiltProgram } from "../support/process.ts";

const REDIS = ["/usr/bin/redis-server", "/usr/bin/valkey-server"].find((path) => existsSync(path));
/** As addresses: a path may have a space in it. */
const LOADED = ["clock.mjs", "alive.mjs"].map((name) => `--import ${new URL(name, import.meta.url).href}`).join(" ");
const CLASSES = 300;

export interface Node {
	readonly roles: "web" | "worker";
	readonly port: number;
	process: RunningProcess;
}

export interface Parts {
	readonly lab: RunningLab;
	readonly nodes: readonly Node[];
	/** For the proof afterwards. */
	readonly pool: pg.Pool;
	readonly addresses: () => string[];
	/** Whether there is a Redis to lose. */
	readonly hasCache: boolean;
	/** Starts a process in place of one that has ended. */
	again(node: Node): Promise<void>;
	/** Kills PostgreSQL, and starts it on what it left. */
	killStore(): Promise<void>;
	/** Redis loses all it had, and every connection; nothing where it is not installed. */
	killCache(): Promise<void>;
	/** Redis loses all it had. */
	emptyCache(): Promise<void>;
	/** By how much the clocks of all processes are wrong, in ms. */
	setClock(offset: number): Promise<void>;
	close(): Promise<void>;
}

export async function startParts(roles: readonly Node["roles"][] = ["web", "web", "worker", "worker"]): Promise<Parts> {
	const folder = await mkdtemp(join(tmpdir(), "weft-faults-"));
	const clockFile = join(folder, "clock");
	const storeFolder = join(folder, "store");
	const setClock = (offset: number) => writeFile(clockFile, String(offset));
	await setClock(0);
	const lab = await startLab({ controller: { size: "small" }, modelSource: { classes: CLASSES } });
	let store: EmbeddedPostgres = await startEmbeddedPostgres({ dataDir: storeFolder, log: () => {} });
	const cachePort = await freePort();
	let cache = startCache();
	const nodes: Node[] = [];
	const pool = new pg.Pool({ ...store.connection, ssl: false, max: 2 });
	pool.on("error", () => {});

	function startCache(): ChildProcess | null {
		if (REDIS === undefined) return null;
		const options = ["--port", String(cachePort), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
		return spawn(REDIS, options, { stdio: "ignore", cwd: folder });
	}

	async function killCache(): Promise<void> {
		const dying = cache;
		if (dying === null) return;
		const gone = new Promise((resolve) => dying.once("exit", resolve));
		dying.kill("SIGKILL");
		await gone;
		cache = startCache();
	}

	async function startNode(roles: Node["roles"], port: number): Promise<RunningProcess> {
		const { host, port: storePort, user, database } = store.connection;
		const address = `postgres://${user}@localhost:${storePort}/${database}?host=${encodeURIComponent(host)}`;
		const started = runBuiltProgram("main", join(folder, "unused"), {
			WEFT_ROLES: roles,
			WEFT_PORT: String(port),
			WEFT_THROTTLE: "off",
			WEFT_DATABASE_POOL: "6",
			WEFT_DATABASE_URL: address,
			WEFT_SECRET_KEY: "a key that only fault tests use",
			WEFT_ADMIN_PASSWORD: TEST_PASSWORD,
			WEFT_LOG_LEVEL: "error",
			WEFT_MODEL_SOURCE_URL: lab.modelSource.url,
			...(cache === null ? {} : { WEFT_REDIS_URL: `redis://127.0.0.1:${cachePort}` }),
			NODE_OPTIONS: LOADED,
			FAULT_CLOCK: clockFile,
		});
		await waitUntil(
			`a ${roles} node is ready`,
			() => {
				if (started.child.exitCode !== null) throw new Error(`A ${roles} node ended: ${started.output.stderr}`);
				return started.output.stdout.includes("ready");
			},
			60_000,
		);
		return started;
	}

	for (const role of roles) {
		const port = role === "web" ? await freePort() : 0;
		nodes.push({ roles: role, port, process: await startNode(role, port) });
	}

	return {
		lab,
		nodes,
		pool,
		setClock,
		killCache,
		hasCache: REDIS !== undefined,
		addresses: () => nodes.filter(({ roles }) => roles === "web").map(({ port }) => `http://127.0.0.1:${port}`),
		async again(node) {
			node.process = await startNode(node.roles, node.port);
		},
		async killStore() {
			const pid = await readServerPid(storeFolder);
			if (pid === undefined) throw new Error("The store does not run.");
			process.kill(pid, "SIGKILL");
			await waitUntil("the store has ended", async () => (await readServerPid(storeFolder)) === undefined);
			store = await attachEmbeddedPostgres({ dataDir: storeFolder, log: () => {} });
		},
		async emptyCache() {
			if (cache === null) return;
			const client = new Redis(cachePort, "127.0.0.1");
			await client.flushall();
			client.disconnect();
		},
		async close() {
			for (const { process } of nodes) {
				process.child.kill("SIGKILL");
				await process.ended;
			}
			cache?.kill("SIGKILL");
			await pool.end();
			await store.stop();
			await lab.close();
			await rm(folder, { recursive: true, force: true, maxRetries: 5 });
		},
	};
}
