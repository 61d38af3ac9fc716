/** Saved queries with versions, their categories, and the log of their executions. */
import type { Events } from "../../platform/events.ts";
import type { BoundRoute } from "../../platform/http/binder.ts";
import type { Quotas } from "../../platform/quotas.ts";
import type { CurrentModel } from "../../ports/class-model.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Db, Store, Tx } from "../../ports/store.ts";
import { versionString } from "./domain/versioning.ts";
import { createExecutions, type Execution } from "./executions.ts";
import type { Viewer } from "./policy.ts";
import { createQueries, versionOf } from "./queries.ts";
import { createSavedQueriesRepo } from "./repo.ts";
import { createCategoriesRepo } from "./repo-categories.ts";
import { createLogsRepo } from "./repo-logs.ts";
import { createVersionsRepo } from "./repo-versions.ts";
import { createRoutes } from "./routes.ts";
import { createSavedQueries } from "./service.ts";
import { createActions } from "./service-actions.ts";
import { createCategories } from "./service-categories.ts";
import { createExchange } from "./service-exchange.ts";

export { readFlow, readPostProcessors, runProblems } from "./domain/flow-validation.ts";
export { answerVariables, fillVariables, placeholderProblems, readVariables } from "./domain/variables.ts";
export type { Execution } from "./executions.ts";
export { containing, visibleTo } from "./repo-visible.ts";

/** A saved query with its current content, for what runs or captures it. */
export interface VisibleQuery {
	readonly id: string;
	readonly name: string;
	readonly ownerId: number;
	readonly enableTimeMachine: boolean;
	/** `v1.3`. */
	readonly version: string;
	/** The same for all canvases with the same meaning. */
	readonly versionHash: string;
	/** As saved; checked then, and to be read again by what compiles it. */
	readonly flowData: unknown;
	readonly postProcessors: readonly unknown[];
	readonly variables: readonly unknown[];
}

export interface SavedQueriesFeature {
	readonly routes: BoundRoute[];
	/** The query if the identity may see it; null where it is absent or not visible. In a transaction, pass it. */
	findVisible(identity: Viewer, id: string, tx?: Tx): Promise<VisibleQuery | null>;
	/** Whether the identity may see the query: one small read, for those who need nothing of its content. */
	sees(identity: Viewer, id: string): Promise<boolean>;
	/** All queries that the identity may see and that have the Time Machine enabled. */
	withTimeMachine(identity: Viewer): Promise<Pick<VisibleQuery, "id" | "name" | "version">[]>;
	/** A user's own queries, and the marked ones among those that the user may see. */
	queryCounts(user: Viewer): Promise<{ query_count: number; favorite_count: number }>;
	/** The same for many users, by their ids. */
	queryCountsOf(
		db: Db,
		users: readonly Viewer[],
	): Promise<Map<number, { query_count: number; favorite_count: number }>>;
	/** How many queries a user has. */
	ownedCount(db: Db, userId: number): Promise<number>;
	/** How many executions a user has in the log. */
	executionCount(db: Db, userId: number): Promise<number>;
	/** Writes the log of one execution and moves the query's counters; false, with nothing written, when the query is gone. */
	recordExecution(tx: Tx, execution: Execution): Promise<boolean>;
}

export interface SavedQueriesFeatureDeps {
	readonly store: Store;
	readonly events: Pick<Events, "changed">;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly quotas: Pick<Quotas, "check">;
	readonly classModel?: CurrentModel | undefined;
}

export function createSavedQueriesFeature(deps: SavedQueriesFeatureDeps): SavedQueriesFeature {
	const { store } = deps;
	const repo = createSavedQueriesRepo();
	const versions = createVersionsRepo();
	const logs = createLogsRepo();
	const executions = createExecutions({ ...deps, repo, logs });
	const queries = createQueries({ ...deps, repo, versions });
	const classModel = deps.classModel ?? (async () => null);
	const all = { ...deps, classModel, repo, versions, logs, executions, queries };
	const categoriesRepo = createCategoriesRepo();
	const categories = createCategories({ ...deps, categories: categoriesRepo });
	const saved = createSavedQueries(all);
	return {
		routes: createRoutes({
			categories,
			queries: saved,
			actions: createActions(all),
			exchange: createExchange({ ...all, saved, categories, categoriesRepo }),
		}),
		async findVisible(identity, id, tx) {
			const db = tx?.db ?? store.db;
			const row = await repo.find(db, identity, id);
			const content = row && (await versions.find(db, id, versionOf(row)));
			if (row === undefined || content === undefined) return null;
			return {
				id,
				name: row.name,
				ownerId: row.owner_id,
				enableTimeMachine: row.enable_time_machine,
				version: versionString(versionOf(row)),
				versionHash: content.hash,
				flowData: content.flow_data,
				postProcessors: content.post_processors,
				variables: content.variables,
			};
		},
		sees: (identity, id) => repo.sees(store.db, identity, id),
		async withTimeMachine(identity) {
			const rows = await repo.withTimeMachine(store.db, identity);
			return rows.map((row) => ({
				id: row.id,
				name: row.name,
				version: versionString({ major: row.major_version, minor: row.minor_version }),
			}));
		},
		queryCounts: (user) => repo.counts(store.db, user),
		queryCountsOf: repo.countsOf,
		ownedCount: repo.ownedCount,
		executionCount: logs.countOf,
		recordExecution: (tx, execution) => executions.record(tx, execution),
	};
}
