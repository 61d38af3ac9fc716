/** Saved queries with their versions, categories and execution log. */
import type { Context } from "../../../context.ts";
import type { BoundRoute } from "../../../core/http/binder.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import type { Viewer } from "./policy.ts";
import { createRoutes } from "./routes.ts";
import { countExecutionLogs } from "./sql/logs.ts";
import { countQueriesByOwner } from "./sql/queries.ts";
import { countQueriesAndFavorites, loadVisibleQuery, type VisibleQuery } from "./visible-query.ts";

export type { OwnQuery } from "./sql/queries.ts";
export { buildVisibleCondition as visibleTo } from "./sql/visible.ts";
export type { VisibleQuery } from "./visible-query.ts";

export interface QueriesArea {
	readonly routes: BoundRoute[];
	/**
	 * Null where the query does not exist or the identity may not see it. Pass the transaction inside
	 * of one.
	 */
	findVisible(identity: Viewer, id: string, tx?: Tx): Promise<VisibleQuery | null>;
	/** A user's own queries, and the favorites among the queries that the user may see. */
	queryCounts(user: Viewer): Promise<{ query_count: number; favorite_count: number }>;
	/** The same for many users, by their ids. */
	countQueries(db: Db, users: readonly Viewer[]): Promise<Map<number, { query_count: number; favorite_count: number }>>;
	/** How many executions a user has in the log. */
	executionCount(db: Db, userId: number): Promise<number>;
}

export function createQueries(ctx: Context): QueriesArea {
	return {
		routes: createRoutes(ctx),
		findVisible: (identity, id, tx) => loadVisibleQuery(tx?.db ?? ctx.store.db, identity, id),
		queryCounts: (user) => countQueriesAndFavorites(ctx.store.db, user),
		countQueries: countQueriesByOwner,
		executionCount: countExecutionLogs,
	};
}
