/** Change windows as answers show them. */
import type {
	ChangeWindow,
	ChangeWindowListed,
	ItemCounts,
	WindowConnection,
	WindowEventEntry,
	WindowFinding,
} from "@weft/contracts";
import type { Identity } from "../../core/caller.ts";
import { isRunningJob, type WindowJob } from "../automation/jobs/sql/held-launches.ts";
import { canApprove, canDecide, canMove, canOverride } from "./policy.ts";
import { canLeave } from "./rules/transitions.ts";
import { formatVerdictLine, hasRoomForVerdict } from "./rules/verdict.ts";
import type { FindingRow } from "./sql/findings.ts";
import type { CaptureRow, ResultRow, RoundRow } from "./sql/rounds.ts";
import type { listEvents, ShownConnection, ShownWindow } from "./sql/windows.ts";
import type { StoredVerdict } from "./tables.ts";

export const formatTime = (at: Date | null): string | null => at?.toISOString() ?? null;

export const presentListed = (window: ShownWindow): ChangeWindowListed => ({
	id: window.id,
	title: window.title,
	ticket: window.ticket_number === null ? null : { number: window.ticket_number, url: window.ticket_url ?? "" },
	plan: window.plan_id,
	plan_name: window.plan.name,
	plan_revision: window.plan.revision,
	connection_ids: window.visible_ids,
	hidden_count: window.hidden_count,
	starts_at: formatTime(window.starts_at),
	ends_at: formatTime(window.ends_at),
	state: window.state,
	verdict: window.verdict,
	verdict_reasons: window.verdict_reasons,
	verdict_line: formatVerdictLine(window.verdict, window.findings),
	changed: window.changed,
	requires_approval: window.requires_approval,
	opened_at: formatTime(window.opened_at),
	finished_at: formatTime(window.finished_at),
	created_by: window.owner,
	approved_by: window.approved_by,
	approved_at: formatTime(window.approved_at),
	signed_by: window.signed_by,
	signed_at: formatTime(window.signed_at),
	created_at: window.created_at.toISOString(),
	updated_at: window.updated_at.toISOString(),
});

const NO_COUNTS: ItemCounts = {
	expected: 0,
	undeclared: 0,
	missing: 0,
	accepted: 0,
	minor: 0,
	allowed: 0,
	new: 0,
	worse: 0,
	same: 0,
	fixed: 0,
	late: 0,
	ignored: { volatile: 0, rules: 0 },
};

/** Parts of a window beside its own row. */
export interface WindowParts {
	readonly connections: readonly ShownConnection[];
	readonly rounds: readonly RoundRow[];
	/** The query of each item; null if its check was deleted. */
	readonly queries: readonly (string | null)[];
	/** Captures of the last round before the work. */
	readonly before: readonly CaptureRow[];
	/** Captures of the round after the work that was judged, else of the last one. */
	readonly after: readonly CaptureRow[];
	readonly results: readonly ResultRow[];
	/** Numbers of accepted findings by `item connection`. */
	readonly accepted: ReadonlyMap<string, number>;
	readonly items: ChangeWindow["plan_items"];
	readonly overlaps: readonly string[];
	readonly evidenceCount: number;
	/** Executions of automation requests, oldest first. */
	readonly jobs: readonly WindowJob[];
}

const presentSide = (capture: CaptureRow | undefined) => ({
	snapshot_id: capture?.snapshot_id ?? null,
	run_id: capture?.run_id ?? null,
	error: capture?.error ?? null,
});

function presentConnection(window: ShownWindow, parts: WindowParts, connection: ShownConnection): WindowConnection {
	const judged = window.verdicts.at(-1)?.connections.find((one) => one.connectionId === connection.connection_id);
	const find = (captures: readonly CaptureRow[], queryId: string | null) =>
		captures.find((one) => one.saved_query_id === queryId && one.connection_id === connection.connection_id);
	return {
		connection_id: connection.connection_id,
		name: connection.connection_name,
		verdict: judged?.verdict ?? null,
		verdict_reasons: [...(judged?.reasons ?? [])],
		release_before: connection.release_before,
		release_after: connection.release_after,
		items: window.plan.items.map((_, item) => {
			const own = judged?.items.find((one) => one.item === item);
			const before = find(parts.before, parts.queries[item] ?? null);
			const key = `${item} ${connection.connection_id}`;
			return {
				item,
				query_version: before?.query_version ?? null,
				before: presentSide(before),
				after: presentSide(find(parts.after, parts.queries[item] ?? null)),
				settled: own?.settled ?? isStable(window, parts.results, item, connection.connection_id),
				verdict: own?.verdict ?? null,
				counts: { ...(own?.counts ?? NO_COUNTS), accepted: parts.accepted.get(key) ?? 0 },
			};
		}),
	};
}

function isStable(window: ShownWindow, results: readonly ResultRow[], item: number, connectionId: string): boolean {
	if (window.state !== "settling") return false;
	const found = results.find((one) => one.item === item && one.connection_id === connectionId);
	return (found?.stable_rounds ?? 0) >= window.plan.settle.stable_rounds;
}

function presentPhases({ rounds, before }: WindowParts, verdict: StoredVerdict | undefined): ChangeWindow["phases"] {
	const first = rounds.findLast(({ phase }) => phase === "before");
	const last = rounds.findLast(({ phase }) => phase === "after");
	return {
		before:
			first === undefined
				? null
				: {
						round: first.round,
						started_at: first.started_at.toISOString(),
						ended_at: formatTime(first.ended_at),
						complete: first.ended_at !== null && before.every(({ is_complete }) => is_complete === true),
					},
		after:
			last === undefined
				? null
				: {
						round: last.round,
						started_at: last.started_at.toISOString(),
						ended_at: formatTime(last.ended_at),
						settled: verdict !== undefined && verdict.settled_after_s !== null,
						settled_after_s: verdict?.settled_after_s ?? null,
					},
	};
}

export function presentWindow(window: ShownWindow, parts: WindowParts, caller: Identity): ChangeWindow {
	const { state } = window;
	const moves = canMove(caller, window);
	return {
		...presentListed(window),
		plan_items: parts.items,
		settle: window.plan.settle,
		plan_gate: window.plan.gate,
		after_failure: window.plan.after_failure,
		auto_start: window.auto_start,
		auto_finish: window.auto_finish,
		implementers: window.implementers,
		phases: presentPhases(parts, window.verdicts.at(-1)),
		gate: window.gate && {
			...window.gate,
			reasons: window.gate.reasons.filter(({ connection_id: of }) => of === null || window.visible_ids.includes(of)),
		},
		override: window.override,
		next_at: formatTime(window.next_at),
		connections: parts.connections
			.filter(({ is_visible }) => is_visible)
			.map((connection) => presentConnection(window, parts, connection)),
		verdicts: window.verdicts.map(({ number, at, verdict, verdict_reasons, changed }) => ({
			number,
			at,
			verdict,
			verdict_reasons: [...verdict_reasons],
			changed,
		})),
		executions: parts.jobs.map(({ id }) => id),
		overlaps: [...parts.overlaps],
		evidence_count: parts.evidenceCount,
		sign_comment: window.sign_comment,
		report_sha256: window.report_sha256,
		can_edit: moves && canLeave("rename", state),
		can_submit: moves && canLeave("submit", state),
		can_approve: canApprove(caller, window) && canLeave("approve", state),
		can_start: moves && canLeave("start", state),
		can_override: canOverride(caller, window) && canLeave("override", state),
		can_finish: moves && canLeave("finish", state),
		can_recheck: moves && canLeave("recheck", state) && hasRoomForVerdict(window),
		can_cancel: moves && canLeave("cancel", state) && !parts.jobs.some(isRunningJob),
		can_sign: canDecide(caller, window) && canLeave("sign", state) && !parts.jobs.some(isRunningJob),
	};
}

export const presentFinding = ({ id, data, accepted_by, accepted_at, reason }: FindingRow): WindowFinding => ({
	...data,
	id,
	accepted_by,
	accepted_at: formatTime(accepted_at),
	reason,
});

/** Events whose detail names a connection or an object of one. */
const OF_CONNECTIONS: readonly string[] = ["attach_evidence", "remove_evidence", "accept", "rollback"];

/** @param isWhole whether the viewer sees all connections of the window */
export const presentEvent = (
	event: Awaited<ReturnType<typeof listEvents>>[number],
	isWhole: boolean,
): WindowEventEntry => ({
	id: event.id,
	at: event.at.toISOString(),
	user: event.user_name,
	event: event.event,
	from_state: event.from_state,
	to_state: event.to_state,
	detail: isWhole || !OF_CONNECTIONS.includes(event.event) ? event.detail : "",
});
