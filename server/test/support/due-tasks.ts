/** Many tasks that are due at one instant, and the proof that each of them ran once. */
import type { RunningController } from "@weft/lab";
import { expect } from "vitest";
import { type TestApp, type TestUser, waitUntil } from "./harness.ts";

const PATH = "/api/queries/scheduled-tasks/";

export const readRow = async (t: TestApp, text: string) => (await t.pool.query(text)).rows[0];

export const makeDue = (t: TestApp, at: Date) => t.pool.query("update scheduled_tasks set next_run_at = $1", [at]);

/** Makes `count` tasks of one user that are all due at one instant. */
export async function seedTasks(
	t: TestApp,
	user: TestUser,
	lab: RunningController,
	{ count, at }: { readonly count: number; readonly at: Date },
): Promise<void> {
	const { url, username, password } = lab;
	const fabric = { name: "Fabric", url, username, password, verify_ssl: false };
	const { body: connection } = await user.api.post("/api/controller/connections/", fabric);
	const { body: query } = await user.api.post("/api/queries/saved-queries/", {
		name: "Tenants",
		flow_data: { nodes: [{ id: "a", type: "classNode", data: { className: "fvTenant" } }], edges: [] },
	});
	const { body: first } = await user.api.post(PATH, {
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
	const ids = Array.from({ length: count - 1 }, () => t.deps.ids.uuid());
	await t.pool.query(
		`insert into scheduled_tasks (id, ${others.join(", ")}) select n.id, ${others.map((name) => `t.${name}`).join(", ")}
		from scheduled_tasks t cross join unnest($1::uuid[]) as n(id) where t.id = $2`,
		[ids, first.id],
	);
	await makeDue(t, at);
}

/** Expects one execution, one run and one notification of each of `count` tasks. */
export async function expectOnceEach(t: TestApp, count: number): Promise<void> {
	expect(
		await readRow(
			t,
			`select count(*)::int as executions, count(distinct task_id)::int as tasks, count(distinct pipeline_job_id)::int as jobs,
				count(*) filter (where status = 'success')::int as successes from scheduled_executions`,
		),
	).toEqual({ executions: count, tasks: count, jobs: count, successes: count });
	expect(await readRow(t, "select count(*)::int as jobs from pipeline_jobs")).toEqual({ jobs: count });
	expect(
		await readRow(
			t,
			`select min(execution_count) as least, max(execution_count) as most, sum(success_count)::int as successes,
				count(*) filter (where next_run_at > last_run_at)::int as moved from scheduled_tasks`,
		),
	).toEqual({ least: 1, most: 1, successes: count, moved: count });
	await waitUntil("every owner is notified once of each run", async () => {
		const { n } = await readRow(t, "select count(*)::int as n from notifications where category = 'scheduled_task'");
		return n === count;
	});
}

export const waitForRuns = (t: TestApp, count: number) =>
	waitUntil(
		"all runs have ended",
		async () => (await readRow(t, "select count(*)::int as n from scheduled_runs where state = 'finished'")).n >= count,
		110_000,
	);
