/** A run of a saved query: its purpose at the start, and its facts at the end. */
import type { Identity } from "../../../core/caller.ts";
import type { VisibleQuery } from "../../queries/saved/index.ts";
import type { RunStanding } from "../pipelines/run-standing.ts";

/** A run of a saved query that has ended. */
export interface EndedRun extends Pick<RunStanding, "job" | "connection" | "status" | "totalRows" | "startedAt"> {
	readonly jobId: string;
	/** The origin's own key; null where it needs none. */
	readonly originId: string | null;
	readonly user: { readonly userId: number; readonly username: string };
	/** The saved query as it was when the run started. */
	readonly query: { readonly id: string; readonly name: string; readonly version: string };
	/** The saved query as it is now; null if it is gone or the user does not see it. */
	readonly currentQuery: VisibleQuery | null;
	readonly success: boolean;
	readonly completedAt: Date;
	/** Milliseconds. */
	readonly executionTimeMs: number;
	/** Null for a successful run. */
	readonly errorMessage: string | null;
}

/** The audit entry of an end. */
export interface EndNote {
	readonly description: string;
	readonly metadata?: Record<string, unknown>;
}

/** The latest run of a query on a connection that completed or failed and is recorded. */
export interface LatestRun {
	readonly runId: string;
	readonly connection: { readonly id: string; readonly name: string };
	readonly endedAt: Date;
	/** The user who ran it; null where the run is no longer stored. */
	readonly ownerId: number | null;
	/** Null: it completed. */
	readonly error: string | null;
}

/** What a run is started for. */
export interface RunPurpose {
	readonly origin: string;
	readonly originId: string | null;
	readonly keepsSnapshot: boolean;
	/**
	 * Whether checks, drift and baselines of the query may read the rows. The snapshot of a run that
	 * is not trusted is private.
	 */
	readonly isTrusted: boolean;
}

/** Whether a run that a user started by hand is trusted: of an owner or an administrator. */
export const isTrustedRunner = (identity: Identity, query: Pick<VisibleQuery, "ownerId">): boolean =>
	identity.isAdmin || identity.userId === query.ownerId;

/** Why a query cannot be run, as a sentence for the user. */
export class NotRunnable extends Error {
	override readonly name = "NotRunnable";
}
