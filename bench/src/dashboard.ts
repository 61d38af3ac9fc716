/**
 * The dashboard and lists of notifications over 1,000,000 rows each of executions, audit entries,
 * notifications and snapshots. Baseline: a bare route with one indexed query on the same pool.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Fastify from "fastify";
import type pg from "pg";
import { buildApp } from "../../server/dist/app.js";
import { createLocalUser } from "../../server/dist/areas/accounts/sign-in/create-local-users.js";
import { readConfig } from "../../server/dist/config.js";
import { openDependencies } from "../../server/dist/open.js";
import { computeMedian, computeP95, printFigure } from "./tools.ts";

const ROWS = 1_000_000;
const ROUNDS = 200;
const PASSWORD = "a password for benchmarks";
/** Times the bare query, at the median. */
const GOAL = 10;

const dataDir = await mkdtemp(join(tmpdir(), "weft-bench-"));
const opened = await openDependencies(
	readConfig({ WEFT_DATA_DIR: dataDir, WEFT_THROTTLE: "off", WEFT_LOG_LEVEL: "warn", WEFT_ROLES: "web" }),
);
const app = await buildApp(opened.deps);
const bare = Fastify();
try {
	await app.declareQueues();
	const { pool } = opened.deps.store as unknown as { pool: pg.Pool };
	const owner = await createLocalUser(app.context, { username: "ada", password: PASSWORD, superuser: false });
	const admin = await createLocalUser(app.context, { username: "root", password: PASSWORD, superuser: true });
	await fillDashboard(pool, owner, admin);
	const service = await app.server.listen({ host: "127.0.0.1", port: 0 });
	bare.get("/", async () => {
		const { rows } = await pool.query("select unread from notification_inboxes where user_id = $1", [owner]);
		return { count: rows[0].unread };
	});
	const baseline = await bare.listen({ host: "127.0.0.1", port: 0 });

	const plain = await measureRoute("bare route with one indexed query", `${baseline}/`, {});
	for (const [name, username] of [
		["a user", "ada"],
		["an administrator", "root"],
	] as const) {
		const headers = await signIn(service, username);
		const paths = {
			"dashboard/stats": "/api/dashboard/stats/",
			"dashboard/platform-info": "/api/dashboard/platform-info/",
			unread_count: "/api/notifications/notifications/unread_count/",
			"first page of notifications": "/api/notifications/notifications/?page_size=50",
			"first page of unread ones": "/api/notifications/notifications/?page_size=50&unread=true",
		};
		for (const [what, path] of Object.entries(paths)) {
			const isGoal = !what.includes("page") && username === "ada";
			const ms = await measureRoute(`${what} of ${name}`, service + path, headers, isGoal ? plain : undefined);
			if (isGoal && ms > plain * GOAL) process.exitCode = 1;
		}
	}
	const headers = await signIn(service, "ada");
	const began = performance.now();
	const answer = await fetch(`${service}/api/notifications/notifications/mark_all_read/`, { method: "POST", headers });
	const { updated } = (await answer.json()) as { updated: number };
	printFigure(`mark_all_read, ${updated} unread ones, once`, `${(performance.now() - began).toFixed(0)} ms`);
} finally {
	await bare.close();
	await app.close();
	await opened.close(0);
	await rm(dataDir, { recursive: true, force: true });
}

/**
 * Half of the rows belong to the user, half to the administrator; 10 % of the notifications are
 * unread.
 */
async function fillDashboard(pool: pg.Pool, user: number, other: number): Promise<void> {
	const client = await pool.connect();
	const run = (text: string) => client.query(text);
	const series = `generate_series(1, ${ROWS}) n`;
	const at = `now() - n * interval '30 seconds'`;
	const whose = `case when n % 2 = 0 then ${user} else ${other} end`;
	await run("set statement_timeout = 0");
	await run(`insert into execution_logs (id, query_name, user_id, username, executed_at, execution_time_ms, result_count, success)
		select gen_random_uuid(), 'Query', ${whose}, 'ada', ${at}, 20, 5, true from ${series}`);
	await run(`insert into audit_log (category, action, user_id, username, created_at)
		select 'query_execution', 'query_run', ${whose}, 'ada', ${at} from ${series}`);
	await run(`insert into notifications (id, user_id, category, severity, title, body, key, read_at, created_at)
		select gen_random_uuid(), ${whose}, 'scheduled_task', 'info', 'A task ended', 'All is well.', n::text,
			case when n % 10 > 1 then ${at} end, ${at} from ${series}`);
	await run(`insert into notification_inboxes (user_id, total, unread)
		select user_id, count(*), count(*) filter (where read_at is null) from notifications group by user_id`);
	await run(`insert into scheduled_tasks (id, owner_id, name, saved_query_id, query_name, connection_ids, connection_names, frequency,
			timezone, email_on_success, email_on_failure, email_recipients, retry_enabled, retry_count, retry_interval_minutes,
			log_retention_days, created_at, updated_at)
		select gen_random_uuid(), ${whose}, 'Task', gen_random_uuid(), 'Query', '{}', '{}', 'daily', 'UTC', false, false, '{}', false, 0, 5,
			30, now(), now() from generate_series(1, 400) n`);
	await run(`insert into scheduled_runs (id, task_id, state, outcome, created_at, finished_at)
		select gen_random_uuid(), (array(select id from scheduled_tasks))[n % 400 + 1], 'finished', 'success', ${at}, ${at} from ${series}`);
	await run(`insert into scheduled_executions (id, run_id, task_id, connection_id, connection_name, retry_attempt, status, created_at, watched_at)
		select gen_random_uuid(), id, task_id, gen_random_uuid(), 'Fabric', 0, 'success', created_at, created_at from scheduled_runs`);
	const history = "(select id from snapshot_histories limit 1)";
	await run("insert into snapshot_histories (id, key) values (gen_random_uuid(), 'bench')");
	await run(`insert into snapshots (id, history_id, position, query_name, class_name, query_version, query_version_hash,
			controller_connection_name, execution_type, executed_at, executed_by_id, executed_by, result_count, loose_count,
			result_size_bytes, result_hash, is_duplicate, has_changes)
		select gen_random_uuid(), ${history}, n, 'Query', 'fvTenant', '', '', '', 'manual', ${at}, ${whose}, 'ada', 1, 0, 1, '', false, false
		from ${series}`);
	await run("vacuum analyze");
	client.release();
}

async function signIn(service: string, username: string): Promise<Record<string, string>> {
	const login = await fetch(`${service}/api/auth/login/`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ username, password: PASSWORD }),
	});
	const { access } = (await login.json()) as { access: string };
	return { authorization: `Bearer ${access}` };
}

/** @returns the median in milliseconds */
async function measureRoute(
	name: string,
	url: string,
	headers: Record<string, string>,
	plain?: number,
): Promise<number> {
	const times: number[] = [];
	for (let i = 0; i < ROUNDS; i++) {
		const began = performance.now();
		const answer = await fetch(url, { headers });
		await answer.text();
		if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
		times.push(performance.now() - began);
	}
	const middle = computeMedian(times);
	const p95 = computeP95(times);
	printFigure(
		`${name}, median (p95)`,
		`${middle.toFixed(2)} (${p95.toFixed(2)}) ms`,
		plain === undefined ? undefined : { met: middle <= plain * GOAL, text: `≤ ${GOAL} × the bare route` },
	);
	return middle;
}
