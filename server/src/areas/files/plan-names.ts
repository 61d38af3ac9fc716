/** Names of the objects that stored change plans refer to by id. */
import type { Identity } from "../../core/caller.ts";
import type { Db } from "../../core/ports/store.ts";
import { listConnectionNames } from "../fabrics/sql/stored.ts";
import { listItemNames, type PlanRow } from "../windows/sql/plans.ts";

/** Names of queries, checks and connections by id, without those that the viewer does not see. */
export interface PlanNames {
	readonly items: ReadonlyMap<string, string>;
	readonly connections: ReadonlyMap<string, string>;
}

export async function listPlanNames(db: Db, viewer: Identity, plans: readonly PlanRow[]): Promise<PlanNames> {
	const ids = plans.flatMap(({ expectations }) => expectations.flatMap(({ connection_ids }) => connection_ids ?? []));
	return {
		items: await listItemNames(
			db,
			viewer,
			plans.flatMap(({ items }) => items),
		),
		connections: await listConnectionNames(db, viewer, [...new Set(ids)]),
	};
}
