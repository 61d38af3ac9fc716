/**
 * The numbers that the store keeps of the two long lists are those that counting would give,
 * whatever is done to the rows.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestApp, type TestApp } from "../support/harness.ts";

let t: TestApp;
beforeAll(async () => {
	t = await startTestApp();
});
afterAll(() => t.close());

const LOGS = "query_id, user_id, success";
const EXECUTIONS = "task_id, connection_id, status";

async function expectRight(): Promise<{ logs: number; executions: number }> {
	const both = async (keys: string, table: string, counts: string, where: string) => {
		const read = async (text: string) => (await t.pool.query(text)).rows;
		const kept = await read(
			`select ${keys}, sum(entries)::int as n from ${counts} group by ${keys} having sum(entries) <> 0 order by ${keys}`,
		);
		const there = await read(
			`select ${keys}, count(*)::int as n from ${table} where ${where} group by ${keys} order by ${keys}`,
		);
		expect(kept).toEqual(there);
		return there.reduce((sum: number, { n }) => sum + n, 0);
	};
	return {
		logs: await both(LOGS, "execution_logs", "execution_log_counts", "true"),
		executions: await both(
			EXECUTIONS,
			"scheduled_executions",
			"scheduled_execution_counts",
			"status not in ('pending', 'running')",
		),
	};
}

const readSnapshotCounts = async (): Promise<number[]> =>
	(await t.pool.query("select snapshot_count as n from snapshot_histories")).rows.map(({ n }) => n);

it("follows rows that come, change, lose what they belong to, and go", async () => {
	const people = [await t.user("alice", ["Editor"]), await t.user("bob", ["Editor"])];
	const canvas = { nodes: [{ id: "a", type: "classNode", data: { className: "fvTenant" } }], edges: [] };
	const queries: string[] = [];
	for (const [index, person] of people.entries()) {
		const made = await person.api.post("/api/queries/saved-queries/", { name: `q${index}`, flow_data: canvas });
		expect(made.status, made.text).toBe(201);
		queries.push(made.body.id);
	}
	const ids = (await t.pool.query("select id from users where username in ('alice', 'bob') order by username")).rows;
	await t.pool.query(
		`insert into execution_logs (id, query_id, query_name, user_id, username, executed_at, execution_time_ms, result_count, success)
			select gen_random_uuid(), ($1::uuid[])[1 + g % 2], 'q', ($2::integer[])[1 + g / 2 % 2], 'x', now(), 1, 1, g % 3 > 0
			from generate_series(1, 40) g`,
		[queries, ids.map(({ id }) => id)],
	);
	await t.pool.query(
		`insert into scheduled_tasks (id, owner_id, name, saved_query_id, query_name, connection_ids, connection_names, frequency, timezone,
				status, email_on_success, email_on_failure, email_recipients, retry_enabled, retry_count, retry_interval_minutes,
				log_retention_days, created_at, updated_at)
			select gen_random_uuid(), $1, 't' || g, $2, 'q', '{}', '{}', 'hourly', 'UTC', 'paused', false, false, '{}', false, 0, 5, 30, now(), now()
			from generate_series(1, 3) g`,
		[ids[0].id, queries[0]],
	);
	await t.pool.query(
		`insert into scheduled_runs (id, task_id, due_at, state, created_at)
			select gen_random_uuid(), id, now() - g * interval '1 hour', 'running', now() from scheduled_tasks, generate_series(1, 10) g`,
	);
	await t.pool.query(
		`insert into scheduled_executions (id, run_id, task_id, connection_id, connection_name, retry_attempt, created_at, watched_at)
			select gen_random_uuid(), id, task_id, $1, 'c', 0, now(), now() from scheduled_runs`,
		[queries[0]],
	);
	expect(await expectRight()).toEqual({ logs: 40, executions: 0 });

	await t.pool.query("update scheduled_executions set status = 'running' where created_at <= now()");
	await t.pool.query(
		`update scheduled_executions e set status = case when extract(hour from r.due_at)::int % 2 = 0 then 'success' else 'failed' end
			from scheduled_runs r where r.id = e.run_id and r.due_at < now() - interval '3 hours 30 minutes'`,
	);
	expect(await expectRight()).toEqual({ logs: 40, executions: 21 });

	await t.pool.query(
		`insert into snapshot_histories (id, key, saved_query_id) select gen_random_uuid(), g::text, $1 from generate_series(1, 2) g`,
		[queries[0]],
	);
	await t.pool.query(
		`insert into snapshots (id, history_id, position, saved_query_id, query_name, class_name, query_version, query_version_hash,
				controller_connection_name, execution_type, executed_at, executed_by, result_count, loose_count, result_size_bytes, result_hash,
				is_duplicate, has_changes)
			select gen_random_uuid(), id, g, saved_query_id, 'q', 'fvTenant', '1.0', '', '', 'manual', now(), 'x', 0, 0, 0, '', false, false
			from snapshot_histories, generate_series(1, 6) g`,
	);
	expect(await readSnapshotCounts()).toEqual([6, 6]);

	// A run goes with its execution, a task with all of its runs; the log outlives queries and users.
	await t.pool.query("delete from scheduled_runs where due_at < now() - interval '8 hours 30 minutes'");
	expect(await expectRight()).toEqual({ logs: 40, executions: 15 });
	await t.pool.query("delete from scheduled_tasks where name = 't1'");
	expect(await expectRight()).toEqual({ logs: 40, executions: 10 });
	await t.pool.query("delete from saved_queries where id = $1", [queries[1]]);
	await t.pool.query("delete from users where username = 'bob'");
	expect(await expectRight()).toEqual({ logs: 40, executions: 10 });
	await t.pool.query("delete from execution_logs where not success");
	expect((await expectRight()).logs).toBe(27);

	await t.pool.query("delete from snapshots where position % 3 = 0");
	expect(await readSnapshotCounts()).toEqual([4, 4]);

	const { body } = await t.admin.api.get("/api/queries/scheduled-executions/");
	expect(body.count).toBe(16);
	expect((await t.admin.api.get("/api/queries/scheduled-executions/?status=running")).body.count).toBe(6);
	expect((await t.admin.api.get("/api/queries/execution-logs/")).body.count).toBe(27);
	expect((await people[0]?.api.get("/api/queries/execution-logs/?success=false"))?.body).toMatchObject({ count: 0 });
});
