/** The tables of this area as the query builder sees them. */
import type { DriftRules } from "@weft/contracts";
import type { ColumnType, Generated } from "kysely";
import type { Json, JsonDefault, Time } from "../../../core/ports/schema.ts";

declare module "../../../core/ports/schema.ts" {
	interface Schema {
		query_categories: QueryCategoriesTable;
		saved_queries: SavedQueriesTable;
		saved_query_versions: SavedQueryVersionsTable;
		saved_query_shares: SavedQuerySharesTable;
		saved_query_favorites: SavedQueryFavoritesTable;
		execution_logs: ExecutionLogsTable;
		execution_log_counts: ExecutionLogCountsTable;
	}
}

export interface QueryCategoriesTable {
	id: Generated<number>;
	name: string;
	description: string;
	color: string;
	icon: string;
	created_at: Time;
	/** Null for categories of earlier versions. */
	created_by_id: ColumnType<number | null, number | undefined, never>;
}

export interface SavedQueriesTable {
	id: string;
	owner_id: number;
	name: string;
	description: string;
	category_id: number | null;
	tags: string[];
	is_public: boolean;
	is_template: boolean;
	enable_time_machine: boolean;
	major_version: number;
	minor_version: number;
	execution_count: Generated<number>;
	last_executed_at: ColumnType<Date | null, never, Date>;
	created_at: Time;
	updated_at: Time;
	/** Missing keys have the defaults of contracts/src/history/drift/values.ts. */
	drift_rules: JsonDefault<Partial<DriftRules>>;
	connection_group_id: Generated<string | null>;
}

export interface SavedQueryVersionsTable {
	query_id: string;
	major: number;
	minor: number;
	hash: string;
	changes: string[];
	flow_data: Json<unknown>;
	post_processors: Json<unknown[]>;
	variables: Json<unknown[]>;
	created_at: Time;
	/** Username at the time. */
	created_by: string;
}

export interface SavedQuerySharesTable {
	user_id: number;
	query_id: string;
}

export interface SavedQueryFavoritesTable {
	user_id: number;
	query_id: string;
	created_at: Time;
}

export interface ExecutionLogsTable {
	id: string;
	query_id: string | null;
	query_name: string;
	user_id: number | null;
	username: string;
	executed_at: Time;
	execution_time_ms: number;
	result_count: number;
	success: boolean;
	error_message: string | null;
}

/** Kept by triggers; 0027_counts.sql. */
export interface ExecutionLogCountsTable {
	query_id: string | null;
	user_id: number | null;
	success: boolean;
	shard: number;
	entries: number;
}
