/** What an execution leaves behind: a row of the log, and the query's counters. */
import type { Context } from "../../../context.ts";
import type { Tx } from "../../../core/ports/store.ts";
import { insertExecutionLog } from "./sql/logs.ts";
import { countQueryExecution } from "./sql/queries.ts";

export interface Execution {
	readonly query: { readonly id: string; readonly name: string };
	readonly user: { readonly userId: number; readonly username: string };
	readonly success: boolean;
	readonly result_count: number;
	/** Milliseconds, whole. */
	readonly execution_time_ms: number;
	readonly error_message: string | null;
}

/** False, with nothing recorded, when the query is gone. */
export async function recordExecution(ctx: Context, tx: Tx, { query, user, ...outcome }: Execution): Promise<boolean> {
	const at = new Date(ctx.clock.now());
	// The counter first: the log's reference to the query would otherwise be taken before its
	// lock, and two could block each other.
	if (!(await countQueryExecution(tx, query.id, at))) return false;
	await insertExecutionLog(tx, {
		id: ctx.ids.uuid(),
		executed_at: at,
		query_id: query.id,
		query_name: query.name,
		user_id: user.userId,
		username: user.username,
		...outcome,
		error_message: outcome.error_message === "" ? null : outcome.error_message,
	});
	return true;
}
