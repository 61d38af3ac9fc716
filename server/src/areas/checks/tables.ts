/** The tables of this area as the query builder sees them. */
import type { CheckSampleRow, CheckState, CheckType, FindingSeverity } from "@weft/contracts";
import type { ColumnType, Generated } from "kysely";
import type { Json, JsonDefault, Time } from "../../core/ports/schema.ts";

declare module "../../core/ports/schema.ts" {
	interface Schema {
		checks: ChecksTable;
		check_states: CheckStatesTable;
		check_events: CheckEventsTable;
		check_notified: CheckNotifiedTable;
		check_evaluations: CheckEvaluationsTable;
	}
}

/** A calendar entry or change window, with its title when it began to hold an alert. */
export interface HeldBy {
	readonly id: string;
	readonly title: string;
}

export interface ChecksTable {
	id: string;
	owner_id: number;
	name: string;
	description: string;
	saved_query_id: string;
	/** Empty: every connection that the query runs on. */
	connection_ids: string[];
	type: CheckType;
	config: Json<Record<string, unknown>>;
	severity: FindingSeverity;
	for_runs: number;
	is_active: boolean;
	is_public: boolean;
	/** Null: the owner. */
	notify_user_ids: number[] | null;
	notify_webhook_ids: Generated<string[]>;
	notify_addresses: Generated<string[]>;
	notify_min_severity: Generated<FindingSeverity>;
	/** Grows with each change after which an earlier evaluation means nothing. */
	revision: Generated<number>;
	muted_until: Time | null;
	muted_by_id: number | null;
	created_at: Time;
	updated_at: Time;
}

export interface CheckStatesTable {
	check_id: string;
	/** Null: of all connections together. */
	connection_id: string | null;
	state: CheckState;
	since: Time;
	last_evaluated_at: Time | null;
	last_run_id: string | null;
	run_ended_at: Time | null;
	/** Of an evaluation over several runs: which they were. */
	inputs: string | null;
	violations: Generated<number>;
	violated_runs: Generated<number>;
	error: string | null;
	acknowledged_by_id: number | null;
	muted_until: Time | null;
	muted_by_id: number | null;
	sample: JsonDefault<CheckSampleRow[]>;
	/** The maintenance or change window that holds an alert of the entry; null if none does. */
	held_by: ColumnType<HeldBy | null, string | null | undefined, string | null>;
}

/** Problems of which a reader was notified and that are not over. */
export interface CheckNotifiedTable {
	check_id: string;
	check_name: string;
	owner_id: number;
	connection_id: string | null;
	connection_name: string | null;
	/** Null: the owner. */
	webhook_id: string | null;
	/** The check names the webhook, which does not take the category. */
	is_named: Generated<boolean>;
	/** People and addresses that were notified with the owner. */
	recipient_ids: Generated<number[]>;
	recipient_addresses: Generated<string[]>;
	failing: boolean;
	error: boolean;
}

export interface CheckEventsTable {
	id: string;
	check_id: string;
	connection_id: string | null;
	connection_name: string | null;
	from_state: CheckState;
	to_state: CheckState;
	at: Time;
	/** Null for a change of the check itself. */
	run_id: string | null;
	violations: number;
	acknowledged_by_id: number | null;
	acknowledged_at: Time | null;
	comment: Generated<string>;
	muted_by_id: number | null;
	muted_until: Time | null;
}

export interface CheckEvaluationsTable {
	check_id: string;
	/** Null: all connections together. */
	connection_id: string | null;
	at: Time;
	/** Null: the evaluation failed. */
	violations: number | null;
}
