/** The tables of this area as the query builder sees them. */
import type {
	ChangePlanCreate,
	DriftRules,
	EvidenceContent,
	ExpectationInput,
	FindingClass,
	GateReason,
	PlanGate,
	PlanItem,
	PlanSettle,
	Verdict,
	WindowEvent,
	WindowState,
} from "@weft/contracts";
import type { Generated } from "kysely";
import type { Json, JsonDefault, Time } from "../../core/ports/schema.ts";
import type { GroupRows } from "../checks/rules/group-rows.ts";
import type { CheckSide, JudgedConnection, NewFinding } from "./rules/types.ts";

declare module "../../core/ports/schema.ts" {
	interface Schema {
		change_plans: ChangePlansTable;
		change_windows: ChangeWindowsTable;
		change_window_connections: ChangeWindowConnectionsTable;
		change_window_expectations: ChangeWindowExpectationsTable;
		change_window_rounds: ChangeWindowRoundsTable;
		change_window_captures: ChangeWindowCapturesTable;
		change_window_results: ChangeWindowResultsTable;
		change_window_findings: ChangeWindowFindingsTable;
		change_window_acceptances: ChangeWindowAcceptancesTable;
		change_window_events: ChangeWindowEventsTable;
		change_window_evidence: ChangeWindowEvidenceTable;
	}
}

export interface ChangePlansTable {
	id: string;
	owner_id: number;
	name: string;
	description: string;
	items: Json<PlanItem[]>;
	settle: Json<PlanSettle>;
	gate: Json<PlanGate>;
	after_failure: ChangePlanCreate["after_failure"];
	max_before_age_minutes: number;
	requires_approval: boolean;
	expectations: Json<ExpectationInput[]>;
	is_public: boolean;
	revision: Generated<number>;
	template: string | null;
	created_at: Time;
	updated_at: Time;
}

/** Copy of the plan's revision that the window uses. */
export interface PlanCopy {
	readonly name: string;
	readonly revision: number;
	readonly items: readonly PlanItem[];
	readonly settle: PlanSettle;
	readonly gate: PlanGate;
	readonly after_failure: ChangePlanCreate["after_failure"];
	readonly max_before_age_minutes: number;
	/** Upper bound for the round before the work, in seconds; absent: none. */
	readonly before_timeout_s?: number;
	/** A query that is captured even where its snapshots are switched off: a request names it. */
	readonly snapshot_query?: string;
}

/** A verdict as it is stored, without its findings. */
export interface StoredVerdict {
	readonly number: number;
	readonly at: string;
	/** The round that was judged. */
	readonly round: number;
	readonly verdict: Verdict;
	readonly verdict_reasons: readonly string[];
	readonly changed: boolean;
	readonly settled_after_s: number | null;
	/** Number of findings, stored or not. Absent in verdicts of earlier versions. */
	readonly findings?: number;
	readonly connections: readonly (Pick<JudgedConnection, "connectionId" | "verdict" | "reasons"> & {
		readonly items: readonly (Pick<JudgedConnection["items"][number], "item" | "verdict" | "counts"> & {
			readonly settled: boolean;
		})[];
	})[];
}

export interface ChangeWindowsTable {
	id: string;
	owner_id: number | null;
	owner_name: string;
	title: string;
	ticket_number: string | null;
	ticket_url: string | null;
	plan_id: string | null;
	plan: Json<PlanCopy>;
	starts_at: Time | null;
	ends_at: Time | null;
	auto_start: boolean;
	auto_finish: boolean;
	requires_approval: boolean;
	implementers: string[];
	state: WindowState;
	next_at: Time | null;
	approved_by_id: number | null;
	approved_by: string | null;
	approved_at: Time | null;
	round: Generated<number>;
	round_at: Time | null;
	common_next: Generated<boolean>;
	phase_round: Generated<number>;
	phase_at: Time | null;
	gate: Json<{ passed: boolean; reasons: GateReason[] }> | null;
	override: Json<{ by: string; at: string; reason: string }> | null;
	/** By the id of the query, as of the start. Null before it, and under earlier versions. */
	drift_rules: Json<Record<string, DriftRules>> | null;
	opened_at: Time | null;
	finished_at: Time | null;
	command_exit_code: number | null;
	judge_now: Generated<boolean>;
	verdict: Verdict | null;
	verdict_reasons: Generated<string[]>;
	changed: boolean | null;
	verdicts: JsonDefault<StoredVerdict[]>;
	signed_by: string | null;
	signed_at: Time | null;
	sign_comment: Generated<string>;
	report: string | null;
	report_sha256: string | null;
	idempotency_key: string | null;
	created_at: Time;
	updated_at: Time;
}

export interface ChangeWindowConnectionsTable {
	window_id: string;
	connection_id: string;
	connection_name: string;
	position: number;
	release_before: string | null;
	release_after: string | null;
	/** Why the answers before the work may lack objects. */
	defect_before: string | null;
}

export interface ChangeWindowExpectationsTable {
	id: string;
	window_id: string;
	position: number;
	is_late: boolean;
	data: Json<ExpectationInput>;
}

export interface ChangeWindowRoundsTable {
	window_id: string;
	round: number;
	phase: "before" | "after";
	started_at: Time;
	ended_at: Time | null;
	is_common: boolean;
	model: string | null;
}

export interface ChangeWindowCapturesTable {
	window_id: string;
	round: number;
	saved_query_id: string;
	connection_id: string;
	run_id: string | null;
	query_version: string | null;
	version_hash: string | null;
	snapshot_id: string | null;
	captured_at: Time | null;
	/** Null while the run is in flight. */
	is_complete: boolean | null;
	error: string | null;
}

export interface ChangeWindowResultsTable {
	window_id: string;
	round: number;
	item: number;
	connection_id: string;
	side: Json<CheckSide> | null;
	groups: Json<GroupRows[]> | null;
	unsettled_rows: number | null;
	stable_rounds: number;
}

export interface ChangeWindowFindingsTable {
	id: string;
	window_id: string;
	position: number;
	class: FindingClass;
	connection_id: string;
	item: number | null;
	fingerprint: string;
	data: Json<NewFinding>;
	accepted_by: string | null;
	accepted_at: Time | null;
	reason: Generated<string>;
}

export interface ChangeWindowAcceptancesTable {
	window_id: string;
	fingerprint: string;
	accepted_by: string;
	accepted_at: Time;
	reason: string;
}

export interface ChangeWindowEventsTable {
	id: string;
	window_id: string;
	at: Time;
	user_name: string | null;
	event: WindowEvent;
	from_state: WindowState | null;
	to_state: WindowState;
	detail: string;
}

/** Results of one run of the pre-upgrade script. */
export interface ChangeWindowEvidenceTable {
	id: string;
	window_id: string;
	connection_id: string;
	attached_at: Time;
	attached_by: string;
	is_late: boolean;
	files: number;
	sha256: string;
	/** Bytes of the content as JSON text. */
	bytes: number;
	content: Json<EvidenceContent>;
}
