/**
 * Many nodes: 500 tasks that are due in the same minute run once each, with four schedulers in one
 * process, and with four processes of which one is killed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type RunningController, startController } from "@weft/lab";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startPgBoss } from "../../src/adapters/jobs/pg-boss.ts";
import { createIds } from "../../src/adapters/system/ids.ts";
import { buildApp } from "../../src/app.ts";
import { startTestApp, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { LOOPBACK_TARGETS } from "../support/process.ts";

const PATH = "/api/queries/scheduled-tasks/";
const TASKS = 500;
const NODES = 4;

let lab: RunningController;
beforeAll(async () => {
	lab = await startController({ size: "small" });
});
afterAll(() => lab.close());

/** Tasks that are all due at one instant. */
async function seedTasks(t: TestApp, ada: TestUser, at: Date): Promise<void> {
	const { url, username, password } = lab;
	const fabric = { name: "Fabric", url, username, password, verify_ssl: false };
	const { body: connection } = await ada.api.post("/api/controller/connections/", fabric);
	const { body: query } = await ada.api.post("/api/queries/saved-queries/", {
		name: "Tenants",
		flow_data: { nodes: [{ id: "a", type: "classNode", data: { className: "fvTenant" } }], edges: [] },
	});
	const { body: first } = await ada.api.post(PATH, {
		name: "First",
		saved_query: query.id,
		controller_connection_ids: [connection.id],
		frequency: "daily",
		time_of_day: "00:00",
	});
	const { rows } = await t.pool.query(
		"select column_name as name from information_schema.columns where table_name = 'scheduled_tasks'",
	);
	const others = rows.map(({ name }) => name).filter((name) => name !== "id");
	const ids = Array.from({ length: TASKS - 1 }, () => t.deps.ids.uuid());
	await t.pool.query(
		`insert into scheduled_tasks (id, ${others.join(", ")}) select n.id, ${others.map((name) => `t.${name}`).join(", ")}
		from scheduled_tasks t cross join unnest($1::uuid[]) as n(id) where t.id = $2`,
		[ids, first.id],
	);
	await makeDue(t, at);
}

const makeDue = (t: TestApp, at: Date) => t.pool.query("update scheduled_tasks set next_run_at = $1", [at]);

const readRow = async (t: TestApp, text: string) => (await t.pool.query(text)).rows[0];

async function expectOnceEach(t: TestApp): Promise<void> {
	expect(
		await readRow(
			t,
			`select count(*)::int as executions, count(distinct task_id)::int as tasks, count(distinct pipeline_job_id)::int as jobs,
				count(*) filter (where status = 'success')::int as successes from scheduled_executions`,
		),
	).toEqual({ executions: TASKS, tasks: TASKS, jobs: TASKS, successes: TASKS });
	expect(await readRow(t, "select count(*)::int as jobs from pipeline_jobs")).toEqual({ jobs: TASKS });
	expect(
		await readRow(
			t,
			`select min(execution_count) as least, max(execution_count) as most, sum(success_count)::int as successes,
				count(*) filter (where next_run_at > last_run_at)::int as moved from scheduled_tasks`,
		),
	).toEqual({ least: 1, most: 1, successes: TASKS, moved: TASKS });
	await waitUntil("every owner is notified once of each run", async () => {
		const { count } = await readRow(
			t,
			"select count(*)::int as count from notifications where category = 'scheduled_task'",
		);
		return count === TASKS;
	});
}

const allEnded = (t: TestApp) =>
	waitUntil(
		"all runs have ended",
		async () => (await readRow(t, "select count(*)::int as n from scheduled_runs where state = 'finished'")).n >= TASKS,
		110_000,
	);

describe("four schedulers on one store", () => {
	it("run each of 500 tasks once", { timeout: 120_000 }, async () => {
		const t = await startTestApp({ work: true });
		const others: { close(): Promise<void> }[] = [];
		try {
			const ada = await t.user("ada", ["Editor"]);
			await seedTasks(t, ada, new Date(t.clock.now() + 30_000));
			for (let node = 1; node < NODES; node++) {
				const jobs = await startPgBoss({ connection: t.pool.options as pg.ClientConfig, log: t.deps.logger });
				const app = await buildApp({ ...t.deps, jobs, ids: createIds(t.clock) });
				await app.work();
				others.push({
					close: async () => {
						await app.close();
						await jobs.stop(2_000);
					},
				});
			}
			await t.clock.advance(29_000);
			expect(await readRow(t, "select count(*)::int as n from scheduled_runs")).toEqual({ n: 0 });
			await t.clock.advance(2_000);
			await allEnded(t);
			await expectOnceEach(t);
		} finally {
			await Promise.all(others.map((node) => node.close()));
			await t.close();
		}
	});
});

describe("four processes on one PostgreSQL", () => {
	it("run each of 500 tasks once, though one of them is killed", { timeout: 180_000 }, async () => {
		const t = await startTestApp();
		const nodes: ChildProcess[] = [];
		try {
			const ada = await t.user("ada", ["Editor"]);
			// Before there are nodes: theirs is the real clock, by which a task that is made by the
			// test's clock is due at once.
			await seedTasks(t, ada, new Date(Date.now() + 3_600_000));
			const url = getUrl(t.pool.options as pg.ClientConfig);
			for (let node = 0; node < NODES; node++) nodes.push(startNode(url));
			await Promise.all(nodes.map(waitForNode));
			await makeDue(t, new Date(Date.now() + 1_000));
			await waitUntil(
				"some have ended",
				async () => {
					const { n } = await readRow(
						t,
						"select count(*)::int as n from scheduled_executions where status = 'success'",
					);
					return n >= 50;
				},
				60_000,
			);
			nodes[0]?.kill("SIGKILL");
			await allEnded(t);
			await expectOnceEach(t);
		} finally {
			await Promise.all(nodes.map(killNode));
			await t.close();
		}
	});
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
function startNode(connectionString: string): ChildProcess {
	const main = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
	return spawn(process.execPath, [main], {
		stdio: ["ignore", "pipe", "ignore"],
		env: {
			PATH: process.env.PATH,
			WEFT_DATABASE_URL: connectionString,
			WEFT_DATABASE_POOL: "6",
			WEFT_SECRET_KEY: "a secret key that only tests use",
			...LOOPBACK_TARGETS,
			WEFT_ROLES: "worker",
			WEFT_LOG_LEVEL: "silent",
		},
	});
}

const waitForNode = (node: ChildProcess) =>
	new Promise<void>((resolve, reject) => {
		node.stdout?.once("data", () => resolve());
		node.once("exit", (code) => reject(new Error(`a node ended with ${code}`)));
	});

async function killNode(node: ChildProcess): Promise<void> {
	if (node.exitCode !== null || node.signalCode !== null) return;
	const gone = new Promise((resolve) => node.once("exit", resolve));
	node.kill("SIGKILL");
	await gone;
}
