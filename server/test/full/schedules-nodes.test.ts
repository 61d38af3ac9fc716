/**
 * Many nodes: 500 tasks that are due in the same minute run once each, with four processes of which
 * one is killed.
 */
import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type RunningController, startController } from "@weft/lab";
import type pg from "pg";
import { afterAll, beforeAll, it } from "vitest";
import { expectOnceEach, makeDue, readRow, seedTasks, waitForRuns } from "../support/due-tasks.ts";
import { startTestApp, waitUntil } from "../support/harness.ts";
import { LOOPBACK_TARGETS } from "../support/process.ts";
import { startProgram, waitForOutput } from "../support/spawned.ts";

const TASKS = 500;
const NODES = 4;

let lab: RunningController;
beforeAll(async () => {
	lab = await startController({ size: "small" });
});
afterAll(() => lab.close());

it("runs each of 500 tasks once with four processes, though one of them is killed", { timeout: 180_000 }, async () => {
	const t = await startTestApp();
	const nodes: ChildProcess[] = [];
	try {
		const ada = await t.user("ada", ["Editor"]);
		// Before there are nodes: theirs is the real clock, by which a task that is made by the
		// test's clock is due at once.
		await seedTasks(t, ada, lab, { count: TASKS, at: new Date(Date.now() + 3_600_000) });
		const url = getUrl(t.pool.options as pg.ClientConfig);
		nodes.push(...(await Promise.all(Array.from({ length: NODES }, () => startNode(url)))));
		await makeDue(t, new Date(Date.now() + 1_000));
		await waitUntil(
			"some have ended",
			async () => {
				const { n } = await readRow(t, "select count(*)::int as n from scheduled_executions where status = 'success'");
				return n >= 50;
			},
			60_000,
		);
		nodes[0]?.kill("SIGKILL");
		await waitForRuns(t, TASKS);
		await expectOnceEach(t, TASKS);
	} finally {
		await Promise.all(nodes.map(killNode));
		await t.close();
	}
});

/** How other processes reach the test's database, over a socket's folder too. */
function getUrl({ connectionString, host = "", port, user = "", password, database = "" }: pg.ClientConfig): string {
	if (connectionString) return connectionString;
	const url = new URL(`postgres://${encodeURIComponent(user)}@socket/${database}`);
	if (typeof password === "string") url.password = encodeURIComponent(password);
	url.searchParams.set("host", host);
	if (port !== undefined) url.searchParams.set("port", String(port));
	return url.href;
}

/** A worker from the build, with the key that the test's passwords are sealed with. */
async function startNode(connectionString: string): Promise<ChildProcess> {
	const main = fileURLToPath(new URL("../../bundle/main.js", import.meta.url));
	const node = startProgram(process.execPath, [main], {
		environment: {
			WEFT_DATABASE_URL: connectionString,
			WEFT_DATABASE_POOL: "6",
			WEFT_SECRET_KEY: "a secret key that only tests use",
			...LOOPBACK_TARGETS,
			WEFT_ROLES: "worker",
			WEFT_LOG_LEVEL: "silent",
		},
	});
	await waitForOutput(node, /\n/);
	return node.child;
}

async function killNode(node: ChildProcess): Promise<void> {
	if (node.exitCode !== null || node.signalCode !== null) return;
	const gone = new Promise((resolve) => node.once("exit", resolve));
	node.kill("SIGKILL");
	await gone;
}
