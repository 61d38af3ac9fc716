/** Wire shapes of categories, saved queries, versions and execution logs. */
import {
	type Canvas,
	driftRules,
	type ExecutionLog,
	type QueryCategory,
	type SavedQuery,
	type SavedQuerySummary,
	type SavedQueryVersion,
	type VersionEntry,
} from "@weft/contracts";
import type { Identity } from "../../../core/caller.ts";
import { canDelete, canEdit } from "./policy.ts";
import { formatVersion, getVersion } from "./rules/versioning.ts";
import type { CategoryRow } from "./sql/categories.ts";
import type { LogRow } from "./sql/logs.ts";
import type { FoundQuery, QueryRow } from "./sql/queries.ts";
import type { VersionHead, VersionRow } from "./sql/versions.ts";

export function presentSummary(row: QueryRow): SavedQuerySummary {
	return {
		id: row.id,
		name: row.name,
		description: row.description,
		category: row.category_id,
		category_name: row.category_name,
		tags_list: row.tags,
		created_by: {
			id: row.owner_id,
			username: row.owner_username,
			first_name: row.owner_first_name,
			last_name: row.owner_last_name,
		},
		is_public: row.is_public,
		is_template: row.is_template,
		execution_count: row.execution_count,
		last_executed_at: row.last_executed_at?.toISOString() ?? null,
		is_favorite: row.is_favorite,
		enable_time_machine: row.enable_time_machine,
		major_version: row.major_version,
		minor_version: row.minor_version,
		version_string: formatVersion(getVersion(row)),
		created_at: row.created_at.toISOString(),
		updated_at: row.updated_at.toISOString(),
	};
}

interface QueryParts {
	readonly row: FoundQuery;
	readonly current: VersionRow;
	readonly history: readonly VersionHead[];
}

export function presentDetail({ row, current, history }: QueryParts, caller: Identity): SavedQuery {
	return {
		...presentSummary(row),
		...getContent(current),
		shared_with: row.shared_with,
		drift_rules: driftRules.parse(row.drift_rules),
		connection_group: row.connection_group_id,
		current_version_hash: current.hash,
		version_history: history.map(presentVersionEntry),
		can_edit: canEdit(caller, row),
		can_delete: canDelete(caller, row),
	};
}

export function presentVersion(row: VersionRow): SavedQueryVersion {
	return { ...presentVersionEntry(row), ...getContent(row) };
}

function presentVersionEntry(row: VersionHead): VersionEntry {
	return {
		version: formatVersion(row),
		hash: row.hash,
		changes: row.changes,
		created_at: row.created_at.toISOString(),
		created_by: row.created_by,
	};
}

const getContent = (row: VersionRow) => ({
	flow_data: row.flow_data as Canvas,
	post_processors: row.post_processors,
	variables: row.variables,
});

export function presentCategory(row: CategoryRow): QueryCategory {
	return {
		id: row.id,
		name: row.name,
		description: row.description,
		color: row.color,
		icon: row.icon,
		query_count: row.query_count,
		created_at: row.created_at.toISOString(),
	};
}

export function presentLog(row: LogRow): ExecutionLog {
	return {
		id: row.id,
		query: row.query_id,
		query_name: row.query_name,
		executed_by: row.username,
		executed_at: row.executed_at.toISOString(),
		execution_time_ms: row.execution_time_ms,
		result_count: row.result_count,
		success: row.success,
		error_message: row.error_message,
	};
}
