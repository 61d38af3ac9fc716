/** Saved queries with their versions, categories and execution log. */
import { type DriftRules, driftRules } from "@weft/contracts";
import { type Bound, bindContext, type Context } from "../../context.ts";
import type { BoundRoute } from "../../platform/http/binder.ts";
import type { Db, Tx } from "../../ports/store.ts";
import { getVersion, versionString } from "./domain/versioning.ts";
import type { Viewer } from "./policy.ts";
import {
	countOwnQueries,
	countQueriesByOwner,
	findDriftRules,
	findOthersByName,
	findOwnByName,
	findSavedQuery,
	listOwnQueries,
	listVisibleIds,
	listWatchedQueries,
	lockOwnQueries,
} from "./repo.ts";
import { countOwnQueryCategories, findCategoriesByName } from "./repo-categories.ts";
import { countExecutionLogs } from "./repo-logs.ts";
import { findVersionRow } from "./repo-versions.ts";
import { createRoutes } from "./routes.ts";
import { createQueriesIn, removeLockedQuery, writeQueryFields } from "./service.ts";
import { insertCategory } from "./service-categories.ts";
import { type Execution, recordExecution } from "./service-executions.ts";

export type { OwnQuery } from "./repo.ts";
export { visibleTo } from "./repo-visible.ts";
export type { Execution } from "./service-executions.ts";

/** A saved query with its current content. */
export interface VisibleQuery {
	readonly id: string;
	readonly name: string;
	readonly ownerId: number;
	readonly enableTimeMachine: boolean;
	/** `v1.3`. */
	readonly version: string;
	/** Hash of the canonical form: equal for canvases that give the same answer. */
	readonly versionHash: string;
	/** As saved, and valid at that time. Read it again before compiling it. */
	readonly flowData: unknown;
	readonly postProcessors: readonly unknown[];
	readonly variables: readonly unknown[];
}

export interface SavedQueriesFeature {
	readonly routes: BoundRoute[];
	/**
	 * Null where the query does not exist or the identity may not see it. Pass the transaction inside
	 * of one.
	 */
	findVisible(identity: Viewer, id: string, tx?: Tx): Promise<VisibleQuery | null>;
	/** Whether the identity may see the query. */
	sees(identity: Viewer, id: string): Promise<boolean>;
	/** All queries that the identity may see and that have the Time Machine enabled. */
	/** What counts as drift of a query; null if it does not exist. */
	driftRules(id: string): Promise<DriftRules | null>;
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
		async findVisible(identity, id, tx) {
			const db = tx?.db ?? ctx.store.db;
			const row = await findSavedQuery(db, identity, id);
			const content = row && (await findVersionRow(db, id, getVersion(row)));
			if (row === undefined || content === undefined) return null;
			return {
				id,
				name: row.name,
				ownerId: row.owner_id,
				enableTimeMachine: row.enable_time_machine,
				version: versionString(getVersion(row)),
				versionHash: content.hash,
				flowData: content.flow_data,
				postProcessors: content.post_processors,
				variables: content.variables,
			};
		},
		sees: async (identity, id) => (await listVisibleIds(ctx.store.db, identity, [id])).length > 0,
		async driftRules(id) {
			const found = await findDriftRules(ctx.store.db, id);
			return found === undefined ? null : driftRules.parse(found);
		},
		async withTimeMachine(identity) {
			const rows = await listWatchedQueries(ctx.store.db, identity);
			return rows.map((row) => ({
				id: row.id,
				name: row.name,
				version: versionString(getVersion(row)),
			}));
		},
		async queryCounts(user) {
			return (
				(await countQueriesByOwner(ctx.store.db, [user])).get(user.userId) ?? { query_count: 0, favorite_count: 0 }
			);
		},
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
