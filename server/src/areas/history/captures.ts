/** A capture on its way into its history: types that preparing and storing share. */
import type { CaptureAnswer, CaptureFields, SnapshotOrigin, SnapshotSettings } from "@weft/contracts";
import type { Identity } from "../../core/caller.ts";
import type { Actor } from "../../core/events.ts";
import type { KnownQuery } from "./policy.ts";
import type { Signals } from "./rules/outcome.ts";
import type { BaselineRow } from "./sql/baselines.ts";
import type { CaptureContent, HistoryHead } from "./workers/capture.ts";
import type { BaselineDrifts, RunDrift } from "./workers/drift.ts";

/** Who captures: a user, with a request or through a background run. */
export type Capturer = Identity & Actor;

export interface CaptureOptions {
	readonly origin: SnapshotOrigin;
	readonly executionType: "manual" | "scheduled";
	readonly signal?: AbortSignal | undefined;
	/** Requests to the controller that the run made; null if no run made the result. */
	readonly requests: number | null;
	/** The version of the saved query that ran, if the query may have been edited since. */
	readonly version?: Pick<KnownQuery, "version" | "versionHash">;
	/** Digest of the variable values; null for those of the saved query. */
	readonly valuesDigest: string | null;
	/** Whether only the capturer sees the result of the saved query. */
	readonly isPrivate: boolean;
	/** Snapshots of the history that the result is compared with, beside the latest one. */
	readonly baselines: readonly BaselineRow[];
}

export interface CaptureInput {
	readonly fields: CaptureFields;
	/** The saved query that the fields name; null if they name none that the capturer sees. */
	readonly query: KnownQuery | null;
	/**
	 * result_data: an object or an array as JSON text. Large bytes are transferred to a thread, which
	 * leaves the caller's view of them empty.
	 */
	readonly bytes: Uint8Array;
	readonly options: CaptureOptions;
}

/** The history that a capture belongs to, and whether the capturer may add to it. */
export interface CaptureTarget {
	readonly capturer: Capturer;
	readonly fields: CaptureFields;
	readonly options: CaptureOptions;
	readonly access: "allowed" | "hidden" | "forbidden";
	readonly query: KnownQuery | null;
	readonly connectionName: string;
	readonly settings: SnapshotSettings;
	/** Identifies the history. */
	readonly key: string;
}

/** The outcome of a capture. */
export interface Captured {
	readonly answer: CaptureAnswer;
	/**
	 * Against the latest snapshot of a run, null if there is none; snapshots that clients captured do
	 * not count.
	 */
	readonly drift: RunDrift | null;
	/** Known also where the result equals the latest snapshot. */
	readonly baselines: BaselineDrifts;
}

/** A result that was parsed against the head of its history. It holds its turn until released. */
export interface PreparedCapture extends CaptureTarget {
	readonly signals: Signals;
	readonly sizeBytes: number;
	/** The outcome if nothing is to be stored; null: `content` is to be stored. */
	readonly declined: Captured | null;
	/** Null if the document is larger than the limit. */
	content: CaptureContent | null;
	/** The history as it was when the result was parsed. */
	head: HistoryHead;
	/** How often the history had changed before the capture was stored. */
	staleCount: number;
	/** The reservation of the history, from the fifth time on. */
	reservation: { readonly historyId: string; readonly holder: string } | null;
	/** Lets the next capture of this process have the history; null without a turn. */
	endTurn: (() => void) | null;
	/** The last error of preparing it again or storing it; null if there was none. */
	failure: unknown;
}
