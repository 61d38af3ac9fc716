/** Saved queries with their versions, categories and execution log. */
import { type DriftRules, driftRules } from "@weft/contracts";
import type { Events } from "../../platform/events.ts";
import type { BoundRoute } from "../../platform/http/binder.ts";
import type { Quotas } from "../../platform/quotas.ts";
import type { CurrentModel } from "../../ports/class-model.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Db, Store, Tx } from "../../ports/store.ts";
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
import { createSavedQueries, type SavedQueries, type SavedQueriesDeps } from "./service.ts";
import { createActions } from "./service-actions.ts";
import { type Categories, createCategories } from "./service-categories.ts";
import { createExchange } from "./service-exchange.ts";
import { createExecutions, type Execution } from "./service-executions.ts";
import { createQueries } from "./service-queries.ts";

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

export type QueryFiles = Pick<SavedQueries["within"], "createAll" | "write" | "remove"> & {
	readonly ownWithContent: typeof listOwnQueries;
	readonly ownNamed: typeof findOwnByName;
	readonly lockOwn: typeof lockOwnQueries;
	readonly othersNamed: typeof findOthersByName;
	readonly categoriesNamed: typeof findCategoriesByName;
	readonly addCategory: Categories["add"];
};

export interface SavedQueriesFeatureDeps {
	readonly store: Store;
	readonly events: Pick<Events, "changed">;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly quotas: Pick<Quotas, "check">;
	readonly findGroup: SavedQueriesDeps["findGroup"];
	readonly classModel?: CurrentModel | undefined;
}

export function createSavedQueriesFeature(deps: SavedQueriesFeatureDeps): SavedQueriesFeature {
	const { store } = deps;
	const executions = createExecutions(deps);
	const queries = createQueries(deps);
	const classModel = deps.classModel ?? (async () => null);
	const all = { ...deps, classModel, executions, queries };
	const categories = createCategories(deps);
	const saved = createSavedQueries(all);
	return {
		routes: createRoutes({
			categories,
			queries: saved,
			actions: createActions(all),
			exchange: createExchange({ ...all, saved, categories }),
		}),
		async findVisible(identity, id, tx) {
			const db = tx?.db ?? store.db;
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
		sees: async (identity, id) => (await listVisibleIds(store.db, identity, [id])).length > 0,
		async driftRules(id) {
			const found = await findDriftRules(store.db, id);
			return found === undefined ? null : driftRules.parse(found);
		},
		async withTimeMachine(identity) {
			const rows = await listWatchedQueries(store.db, identity);
			return rows.map((row) => ({
				id: row.id,
				name: row.name,
				version: versionString(getVersion(row)),
			}));
		},
		async queryCounts(user) {
			return (await countQueriesByOwner(store.db, [user])).get(user.userId) ?? { query_count: 0, favorite_count: 0 };
		},
		countQueries: countQueriesByOwner,
		ownedCount: countOwnQueries,
		ownedCategoryCount: countOwnQueryCategories,
		executionCount: countExecutionLogs,
		recordExecution: (tx, execution) => executions.record(tx, execution),
		files: {
			ownWithContent: listOwnQueries,
			ownNamed: findOwnByName,
			lockOwn: lockOwnQueries,
			othersNamed: findOthersByName,
			createAll: saved.within.createAll,
			write: saved.within.write,
			remove: saved.within.remove,
			categoriesNamed: findCategoriesByName,
			addCategory: categories.add,
		},
	};
}
