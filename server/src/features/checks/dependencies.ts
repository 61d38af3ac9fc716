/** Dependencies of checks on the rest of the service. */
import type { Caller, Identity } from "../../platform/caller.ts";
import type { Events } from "../../platform/events.ts";
import type { Quotas } from "../../platform/quotas.ts";
import type { CurrentModel } from "../../ports/class-model.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Jobs } from "../../ports/jobs.ts";
import type { Log } from "../../ports/log.ts";
import type { Store } from "../../ports/store.ts";
import type { PipelineFeature } from "../pipelines/index.ts";
import type { QueryRunsFeature } from "../query-runs/index.ts";
import type { QueryFiles, VisibleQuery } from "../saved-queries/index.ts";
import type { TimeMachine } from "../time-machine/index.ts";
import type { CheckPool } from "./workers/work.ts";

export interface CheckDependencies {
	readonly store: Store;
	readonly clock: Pick<Clock, "now">;
	readonly ids: Pick<Ids, "uuid">;
	readonly log: Log;
	readonly jobs: Pick<Jobs, "enqueue">;
	readonly events: Pick<Events, "changed" | "emit">;
	readonly classModel: CurrentModel;
	readonly checkPool: Pick<CheckPool, "run">;
	readonly getPackedRows: PipelineFeature["getPackedRows"];
	readonly queryRuns: Pick<QueryRunsFeature, "prepare" | "startAll" | "observe" | "register" | "latestRuns">;
	readonly quotas: Pick<Quotas, "check">;
	readonly baselines: TimeMachine["baselines"];
	/** The snapshot that has the rows of a run; null if there is none. */
	getSnapshot(runId: string): Promise<string | null>;
	/** A user as they are now; null when gone or not active. */
	getIdentity(userId: number): Promise<Identity | null>;
	findQuery(identity: Identity, id: string): Promise<VisibleQuery | null>;
	/** Writes in the caller's transaction, and checks no permission. */
	readonly queryFiles: Pick<QueryFiles, "ownNamed" | "lockOwn" | "createAll">;
	/** A connection that the identity sees; null where there is none. */
	findConnection(identity: Identity, id: string): Promise<ConnectionRef | null>;
	/** The id of the connection that the caller's runs go to unless another one is named. */
	findDefaultConnection(caller: Caller): Promise<string | null>;
}

interface ConnectionRef {
	readonly id: string;
	readonly name: string;
	readonly isActive: boolean;
}
