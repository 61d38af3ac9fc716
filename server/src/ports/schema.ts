/** The tables as the query builder sees them. One interface per table, grouped by the migration that makes them. */
import type {
	ExecutionStatus,
	Frequency,
	InjectMode,
	JobState,
	ModelSourceName,
	NotificationCategory,
	NotificationPreferences,
	PipelineStatus,
	RunOutcome,
	RunPhase,
	RunState,
	Severity,
	StageStatus,
	TableTemplate,
	TaskStatus,
} from "@weft/contracts";
import type { ColumnType, Generated } from "kysely";
import type { AutomationSchema } from "./schema-automation.ts";

/** Given as Date or ISO text, read as Date. */
export type Time = ColumnType<Date, Date | string, Date | string>;
/** Filled by the store when absent. */
export type DefaultTime = ColumnType<Date, Date | string | undefined, Date | string>;
/** JSON that is written as text and read parsed. */
export type Json<T> = ColumnType<T, string, string>;
/** The same with a default. */
export type JsonDefault<T> = ColumnType<T, string | undefined, string>;

// 0001_identity.sql

export interface UsersTable {
	id: Generated<number>;
	username: string;
	/** Lower-cased, without compatibility variants: two names that look alike are one. */
	username_key: string;
	email: string;
	first_name: string;
	last_name: string;
	password_hash: string;
	is_active: Generated<boolean>;
	is_superuser: Generated<boolean>;
	auth_source: Generated<string>;
	email_verified: Generated<boolean>;
	mfa_enabled: Generated<boolean>;
	session_timeout_minutes: Generated<number>;
	preferences: Json<Record<string, unknown>>;
	date_joined: Time;
	last_login: Time | null;
}

export interface GroupsTable {
	id: Generated<number>;
	name: string;
	is_system: Generated<boolean>;
}

export interface PermissionsTable {
	id: Generated<number>;
	codename: string;
	name: string;
	app: string;
	model: string;
	is_dangerous: Generated<boolean>;
}

export interface GroupPermissionsTable {
	group_id: number;
	permission_id: number;
}

export interface UserGroupsTable {
	user_id: number;
	group_id: number;
}

export interface UserPermissionsTable {
	user_id: number;
	permission_id: number;
}

export interface SessionsTable {
	id: string;
	user_id: number;
	created_at: Time;
	last_seen_at: Time;
	expires_at: Time;
	revoked_at: Time | null;
	ip_address: string;
	user_agent: string;
}

export interface LoginAttemptsTable {
	id: string;
	username: string;
	username_key: string;
	success: boolean;
	failure_reason: string | null;
	ip_address: string;
	user_agent: string;
	attempted_at: Time;
	/** False once a later success or an unlock took the failure out of the lockout's count. */
	counts: Generated<boolean>;
}

// 0002_audit.sql

export interface AuditLogTable {
	id: Generated<number>;
	category: string;
	action: string;
	user_id: number | null;
	username: string;
	ip_address: string;
	user_agent: string;
	description: string;
	target_type: string;
	target_id: string;
	metadata: Json<Record<string, unknown>>;
	/** JSON text, gzipped when `content_compressed`. */
	content: Buffer | null;
	content_compressed: Generated<boolean>;
	content_size_bytes: Generated<number>;
	request_id: string;
	created_at: Time;
	/** Made from the description by the store when an entry is sealed. */
	words: Generated<string | null>;
}

// 0003_controller_connections.sql

export interface ControllerConnectionsTable {
	id: string;
	name: string;
	description: string;
	url: string;
	username: string;
	password_sealed: string;
	verify_ssl: boolean;
	timeout: number;
	is_active: boolean;
	is_public: boolean;
	revision: Generated<number>;
	last_tested_at: Time | null;
	last_test_status: boolean | null;
	last_test_message: Generated<string>;
	created_by: number;
	created_at: Time;
	updated_at: Time;
}

// 0004_saved_queries.sql

export interface QueryCategoriesTable {
	id: Generated<number>;
	name: string;
	description: string;
	color: string;
	icon: string;
	created_at: Time;
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

// 0005_pipelines.sql

export interface PipelineJobsTable {
	id: string;
	owner_id: number;
	status: PipelineStatus;
	controller_connection_id: string;
	controller_connection_name: string;
	saved_query_id: string | null;
	query_name: string | null;
	query_version: string | null;
	/** Hash of the canvas that runs; null without a saved query, and for runs older than the column. */
	query_version_hash: string | null;
	program: Json<unknown> | null;
	result_stages: number[];
	total_stages: number;
	completed_stages: Generated<number>;
	failed_stages: Generated<number>;
	current_stage_index: Generated<number>;
	/** Percent. */
	progress: Generated<number>;
	errors: JsonDefault<{ stage_index: number | null; node_id: string | null; message: string }[]>;
	total_rows: number | null;
	created_at: Time;
	started_at: Time | null;
	completed_at: Time | null;
	results_purged_at: Time | null;
	lease_token: string | null;
	lease_expires_at: Time | null;
	attempts: Generated<number>;
	enqueued_at: Time;
	last_frame: Generated<number>;
	digest_due_at: Time | null;
	/** Whether somebody is to be told of its end. */
	awaited: Generated<boolean>;
}

export interface PipelineStagesTable {
	job_id: string;
	index: number;
	node_ids: string[];
	class_name: string;
	status: Generated<StageStatus>;
	inject_mode: InjectMode | null;
	source_stages: number[];
	value_count: Generated<number>;
	value_sample: JsonDefault<string[]>;
	result_count: Generated<number>;
	result_sample: JsonDefault<Record<string, unknown>[]>;
	request_count: Generated<number>;
	queries: JsonDefault<string[]>;
	feeds: Json<Record<string, string[]>> | null;
	started_at: Time | null;
	completed_at: Time | null;
	error: string | null;
}

export interface PipelineResultChunksTable {
	job_id: string;
	stage_index: number;
	first_row: number;
	row_count: number;
	payload: Buffer;
}

export interface PipelineFramesTable {
	job_id: string;
	seq: number;
	type: string;
	data: Json<Record<string, unknown>>;
	created_at: Time;
}

// 0006_time_machine.sql

export interface SnapshotHistoriesTable {
	id: string;
	key: string;
	saved_query_id: string | null;
	owner_id: number | null;
	revision: Generated<number>;
	/** Kept by triggers; 0028_snapshot_counts.sql. */
	snapshot_count: Generated<number>;
}

export interface SnapshotsTable {
	id: string;
	history_id: string;
	position: number;
	saved_query_id: string | null;
	query_name: string;
	class_name: string;
	query_version: string;
	query_version_hash: string;
	query_structure: Json<unknown> | null;
	controller_connection_id: string | null;
	controller_connection_name: string;
	execution_type: "manual" | "scheduled";
	execution_time_ms: number | null;
	executed_at: Time;
	executed_by_id: number | null;
	executed_by: string;
	result_count: number;
	loose_count: number;
	result_size_bytes: number;
	result_hash: string;
	is_duplicate: boolean;
	has_changes: boolean;
	annotation: string | null;
	label: string | null;
}

export interface SnapshotSegmentsTable {
	id: string;
	history_id: string;
	serial: number;
	next_version: number;
	next_entry: number;
	next_pack: number;
}

export interface SnapshotPacksTable {
	segment_id: string;
	seq: number;
	first_version: number;
	last_version: number;
	rows: Buffer;
	objects: Buffer;
	hashes: Buffer;
	payload: Buffer;
}

export interface SnapshotNamesTable {
	segment_id: string;
	first_entry: number;
	payload: Buffer;
}

export interface SnapshotManifestsTable {
	snapshot_id: string;
	segment_id: string;
	position: number;
	whole: boolean;
	payload: Buffer | null;
	distinct_dns: boolean;
	loose_hash: Buffer;
}

export interface SnapshotTimersTable {
	name: string;
	due_at: Time;
}

export interface SnapshotSettingsTable {
	user_id: number;
	retention_policy: Generated<"days" | "count" | "unlimited">;
	retention_days: Generated<number>;
	retention_count: Generated<number>;
	max_snapshot_size_mb: Generated<number>;
	warn_large_snapshots: Generated<boolean>;
	auto_cleanup_enabled: Generated<boolean>;
	store_duplicates: Generated<boolean>;
}

// 0007_schedules.sql

export interface ScheduledTasksTable {
	id: string;
	owner_id: number;
	name: string;
	description: string;
	saved_query_id: string;
	query_name: string;
	connection_ids: string[];
	/** In the order of the ids. */
	connection_names: string[];
	variable_values: Json<Record<string, string | number | null>>;
	frequency: Frequency;
	minute_of_hour: number | null;
	time_of_day: string | null;
	day_of_week: number | null;
	day_of_month: number | null;
	scheduled_datetime: Time | null;
	timezone: string;
	status: TaskStatus;
	email_on_success: boolean;
	email_on_failure: boolean;
	email_recipients: string[];
	retry_enabled: boolean;
	retry_count: number;
	retry_interval_minutes: number;
	log_retention_days: number;
	last_run_at: Time | null;
	last_run_status: RunOutcome | null;
	next_run_at: Time | null;
	execution_count: Generated<number>;
	success_count: Generated<number>;
	failure_count: Generated<number>;
	created_at: Time;
	updated_at: Time;
}

export interface ScheduledRunsTable {
	id: string;
	task_id: string;
	due_at: Time | null;
	state: "running" | "waiting" | "finished";
	attempt: Generated<number>;
	retry_at: Time | null;
	outcome: RunOutcome | null;
	created_at: Time;
	finished_at: Time | null;
}

export interface ScheduledExecutionsTable {
	id: string;
	run_id: string;
	task_id: string;
	connection_id: string;
	connection_name: string;
	retry_attempt: number;
	status: ColumnType<ExecutionStatus, ExecutionStatus | undefined, ExecutionStatus>;
	result_count: number | null;
	error_type: string | null;
	error_message: string | null;
	pipeline_job_id: string | null;
	snapshot_id: string | null;
	created_at: Time;
	started_at: Time | null;
	completed_at: Time | null;
	watched_at: Time;
}

/** Of executions that have ended; kept by triggers; 0027_counts.sql. */
export interface ScheduledExecutionCountsTable {
	task_id: string;
	connection_id: string;
	status: string;
	shard: number;
	entries: number;
}

export interface TaskSettingsTable {
	id: Generated<1>;
	default_retry_count: number;
	default_retry_interval_minutes: number;
	default_log_retention_days: number;
	email_enabled: boolean;
	email_from_address: string;
}

export interface NotificationsTable {
	id: string;
	user_id: number;
	category: NotificationCategory;
	severity: Severity;
	title: string;
	body: string;
	link: string;
	key: string;
	read_at: Time | null;
	created_at: Time;
	deleted_at: Time | null;
}

// 0010_identity_complete.sql

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
	can_create_queries: boolean;
	can_execute_queries: boolean;
	can_schedule: boolean;
	can_use_automation: boolean;
	can_use_time_machine: boolean;
	can_export: boolean;
	can_share: boolean;
	can_use_ai_builder: boolean;
}

export interface QuotaUsageTable {
	user_id: number;
	quota: string;
	/** `2026-01-31`, UTC. */
	day: string;
	used: number;
}

export interface UserMfaTable {
	user_id: number;
	secret_sealed: string;
	backup_key_sealed: string;
	/** Null between setup and the first right code. */
	confirmed_at: Time | null;
	created_at: Time;
}

export interface MfaUsedStepsTable {
	user_id: number;
	step: number;
}

export interface MfaBackupCodesTable {
	user_id: number;
	code_hash: string;
}

export interface MfaChallengesTable {
	token_hash: string;
	user_id: number;
	tries: Generated<number>;
	created_at: Time;
	expires_at: Time;
}

export interface UserTokensTable {
	id: string;
	user_id: number;
	purpose: "password_reset" | "reset_code" | "email_verification";
	token_hash: string;
	email: string;
	created_at: Time;
	expires_at: Time;
}

// 0008_background_runs.sql

export interface BackgroundRunsTable {
	job_id: string;
	user_id: number;
	username: string;
	query_id: string;
	query_name: string;
	query_version: string;
	query_version_hash: string;
	enable_time_machine: boolean;
	ip_address: string;
	user_agent: string;
	request_id: string;
	failures: Generated<number>;
	finished_at: Time | null;
	snapshot_id: string | null;
}

// 0015_notifications.sql

export interface NotificationInboxesTable {
	user_id: number;
	total: Generated<number>;
	unread: Generated<number>;
	last_frame: Generated<number>;
	digest_due_at: Time | null;
}

export interface NotificationFramesTable {
	user_id: number;
	seq: number;
	type: "notification_created" | "notification_read" | "notification_deleted";
	notification_id: string;
	created_at: Time;
}

export interface NotificationPreferencesTable {
	user_id: number;
	in_app_enabled: boolean;
	email_enabled: boolean;
	categories: Json<NotificationPreferences["categories"]>;
	quiet_hours_start: string | null;
	quiet_hours_end: string | null;
	digest_enabled: boolean;
}

export interface NotificationWebhooksTable {
	user_id: number;
	enabled: boolean;
	url: string;
	secret_sealed: string;
	categories: NotificationCategory[];
	failures: Generated<number>;
	failing_since: Time | null;
	held_until: Time | null;
	last_attempt_at: Time | null;
	last_success_at: Time | null;
	last_error: Generated<string>;
	created_at: Time;
	updated_at: Time;
}

export interface NotificationDeliveriesTable {
	id: string;
	notification_id: string;
	user_id: number;
	channel: "email" | "digest" | "webhook";
	state: "pending" | "delivered" | "failed" | "cancelled";
	attempts: Generated<number>;
	due_at: Time;
	look_at: Time;
	digest_id: ColumnType<string | null, undefined, string>;
	response_status: ColumnType<number | null, undefined, number | null>;
	error: Generated<string>;
	created_at: Time;
	finished_at: ColumnType<Date | null, undefined, Date>;
}

// 0013_audit_complete.sql

export interface AuditPendingTable {
	id: number;
}

export interface AuditBlocksTable {
	number: number;
	kind: "entries" | "purge";
	/** `2026-01-31`, UTC; written so, read as the store's driver reads dates. */
	day: string;
	groups: string[];
	digest: Buffer;
	mac: Buffer;
	entry_ids: number[];
	entry_groups: string[];
	entry_hashes: Buffer;
	sealed_at: Time;
}

export interface AuditChainTable {
	id: Generated<boolean>;
	key_sealed: string;
	purges: Generated<number>;
}

export interface AuditDaysTable {
	day: string;
	category: string;
	action: string;
	entries: number;
}

/** `0030_audit_terms.sql`; its other tables hold strings of bits, which the query builder has no words for. */
export interface AuditIndexTable {
	block: number;
	entries: number;
	complete: boolean;
}

export interface AuditSettingsTable {
	id: Generated<boolean>;
	settings: JsonDefault<Record<string, unknown>>;
}

// 0017_class_model.sql

export interface ModelImportRunsTable {
	id: string;
	version_key: string;
	label: string;
	controller_version: string;
	source: ModelSourceName;
	controller_connection_id: string | null;
	state: RunState;
	phase: RunPhase;
	concurrency: number;
	total_classes: Generated<number>;
	completed_count: Generated<number>;
	fallback_count: Generated<number>;
	not_found_count: Generated<number>;
	failed_count: Generated<number>;
	property_count: Generated<number>;
	error_summary: Generated<string>;
	cancel_requested: Generated<boolean>;
	started_by: number | null;
	started_by_username: string;
	created_at: Time;
	started_at: Time | null;
	finished_at: Time | null;
	core_ready_at: Time | null;
	taken_up_at: Time | null;
	taken_up_count: Generated<number>;
	lease_token: string | null;
	lease_expires_at: Time | null;
	attempts: Generated<number>;
	enqueued_at: Time;
}

export interface ModelImportJobsTable {
	id: Generated<number>;
	run_id: string;
	class_name: string;
	state: Generated<JobState>;
	source_version: string | null;
	attempted_versions: Generated<string[]>;
	http_status_last: number | null;
	last_error: Generated<string>;
	retry_count: Generated<number>;
	updated_at: Time;
}

export interface ModelRecordsTable {
	run_id: string;
	seq: Generated<number>;
	class_count: number;
	payload: Buffer;
}

export interface ModelImagesTable {
	run_id: string;
	seq: number;
	payload: Buffer;
}

export interface ModelVersionsTable {
	id: string;
	run_id: string;
	version_key: string;
	label: string;
	controller_version: string;
	source: ModelSourceName;
	class_count: number;
	property_count: number;
	rel_count: number;
	imported_at: Time;
	imported_by_username: string;
	is_active: boolean;
	is_available: boolean;
	image_format: number;
	image_bytes: number;
}

export interface ModelFavoritesTable {
	id: string;
	user_id: number;
	class_name: string;
	created_at: Time;
}

export interface ModelTableTemplatesTable {
	id: string;
	owner_id: number;
	class_name: string;
	name: string;
	description: string;
	columns: Json<TableTemplate["columns"]>;
	filters: Json<Record<string, unknown>>;
	sorting: Json<TableTemplate["sorting"]>;
	is_shared: boolean;
	is_default: boolean;
	created_at: Time;
	updated_at: Time;
}

export interface ModelTablePreferencesTable {
	id: string;
	user_id: number;
	class_name: string;
	visible_columns: Json<string[]>;
	column_order: Json<string[]>;
	options: Json<Record<string, unknown>>;
	created_at: Time;
	updated_at: Time;
}

export interface Schema extends AutomationSchema {
	users: UsersTable;
	groups: GroupsTable;
	permissions: PermissionsTable;
	group_permissions: GroupPermissionsTable;
	user_groups: UserGroupsTable;
	user_permissions: UserPermissionsTable;
	sessions: SessionsTable;
	login_attempts: LoginAttemptsTable;
	audit_log: AuditLogTable;
	controller_connections: ControllerConnectionsTable;
	query_categories: QueryCategoriesTable;
	saved_queries: SavedQueriesTable;
	saved_query_versions: SavedQueryVersionsTable;
	saved_query_shares: SavedQuerySharesTable;
	saved_query_favorites: SavedQueryFavoritesTable;
	execution_logs: ExecutionLogsTable;
	execution_log_counts: ExecutionLogCountsTable;
	pipeline_jobs: PipelineJobsTable;
	pipeline_stages: PipelineStagesTable;
	pipeline_result_chunks: PipelineResultChunksTable;
	pipeline_frames: PipelineFramesTable;
	background_runs: BackgroundRunsTable;
	snapshot_histories: SnapshotHistoriesTable;
	snapshots: SnapshotsTable;
	snapshot_segments: SnapshotSegmentsTable;
	snapshot_packs: SnapshotPacksTable;
	snapshot_names: SnapshotNamesTable;
	snapshot_manifests: SnapshotManifestsTable;
	snapshot_settings: SnapshotSettingsTable;
	scheduled_tasks: ScheduledTasksTable;
	scheduled_runs: ScheduledRunsTable;
	scheduled_executions: ScheduledExecutionsTable;
	scheduled_execution_counts: ScheduledExecutionCountsTable;
	task_settings: TaskSettingsTable;
	notifications: NotificationsTable;
	notification_inboxes: NotificationInboxesTable;
	notification_frames: NotificationFramesTable;
	notification_preferences: NotificationPreferencesTable;
	notification_webhooks: NotificationWebhooksTable;
	notification_deliveries: NotificationDeliveriesTable;
	group_quotas: GroupQuotasTable;
	quota_usage: QuotaUsageTable;
	user_mfa: UserMfaTable;
	mfa_used_steps: MfaUsedStepsTable;
	mfa_backup_codes: MfaBackupCodesTable;
	mfa_challenges: MfaChallengesTable;
	user_tokens: UserTokensTable;
	snapshot_timers: SnapshotTimersTable;
	audit_pending: AuditPendingTable;
	audit_blocks: AuditBlocksTable;
	audit_chain: AuditChainTable;
	audit_days: AuditDaysTable;
	audit_index: AuditIndexTable;
	audit_settings: AuditSettingsTable;
	model_import_runs: ModelImportRunsTable;
	model_import_jobs: ModelImportJobsTable;
	model_records: ModelRecordsTable;
	model_images: ModelImagesTable;
	model_versions: ModelVersionsTable;
	model_favorites: ModelFavoritesTable;
	model_table_templates: ModelTableTemplatesTable;
	model_table_preferences: ModelTablePreferencesTable;
}
