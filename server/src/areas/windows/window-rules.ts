/** The drift rules by which a change window compares its snapshots, as they were at its start. */
import { type DriftRules, driftRules } from "@weft/contracts";
import type { Db } from "../../core/ports/store.ts";
import { readDriftRules } from "../queries/saved/visible-query.ts";
import type { WindowRow } from "./sql/windows.ts";

/** Reads the present rules of queries, by the id of the query, without deleted queries. */
export async function listPresentRules(db: Db, queryIds: Iterable<string>): Promise<Record<string, DriftRules>> {
	const found: Record<string, DriftRules> = {};
	for (const id of new Set(queryIds)) {
		const rules = await readDriftRules(db, id);
		if (rules !== null) found[id] = rules;
	}
	return found;
}

/** The rules that the window uses for a query: later edits of them do not change its verdict. */
export async function findWindowRules(
	db: Db,
	{ drift_rules: known }: Pick<WindowRow, "drift_rules">,
	queryId: string,
): Promise<DriftRules> {
	return driftRules.parse(known?.[queryId] ?? (await readDriftRules(db, queryId)) ?? {});
}
