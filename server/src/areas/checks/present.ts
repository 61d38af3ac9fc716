/** Checks, their states and events as the wire shows them. */
import type { Check, CheckEvent, CheckNotify, CheckStateEntry } from "@weft/contracts";
import type { Identity } from "../../core/caller.ts";
import { type Hold, presentHold } from "../calendar/find-hold.ts";
import { canEdit } from "./policy.ts";
import { listEntryConnections, parseInputs } from "./rules/entry-connections.ts";
import { findWorst } from "./rules/state.ts";
import type { CheckRow, ShownCheck } from "./sql/checks.ts";
import type { ShownEvent, ShownState } from "./sql/states.ts";

const formatIsoTime = (time: Date | null): string | null => time?.toISOString() ?? null;

/** @param holds the maintenance and change windows that hold alerts now */
export function presentCheck(
	row: ShownCheck,
	states: readonly ShownState[],
	identity: Identity,
	holds: readonly Hold[],
): Check {
	return {
		id: row.id,
		name: row.name,
		description: row.description,
		saved_query: row.saved_query_id,
		query_name: row.query_name,
		controller_connection_ids: row.connection_ids,
		type: row.type,
		config: row.config,
		severity: row.severity,
		for_runs: row.for_runs,
		is_active: row.is_active,
		is_public: row.is_public,
		notify: presentNotify(row, canEdit(identity, row)),
		state: findWorst(states.map(({ state }) => state)),
		states: [...states].sort(compareByConnection).map((state) => presentState(state, holds)),
		muted_until: formatIsoTime(row.muted_until),
		held_by: presentHold(holds, [...row.connection_ids, ...states.flatMap(listStateConnections)]),
		schedules: row.schedules.map(({ next_run_at, ...schedule }) => ({
			...schedule,
			next_run_at: next_run_at === null ? null : new Date(next_run_at).toISOString(),
		})),
		is_watched: row.is_watched,
		created_by: row.owner,
		can_edit: canEdit(identity, row),
		created_at: row.created_at.toISOString(),
		updated_at: row.updated_at.toISOString(),
	};
}

const presentNotify = (row: CheckRow, isShown: boolean): CheckNotify => ({
	user_ids: row.notify_user_ids ?? [row.owner_id],
	webhook_ids: isShown ? row.notify_webhook_ids : [],
	addresses: isShown ? row.notify_addresses : [],
	min_severity: row.notify_min_severity,
});

/** Errors name connections, and hold messages of controllers with their addresses. */
const HIDDEN_ERROR = "The check could not be evaluated on a connection that you do not see.";

const names = new Intl.Collator("en", { numeric: true });
const compareByConnection = (a: ShownState, b: ShownState): number =>
	names.compare(a.connection_name ?? "", b.connection_name ?? "");

function listRunIds({ inputs, last_run_id, sees_inputs }: ShownState): string[] {
	if (inputs === null) return last_run_id === null ? [] : [last_run_id];
	return sees_inputs ? parseInputs(inputs).map(({ run }) => run) : [];
}

/** Lists the connections of a state; of all together, those of the last evaluation if visible. */
const listStateConnections = (row: ShownState): readonly string[] =>
	row.connection_id === null && !row.sees_inputs ? [] : listEntryConnections(row);

export const presentState = (row: ShownState, holds: readonly Hold[]): CheckStateEntry => ({
	controller_connection_id: row.connection_id,
	controller_connection_name: row.connection_name,
	state: row.state,
	since: row.since.toISOString(),
	last_evaluated_at: formatIsoTime(row.last_evaluated_at),
	last_run: row.last_run_id,
	runs: listRunIds(row),
	violations: row.violations,
	error: row.error === null || row.sees_inputs ? row.error : HIDDEN_ERROR,
	acknowledged_by: row.acknowledged_by,
	muted_until: formatIsoTime(row.muted_until),
	held_by: presentHold(holds, listStateConnections(row)),
});

export const presentEvent = (row: ShownEvent): CheckEvent => ({
	id: row.id,
	controller_connection_id: row.connection_id,
	controller_connection_name: row.connection_name,
	from_state: row.from_state,
	to_state: row.to_state,
	at: row.at.toISOString(),
	run_id: row.run_id,
	violations: row.violations,
	acknowledged_by: row.acknowledged_by,
	acknowledged_at: formatIsoTime(row.acknowledged_at),
	comment: row.comment,
	muted_by: row.muted_by,
	muted_until: formatIsoTime(row.muted_until),
});
