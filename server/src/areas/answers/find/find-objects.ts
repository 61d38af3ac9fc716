/** Finds objects of kept snapshots. */
import { FIND_LIMITS, type FindAnswer, type FindQuery } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import type { Caller } from "../../../core/caller.ts";
import { presentFoundObject } from "./present.ts";
import { readQuestion } from "./rules/question.ts";
import { findObjects as findObjectRows } from "./sql/find.ts";

export async function findObjects(ctx: Context, caller: Caller, input: FindQuery): Promise<FindAnswer> {
	const question = readQuestion(input.q);
	const search = {
		...question,
		connectionId: input.connection ?? null,
		limit: input.limit,
		counted: FIND_LIMITS.counted,
	};
	const rows = await ctx.store.transaction((tx) => findObjectRows(tx, caller, search));
	return {
		...question,
		total: rows[0]?.total ?? 0,
		is_total_exact: (rows[0]?.hits ?? 0) <= FIND_LIMITS.counted,
		objects: rows.map(presentFoundObject),
	};
}
