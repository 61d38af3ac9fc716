/** How runs stand and what they are made of, for other areas. */
import type { PipelineStatus } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import type { Program } from "../../queries/flow/index.ts";
import { listResultParts } from "./result-parts.ts";
import { buildDocument, readPackedChunks } from "./run-results.ts";
import { findProgram, findRun, listStages, type RunRow } from "./sql/runs.ts";
import type { ConnectionRef, QueryRef, Start } from "./start-runs.ts";

export interface RunStanding {
	/** The stored run, by which its rows are read. */
	readonly job: RunRow;
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

/** What a run was made from, to start it again; null once it is removed with the rows. */
export async function findRunOriginal(ctx: Context, id: string): Promise<Pick<Start, "program" | "query"> | null> {
	const job = await findRun(ctx.store.db, id);
	const program = await findProgram(ctx.store.db, id);
	if (job === undefined || program === null) return null;
	const { saved_query_id: queryId, query_name: name, query_version: version, query_version_hash: hash } = job;
	const query =
		queryId === null ? null : { id: queryId, name: name ?? "", version: version ?? "", versionHash: hash ?? "" };
	return { program: program as Program, query };
}

/** How a run stands; null where it does not exist. */
export async function findRunStanding(ctx: Context, id: string): Promise<RunStanding | null> {
	const job = await findRun(ctx.store.db, id);
	if (job === undefined) return null;
	const { saved_query_id: queryId, query_name: name, query_version: version } = job;
	return {
		job,
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
}

/**
 * The rows of a completed run as a controller's answer, for a snapshot. The caller has checked who
 * may see them. 404, 409.
 */
export async function readRunDocument(ctx: Context, job: RunRow, maxBytes: number): Promise<RunDocument> {
	const bytes = await buildDocument(ctx, job.id, await listResultParts(ctx, job, undefined), maxBytes);
	const stages = await listStages(ctx.store.db, job.id);
	return {
		bytes,
		requests: stages.reduce((sum, stage) => sum + stage.request_count, 0),
		className: stages.find(({ index }) => index === job.result_stages[0])?.class_name ?? "",
	};
}

/**
 * The rows of a completed run as they are stored (see `Results.packed`); null when they are
 * removed or longer than `maxBytes`. The caller has checked who may see them.
 */
export async function readPackedRows(
	ctx: Context,
	job: RunRow | undefined,
	maxBytes: number,
): Promise<readonly Uint8Array[] | null> {
	if (job === undefined || job.results_purged_at !== null) return null;
	return readPackedChunks(ctx, job.id, await listResultParts(ctx, job, undefined), maxBytes);
}
