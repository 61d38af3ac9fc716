/** The tables of this area as the query builder sees them. */
import type {
	AutomationConnection,
	AutomationExecutionStatus,
	AutomationKind,
	AutomationWarning,
	FreezeRef,
	InputSource,
	LaunchPrompt,
	LaunchPromptValues,
	LaunchState,
	RequestAction,
	RequestChange,
	RequestStatus,
	RowCounts,
	RowExpectation,
	TemplateColumn,
	TemplateSheet,
	ValidationResult,
} from "@weft/contracts";
import type { ColumnType, Generated } from "kysely";
import type { Json, JsonDefault, Time } from "../../core/ports/schema.ts";
import type { FirstRequestStatus, SnapshotState } from "./jobs/rules/states.ts";

declare module "../../core/ports/schema.ts" {
	interface Schema {
		automation_connections: AutomationConnectionsTable;
		automation_categories: AutomationCategoriesTable;
		automation_validation_lists: AutomationValidationListsTable;
		automation_regex_patterns: AutomationRegexPatternsTable;
		automation_column_templates: AutomationColumnTemplatesTable;
		automation_templates: AutomationTemplatesTable;
		automation_template_groups: AutomationTemplateGroupsTable;
		automation_validations: AutomationValidationsTable;
		automation_requests: AutomationRequestsTable;
		automation_request_events: AutomationRequestEventsTable;
		automation_window_rollbacks: AutomationWindowRollbacksTable;
		automation_executions: AutomationExecutionsTable;
		automation_watches: AutomationWatchesTable;
		automation_polls: AutomationPollsTable;
		automation_streams: AutomationStreamsTable;
		automation_output: AutomationOutputTable;
		automation_row_results: AutomationRowResultsTable;
		automation_column_results: AutomationColumnResultsTable;
		automation_nodes: AutomationNodesTable;
	}
}

export interface AutomationConnectionsTable {
	id: string;
	name: string;
	description: string;
	base_url: string;
	username: string;
	token_sealed: string;
	verify_ssl: boolean;
	timeout: number;
	is_default: boolean;
	is_public: boolean;
	approval: Generated<AutomationConnection["approval"]>;
	free_job_template_ids: Generated<number[]>;
	/** When administrators were notified that approval is left to templates. */
	approval_reported_at: Time | null;
	revision: Generated<number>;
	api_root: string | null;
	server_version: string | null;
	can_launch: boolean | null;
	last_tested_at: Time | null;
	last_test_status: Generated<AutomationConnection["last_test_status"]>;
	last_test_message: Generated<string>;
	created_by: number | null;
	created_at: Time;
	updated_at: Time;
}

export interface AutomationCategoriesTable {
	id: Generated<number>;
	name: string;
	description: string;
	color: string;
	icon: string;
	display_order: number;
	created_at: Time;
	/** Null for categories of earlier versions. */
	created_by_id: ColumnType<number | null, number | undefined, never>;
}

interface Owned {
	is_public: boolean;
	created_by: number | null;
	/** Username at the time. */
	creator: string;
	created_at: Time;
	updated_at: Time;
}

export interface AutomationValidationListsTable extends Owned {
	id: string;
	name: string;
	description: string;
	values: Json<string[]>;
	case_sensitive: boolean;
	error_message: string;
}

export interface AutomationRegexPatternsTable extends Owned {
	id: string;
	name: string;
	description: string;
	pattern: string;
	flags: string;
	category: string;
	test_strings: string[];
}

export interface AutomationColumnTemplatesTable extends Owned {
	id: string;
	name: string;
	description: string;
	column: Json<TemplateColumn>;
	list_ids: string[];
	pattern_ids: string[];
}

export interface AutomationTemplatesTable {
	id: string;
	name: string;
	description: string;
	category_id: number | null;
	tags: string[];
	kind: AutomationKind;
	connection_id: string | null;
	connection_name: string;
	server_template_id: number;
	server_template_name: ColumnType<string | null, string | null | undefined, string | null>;
	schema: Json<TemplateColumn[]>;
	sheets: Json<TemplateSheet[]>;
	validation_list_ids: string[];
	is_public: boolean;
	requires_approval: boolean;
	rollback_template_id: string | null;
	allow_check_mode: boolean;
	variable_mappings: Json<Record<string, unknown>>;
	prompts: JsonDefault<LaunchPromptValues>;
	askable: ColumnType<LaunchPrompt[], LaunchPrompt[] | undefined, LaunchPrompt[]>;
	expects: JsonDefault<RowExpectation[]>;
	requires_change_plan: Generated<boolean>;
	list_ids: string[];
	pattern_ids: string[];
	column_template_ids: string[];
	request_count: Generated<number>;
	success_count: Generated<number>;
	failure_count: Generated<number>;
	created_by: number | null;
	created_at: Time;
	updated_at: Time;
}

export interface AutomationTemplateGroupsTable {
	template_id: string;
	group_id: number;
	role: "use" | "approve";
}

export interface AutomationValidationsTable {
	id: string;
	user_id: number;
	state: "PENDING" | "PROGRESS" | "SUCCESS" | "FAILURE";
	progress: Generated<number>;
	rules: Json<unknown>;
	rows_sealed: string | null;
	result: Json<ValidationResult> | null;
	error: string | null;
	created_at: Time;
	finished_at: Time | null;
}

/** The plan of a named change plan, or of the query of snapshots; the windows know the rest. */
export interface PlanContent {
	readonly requires_approval: boolean;
}

export interface AutomationRequestsTable {
	id: string;
	title: string;
	description: string;
	status: ColumnType<RequestStatus, FirstRequestStatus, RequestStatus>;
	template_id: string | null;
	template_name: string;
	template_snapshot: Json<unknown>;
	connection_id: string;
	connection_name: string;
	target_controller_id: string | null;
	target_controller_name: string;
	credential_id: number | null;
	credential_name: string;
	input_data: Json<unknown>;
	secrets_sealed: string | null;
	row_count: number;
	row_counts: ColumnType<RowCounts | null, string | null | undefined, string | null>;
	input_source: Json<InputSource> | null;
	check_mode: boolean;
	scheduled_for: Time | null;
	held_by_freeze: ColumnType<FreezeRef | null, string | null | undefined, string | null>;
	idempotency_key: string | null;
	requires_approval: boolean;
	approver_group_ids: number[];
	requested_by_id: number | null;
	requested_by: string;
	requested_at: Time;
	/** Who changed it last; null before the first change. */
	edited_by_id: number | null;
	approved_by: string | null;
	approved_at: Time | null;
	approval_comment: string | null;
	rejected_by: string | null;
	rejected_at: Time | null;
	rejection_reason: string | null;
	changes_requested: Generated<boolean>;
	version: Generated<number>;
	rows_digest: string | null;
	watch_query_id: string | null;
	change_plan_id: ColumnType<string | null, string | null | undefined, string | null>;
	change_plan_name: ColumnType<string | null, string | null | undefined, string | null>;
	change_plan_revision: ColumnType<number | null, number | null | undefined, number | null>;
	change_plan: ColumnType<PlanContent | null, string | null | undefined, string | null>;
	change_window_id: ColumnType<string | null, string | null | undefined, string | null>;
	rollback_window_id: ColumnType<string | null, string | null | undefined, never>;
	prompts: JsonDefault<LaunchPromptValues>;
	rollback_of: string | null;
	launch_error: string | null;
	warnings: JsonDefault<AutomationWarning[]>;
	executions_total: Generated<number>;
	automation_job_id: number | null;
	started_at: Time | null;
	finished_at: Time | null;
	created_at: Time;
	updated_at: Time;
}

/** Requests whose rollback a change window asked for. */
export interface AutomationWindowRollbacksTable {
	request_id: string;
	window_id: string;
}

export interface AutomationRequestEventsTable {
	id: Generated<string>;
	request_id: string;
	at: Time;
	username: string;
	action: RequestAction;
	version: number;
	changes: JsonDefault<RequestChange[]>;
	changes_total: Generated<number>;
	comment: Generated<string>;
	digest: string | null;
	superseded: Json<unknown> | null;
	execution_id: ColumnType<string | null, string | null | undefined, string | null>;
	related_id: ColumnType<string | null, string | null | undefined, string | null>;
}

export interface AutomationExecutionsTable {
	id: string;
	request_id: string;
	connection_id: string;
	kind: AutomationKind;
	server_template_id: number;
	reference: string;
	launch_state: ColumnType<LaunchState, undefined, LaunchState>;
	change_window_id: ColumnType<string | null, string | null | undefined, never>;
	/** When its change window let it go; null: it waited for none. */
	released_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
	launch_attempt: Generated<number>;
	launch_token: string | null;
	sent_at: Time | null;
	server_since: Time | null;
	lookup_at: Time | null;
	reference_sent: Generated<boolean>;
	job_id: number | null;
	job_type: string | null;
	job_created: Time | null;
	launched_by_id: number | null;
	launched_by: string;
	relaunch_of: string | null;
	relaunch_hosts: "all" | "failed" | null;
	relaunch_count: Generated<number>;
	check_mode: boolean;
	status: ColumnType<AutomationExecutionStatus, undefined, AutomationExecutionStatus>;
	server_status: string | null;
	explanation: Generated<string>;
	error: string | null;
	cancel_requested_at: Time | null;
	cancel_error: string | null;
	progress: Generated<number>;
	current_task: string | null;
	ok_count: Generated<number>;
	changed_count: Generated<number>;
	failed_count: Generated<number>;
	tasks_seen: Generated<number>;
	tasks_expected: number | null;
	started_at: Time | null;
	/** By the clock of the automation server; by that of Weft where nothing was launched. */
	finished_at: Time | null;
	/** By the clock of Weft; null before the end. */
	ended_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
	elapsed: Generated<number>;
	artifacts: Json<Record<string, unknown>> | null;
	final_seen_at: Time | null;
	missing_since: Time | null;
	output_complete: Generated<boolean>;
	lost_events: Generated<number>;
	rows_unknown: number | null;
	row_counts: ColumnType<RowCounts | null, string | null | undefined, string | null>;
	host_count: number | null;
	warnings: JsonDefault<AutomationWarning[]>;
	vars_bytes: Generated<number>;
	poll_at: Time | null;
	watched_until: Time | null;
	created_at: Time;
	updated_at: Time;
}

export interface AutomationWatchesTable {
	execution_id: string;
	phase: "before" | "after";
	status: ColumnType<SnapshotState, undefined, SnapshotState>;
	query_id: string;
	controller_id: string;
	snapshot_id: string | null;
	problem: string | null;
}

export interface AutomationPollsTable {
	connection_id: string;
	due_at: Time;
	lease_token: string | null;
	lease_until: Time | null;
	failures: Generated<number>;
}

export interface AutomationStreamsTable {
	execution_id: string;
	job_id: number;
	job_type: string;
	last_counter: Generated<number>;
	length: Generated<number>;
	done: Generated<boolean>;
	lost: Generated<number>;
	gap_since: Time | null;
	final_seen_at: Time | null;
	open_loops: JsonDefault<unknown>;
	hidden_items: Generated<number>;
	/** Whether the server refused the output. */
	unread: Generated<boolean>;
	tasks_seen: Generated<number>;
	ok_count: Generated<number>;
	changed_count: Generated<number>;
	failed_count: Generated<number>;
}

export interface AutomationOutputTable {
	execution_id: string;
	job_id: number;
	start: number;
	length: number;
	text: string;
}

export interface AutomationRowResultsTable {
	execution_id: string;
	sheet: string;
	row_index: number;
	host: string;
	rank: number;
	message: string;
}

export interface AutomationColumnResultsTable {
	execution_id: string;
	job_id: number;
	loop_first: number;
	row_index: number;
	host: string;
	rank: number;
	message: string;
}

export interface AutomationNodesTable {
	execution_id: string;
	node_id: number;
	identifier: string;
	job_id: number | null;
	job_type: string | null;
	name: string;
	status: string;
	elapsed: number;
	depends_on: ColumnType<number[], number[], number[]>;
	parent_id: number | null;
}
