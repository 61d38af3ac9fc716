/** Order of connections, and counts of their runs. Pure. */
import type { ControllerConnection, GroupExecution, GroupRun } from "@weft/contracts";

/** The list with one entry moved by one place; the same list where there is no such place. */
export function moveEntry(list: readonly string[], at: number, by: 1 | -1): readonly string[] {
	const [one, other] = [list[at], list[at + by]];
	if (one === undefined || other === undefined) return list;
	return list.map((entry, index) => (index === at ? other : index === at + by ? one : entry));
}

/** A connection in the list of members, chosen or not. */
interface Member {
	readonly id: string;
	readonly name: string;
	/** The name, and whether the connection is switched off. */
	readonly label: string;
}

/**
 * The chosen connections in their order, then all others. A chosen connection that is deleted or
 * not listed is shown by its id.
 * @param connections undefined before they are read; the list is empty then
 */
export function listMembers(
	chosen: readonly string[],
	connections: readonly Pick<ControllerConnection, "id" | "name" | "is_active">[] | undefined,
): Member[] {
	if (connections === undefined) return [];
	const known = new Map(
		connections.map(({ id, name, is_active }) => [
			id,
			{ id, name, label: is_active ? name : `${name} (switched off)` },
		]),
	);
	const ids = new Set([...chosen, ...known.keys()]);
	return [...ids].map((id) => {
		const name = `Unknown connection ${id}`;
		return known.get(id) ?? { id, name, label: name };
	});
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
