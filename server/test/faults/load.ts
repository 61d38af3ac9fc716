/** Load of every kind on a service whose parts die: remembers what was acknowledged, and proves afterwards that it is there, once. */
import { createHash, randomUUID } from "node:crypto";
import type pg from "pg";
import { TEST_PASSWORD } from "../harness.ts";

// biome-ignore lint/suspicious/noExplicitAny: bodies are looked at by the checks below
type Json = any;

/** A failed call is what faults are about: it is tried again on another node, or given up. */
export interface Caller {
	/** Null where no answer came, or a 5xx. */
	call(method: string, path: string, body?: unknown): Promise<{ status: number; body: Json } | null>;
}

/** Calls whichever web node answers, signing in again where a session was lost. */
export function createCaller(addresses: () => readonly string[]): Caller {
	let token = "";
	let turn = 0;

	async function send(method: string, path: string, body: unknown): Promise<Response> {
		const all = addresses();
		const base = all[turn++ % all.length];
		return fetch(base + path, {
			method,
			headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
			signal: AbortSignal.timeout(20_000),
		});
	}

	async function signIn(): Promise<void> {
		const answer = await send("POST", "/api/auth/login/", { username: "admin", password: TEST_PASSWORD });
		if (answer.ok) token = ((await answer.json()) as Json).access;
		else await answer.arrayBuffer();
	}

	return {
		async call(method, path, body) {
			try {
				if (token === "") await signIn();
				const answer = await send(method, path, body);
				const text = await answer.text();
				if (answer.status === 401) token = "";
				if (answer.status >= 500 || answer.status === 401) return null;
				return { status: answer.status, body: text === "" ? null : JSON.parse(text) };
			} catch {
				return null;
			}
		},
	};
}

export interface Counts {
	[what: string]: number;
}

const CANVAS = {
	nodes: [
		{ id: "a", type: "classNode", data: { className: "fvTenant" } },
		{ id: "b", type: "classNode", data: { className: "fvBD" } },
	],
	edges: [{ id: "e", source: "a", target: "b" }],
};

export interface Setting {
	readonly connectionId: string;
	readonly queryId: string;
}

export async function prepare(
	caller: Caller,
	lab: { url: string; username: string; password: string },
): Promise<Setting> {
	const { url, username, password } = lab;
	const connection = await caller.call("POST", "/api/controller/connections/", {
		...{ name: "Fabric", url, username, password, verify_ssl: false, timeout: 10 },
	});
	const query = await caller.call("POST", "/api/queries/saved-queries/", {
		...{ name: "Bridge domains", flow_data: CANVAS, enable_time_machine: true },
	});
	if (connection?.status !== 201 || query?.status !== 201) throw new Error("The service could not be prepared.");
	return { connectionId: connection.body.id, queryId: query.body.id };
}

/** Keeps on working until told to stop; then `verify` holds everything acknowledged against the store. */
export function createLoad(caller: Caller, pool: pg.Pool, { connectionId, queryId }: Setting) {
	const acknowledged = {
		queries: new Set<string>(),
		/** Names of queries whose creation was not answered: they may be there, once. */
		maybe: new Set<string>(),
		runs: new Set<string>(),
		captures: new Map<string, string>(),
		tasks: new Set<string>(),
	};
	let tried = 0;
	let lost = 0;
	let going = true;
	let moment = 0;

	const kinds: Record<string, () => Promise<void>> = {
		async "create a query"() {
			const name = `query ${randomUUID()}`;
			acknowledged.maybe.add(name);
			const answer = await caller.call("POST", "/api/queries/saved-queries/", { name, flow_data: CANVAS });
			if (answer?.status === 201) acknowledged.queries.add(name);
			else if (answer === null) lost++;
		},
		async "start a run"() {
			const answer = await caller.call("POST", "/api/queries/pipeline-executions/", {
				...{ flow_data: CANVAS, controller_connection_id: connectionId },
			});
			if (answer?.status === 201 || answer?.status === 202) acknowledged.runs.add(answer.body.id);
			else if (answer === null) lost++;
		},
		async capture() {
			const imdata = objects(++moment);
			const answer = await caller.call("POST", "/api/time-machine/capture/", {
				...{ saved_query_id: queryId, controller_connection_id: connectionId, result_data: { imdata } },
			});
			if (answer?.body?.snapshot_id) acknowledged.captures.set(answer.body.snapshot_id, digest(imdata));
			else if (answer === null) lost++;
		},
		async "become due"() {
			const answer = await caller.call("POST", "/api/queries/scheduled-tasks/", {
				...{ name: `task ${randomUUID()}`, saved_query: queryId, controller_connection_ids: [connectionId] },
				...{ frequency: "monthly", day_of_month: 1, time_of_day: "00:00", retry_count: 0 },
			});
			if (answer?.status !== 201) return;
			const { id } = answer.body;
			// Due at once; the next one is weeks away, so that each task has exactly one instant.
			await pool
				.query("update scheduled_tasks set next_run_at = now() where id = $1 returning 1", [id])
				.then(({ rowCount }) => rowCount === 1 && acknowledged.tasks.add(id))
				.catch(() => {
					// Whether it was set is not known: such a task proves nothing.
				});
		},
	};

	async function worker(name: string, work: () => Promise<void>): Promise<void> {
		while (going) {
			tried++;
			await work().catch((error: Error) => {
				throw new Error(`${name}: ${error.message}`, { cause: error });
			});
			await new Promise((resolve) => setTimeout(resolve, 60));
		}
	}
	const workers = Object.entries(kinds).map(([name, work]) => worker(name, work));

	return {
		async stop(): Promise<void> {
			going = false;
			await Promise.all(workers);
		},
		/** Runs that have not come to an end yet, and due instants that have not run. */
		async unfinished(): Promise<number> {
			const { rows } = await pool.query(
				`select (select count(*) from pipeline_jobs where status in ('pending', 'running'))
				      + (select count(*) from scheduled_tasks t where t.id = any($1::uuid[]) and not exists (
				           select 1 from scheduled_runs r where r.task_id = t.id and r.state = 'finished'))
				   as n`,
				[[...acknowledged.tasks]],
			);
			return Number(rows[0].n);
		},
		/** Each number but the first three must be 0. */
		async verify(): Promise<Counts> {
			const counts: Counts = { tried, "without an answer": lost };
			counts.acknowledged =
				acknowledged.queries.size + acknowledged.runs.size + acknowledged.captures.size + acknowledged.tasks.size;

			const { rows: named } = await pool.query<{ name: string; n: number }>(
				"select name, count(*)::int as n from saved_queries where name like 'query %' group by name",
			);
			const there = new Map(named.map(({ name, n }) => [name, n]));
			counts["queries lost"] = [...acknowledged.queries].filter((name) => !there.has(name)).length;
			counts["queries twice"] = named.filter(({ n }) => n > 1).length;
			counts["queries from nowhere"] = named.filter(({ name }) => !acknowledged.maybe.has(name)).length;

			const { rows: jobs } = await pool.query<{ id: string; status: string }>("select id, status from pipeline_jobs");
			const states = new Map(jobs.map(({ id, status }) => [id, status]));
			counts["runs lost"] = [...acknowledged.runs].filter((id) => !states.has(id)).length;
			counts["runs stuck"] = jobs.filter(({ status }) => status === "pending" || status === "running").length;

			counts["snapshots lost or changed"] = 0;
			for (const [id, wanted] of acknowledged.captures) {
				const answer = await caller.call("GET", `/api/time-machine/snapshots/${id}/`);
				const data = answer?.body?.result_data;
				if (data === undefined || digest(data.imdata) !== wanted) counts["snapshots lost or changed"]++;
			}

			const { rows: runs } = await pool.query<{ n: number; executions: number }>(
				`select (select count(*)::int from scheduled_runs r where r.task_id = t.id and r.state = 'finished') as n,
				        (select count(*)::int from scheduled_executions e where e.task_id = t.id) as executions
				 from scheduled_tasks t where t.id = any($1::uuid[])`,
				[[...acknowledged.tasks]],
			);
			counts["due instants not run"] = runs.filter(({ n }) => n === 0).length;
			counts["due instants run twice"] = runs.filter(({ n, executions }) => n > 1 || executions > 1).length;
			return counts;
		},
	};
}

const objects = (moment: number) =>
	Array.from({ length: 200 }, (_, index) => ({
		fvBD: {
			attributes: {
				dn: `uni/tn-a/BD-${index}`,
				name: `b${index}`,
				descr: index % 40 === moment % 40 ? `at ${moment}` : "",
			},
		},
	}));

const digest = (value: unknown): string => createHash("sha256").update(JSON.stringify(value)).digest("hex");
