/** Order of connections, and counts of their runs. Pure. */
import type { GroupExecution, GroupRun } from "@weft/contracts";

/** The list with one entry moved by one place; the same list where there is no such place. */
export function moveEntry(list: readonly string[], at: number, by: 1 | -1): readonly string[] {
	const [one, other] = [list[at], list[at + by]];
	if (one === undefined || other === undefined) return list;
	return list.map((entry, index) => (index === at ? other : index === at + by ? one : entry));
}

type Runs = Pick<GroupExecution, "runs">;

/** Runs that have ended. */
export const countEndedRuns = ({ runs }: Runs): number =>
	runs.filter(({ status }) => status !== "pending" && status !== "running").length;

/** Runs that `retry/` starts again. */
export const listFailedRuns = ({ runs }: Runs) =>
	runs.filter(({ status }) => status === "failed" || status === "cancelled");

/** The execution after a change of one connection's run. */
export const withRunStatus = (
	execution: GroupExecution,
	{
		controller_connection_id,
		status,
		total_rows,
	}: Pick<GroupRun, "controller_connection_id" | "status" | "total_rows">,
): GroupExecution => ({
	...execution,
	runs: execution.runs.map((run) =>
		run.controller_connection_id === controller_connection_id ? { ...run, status, total_rows } : run,
	),
});
