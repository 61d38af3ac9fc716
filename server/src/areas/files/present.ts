/** Stored objects as the documents that files hold. */
import { driftRules } from "@weft/contracts";
import { presentSettings } from "../calendar/present.ts";
import type { OwnedEntry } from "../calendar/sql/entries.ts";
import type { OwnedCheck } from "../checks/sql/checks.ts";
import type { OwnQuery } from "../queries/saved/index.ts";
import type { TaskRow } from "../schedules/sql/tasks.ts";
import type { PlanRow } from "../windows/sql/plans.ts";
import type { PlanNames } from "./plan-names.ts";
import type { FileDocument, QueryContent } from "./rules/documents.ts";

export function presentQuery(row: OwnQuery): QueryContent {
	return {
		name: row.name,
		description: row.description,
		category: row.category_name,
		tags_list: row.tags,
		is_public: row.is_public,
		is_template: row.is_template,
		enable_time_machine: row.enable_time_machine,
		connection_group: row.connection_group_name,
		drift_rules: driftRules.parse(row.drift_rules),
		flow_data: row.flow_data as QueryContent["flow_data"],
		post_processors: row.post_processors,
		variables: row.variables,
	};
}

export function presentSchedule(row: TaskRow): FileDocument {
	return {
		kind: "schedule",
		name: row.name,
		description: row.description,
		saved_query: row.query_name,
		controller_connections: row.connection_names,
		connection_group: row.connection_group_id === null ? null : row.connection_group_name,
		variable_values: row.variable_values,
		frequency: row.frequency,
		interval_minutes: row.interval_minutes,
		minute_of_hour: row.minute_of_hour,
		time_of_day: row.time_of_day,
		day_of_week: row.day_of_week,
		day_of_month: row.day_of_month,
		scheduled_datetime: row.scheduled_datetime?.toISOString() ?? null,
		timezone: row.timezone,
		status: row.frequency === "once" && row.status === "disabled" ? "active" : row.status,
		email_on_success: row.email_on_success,
		email_on_failure: row.email_on_failure,
		email_recipients: row.email_recipients,
		retry_enabled: row.retry_enabled,
		retry_count: row.retry_count,
		retry_interval_minutes: row.retry_interval_minutes,
		log_retention_days: row.log_retention_days,
	};
}

export const presentCheck = (row: OwnedCheck): FileDocument => ({
	kind: "check",
	name: row.name,
	description: row.description,
	saved_query: row.query_name,
	controller_connections: row.connection_names,
	type: row.type,
	config: row.config,
	severity: row.severity,
	for_runs: row.for_runs,
	is_active: row.is_active,
	is_public: row.is_public,
});

/** Without members that have their default, which files leave out. */
const withoutDefaults = <T extends object>(fields: T, isDefault: (value: unknown) => boolean): T =>
	Object.fromEntries(Object.entries(fields).filter(([, value]) => !isDefault(value))) as T;

const isNull = (value: unknown): boolean => value === null;
const isNullOrEmpty = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);

export function presentChangePlan(row: PlanRow, { items, connections }: PlanNames): FileDocument {
	const expectations = row.expectations.map(({ connection_ids, ...expectation }) => {
		const controller_connections = connection_ids?.map((id) => connections.get(id) ?? id) ?? null;
		// An empty list of connections is none, null is each.
		return withoutDefaults({ ...expectation, controller_connections }, isNull);
	});
	return {
		kind: "change_plan",
		name: row.name,
		description: row.description,
		items: row.items.map((item) =>
			"query" in item
				? { ...withoutDefaults(item, isNullOrEmpty), query: items.get(item.query) ?? item.query }
				: { ...item, check: items.get(item.check) ?? item.check },
		),
		settle: row.settle,
		gate: row.gate,
		after_failure: row.after_failure,
		max_before_age_minutes: row.max_before_age_minutes,
		requires_approval: row.requires_approval,
		expectations,
		is_public: row.is_public,
	};
}

export const presentCalendarEntry = (row: OwnedEntry): FileDocument => ({
	kind: "calendar_entry",
	entry_kind: row.kind,
	...presentSettings(row),
	controller_connections: row.connection_names,
	connection_groups: row.group_names,
});
