/**
 * The progress of a job. The server does not report it, so it is derived from the tasks that began
 * and the rows that are done.
 */
import type { JobEvent, ServerNode } from "../../../../integrations/awx/port.ts";
import { isFinalExecution, readServerStatus } from "./states.ts";

export interface Counted {
	readonly tasks: number;
	readonly ok: number;
	readonly changed: number;
	readonly failed: number;
	/** Null where the events begin none. */
	readonly task: string | null;
}

/** Adds events to the counts; the statistics at the end of a job replace the counts. */
export function countEvents(before: Omit<Counted, "task">, events: readonly JobEvent[]): Counted {
	let { tasks, ok, changed, failed } = before;
	let task: string | null = null;
	for (const event of events) {
		if (event.event === "playbook_on_task_start") {
			tasks++;
			task = event.task || null;
		} else if (event.event === "runner_on_ok") {
			ok++;
			if (event.changed) changed++;
		} else if (event.event === "runner_on_unreachable") failed++;
		else if (event.event === "runner_on_failed") {
			if (event.ignoreErrors) ok++;
			else failed++;
		} else if (event.stats) ({ ok, changed, failed } = event.stats);
	}
	return { tasks, ok, changed, failed, task };
}

const MOST_BEFORE_THE_END = 99;

/** Percent; only an ended execution has 100. */
export function getProgress(parts: {
	readonly tasks: number;
	/** Tasks of the last good job of the same template; null where there was none. */
	readonly tasksExpected: number | null;
	readonly rowsDone: number;
	readonly rows: number;
	readonly before: number;
	/** Nodes of a workflow, and those that are over or running; null for a job. */
	readonly reached: { readonly nodes: number; readonly reached: number } | null;
}): number {
	const byTasks =
		parts.tasksExpected !== null && parts.tasksExpected > 0
			? // The task that began last is not done.
				(Math.max(0, parts.tasks - 1) / parts.tasksExpected) * 100
			: 0;
	const byRows = parts.rows > 0 ? (Math.min(parts.rowsDone, parts.rows) / parts.rows) * 100 : 0;
	const known = Math.max(byTasks, byRows, parts.tasks > 0 ? 1 : 0);
	// A workflow that waits, for an approval say, is no further than its nodes are.
	const most = parts.reached === null ? 100 : (parts.reached.reached / parts.reached.nodes) * 100;
	return Math.max(parts.before, Math.min(MOST_BEFORE_THE_END, Math.floor(Math.min(known, most))));
}

/** Whether a node is over, or its job is at work. An open approval is neither. */
export function isReached(node: Pick<ServerNode, "status" | "doNotRun" | "jobType">): boolean {
	if (node.doNotRun) return true;
	const status = node.status === null ? null : readServerStatus(node.status);
	if (status === null || status === "pending" || status === "waiting") return false;
	return isFinalExecution(status) || node.jobType !== "workflow_approval";
}

const FIRST_MS = 2_000;
const LONGEST_MS = 30_000;
const WATCHED_MS = 1_000;

/**
 * When a job is polled next, in epoch milliseconds: soon if it has a viewer or is to be cancelled,
 * else at growing intervals.
 */
export function computeNextPoll(
	now: number,
	launchedAt: number,
	{ isViewed, isCancelling }: { readonly isViewed: boolean; readonly isCancelling: boolean },
): number {
	if (isViewed) return now + WATCHED_MS;
	if (isCancelling) return now + FIRST_MS;
	return now + Math.min(LONGEST_MS, Math.max(FIRST_MS, (now - launchedAt) / 4));
}
