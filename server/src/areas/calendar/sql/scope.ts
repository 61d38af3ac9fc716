/** SQL of the connections that a calendar entry is about to name. */
import { sql } from "kysely";
import type { Tx } from "../../../core/ports/store.ts";
import { buildVisibleCondition, type Viewer } from "../../fabrics/sql/visible.ts";

interface NamedConnection {
	readonly id: string;
	readonly name: string;
	readonly created_by: number;
	readonly is_public: boolean;
	readonly is_visible: boolean;
}

/** Locks the connections and the members of the groups against deletion, and returns them. */
export async function lockNamedConnections(
	tx: Tx,
	viewer: Viewer,
	connectionIds: readonly string[],
	groupIds: readonly string[],
): Promise<NamedConnection[]> {
	return tx.db
		.selectFrom("controller_connections as c")
		.select(["c.id", "c.name", "c.created_by", "c.is_public", buildVisibleCondition(viewer, "c").as("is_visible")])
		.where(
			sql<boolean>`(c.id = any(${connectionIds}::uuid[]) or exists (
				select from connection_group_members m
					where m.connection_id = c.id and m.group_id = any(${groupIds}::uuid[])))`,
		)
		.orderBy("c.id")
		.forKeyShare()
		.execute();
}

/** Returns the ids of groups that the viewer sees, and locks them against deletion. */
export async function lockVisibleGroups(tx: Tx, viewer: Viewer, ids: readonly string[]): Promise<Set<string>> {
	const rows = await tx.db
		.selectFrom("connection_groups as g")
		.select("g.id")
		.where(sql<boolean>`g.id = any(${ids}::uuid[])`)
		.where(buildVisibleCondition(viewer, "g"))
		.orderBy("g.id")
		.forKeyShare()
		.execute();
	return new Set(rows.map(({ id }) => id));
}
