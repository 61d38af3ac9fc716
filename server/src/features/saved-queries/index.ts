/** Saved queries with their versions, categories and execution log. */

import type { DriftRules } from "@weft/contracts";
import { type Bound, bindContext, type Context } from "../../context.ts";
import type { BoundRoute } from "../../platform/http/binder.ts";
import type { Db, Tx } from "../../ports/store.ts";
import type { Viewer } from "./policy.ts";
import {
	countOwnQueries,
	countQueriesByOwner,
	findOthersByName,
	findOwnByName,
	listOwnQueries,
	lockOwnQueries,
} from "./repo.ts";
import { countOwnQueryCategories, findCategoriesByName } from "./repo-categories.ts";
import { countExecutionLogs } from "./repo-logs.ts";
import { createRoutes } from "./routes.ts";
import { createQueriesIn, removeLockedQuery, writeQueryFields } from "./service.ts";
import { insertCategory } from "./service-categories.ts";
import { type Execution, recordExecution } from "./service-executions.ts";
import {
	countQueriesAndFavorites,
	isQueryVisible,
	listVisibleWatchedQueries,
	loadVisibleQuery,
	readDriftRules,
	type VisibleQuery,
} from "./visible-query.ts";

export type { OwnQuery } from "./repo.ts";
export { visibleTo } from "./repo-visible.ts";
export type { Execution } from "./service-executions.ts";
export type { VisibleQuery } from "./visible-query.ts";

export interface SavedQueriesFeature {
	readonly routes: BoundRoute[];
	/**
	 * Null where the query does not exist or the identity may not see it. Pass the transaction inside
	 * of one.
	 */
	findVisible(identity: Viewer, id: string, tx?: Tx): Promise<VisibleQuery | null>;
	/** Whether the identity may see the query. */
	sees(identity: Viewer, id: string): Promise<boolean>;
	/** What counts as drift of a query; null if it does not exist. */
	driftRules(id: string): Promise<DriftRules | null>;
	/** All queries that the identity may see and that have the Time Machine enabled. */
	withTimeMachine(identity: Viewer): Promise<Pick<VisibleQuery, "id" | "name" | "version">[]>;
	/** A user's own queries, and the favorites among the queries that the user may see. */
	queryCounts(user: Viewer): Promise<{ query_count: number; favorite_count: number }>;
	/** The same for many users, by their ids. */
	countQueries(db: Db, users: readonly Viewer[]): Promise<Map<number, { query_count: number; favorite_count: number }>>;
	/** How many queries a user has. */
	ownedCount(db: Db, userId: number): Promise<number>;
	/** The number of categories that a user made. */
	ownedCategoryCount(db: Db, userId: number): Promise<number>;
	/** How many executions a user has in the log. */
	executionCount(db: Db, userId: number): Promise<number>;
	/**
	 * Writes a log entry and counts the execution; false, and nothing written, when the query does
	 * not exist.
	 */
	recordExecution(tx: Tx, execution: Execution): Promise<boolean>;
	/** For queries as files. What writes takes a transaction and checks no permission. */
	readonly files: QueryFiles;
}

export interface QueryFiles {
	readonly createAll: Bound<typeof createQueriesIn>;
	readonly write: Bound<typeof writeQueryFields>;
	readonly remove: Bound<typeof removeLockedQuery>;
	readonly ownWithContent: typeof listOwnQueries;
	readonly ownNamed: typeof findOwnByName;
	readonly lockOwn: typeof lockOwnQueries;
	readonly othersNamed: typeof findOthersByName;
	readonly categoriesNamed: typeof findCategoriesByName;
	readonly addCategory: Bound<typeof insertCategory>;
}

export function createSavedQueriesFeature(ctx: Context): SavedQueriesFeature {
	return {
		routes: createRoutes(ctx),
		findVisible: (identity, id, tx) => loadVisibleQuery(tx?.db ?? ctx.store.db, identity, id),
		sees: (identity, id) => isQueryVisible(ctx.store.db, identity, id),
		driftRules: (id) => readDriftRules(ctx.store.db, id),
		withTimeMachine: (identity) => listVisibleWatchedQueries(ctx.store.db, identity),
		queryCounts: (user) => countQueriesAndFavorites(ctx.store.db, user),
		countQueries: countQueriesByOwner,
		ownedCount: countOwnQueries,
		ownedCategoryCount: countOwnQueryCategories,
		executionCount: countExecutionLogs,
		recordExecution: bindContext(ctx, recordExecution),
		files: {
			ownWithContent: listOwnQueries,
			ownNamed: findOwnByName,
			lockOwn: lockOwnQueries,
			othersNamed: findOthersByName,
			createAll: bindContext(ctx, createQueriesIn),
			write: bindContext(ctx, writeQueryFields),
			remove: bindContext(ctx, removeLockedQuery),
			categoriesNamed: findCategoriesByName,
			addCategory: bindContext(ctx, insertCategory),
		},
	};
}
