/** The SQL condition for queries that a viewer may see. */
import { type RawBuilder, sql } from "kysely";
import type { Viewer } from "../policy.ts";

/**
 * Own, public, or shared with the viewer; admins see all. `table` is the alias of saved_queries.
 * The shares are read once per statement, so that each of the three can use its index.
 */
export function buildVisibleCondition(viewer: Viewer, table: string): RawBuilder<boolean> {
	if (viewer.isAdmin) return sql<boolean>`true`;
	const of = (column: string) => sql.ref(`${table}.${column}`);
	return sql<boolean>`(${of("owner_id")} = ${viewer.userId} or ${of("is_public")} or ${of("id")} = any(array(
		select s.query_id from saved_query_shares s where s.user_id = ${viewer.userId})))`;
}
