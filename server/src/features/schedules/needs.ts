/** What schedules need of the rest of the service, as narrow as it gets. */
import type { CaptureAnswer, CaptureStored, PipelineStatus } from "@weft/contracts";
import type { Identity } from "../../platform/caller.ts";
import type { Events } from "../../platform/events.ts";
import type { Quotas } from "../../platform/quotas.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Jobs } from "../../ports/jobs.ts";
import type { Log } from "../../ports/log.ts";
import type { Mailer } from "../../ports/mailer.ts";
import type { Store, Tx } from "../../ports/store.ts";
import type { Program, Start } from "../pipelines/index.ts";
import type { Execution, VisibleQuery } from "../saved-queries/index.ts";

/** How a pipeline job stands. */
export interface JobState {
	readonly status: PipelineStatus;
	readonly totalRows: number | null;
	readonly error: string | null;
	readonly startedAt: Date | null;
	readonly completedAt: Date | null;
}

export interface CaptureRequest {
	/** The task's owner. */
	readonly identity: Identity;
	readonly query: VisibleQuery;
	readonly connection: { readonly id: string; readonly name: string };
	readonly jobId: string;
	readonly executionTimeMs: number;
	readonly signal: AbortSignal;
	/** Written in the transaction that stores the snapshot; not called when none is stored. */
	readonly along: (tx: Tx, answer: CaptureStored) => Promise<void>;
}

export interface ScheduleNeeds {
	readonly store: Store;
	readonly jobs: Pick<Jobs, "enqueue" | "enqueueAll">;
	readonly clock: Clock;
	readonly ids: Pick<Ids, "uuid">;
	readonly log: Log;
	readonly events: Events;
	/** Null: no mail is sent. */
	readonly mailer: Mailer | null;
	/** A user as they are now, for work on their behalf; null when gone or not active. */
	identityOf(userId: number): Promise<Identity | null>;
	findQuery(identity: Identity, id: string): Promise<VisibleQuery | null>;
	findConnection(identity: Identity, id: string): Promise<{ id: string; name: string; isActive: boolean } | null>;
	/** @throws AppError 400 with messages by dotted path when the query cannot be run with these values. */
	program(query: VisibleQuery, values: Readonly<Record<string, unknown>>): Program;
	/** In the order of `starts`. */
	startJobs(tx: Tx, starts: readonly Start[]): Promise<readonly { readonly id: string }[]>;
	/** Null when there is no such job any more. */
	jobState(jobId: string): Promise<JobState | null>;
	recordExecution(tx: Tx, execution: Execution): Promise<boolean>;
	/** Keeps the rows of a completed job as a snapshot; absent where there is no Time Machine. */
	readonly capture?: (request: CaptureRequest) => Promise<CaptureAnswer>;
	readonly quotas: Pick<Quotas, "check">;
}
