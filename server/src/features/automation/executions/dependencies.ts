/** The dependencies of executions on the rest of the service. */
import type { AutomationExecutionStatus, AutomationWarning, LaunchPromptValues } from "@weft/contracts";
import type { Caller, Identity } from "../../../platform/caller.ts";
import type { Events } from "../../../platform/events.ts";
import type { AutomationDriver } from "../../../ports/automation-server.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Jobs } from "../../../ports/jobs.ts";
import type { Log } from "../../../ports/log.ts";
import type { PubSub } from "../../../ports/pubsub.ts";
import type { Db, Store, Tx } from "../../../ports/store.ts";
import type { QueryRunsFeature } from "../../query-runs/index.ts";
import type { UnusableConnection, UsableConnection } from "../connections/index.ts";
import type { SheetRows } from "./domain/matching.ts";
import type { Visible } from "./repo.ts";

/** What a request asks for, with its secrets. Only for what launches and reads results. */
export interface RequestContent {
	readonly id: string;
	readonly title: string;
	readonly templateName: string;
	readonly checkMode: boolean;
	readonly credentialId: number | null;
	readonly requestedBy: string;
	readonly prompts: LaunchPromptValues;
	/** Rows as they are sent, by sheet. */
	readonly sheets: readonly (SheetRows & { readonly variable: string })[];
	/** Constants of the template, and what the service says of the request. */
	readonly variables: Readonly<Record<string, unknown>>;
	readonly secrets: readonly string[];
}

/** How an execution ended. */
export interface Ended {
	readonly executionId: string;
	readonly requestId: string;
	readonly status: AutomationExecutionStatus;
	/** Why there was no job, or why it could not be followed. */
	readonly error: string | null;
	readonly jobId: number | null;
}

export interface ExecutionDependencies {
	readonly store: Store;
	readonly jobs: Pick<Jobs, "enqueue">;
	readonly clock: Clock;
	readonly ids: Pick<Ids, "uuid" | "token">;
	readonly log: Log;
	readonly events: Events;
	readonly pubsub: PubSub;
	readonly automation: AutomationDriver;
	readonly queryRuns: Pick<QueryRunsFeature, "prepare" | "start" | "record" | "register">;
	/** A user as they are now, for work on their behalf; null when gone or not active. */
	getIdentity(userId: number): Promise<Identity | null>;
	connection(id: string): Promise<UsableConnection | UnusableConnection>;
	connectionsByHost(db: Db, host: string): Promise<string[]>;
	/** Null when the request is gone. */
	content(db: Db, requestId: string): Promise<RequestContent | null>;
	/** Who sees the request `r`. */
	visible(identity: Identity): Visible;
	/** Whether the identity may cancel and relaunch what belongs to the request. */
	owns(identity: Identity, requestId: string): Promise<boolean>;
	/**
	 * Marks the request as running again.
	 * @throws 403, 409, 429
	 */
	runAgain(tx: Tx, caller: Caller, requestId: string): Promise<void>;
	/** The job is known; what the server did not take over is to be shown. */
	launched(tx: Tx, requestId: string, jobId: number, warnings: readonly AutomationWarning[]): Promise<void>;
	ended(tx: Tx, ended: Ended): Promise<void>;
	/** Adds warnings to the request. */
	warn(tx: Tx, requestId: string, warnings: readonly AutomationWarning[]): Promise<void>;
	/**
	 * The topic to publish after each change that subscribers of the request's channel should see.
	 */
	requestTopic(requestId: string): string;
}

/** The variable in which the reference of a launch travels. */
export const REFERENCE = "execution_ref";

export const executionTopic = (id: string): string => `automation:execution:${id}`;
export const LAUNCH_QUEUE = "automation.launch";
export const SNAPSHOT_QUEUE = "automation.snapshots";
export const CANCEL_QUEUE = "automation.cancel";
