/**
 * Set-up of tests of the embedded PostgreSQL: temporary data folders without left-over servers, and
 * starters in processes of their own.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/storage/embedded-postgres/index.ts";
import { isPostmaster } from "../../src/storage/embedded-postgres/postmaster.ts";
import { type Connection, sleepMs } from "../../src/storage/embedded-postgres/server.ts";

interface Starter {
	pid: number;
	/** The connection, or the error's message. */
	result: Promise<{ up?: Connection; failed?: string }>;
	stop(): Promise<void>;
	kill(): Promise<void>;
}

export interface Harness {
	/** A fresh folder that every user can pass through; `name` is below it. */
	folder(name?: string): Promise<string>;
	start(dataDir: string, native?: string): Promise<EmbeddedPostgres & { log: string[] }>;
	/** Starts the build in a process of its own, as another user if wanted. */
	spawnStarter(dataDir: string, user?: { uid: number; gid: number }): Starter;
	clean(): Promise<void>;
}

export function createHarness(): Harness {
	const bases: string[] = [];
	const dataDirs = new Set<string>();
	const stores: EmbeddedPostgres[] = [];
	const children: ChildProcess[] = [];

	return {
		async folder(name = "data") {
			const base = await realpath(await mkdtemp(join(tmpdir(), "weft-store-")));
			await chmod(base, 0o711);
			bases.push(base);
			return join(base, name);
		},
		async start(dataDir, native) {
			dataDirs.add(dataDir);
			const log: string[] = [];
			const store = await startEmbeddedPostgres({ dataDir, log: (line) => log.push(line), ...(native && { native }) });
			stores.push(store);
			return { ...store, log };
		},
		spawnStarter(dataDir, user) {
			dataDirs.add(dataDir);
			const module = new URL("../../dist/storage/embedded-postgres/index.js", import.meta.url);
			if (!existsSync(module)) throw new Error(`${module} is missing: run npx tsc -b server`);
			const fixture = fileURLToPath(new URL("./starter.fixture.mjs", import.meta.url));
			const child = spawn(process.execPath, [fixture, module.href, JSON.stringify({ dataDir })], {
				stdio: ["pipe", "pipe", "inherit"],
				cwd: "/",
				...user,
			});
			children.push(child);
			const line = once(createInterface({ input: child.stdout }), "line");
			const exit = once(child, "exit");
			const leave = async (how: () => void) => {
				how();
				await exit;
			};
			return {
				pid: child.pid ?? 0,
				result: line.then(([text]) => JSON.parse(text)),
				stop: () => leave(() => child.stdin.end("stop")),
				kill: () => leave(() => child.kill("SIGKILL")),
			};
		},
		async clean() {
			for (const child of children.splice(0)) child.kill("SIGKILL");
			await Promise.all(stores.splice(0).map((store) => store.stop()));
			for (const dataDir of dataDirs) await killServer(dataDir);
			dataDirs.clear();
			for (const base of bases.splice(0)) await rm(base, { recursive: true, force: true, maxRetries: 5 });
		},
	};
}

/** The process number of the live server on the data folder. */
export async function readServerPid(dataDir: string): Promise<number | undefined> {
	const text = await readFile(join(dataDir, "postgres/postmaster.pid"), "utf8").catch(() => "");
	const pid = Number.parseInt(text, 10);
	return pid > 0 && (await isPostmaster(pid, join(dataDir, "postgres"))) ? pid : undefined;
}

/** The user that the live server on the data folder runs as. */
export async function findOwnerOfServer(dataDir: string): Promise<number> {
	return (await stat(`/proc/${await readServerPid(dataDir)}`)).uid;
}

export async function killServer(dataDir: string): Promise<void> {
	const pid = await readServerPid(dataDir);
	if (pid === undefined) return;
	process.kill(pid, "SIGKILL");
	await waitForCondition(async () => (await readServerPid(dataDir)) === undefined);
}

/** Resolves once the condition holds; the test's own time limit ends a vain wait. */
export async function waitForCondition(condition: () => Promise<boolean> | boolean): Promise<void> {
	while (!(await condition())) await sleepMs(10);
}

/** Runs one statement in a session of its own. */
export async function runStatement(
	{ connection }: { connection: Connection },
	statement: string,
): Promise<Record<string, unknown>[]> {
	const client = new Client({ ...connection, ssl: false });
	client.on("error", () => undefined);
	await client.connect();
	try {
		return (await client.query(statement)).rows;
	} finally {
		await client.end();
	}
}
