/** Starting runs. */
import type { pipelineCreate } from "@weft/contracts";
import type * as z from "zod";
import { type Context, getNow } from "../../../context.ts";
import type { Caller } from "../../../core/caller.ts";
import { buildFieldError } from "../../../core/errors.ts";
import { type Actor, markUnchanged } from "../../../core/events.ts";
import { findBrokenUnique, type Tx } from "../../../core/ports/store.ts";
import type { QuotaHolder } from "../../../core/quotas.ts";
import { requireTarget } from "../../fabrics/manage-connections.ts";
import { type Program, readProgram } from "../../queries/flow/index.ts";
import { loadVisibleQuery } from "../../queries/saved/visible-query.ts";
import { presentJob } from "./present.ts";
import { getRunId } from "./rules/run-id.ts";
import { buildOutline } from "./rules/stages.ts";
import type { RunRow } from "./sql/runs.ts";
import { findRun, insertRuns } from "./sql/runs.ts";
import { PIPELINE_QUEUE } from "./topics.ts";

/** Of `pipeline_jobs`. */
const PRIMARY_KEY = "pipeline_jobs_pkey";

/** A connection that the caller may query with. */
export interface ConnectionRef {
	readonly id: string;
	readonly name: string;
}

/** A saved query that the caller may run. */
export interface QueryRef {
	readonly id: string;
	readonly name: string;
	/** `v1.0` */
	readonly version: string;
	/** Hash of the canvas in that version. */
	readonly versionHash: string;
}

/** What a run is made from, once it is known to be sound. */
export interface Start {
	readonly owner: QuotaHolder;
	readonly program: Program;
	readonly connection: ConnectionRef;
	readonly query: QueryRef | null;
	/** Name of a run without a saved query, such as a question of the gallery. */
	readonly name?: string | null;
	/** Whether the end of the run is emitted as `pipeline_job_finished`. */
	readonly awaited?: boolean;
	/** A new one where it is absent. */
	readonly id?: string | undefined;
}

/** The rows that a run begins as. */
function buildRunRows(
	ctx: Context,
	{ owner, program, connection, query, name = null, awaited = false, id = ctx.ids.uuid() }: Start,
	now: Date,
) {
	const { stages, resultStages } = buildOutline(program.flow, program.post_processors);
	const job = {
		id,
		owner_id: owner.userId,
		status: "pending" as const,
		controller_connection_id: connection.id,
		controller_connection_name: connection.name,
		saved_query_id: query?.id ?? null,
		query_name: query?.name ?? name,
		query_version: query?.version ?? null,
		query_version_hash: query?.versionHash ?? null,
		program: JSON.stringify(program),
		result_stages: resultStages,
		total_stages: stages.length,
		created_at: now,
		enqueued_at: now,
		awaited,
	};
	return {
		job,
		stages: stages.map(({ index, nodeIds, className, inputs }) => ({
			job_id: id,
			index,
			node_ids: nodeIds,
			class_name: className,
			inject_mode: inputs[0]?.injectAs ?? null,
			source_stages: [...new Set(inputs.map(({ sourceStage }) => sourceStage))],
		})),
	};
}

/**
 * Writes runs, their stages and their queue tasks, within the quotas of their owners. The caller
 * writes the audit entry.
 * @returns the runs in the order of `starts`
 * @throws 403, 429
 */
export async function startAllRuns(ctx: Context, tx: Tx, starts: readonly Start[]): Promise<RunRow[]> {
	if (starts.length === 0) return [];
	const owners = countByOwner(starts);
	for (const [owner] of owners) await ctx.quotas.check(owner, "can_execute_queries", tx);
	const now = getNow(ctx);
	const made = starts.map((each) => buildRunRows(ctx, each, now));
	const rows = await insertRuns(
		tx,
		made.map(({ job }) => job),
		made.flatMap(({ stages }) => stages),
	);
	await ctx.jobs.enqueueAll(
		tx,
		PIPELINE_QUEUE,
		made.map(({ job }) => ({ jobId: job.id })),
	);
	for (const [owner, times] of owners) await ctx.quotas.check(owner, "executions_daily", tx, times);
	return made.flatMap(({ job }) => rows.get(job.id) ?? []);
}

/**
 * Starts a run and records the start in the audit log. `purpose` follows the description, as in `
 * for a report`.
 */
export async function startRun(
	ctx: Context,
	tx: Tx,
	actor: QuotaHolder & Actor,
	one: Omit<Start, "owner">,
	purpose = "",
): Promise<RunRow> {
	const [job] = await startAllRuns(ctx, tx, [{ ...one, owner: actor }]);
	if (job === undefined) throw new Error("a run was not written");
	const { query, connection } = one;
	await ctx.events.changed(tx, actor, {
		targetType: "pipeline_execution",
		targetId: job.id,
		description: `${actor.username} started ${query?.name ?? "a query"} against ${connection.name}${purpose}`,
		metadata: {
			controller_connection_id: connection.id,
			saved_query_id: query?.id ?? null,
			version: query?.version ?? null,
			stages: job.total_stages,
		},
	});
	return job;
}

/**
 * Starts a run, or finds the one that the caller has started with the same key.
 * @param work starts the run with the given id, in a transaction of its own
 */
export async function startRunOnce(
	ctx: Context,
	caller: Caller,
	key: string | null | undefined,
	work: (id: string | undefined) => Promise<RunRow>,
): Promise<RunRow> {
	if (key === null || key === undefined) return work(undefined);
	const id = getRunId(caller.userId, key);
	const known = await findRun(ctx.store.db, id);
	if (known !== undefined) {
		markUnchanged(caller);
		return known;
	}
	try {
		return await work(id);
	} catch (error) {
		// A concurrent call with the same key has started the run.
		const same = findBrokenUnique(error) === PRIMARY_KEY ? await findRun(ctx.store.db, id) : undefined;
		if (same === undefined) throw error;
		markUnchanged(caller);
		return same;
	}
}

export async function createRun(ctx: Context, caller: Caller, input: z.output<typeof pipelineCreate>) {
	const connection = await requireTarget(ctx, caller, input.controller_connection_id, "controller_connection_id");
	const query = input.saved_query_id ? await loadVisibleQuery(ctx.store.db, caller, input.saved_query_id) : null;
	if (input.saved_query_id && query === null) throw buildFieldError("saved_query_id", "There is no such query.");
	const program = readProgram({
		flow_data: input.flow_data,
		post_processors: input.post_processors ?? query?.postProcessors ?? [],
		variables: input.variables ?? query?.variables ?? [],
		variable_values: input.variable_values,
	});
	const run = { program, connection, query };
	return presentJob(
		await startRunOnce(ctx, caller, input.idempotency_key, (id) =>
			ctx.store.transaction((tx) => startRun(ctx, tx, caller, { ...run, id })),
		),
	);
}

/**
 * How many runs each owner starts, ordered by owner, so that concurrent starts lock the counters in
 * the same order.
 */
function countByOwner(starts: readonly Start[]): [QuotaHolder, number][] {
	const counts = new Map<number, [QuotaHolder, number]>();
	for (const { owner } of starts) counts.set(owner.userId, [owner, (counts.get(owner.userId)?.[1] ?? 0) + 1]);
	return [...counts.values()].sort(([a], [b]) => a.userId - b.userId);
}
