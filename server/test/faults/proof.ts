/** Holds what the service has promised against what it kept. */
import type { RunningLab } from "@weft/lab";
import type pg from "pg";
import type { Caller } from "./caller.ts";
import { hashValue, type Known } from "./load.ts";

type Counts = Record<string, number>;

/** What has not come to an end yet; empty once everything has. */
export async function countUnfinished(pool: pg.Pool, known: Known): Promise<Counts> {
	const { rows } = await pool.query<Counts>(
		`select (select count(*)::int from pipeline_jobs where status in ('pending', 'running')) as runs,
		        (select count(*)::int from scheduled_tasks t where t.id = any($1::uuid[]) and not exists (
		           select 1 from scheduled_runs r where r.task_id = t.id and r.state = 'finished')) as instants,
		        (select count(*)::int from automation_requests
		           where id = any($2::uuid[]) and status in ('approved', 'pending', 'running')) as requests,
		        (select count(*)::int from automation_executions where status in ('pending', 'waiting', 'running')) as executions,
		        (select count(*)::int from model_import_runs where state in ('pending', 'running', 'cancelling')) as imports`,
		[[...known.tasks], [...known.launches]],
	);
	return Object.fromEntries(Object.entries(rows[0] ?? {}).filter(([, n]) => n > 0));
}

/** The rows of tasks whose instant has not come to its end, for people who look for the cause. */
export async function openInstants(pool: pg.Pool, known: Known): Promise<unknown[]> {
	const { rows } = await pool.query(
		`select now() as store_now, t.status as task, t.next_run_at, r.state as run, r.due_at, e.status as execution, e.watched_at,
		        e.error_message, j.status as pipeline_job, j.completed_at, q.finished_at as recorded_at, q.failures
		 from scheduled_tasks t
		 left join scheduled_runs r on r.task_id = t.id
		 left join scheduled_executions e on e.run_id = r.id
		 left join pipeline_jobs j on j.id = e.pipeline_job_id
		 left join query_runs q on q.job_id = j.id
		 where t.id = any($1::uuid[]) and not exists (
		   select 1 from scheduled_runs f where f.task_id = t.id and f.state = 'finished')`,
		[[...known.tasks]],
	);
	return rows;
}

export interface Proof {
	/** For people. */
	readonly told: Counts;
	/** Each must be 0. */
	readonly wrong: Counts;
}

interface Subject {
	readonly caller: Caller;
	readonly pool: pg.Pool;
	readonly lab: RunningLab;
	readonly known: Known;
}

export async function verifyOutcome(subject: Subject): Promise<Proof> {
	const { known } = subject;
	const acknowledged = Object.values(known).reduce((sum: number, { size }) => sum + size, -known.asked.size);
	const { told: launched, wrong: wrongLaunches } = await checkLaunches(subject);
	const { told: imported, wrong: wrongImports } = await checkImports(subject);
	return {
		told: { acknowledged, ...launched, ...imported },
		wrong: {
			...(await checkQueries(subject)),
			...(await checkRuns(subject)),
			...(await checkCaptures(subject)),
			...(await checkInstants(subject)),
			...wrongLaunches,
			...wrongImports,
		},
	};
}

async function checkQueries({ pool, known }: Subject): Promise<Counts> {
	const { rows } = await pool.query<{ name: string; n: number }>(
		"select name, count(*)::int as n from saved_queries where name like 'query %' group by name",
	);
	const there = new Set(rows.map(({ name }) => name));
	return {
		"queries lost": [...known.queries].filter((name) => !there.has(name)).length,
		"queries twice": rows.filter(({ n }) => n > 1).length,
		"queries from nowhere": rows.filter(({ name }) => !known.asked.has(name)).length,
	};
}

async function checkRuns({ pool, known }: Subject): Promise<Counts> {
	const { rows } = await pool.query<{ id: string; status: string }>("select id, status from pipeline_jobs");
	const there = new Set(rows.map(({ id }) => id));
	return {
		"runs lost": [...known.runs].filter((id) => !there.has(id)).length,
		"runs stuck": rows.filter(({ status }) => status === "pending" || status === "running").length,
	};
}

async function checkCaptures({ caller, known }: Subject): Promise<Counts> {
	let wrong = 0;
	for (const [id, wanted] of known.captures) {
		const answer = await caller.call("GET", `/api/time-machine/snapshots/${id}/`);
		const data = answer?.body?.result_data;
		if (data === undefined || hashValue(data.imdata) !== wanted) wrong++;
	}
	return { "snapshots lost or changed": wrong };
}

async function checkInstants({ pool, known }: Subject): Promise<Counts> {
	const { rows } = await pool.query<{ n: number; executions: number }>(
		`select (select count(*)::int from scheduled_runs r where r.task_id = t.id and r.state = 'finished') as n,
		        (select count(*)::int from scheduled_executions e where e.task_id = t.id) as executions
		 from scheduled_tasks t where t.id = any($1::uuid[])`,
		[[...known.tasks]],
	);
	return {
		"due instants not run": rows.filter(({ n }) => n === 0).length,
		"due instants run twice": rows.filter(({ n, executions }) => n > 1 || executions > 1).length,
		"tasks lost": known.tasks.size - rows.length,
	};
}

/** A launch that the server refused, or that could not be sent in time, fails without a job. */
async function checkLaunches({ pool, lab, known }: Subject): Promise<Proof> {
	const jobs = new Map<string, number>();
	for (const { extra_vars } of await lab.automation.jobs()) {
		const { request_id: id } = JSON.parse(String(extra_vars)) as { request_id?: string };
		if (id !== undefined) jobs.set(id, (jobs.get(id) ?? 0) + 1);
	}
	const { rows } = await pool.query<{ id: string; status: string; job: number | null; executions: number }>(
		`select id, status, automation_job_id as job, (select count(*)::int from automation_executions e where e.request_id = r.id) as executions
		 from automation_requests r`,
	);
	const of = (id: string) => jobs.get(id) ?? 0;
	const there = new Map(rows.map((row) => [row.id, row]));
	const begun = [...known.launches].map((id) => there.get(id));
	return {
		told: {
			"requests launched": rows.filter(({ id }) => of(id) === 1).length,
			"launches that failed": begun.filter((row) => row?.job === null && row.status === "failed").length,
		},
		wrong: {
			"requests lost": begun.filter((row) => row === undefined).length,
			"requests stuck": begun.filter((row) => row && !["successful", "failed"].includes(row.status)).length,
			"requests launched twice": rows.filter(({ id, executions }) => of(id) > 1 || executions > 1).length,
			"requests whose job is not theirs": rows.filter(({ id, job }) => (job === null) !== (of(id) === 0)).length,
			"jobs of no request": [...jobs.keys()].filter((id) => !there.has(id)).length,
		},
	};
}

async function checkImports({ pool, known }: Subject): Promise<Proof> {
	const { rows } = await pool.query<{ id: string; state: string; whole: boolean; listed: boolean }>(
		`select r.id, r.state, r.completed_count + r.not_found_count = r.total_classes and r.total_classes > 0
		        and (v.is_available is not true or r.completed_count = (
		          select coalesce(sum(class_count), 0) from model_records m where m.run_id = r.id)) as whole,
		        v.id is not null as listed
		 from model_import_runs r left join model_versions v on v.run_id = r.id`,
	);
	const there = new Map(rows.map((row) => [row.id, row]));
	const completed = rows.filter(({ state }) => state === "completed");
	return {
		told: { "models imported": completed.length, "imports that failed": rows.length - completed.length },
		wrong: {
			"imports lost": [...known.imports].filter((id) => !there.has(id)).length,
			"imports stuck": rows.filter(({ state }) => state !== "completed" && state !== "failed").length,
			"imports in part": completed.filter(({ whole, listed }) => !whole || !listed).length,
		},
	};
}
