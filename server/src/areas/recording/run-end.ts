/** The end of a run of a saved query, as it is to be recorded. */
import type { Context } from "../../context.ts";
import type { Identity } from "../../core/caller.ts";
import type { Actor } from "../../core/events.ts";
import { findIdentity } from "../accounts/sign-in/create-sessions.ts";
import { loadVisibleQuery } from "../queries/saved/visible-query.ts";
import type { EndedRun } from "../runs/background/ended-run.ts";
import { findOpenQueryRun, type QueryRunRow } from "../runs/background/sql.ts";
import { findRunStanding } from "../runs/pipelines/run-standing.ts";

export interface RunEnd {
	readonly row: QueryRunRow;
	readonly run: EndedRun;
	/** The user who started the run; null if the user is not active any more. */
	readonly identity: Identity | null;
	/** Of the version that ran; null where the run was started before the hash was stored. */
	readonly versionHash: string | null;
}

/** Null if the run has not ended, or its end is recorded. */
export async function findRunEnd(ctx: Context, jobId: string): Promise<RunEnd | null> {
	const row = await findOpenQueryRun(ctx.store.db, jobId);
	const standing = row && (await findRunStanding(ctx, jobId));
	if (row === undefined || !standing) return null;
	const { query, completedAt, job, connection, status, totalRows, startedAt, error, ownerId, versionHash } = standing;
	if (completedAt === null || query === null) return null;
	const identity = await findIdentity(ctx, ownerId);
	const success = status === "completed";
	const run: EndedRun = {
		job,
		jobId,
		originId: row.origin_id,
		user: { userId: ownerId, username: row.username },
		query,
		currentQuery: identity && (await loadVisibleQuery(ctx.store.db, identity, query.id)),
		connection,
		status,
		success,
		totalRows,
		startedAt,
		completedAt,
		executionTimeMs: startedAt === null ? 0 : Math.max(0, completedAt.getTime() - startedAt.getTime()),
		errorMessage: success ? null : status === "cancelled" ? "The run was cancelled." : (error ?? "The run failed."),
	};
	return { row, run, identity, versionHash };
}

/**
 * A cancelled run shows nothing of the fabric, other variable values show something else, and a
 * user who may not edit the query decides nothing of it.
 */
export const isObserved = ({ row, run }: RunEnd): boolean =>
	run.status !== "cancelled" && row.is_trusted && row.values_digest === null;

export const buildRunActor = (
	{ row, run }: RunEnd,
	category: "query_execution" | "time_machine",
	action: string,
): Actor & EndedRun["user"] => ({
	...run.user,
	ip: row.ip_address,
	userAgent: row.user_agent,
	requestId: row.request_id,
	audit: { category, action },
});
