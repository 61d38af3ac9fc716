/** 1,000 users with one socket each: time of a broadcast, and memory; against a bare server. */
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import WebSocket from "ws";
import { startProgram } from "./child.ts";
import { computeMedian, printFigure } from "./tools.ts";

const SOCKETS = 1_000;
const ROUNDS = 7;
const IDLE_SECONDS = 10;
const GOAL = { ms: 1_000, mb: 200 };
/** Clock ticks per second of /proc (Linux). */
const TICKS = 100;

interface Measured {
	readonly before: number;
	readonly after: number;
	readonly opened: number;
	readonly broadcasts: readonly number[];
	readonly idle: number;
}

/** Proportional memory of one process, in MB (Linux). */
const readMemoryMb = (pid: number): number =>
	Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0) / 1024;

/** Seconds of processor time that a process has used. */
function readProcessorTime(pid: number): number {
	const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
	const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

async function measureServer(kind: "service" | "bare"): Promise<Measured> {
	const dataDir = await mkdtemp(join(tmpdir(), "weft-bench-"));
	const server = await startProgram("notification-server.js", {
		args: [kind, String(SOCKETS)],
		env: { WEFT_DATA_DIR: dataDir, WEFT_THROTTLE: "off", WEFT_LOG_LEVEL: "warn" },
	});
	const pid = server.process.pid ?? 0;
	try {
		const target = JSON.parse(server.line) as {
			url: string;
			sockets: string[];
			broadcast: string;
			headers: Record<string, string>;
		};
		const before = readMemoryMb(pid);
		const began = performance.now();
		let reached = new Set<WebSocket>();
		let all = (): void => {};
		let title = "";
		const sockets: WebSocket[] = [];
		for (let i = 0; i < SOCKETS; i += 100) {
			const opening = target.sockets.slice(i, i + 100).map(async (path) => {
				const socket = new WebSocket(target.url.replace("http", "ws") + path, { perMessageDeflate: false });
				const first = new Promise<void>((resolve, reject) => {
					socket.once("message", () => resolve());
					socket.once("error", reject);
				});
				socket.on("message", (data) => {
					if (title === "" || !String(data).includes(title)) return;
					reached.add(socket);
					if (reached.size === SOCKETS) all();
				});
				await first;
				sockets.push(socket);
			});
			await Promise.all(opening);
		}
		const opened = performance.now() - began;
		const used = readProcessorTime(pid);
		await new Promise((resolve) => setTimeout(resolve, IDLE_SECONDS * 1000));
		const idle = ((readProcessorTime(pid) - used) / IDLE_SECONDS) * 100;
		const broadcasts: number[] = [];
		for (let round = 0; round < ROUNDS; round++) {
			reached = new Set();
			title = `Maintenance ${round} begins`;
			const arrived = new Promise<void>((resolve) => {
				all = resolve;
			});
			const start = performance.now();
			const answer = await fetch(target.url + target.broadcast, {
				method: "POST",
				headers: target.headers,
				body: JSON.stringify({ title, body: "The fabric is upgraded; expect missing answers.", severity: "warning" }),
			});
			if (answer.status !== 201) throw new Error(`the broadcast answered ${answer.status}: ${await answer.text()}`);
			await arrived;
			broadcasts.push(performance.now() - start);
		}
		const after = readMemoryMb(pid);
		for (const socket of sockets) socket.terminate();
		return { before, after, opened, broadcasts, idle };
	} finally {
		await server.stop();
		await rm(dataDir, { recursive: true, force: true });
	}
}

function printMeasurements(name: string, { before, after, opened, broadcasts, idle }: Measured, goals: boolean): void {
	const worst = Math.max(...broadcasts);
	printFigure(`${name}: ${SOCKETS} sockets opened`, `${opened.toFixed(0)} ms`);
	printFigure(`${name}: broadcast to all, median of ${ROUNDS}`, `${computeMedian(broadcasts).toFixed(0)} ms`);
	printFigure(
		`${name}: broadcast to all, slowest`,
		`${worst.toFixed(0)} ms`,
		goals ? { met: worst <= GOAL.ms, text: "≤ 1 s" } : undefined,
	);
	printFigure(`${name}: processor while nothing happens`, `${idle.toFixed(1)} %`);
	printFigure(`${name}: memory before the sockets (PSS)`, `${before.toFixed(0)} MB`);
	printFigure(
		`${name}: memory at the end`,
		`${after.toFixed(0)} MB`,
		goals ? { met: after <= GOAL.mb, text: "≤ 200 MB" } : undefined,
	);
}

const bare = await measureServer("bare");
printMeasurements("bare", bare, false);
const service = await measureServer("service");
printMeasurements("service", service, true);
printFigure(
	"service / bare, broadcast",
	(computeMedian(service.broadcasts) / computeMedian(bare.broadcasts)).toFixed(1),
);
if (Math.max(...service.broadcasts) > GOAL.ms || service.after > GOAL.mb) process.exitCode = 1;
