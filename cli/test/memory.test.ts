/** A million rows take no more memory than a thousand: the service is a stub that makes them up. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BIN } from "./support/cli.ts";

const ROWS = 500_000;
const LIMIT_KB = 200 * 1024;
const buildId = (n: number): string => `01890000-0000-7000-8000-00000000000${n}`;
const buildListPage = (results: unknown[]) => ({ count: results.length, next: null, previous: null, results });
const CONNECTIONS = [
	{ id: buildId(1), name: "fab-1" },
	{ id: buildId(2), name: "fab-2" },
];
const QUERY = { id: buildId(3), name: "Endpoints", variables: [] };

function* generateRows(): Generator<string> {
	const filler = "x".repeat(80);
	for (let i = 0; i < ROWS; i += 100) {
		const lines = Array.from({ length: 100 }, (_, n) => {
			const attributes = `{"dn":"uni/tn-prod/ctx-1/ep-${i + n}","mac":"00:11:22:33:44:55","descr":"${filler}"}`;
			return `{"fvCEp":{"attributes":${attributes}}}\n`;
		});
		yield lines.join("");
	}
}

function getJob(connection: number) {
	const now = "2026-01-01T00:00:00.000Z";
	const { id: controller_connection_id, name } = CONNECTIONS[connection - 1] ?? { id: "", name: "" };
	const run = { id: buildId(5 + connection), status: "completed", completed_at: now, total_rows: ROWS, errors: [] };
	return { ...run, controller_connection_id, controller_connection_name: name, execution_time_ms: 1 };
}

/** The group execution over both connections, which has ended. */
function buildGroupRun() {
	const runs = [1, 2].map(getJob).map(({ id: pipeline_job_id, ...run }) => ({ ...run, pipeline_job_id }));
	return { id: buildId(8), status: "completed", hidden_count: 0, runs };
}

const server = createServer((request, response) => {
	const { pathname } = new URL(request.url ?? "", "http://stub");
	request.resume();
	const send = (status: number, answer: unknown): ServerResponse =>
		response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
	const connection = CONNECTIONS.find((one) => pathname.includes(one.id));
	if (pathname.endsWith("/results/")) return pipeline(Readable.from(generateRows()), response).catch(() => {});
	if (pathname.includes("/group-executions/")) return send(request.method === "POST" ? 201 : 200, buildGroupRun());
	if (pathname.includes("/pipeline-executions/")) return send(200, getJob(pathname.includes(buildId(6)) ? 1 : 2));
	if (connection !== undefined) return send(200, connection);
	if (pathname.endsWith("/connections/")) return send(200, buildListPage(CONNECTIONS));
	if (pathname.endsWith(`/${buildId(3)}/`)) return send(200, QUERY);
	if (pathname.endsWith("/saved-queries/")) return send(200, buildListPage([QUERY]));
	// Without a channel, the run is read by requests.
	return send(503, { detail: "There is no channel." });
});
beforeAll(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve)));
afterAll(() => new Promise((resolve) => void server.close(resolve)));

/** Runs the query on both connections. Returns the lines and the peak of its memory in kB. */
async function measureRun(): Promise<{ code: number | null; lines: number; peakKb: number }> {
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const args = ["query", "run", "Endpoints", "--connection", "fab-1", "--connection", "fab-2", "--format", "ndjson"];
	const child = spawn(process.execPath, [BIN, ...args, "--quiet"], {
		env: { PATH: process.env.PATH, WEFT_URL: url, WEFT_TOKEN: "x" },
		stdio: ["ignore", "pipe", "inherit"],
	});
	const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
	let lines = 0;
	let peakKb = 0;
	let chunks = 0;
	for await (const chunk of child.stdout) {
		for (const byte of chunk as Buffer) if (byte === 0x0a) lines++;
		if (chunks++ % 100 === 0) peakKb = Math.max(peakKb, getPeak(child.pid ?? 0));
	}
	return { code: await ended, lines, peakKb };
}

/** The peak of a process's memory in kB, 0 once it has ended. */
function getPeak(pid: number): number {
	try {
		return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
	} catch {
		return 0;
	}
}

const isMeasured = existsSync("/proc/self/status");
if (!isMeasured) process.stderr.write("memory of the command line: skipped, there is no /proc\n");

describe.skipIf(!isMeasured)("a million rows", () => {
	it("take at most 200 MB", async () => {
		const { peakKb, ...ended } = await measureRun();
		expect(ended).toEqual({ code: 0, lines: 2 * ROWS });
		expect(peakKb).toBeGreaterThan(0);
		expect(peakKb).toBeLessThan(LIMIT_KB);
	});
});
