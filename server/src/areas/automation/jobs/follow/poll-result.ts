/** The result of polling one execution. */
import type { ServerNode } from "../../../../integrations/awx/port.ts";
import type { StreamRow } from "../sql/streams.ts";

/** Upper bound of the time that a final state waits for its events, in milliseconds. */
export const EVENTS_MS = 120_000;

export interface Counts {
	readonly ok_count: number;
	readonly changed_count: number;
	readonly failed_count: number;
	readonly tasks_seen: number;
	readonly lost_events: number;
}

export interface PollResult {
	readonly counts: Counts;
	/** The task that began last; null where none did. */
	readonly task: string | null;
	/** More events may be there already. */
	readonly more: boolean;
	/** Later events are there, and one before them is not. */
	readonly gap: boolean;
	/** Whether an event of a job was read. */
	readonly hasEvents: boolean;
	/** Output of nodes is still to come. */
	readonly waits: boolean;
	/** Nodes of the workflow and of nested ones. */
	readonly nodes: readonly ServerNode[];
	/** Names of nodes whose job, or whose nodes, the server refused to show. */
	readonly unread: readonly string[];
	/** There are nodes or nested workflows beyond the bounds, which are not followed. */
	readonly isCut: boolean;
}

export const sumStreamCounts = (all: readonly StreamRow[]): Counts => ({
	ok_count: all.reduce((sum, stream) => sum + stream.ok_count, 0),
	changed_count: all.reduce((sum, stream) => sum + stream.changed_count, 0),
	failed_count: all.reduce((sum, stream) => sum + stream.failed_count, 0),
	tasks_seen: all.reduce((sum, stream) => sum + stream.tasks_seen, 0),
	lost_events: all.reduce((sum, stream) => sum + stream.lost, 0),
});
