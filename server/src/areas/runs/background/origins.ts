/** What this area and the parts of the service that start runs say to each other. */
import type { Identity } from "../../../core/caller.ts";
import type { Tx } from "../../../ports/store.ts";
import type { BaselineDrifts, BaselineRow, RunDrift } from "../../history/index.ts";
import type { VisibleQuery } from "../../queries/saved/index.ts";
import type { RunStanding } from "../pipelines/service-standing.ts";

export type { RunDrift };

/** A run of a saved query that has ended. */
export interface EndedRun extends Pick<RunStanding, "connection" | "status" | "totalRows" | "startedAt"> {
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

/** What became of the rows; null if no snapshot was requested or the run did not complete. */
export type SnapshotOutcome =
	/**
	 * `drift`: since the latest snapshot of a run, null if there is none; those that clients captured
	 * do not count.
	 */
	| {
			readonly kind: "stored";
			readonly id: string;
			readonly drift: RunDrift | null;
			readonly baselines: BaselineDrifts;
	  }
	/** The rows equal those of the latest snapshot. */
	| { readonly kind: "unchanged"; readonly id: string; readonly baselines: BaselineDrifts }
	| { readonly kind: "none"; readonly reason: string }
	| null;

/** The audit entry of an end. */
export interface EndNote {
	readonly description: string;
	readonly metadata?: Record<string, unknown>;
}

/** A part of the service that starts runs and has an outcome of its own. */
export interface RunOrigin {
	/** Stored with each run. */
	readonly name: string;
	readonly executionType: "manual" | "scheduled";
	/** Why the rows must not become a snapshot; null: they may. */
	refuseSnapshot?(run: EndedRun): Promise<string | null>;
	/**
	 * Writes the origin's outcome in the transaction that records the end.
	 * @returns null if the origin has an outcome already: then nothing is recorded and no snapshot
	 * stays
	 */
	ended(tx: Tx, run: EndedRun, snapshot: SnapshotOutcome): Promise<EndNote | null>;
}

/** What an observer needs of the snapshot, and what it found. */
export interface Observation {
	/** Earlier snapshots of the query and connection that the rows are compared with. */
	readonly baselines: readonly BaselineRow[];
	/** Writes in the transaction that records the end. `snapshot` is stored in the same one. */
	write(tx: Tx, snapshot: SnapshotOutcome): Promise<void>;
}

/** A part of the service that looks at the rows of runs, whatever started them. */
export interface RunObserver {
	/**
	 * Called before the transaction that records the end, of runs that completed or failed. May be
	 * called again for the same run.
	 */
	observe(run: EndedRun, signal: AbortSignal): Promise<Observation>;
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
