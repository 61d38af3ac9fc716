/** The tables of this area as the query builder sees them. */
import type { Generated } from "kysely";

import type { Time } from "../../../core/ports/schema.ts";

declare module "../../../core/ports/schema.ts" {
	interface Schema {
		group_quotas: GroupQuotasTable;
		quota_usage: QuotaUsageTable;
		upgrade_reports: UpgradeReportsTable;
		socket_processes: SocketProcessesTable;
		open_sockets: OpenSocketsTable;
	}
}

export interface GroupQuotasTable {
	group_id: number;
	queries_max: number;
	scheduled_tasks_max: number;
	connections_max: number;
	automation_requests_daily: number;
	automation_concurrent: number;
	result_rows_max: number;
	export_rows_max: number;
	executions_daily: number;
	ai_analysis_daily: number;
	checks_max: Generated<number>;
	connection_groups_max: Generated<number>;
	calendar_entries_max: Generated<number>;
	categories_max: Generated<number>;
	sockets_max: Generated<number>;
	webhooks_max: Generated<number>;
	tokens_max: Generated<number>;
	automation_connections_max: Generated<number>;
	automation_templates_max: Generated<number>;
	automation_references_max: Generated<number>;
	change_plans_max: Generated<number>;
	can_create_queries: boolean;
	can_execute_queries: boolean;
	can_schedule: boolean;
	can_use_automation: boolean;
	can_use_time_machine: boolean;
	can_export: boolean;
	can_share: boolean;
	can_use_ai_builder: boolean;
}

export interface UpgradeReportsTable {
	name: string;
	/** Null: not sent yet. */
	reported_at: Time | null;
}

export interface QuotaUsageTable {
	user_id: number;
	quota: string;
	/** `2026-01-31`, UTC. */
	day: string;
	used: number;
}

/** Processes that have open sockets. */
export interface SocketProcessesTable {
	id: string;
	/** End of the lease; afterwards the sockets of the process count no more. */
	expires_at: Time;
}

export interface OpenSocketsTable {
	id: string;
	process_id: string;
	user_id: number;
}
