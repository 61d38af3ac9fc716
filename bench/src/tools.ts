/** Shared by benchmarks: a service process, times, memory of a process tree, and output. */
import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type WeftClient } from "@weft/sdk";
import { startProgram } from "./child.ts";

export const PASSWORD = "a password for benchmarks";

export interface RunningService {
	readonly url: string;
	readonly process: ChildProcess;
	readonly dataDir: string;
	/** Milliseconds from the start of the process to the first healthy answer. */
	readonly startedIn: number;
	/** Signed in as the first user. */
	readonly client: WeftClient;
	/** Stops it; `keep` keeps the data folder. */
	stop(options?: { keep?: boolean }): Promise<void>;
}

/** Starts the service on the embedded store, throttles off, in a new folder unless one is given. */
export async function startService(
	options: { dataDir?: string; env?: Record<string, string> } = {},
): Promise<RunningService> {
	const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "weft-bench-")));
	const began = performance.now();
	const program = await startProgram("../../server/bundle/main.js", {
		env: {
			WEFT_DATA_DIR: dataDir,
			WEFT_PORT: "0",
			WEFT_THROTTLE: "off",
			WEFT_LOG_LEVEL: "warn",
			WEFT_ADMIN_PASSWORD: PASSWORD,
			// The simulators run on this host.
			WEFT_CONTROLLER_TARGETS: "127.0.0.0/8",
			WEFT_AUTOMATION_TARGETS: "127.0.0.0/8",
			...options.env,
		},
	});
	const url = /http:\S+/.exec(program.line)?.[0] ?? "";
	const health = await fetch(`${url}/api/health/`);
	if (!health.ok) throw new Error(`the service is not healthy: ${health.status}`);
	const startedIn = performance.now() - began;
	const client = createClient({ baseUrl: url });
	await client.signIn("admin", PASSWORD);
	return {
		url,
		process: program.process,
		dataDir,
		startedIn,
		client,
		async stop({ keep = false } = {}) {
			await program.stop();
			if (!keep) await rm(dataDir, { recursive: true, force: true });
		},
	};
}

/** Signs in at a service. Returns the headers of a request. */
export async function signInByName(
	service: string,
	username: string,
	password: string,
): Promise<Record<string, string>> {
	const response = await fetch(`${service}/api/auth/login/`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ username, password }),
	});
	const { access } = (await response.json()) as { access: string };
	return { authorization: `Bearer ${access}` };
}

/**
 * CPU time of a process and its descendants, in ms (Linux). Depends less on other load than the
 * clock.
 */
export function readTreeCpu(...pids: number[]): number {
	const children = listChildren();
	let nanoseconds = 0;
	const add = (pid: number): void => {
		try {
			for (const task of readdirSync(`/proc/${pid}/task`))
				nanoseconds += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]);
		} catch {
			// It ended meanwhile.
		}
		for (const child of children.get(pid) ?? []) add(child);
	};
	for (const pid of pids) add(pid);
	return nanoseconds / 1e6;
}

function listChildren(): Map<number, number[]> {
	const children = new Map<number, number[]>();
	for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
		try {
			const stat = readFileSync(`/proc/${name}/stat`, "utf8");
			const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
			children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
		} catch {
			// It ended while the list was read.
		}
	}
	return children;
}

/** Proportional memory of a process and all its descendants, in MB (Linux). */
export function readTreeMemory(pid: number): number {
	const children = listChildren();
	let sum = 0;
	const add = (process: number): void => {
		const rollup = readFileSync(`/proc/${process}/smaps_rollup`, "utf8");
		sum += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
		for (const child of children.get(process) ?? []) add(child);
	};
	add(pid);
	return sum / 1024;
}

/** Process id of the embedded store in a data folder. */
export const readStorePid = (dataDir: string): number =>
	Number(readFileSync(join(dataDir, "postgres/postmaster.pid"), "utf8").split("\n", 1)[0]);

/** Resident memory of one process in MB, now and at its highest (Linux). */
export function readMemory(pid: number): { readonly now: number; readonly peak: number } {
	const status = readFileSync(`/proc/${pid}/status`, "utf8");
	const read = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
	return { now: read("VmRSS"), peak: read("VmHWM") };
}

export function computeMedian(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Milliseconds of the requests of a benchmark. */
interface RequestTimes {
	readonly median: number;
	readonly p95: number;
	/** Processor time of this process and its store for one request. */
	readonly cpu: number;
}

/**
 * Measures a request again and again in this process, whose store is in the folder.
 * @param goesOn whether another round follows these
 */
export async function measureRequests(
	dataDir: string,
	request: (round: number) => Promise<unknown>,
	goesOn: (rounds: number) => boolean,
): Promise<RequestTimes> {
	const times: number[] = [];
	const began = readTreeCpu(process.pid, readStorePid(dataDir));
	while (goesOn(times.length)) times.push((await measureTime(() => request(times.length))).ms);
	const cpu = (readTreeCpu(process.pid, readStorePid(dataDir)) - began) / times.length;
	return { median: computeMedian(times), p95: computeP95(times), cpu };
}

/** The value that 95 of 100 values do not exceed. */
export function computeP95(values: readonly number[]): number {
	return [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN;
}

export async function measureTime<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
	const began = performance.now();
	const result = await work();
	return { ms: performance.now() - began, result };
}

/** One figure, with what it is held against. */
export function printFigure(name: string, value: string, goal?: { met: boolean; text: string }): void {
	const verdict = goal === undefined ? "" : `   ${goal.met ? "ok" : "MISSED"} (goal: ${goal.text})`;
	process.stdout.write(`${name.padEnd(58)} ${value.padStart(16)}${verdict}\n`);
}
