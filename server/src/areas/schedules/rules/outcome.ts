/** The outcome of a run: its counts, its retries, and the notice about it. */
import type { ExecutionStatus, Frequency, RunOutcome } from "@weft/contracts";

/**
 * Percent with one decimal of the executions that succeeded, of those that came to an end; 0 when
 * none did. Cancelled ones count as neither.
 */
export function computeSuccessRate(successes: number, failures: number): number {
	const ended = successes + failures;
	return ended === 0 ? 0 : Math.round((1000 * successes) / ended) / 10;
}

/** Error types that a retry would meet again: the controller is not their cause. */
const LASTING: ReadonlySet<string> = new Set(["owner", "quota", "query", "invalid_query", "internal"]);

interface Ended {
	readonly status: ExecutionStatus;
	readonly error_type: string | null;
}

export const isRetryable = ({ status, error_type }: Ended): boolean =>
	status === "failed" && !LASTING.has(error_type ?? "");

export function mayRetry(
	task: { readonly retry_enabled: boolean; readonly retry_count: number },
	attempt: number,
): boolean {
	return task.retry_enabled && attempt < task.retry_count;
}

/** Of the last execution of each connection. */
export function getOutcome(statuses: readonly ExecutionStatus[]): RunOutcome {
	const succeeded = statuses.filter((status) => status === "success").length;
	if (succeeded === statuses.length) return "success";
	if (succeeded > 0) return "partial";
	return statuses.includes("failed") ? "failed" : "cancelled";
}

const SEVERITY = { success: "info", partial: "warning", cancelled: "warning", failed: "error" } as const;
const VERB = {
	success: "succeeded",
	partial: "succeeded in part",
	cancelled: "was cancelled",
	failed: "failed",
} as const;

export interface ToldExecution extends Ended {
	readonly connection_name: string;
	readonly connection_id: string;
	readonly result_count: number | null;
	readonly error_message: string | null;
}

interface Notice {
	readonly severity: "info" | "warning" | "error";
	readonly title: string;
	/** One line per connection. */
	readonly body: string;
}

/** The notice for the owner of a run and for the recipients of its mail. */
export function buildNotice(
	task: { readonly name: string; readonly query_name: string },
	outcome: RunOutcome,
	executions: readonly ToldExecution[],
): Notice {
	return {
		severity: SEVERITY[outcome],
		title: `Scheduled task "${task.name}" ${VERB[outcome]}`,
		body: [`Query: ${task.query_name}`, ...executions.map(getLine)].join("\n"),
	};
}

function getLine(execution: ToldExecution): string {
	const { status, result_count, error_message } = execution;
	const where = execution.connection_name || execution.connection_id;
	const note = error_message === null ? "" : ` (${error_message})`;
	if (status === "success") return `${where}: ${result_count ?? 0} object${result_count === 1 ? "" : "s"}${note}`;
	return `${where}: ${status === "cancelled" ? "cancelled" : (error_message ?? "failed")}`;
}

/**
 * Whether the end of a run is sent. Of a task that runs every few minutes only an outcome that
 * differs from the one before; the first success is not sent.
 */
export const isOutcomeSent = (
	{ frequency, last_run_status }: { readonly frequency: Frequency; readonly last_run_status: RunOutcome | null },
	outcome: RunOutcome,
): boolean => frequency !== "minutes" || outcome !== (last_run_status ?? "success");
