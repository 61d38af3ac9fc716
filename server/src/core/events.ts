/**
 * Events and their listeners. Listeners `inTransaction` write in the transaction of the change;
 * durable listeners get a queue task that is enqueued in it, and run after the commit, at least
 * once.
 */
import type { NotificationCategory, NotificationEvent, Severity } from "@weft/contracts";
import type { Origin, TokenUse } from "./caller.ts";
import type { JobQueue, Jobs } from "./ports/jobs.ts";
import type { Tx } from "./ports/store.ts";

/** Who made a change; background work acts for a user or, with `userId` null, for the service. */
export interface Actor extends Pick<Origin, "audit" | "ip" | "userAgent" | "requestId"> {
	readonly userId: number | null;
	readonly username: string;
	readonly trail?: Origin["trail"];
	/** The API token with which the change was made. */
	readonly token?: TokenUse | null;
}

/** A change, as the audit log records it. Never holds a secret. */
export interface Changed {
	readonly type: "changed";
	readonly actor: Actor;
	readonly targetType: string;
	readonly targetId: string | number;
	readonly description: string;
	readonly metadata?: Record<string, unknown>;
	/** A larger document that belongs to the entry. */
	readonly content?: unknown;
}

/** Emitted in the transaction that ends a run. */
interface PipelineJobFinished {
	readonly type: "pipeline_job_finished";
	readonly jobId: string;
}

/** Emitted in the transaction that stores a snapshot. */
interface SnapshotCaptured {
	readonly type: "snapshot_captured";
	readonly historyId: string;
	readonly snapshotId: string;
}

/** Emitted in the transaction that stores who made the changes of a snapshot. */
interface SnapshotAttributed {
	readonly type: "snapshot_attributed";
	readonly snapshotId: string;
}

/** Emitted in the transaction that ends an execution of a change window. */
interface AutomationExecutionEnded {
	readonly type: "automation_execution_ended";
	readonly windowId: string;
}

export interface NoticeReaders {
	/** Whether the users' lists, sockets and mails are among them. */
	readonly hasInbox: boolean;
	/** Webhooks of the users, and shared ones. `own`: those of each user; `all`: shared ones, too. */
	readonly webhookIds: readonly string[] | "own" | "all";
	/** Those of the webhooks that get it whatever their categories. */
	readonly namedWebhookIds?: readonly string[];
	/** Addresses that are mailed for the user. */
	readonly addresses?: readonly string[];
}

/** An object of a notification: its name and, where the event changed it, its status. */
export interface NoticeObject {
	/** As the audit log names it. */
	readonly kind: string;
	readonly id: string | number;
	readonly name: string;
	/** Name of a connection. */
	readonly connection?: string | null;
	readonly before?: string | null;
	readonly after?: string | null;
}

/** The facts of a notification, which bodies of webhooks have as fields. */
export interface NoticeFacts {
	readonly event: NotificationEvent;
	/** Username; absent for the service. */
	readonly actor?: string;
	/** The most important one first. */
	readonly objects: readonly NoticeObject[];
}

/** A notification to send, to each user through the channels of their preferences. */
export type NotificationDue = {
	readonly type: "notification_due";
	readonly category: NotificationCategory;
	readonly severity: Severity;
	/** One line. A long title is cut with an ellipsis. */
	readonly title: string;
	readonly body: string;
	/** A path of this service, or empty. */
	readonly link: string;
	readonly facts: NoticeFacts;
	/** A user is notified once for each key, and so is a shared webhook. */
	readonly key: string;
	/** About the user's own account or settings; shared webhooks do not get it. */
	readonly isPersonal?: boolean;
	/** Who gets it; absent: the users with all of their channels, and every shared webhook. */
	readonly readers?: NoticeReaders;
} & ({ readonly userId: number } | { readonly audience: Audience });

/** Users by their ids, every active one, or the active ones with all permissions. */
export type Audience = readonly number[] | "everyone" | "administrators";

type AppEvent =
	| Changed
	| PipelineJobFinished
	| SnapshotCaptured
	| SnapshotAttributed
	| AutomationExecutionEnded
	| NotificationDue;
type EventOf<Type extends AppEvent["type"]> = Extract<AppEvent, { type: Type }>;

export interface Events {
	emit(tx: Tx, event: AppEvent): Promise<void>;
	/** Shorthand for the event that nearly every use case ends with. */
	changed(tx: Tx, actor: Actor, change: Omit<Changed, "type" | "actor">): Promise<void>;
	inTransaction<T extends AppEvent["type"]>(type: T, listener: (tx: Tx, event: EventOf<T>) => Promise<void>): void;
	/** `name` is the queue's; the handler must be idempotent. Events for it must be plain data. */
	durable<T extends AppEvent["type"]>(type: T, name: string, handler: (event: EventOf<T>) => Promise<void>): void;
	/** Queues of the durable listeners. */
	queues(): JobQueue[];
}

export function createEvents(jobs: Pick<Jobs, "enqueue">): Events {
	const inside: { type: string; listener: (tx: Tx, event: never) => Promise<void> }[] = [];
	const after: { type: string; queue: JobQueue }[] = [];

	async function emitEvent(tx: Tx, event: AppEvent): Promise<void> {
		for (const { type, listener } of inside) if (type === event.type) await listener(tx, event as never);
		for (const { type, queue } of after) if (type === event.type) await jobs.enqueue(tx, queue.name, event);
	}

	return {
		emit: emitEvent,
		changed: (tx, actor, change) => emitEvent(tx, { type: "changed", actor, ...change }),
		inTransaction(type, listener) {
			inside.push({ type, listener });
		},
		durable(type, name, handler) {
			after.push({
				type,
				queue: { name: `event.${name}`, concurrency: 2, handler: (data) => handler(data as EventOf<typeof type>) },
			});
		},
		queues: () => after.map(({ queue }) => queue),
	};
}

/**
 * Marks a request with an audit policy as one that changed nothing, so that no entry is expected.
 */
export function markUnchanged(actor: Pick<Actor, "trail">): void {
	if (actor.trail) actor.trail.settled = true;
}
