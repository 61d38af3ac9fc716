/** Starting, listing, showing and ending runs. */
import type { ExportFormat, PipelineStatus, pipelineCreate, RunList } from "@weft/contracts";
import type * as z from "zod";
import type { Caller, Identity } from "../../platform/caller.ts";
import { buildForbiddenError, buildRefusedError, invalidField, notFound } from "../../platform/errors.ts";
import { type Actor, type Events, markUnchanged } from "../../platform/events.ts";
import { getOffset, type PageQuery, paginateRows } from "../../platform/http/paging.ts";
import type { QuotaHolder, Quotas } from "../../platform/quotas.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Jobs } from "../../ports/jobs.ts";
import type { PubSub } from "../../ports/pubsub.ts";
import { brokenUnique, type Store, type Tx } from "../../ports/store.ts";
import { type Program, type ProgramInput, readProgram } from "../flow/index.ts";
import { fileName } from "./domain/file-name.ts";
import { getRunId } from "./domain/run-id.ts";
import { buildOutline } from "./domain/stages.ts";
import { mayAccess } from "./policy.ts";
import { presentDetail, presentJob, presentStage } from "./present.ts";
import type { FoundRun, RunRow } from "./repo.ts";
import {
	cancelRunRow,
	findProgram,
	findRun,
	insertRuns,
	linkRunSnapshot,
	listNodeResults,
	listRunPage,
	listStages,
} from "./repo.ts";
import { ENDED, PIPELINE_QUEUE, pipelineTopic } from "./service-lease.ts";
import { createParts } from "./service-parts.ts";
import type { Results } from "./service-results.ts";
import { emitEnd } from "./service-signals.ts";

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
	readonly postProcessors: unknown;
	readonly variables: unknown;
}

export interface PipelineDeps {
	readonly store: Store;
	readonly results: Results;
	readonly jobs: Pick<Jobs, "enqueueAll">;
	readonly clock: Pick<Clock, "now">;
	readonly ids: Pick<Ids, "uuid">;
	readonly pubsub: Pick<PubSub, "publish">;
	readonly events: Events;
	readonly quotas: Pick<Quotas, "check" | "limit">;
	/**
	 * A connection that the caller sees and that is active. @throws 400 under `field` for every
	 * other.
	 */
	usableConnection(identity: Identity, id: string, field: string): Promise<ConnectionRef>;
	/** Null when it does not exist or the caller does not see it. */
	findQuery(identity: Identity, id: string): Promise<QueryRef | null>;
}

/** What a run is made from, once it is known to be sound. */
export interface Start {
	readonly owner: QuotaHolder;
	readonly program: Program;
	readonly connection: Pick<ConnectionRef, "id" | "name">;
	readonly query: Pick<QueryRef, "id" | "name" | "version" | "versionHash"> | null;
	/** Whether the end of the run is emitted as `pipeline_job_finished`. */
	readonly awaited?: boolean;
	/** A new one where it is absent. */
	readonly id?: string | undefined;
}

export interface RunStanding {
	readonly ownerId: number;
	readonly connection: ConnectionRef;
	/** The saved query in the version that runs; null for a canvas by itself. */
	readonly query: Pick<QueryRef, "id" | "name" | "version"> | null;
	/** Null where the run was started before the hash was stored. */
	readonly versionHash: string | null;
	readonly status: PipelineStatus;
	/** Of a completed run. */
	readonly totalRows: number | null;
	/** Why a run failed, in one line. */
	readonly error: string | null;
	readonly startedAt: Date | null;
	readonly completedAt: Date | null;
	/** The snapshot that has the rows. */
	readonly snapshotId: string | null;
}

export interface RunDocument {
	/** `{totalCount, imdata}`; null when it is longer than asked for. */
	readonly bytes: Uint8Array | null;
	/** Of the first stage of the answer. */
	readonly className: string;
	/** To the controller, of all stages. */
	readonly requests: number;
}

export function createPipelines(deps: PipelineDeps) {
	const { store, results, clock, events, quotas } = deps;
	const getParts = createParts({ store });

	async function findVisibleRun(identity: Identity, id: string): Promise<FoundRun> {
		const job = await findRun(store.db, id);
		if (job === undefined || !mayAccess(identity, job)) throw notFound();
		return job;
	}

	/** The rows that a run begins as. */
	function getRows({ owner, program, connection, query, awaited = false, id = deps.ids.uuid() }: Start, now: Date) {
		const { stages, resultStages } = buildOutline(program.flow);
		const job = {
			id,
			owner_id: owner.userId,
			status: "pending" as const,
			controller_connection_id: connection.id,
			controller_connection_name: connection.name,
			saved_query_id: query?.id ?? null,
			query_name: query?.name ?? null,
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
	async function startAll(tx: Tx, starts: readonly Start[]): Promise<RunRow[]> {
		if (starts.length === 0) return [];
		const owners = countByOwner(starts);
		for (const [owner] of owners) await quotas.check(owner, "can_execute_queries", tx);
		const now = new Date(clock.now());
		const made = starts.map((each) => getRows(each, now));
		const rows = await insertRuns(
			tx,
			made.map(({ job }) => job),
			made.flatMap(({ stages }) => stages),
		);
		await deps.jobs.enqueueAll(
			tx,
			PIPELINE_QUEUE,
			made.map(({ job }) => ({ jobId: job.id })),
		);
		for (const [owner, times] of owners) await quotas.check(owner, "executions_daily", tx, times);
		return made.flatMap(({ job }) => rows.get(job.id) ?? []);
	}

	/**
	 * Starts a run and records the start in the audit log. `purpose` follows the description, as in `
	 * for a report`.
	 */
	async function startRun(
		tx: Tx,
		actor: QuotaHolder & Actor,
		one: Omit<Start, "owner">,
		purpose = "",
	): Promise<RunRow> {
		const [job] = await startAll(tx, [{ ...one, owner: actor }]);
		if (job === undefined) throw new Error("a run was not written");
		const { query, connection } = one;
		await events.changed(tx, actor, {
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

	/** Ends a run that has not ended. The caller emits its end. Undefined if it had ended. */
	async function cancelRun(tx: Tx, id: string): Promise<RunRow | undefined> {
		const row = await cancelRunRow(tx, id, new Date(clock.now()));
		if (row !== undefined) tx.afterCommit(() => deps.pubsub.publish(pipelineTopic(id), ENDED));
		return row;
	}

	/**
	 * Starts a run, or finds the one that the caller has started with the same key.
	 * @param work starts the run with the given id, in a transaction of its own
	 */
	async function startOnce(
		caller: Caller,
		key: string | null | undefined,
		work: (id: string | undefined) => Promise<RunRow>,
	): Promise<RunRow> {
		if (key === null || key === undefined) return work(undefined);
		const id = getRunId(caller.userId, key);
		const known = await findRun(store.db, id);
		if (known !== undefined) {
			markUnchanged(caller);
			return known;
		}
		try {
			return await work(id);
		} catch (error) {
			// A concurrent call with the same key has started the run.
			const same = brokenUnique(error) === PRIMARY_KEY ? await findRun(store.db, id) : undefined;
			if (same === undefined) throw error;
			markUnchanged(caller);
			return same;
		}
	}

	return {
		start: startRun,
		startAll,
		startOnce,

		/** Reads and checks what a run is made from. @throws 400 */
		readProgram: (input: ProgramInput): Program => readProgram(input),

		async create(caller: Caller, input: z.output<typeof pipelineCreate>) {
			const connection = await deps.usableConnection(
				caller,
				input.controller_connection_id,
				"controller_connection_id",
			);
			const query = input.saved_query_id ? await deps.findQuery(caller, input.saved_query_id) : null;
			if (input.saved_query_id && query === null) throw invalidField("saved_query_id", "There is no such query.");
			const program = readProgram({
				flow_data: input.flow_data,
				post_processors: input.post_processors ?? query?.postProcessors ?? [],
				variables: input.variables ?? query?.variables ?? [],
				variable_values: input.variable_values,
			});
			const run = { program, connection, query };
			return presentJob(
				await startOnce(caller, input.idempotency_key, (id) =>
					store.transaction((tx) => startRun(tx, caller, { ...run, id })),
				),
			);
		},

		async list(caller: Caller, query: RunList, url: string) {
			const page = await listRunPage(store.db, caller.userId, {
				...query,
				offset: getOffset(query),
				limit: query.page_size,
			});
			return paginateRows(url, query, page, presentJob);
		},

		async detail(caller: Caller, id: string) {
			const job = await findVisibleRun(caller, id);
			const [stages, nodeResults] = [await listStages(store.db, id), await listNodeResults(store.db, id)];
			return presentDetail(job, stages, nodeResults);
		},

		async stages(caller: Caller, id: string) {
			await findVisibleRun(caller, id);
			return (await listStages(store.db, id)).map(presentStage);
		},

		/** The envelope as JSON text: rows keep the digits of their numbers. */
		async resultPage(caller: Caller, id: string, query: PageQuery & { stage?: number | undefined }, url: string) {
			const job = await findVisibleRun(caller, id);
			const parts = await getParts(job, query.stage);
			const count = parts.reduce((sum, { rows }) => sum + rows, 0);
			const rows = await results.page(job.id, parts, getOffset(query), query.page_size);
			const { results: texts, ...envelope } = paginateRows(url, query, { count, rows }, (text) => text);
			return `${JSON.stringify(envelope).slice(0, -1)},"results":[${texts.join(",")}]}`;
		},

		async resultFile(caller: Caller, id: string, stage: number | undefined, format: ExportFormat) {
			const job = await findVisibleRun(caller, id);
			await quotas.check(caller, "can_export");
			const parts = await getParts(job, stage);
			const limit = await quotas.limit(caller, "export_rows_max");
			if (limit !== null && parts.reduce((sum, { rows }) => sum + rows, 0) > limit) {
				throw buildForbiddenError(`Your quota allows exports of ${limit} rows.`, { quota: "export_rows_max" });
			}
			const { type, pieces } = results.file(job.id, parts, format);
			const name = `${fileName(job.query_name ?? "results")}-${job.id}.${format}`;
			return { type, pieces, disposition: `attachment; filename="${name}"` };
		},

		/**
		 * Cancels those runs that have not ended; the caller has checked who may. `between` is called
		 * after all of them are cancelled, and before the end of any is emitted.
		 * @returns how many were cancelled
		 */
		async cancelAll(tx: Tx, ids: readonly string[], between: () => Promise<void>): Promise<number> {
			const cancelled: RunRow[] = [];
			for (const id of [...ids].sort()) {
				const row = await cancelRun(tx, id);
				if (row !== undefined) cancelled.push(row);
			}
			if (cancelled.length > 0) await between();
			for (const row of cancelled) await emitEnd(events, tx, row);
			return cancelled.length;
		},

		/** What a run was made from, to start it again; null once it is removed with the rows. */
		async getOriginal(id: string): Promise<Pick<Start, "program" | "query"> | null> {
			const job = await findRun(store.db, id);
			const program = await findProgram(store.db, id);
			if (job === undefined || program === null) return null;
			const { saved_query_id: queryId, query_name: name, query_version: version, query_version_hash: hash } = job;
			const query =
				queryId === null ? null : { id: queryId, name: name ?? "", version: version ?? "", versionHash: hash ?? "" };
			return { program: program as Program, query };
		},

		/** How a run stands; null where it does not exist. */
		async getState(id: string): Promise<RunStanding | null> {
			const job = await findRun(store.db, id);
			if (job === undefined) return null;
			const { saved_query_id: queryId, query_name: name, query_version: version } = job;
			return {
				ownerId: job.owner_id,
				connection: { id: job.controller_connection_id, name: job.controller_connection_name },
				query: queryId === null ? null : { id: queryId, name: name ?? "", version: version ?? "" },
				versionHash: job.query_version_hash,
				status: job.status,
				totalRows: job.total_rows,
				startedAt: job.started_at,
				completedAt: job.completed_at,
				snapshotId: job.snapshot_id,
				error: job.errors.map(({ message }) => message).join("; ") || null,
			};
		},

		/** The rows of a completed run as a controller's answer, for a snapshot. 404, 409. */
		async getDocument(identity: Identity, id: string, maxBytes: number): Promise<RunDocument> {
			const job = await findVisibleRun(identity, id);
			const bytes = await results.document(job.id, await getParts(job, undefined), maxBytes);
			const stages = await listStages(store.db, id);
			return {
				bytes,
				requests: stages.reduce((sum, stage) => sum + stage.request_count, 0),
				className: stages.find(({ index }) => index === job.result_stages[0])?.class_name ?? "",
			};
		},

		/** Names the snapshot that has the rows of a run. */
		linkSnapshot: linkRunSnapshot,

		/**
		 * The rows of a completed run as they are stored (see `Results.packed`); null when they are
		 * removed or longer than `maxBytes`. The caller has checked who may see them.
		 */
		async getPackedRows(id: string, maxBytes: number): Promise<readonly Uint8Array[] | null> {
			const job = await findRun(store.db, id);
			if (job === undefined || job.results_purged_at !== null) return null;
			return results.packed(job.id, await getParts(job, undefined), maxBytes);
		},

		async cancel(caller: Caller, id: string) {
			const before = await findVisibleRun(caller, id);
			if (before.is_recording) {
				throw buildRefusedError(
					"The run has all its rows, and its end is being recorded. It cannot be cancelled any more.",
				);
			}
			const job = await store.transaction(async (tx) => {
				const row = await cancelRun(tx, id);
				if (row === undefined) throw buildRefusedError("Only a run that is pending or running can be cancelled.");
				await events.changed(tx, caller, {
					targetType: "pipeline_execution",
					targetId: id,
					description: `${caller.username} cancelled a run of ${before.query_name ?? "a query"} against ${before.controller_connection_name}`,
				});
				await emitEnd(events, tx, row);
				return row;
			});
			return presentJob(job);
		},
	};
}
export type Pipelines = ReturnType<typeof createPipelines>;

/**
 * How many runs each owner starts, ordered by owner, so that concurrent starts lock the counters in
 * the same order.
 */
function countByOwner(starts: readonly Start[]): [QuotaHolder, number][] {
	const counts = new Map<number, [QuotaHolder, number]>();
	for (const { owner } of starts) counts.set(owner.userId, [owner, (counts.get(owner.userId)?.[1] ?? 0) + 1]);
	return [...counts.values()].sort(([a], [b]) => a.userId - b.userId);
}
