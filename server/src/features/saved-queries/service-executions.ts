/** What an execution leaves behind: a row of the log, and the query's counters. */
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Tx } from "../../ports/store.ts";
import { countQueryExecution } from "./repo.ts";
import { insertExecutionLog } from "./repo-logs.ts";

export interface Execution {
	readonly query: { readonly id: string; readonly name: string };
	readonly user: { readonly userId: number; readonly username: string };
	readonly success: boolean;
	readonly result_count: number;
	/** Milliseconds, whole. */
	readonly execution_time_ms: number;
	readonly error_message: string | null;
}

export interface ExecutionsDeps {
	readonly clock: Pick<Clock, "now">;
	readonly ids: Ids;
}

export function createExecutions({ clock, ids }: ExecutionsDeps) {
	return {
		/** False, with nothing recorded, when the query is gone. */
		async record(tx: Tx, { query, user, ...outcome }: Execution): Promise<boolean> {
			const at = new Date(clock.now());
			// The counter first: the log's reference to the query would otherwise be taken before its
			// lock, and two could block each other.
			if (!(await countQueryExecution(tx, query.id, at))) return false;
			await insertExecutionLog(tx, {
				id: ids.uuid(),
				executed_at: at,
				query_id: query.id,
				query_name: query.name,
				user_id: user.userId,
				username: user.username,
				...outcome,
				error_message: outcome.error_message === "" ? null : outcome.error_message,
			});
			return true;
		},
	};
}

export type Executions = ReturnType<typeof createExecutions>;
