/** Reads the violations of a check over time. */
import { CHECK_LIMITS, type CheckSeries, type CheckSeriesQuery } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import { buildFieldError } from "../../core/errors.ts";
import { findVisibleCheck } from "./manage-checks.ts";
import { listEvaluations } from "./sql/evaluations.ts";
import { listVisibleStates } from "./sql/states.ts";

type Group = CheckSeries["groups"][number];

/**
 * The violations of all connections together are shown to those who see all of them.
 * @throws 404, and 400 where there are too many points
 */
export async function readCheckSeries(
	ctx: Context,
	caller: Caller,
	id: string,
	query: CheckSeriesQuery,
): Promise<CheckSeries> {
	await findVisibleCheck(ctx.store.db, caller, id);
	const states = await listVisibleStates(ctx.store.db, caller, [id]);
	const hidesAll = states.some(({ connection_id, sees_inputs }) => connection_id === null && !sees_inputs);
	const found = await listEvaluations(ctx.store.db, caller, id, query, CHECK_LIMITS.points + 1);
	if (found.length > CHECK_LIMITS.points)
		throw buildFieldError(
			"from",
			`The check has more than ${CHECK_LIMITS.points} evaluations in this time. Choose a connection or a later time.`,
		);
	const rows = hidesAll ? found.filter(({ connection_id }) => connection_id !== null) : found;
	const groups = new Map<string | null, Group>();
	for (const { connection_id: connectionId, connection_name: key, at, violations } of rows) {
		const group = groups.get(connectionId) ?? {
			key,
			controller_connection_id: connectionId,
			points: [],
			failed_at: [],
		};
		groups.set(connectionId, group);
		if (violations === null) group.failed_at.push(at.toISOString());
		else group.points.push([at.toISOString(), violations]);
	}
	return {
		groups: [...groups.values()].sort((a, b) => (a.key ?? "").localeCompare(b.key ?? "")),
		evaluations: rows.length,
		missing: rows.filter(({ violations }) => violations === null).length,
	};
}
