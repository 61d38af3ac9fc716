/**
 * Writes the states that an evaluation leads to, with their transitions and the notifications of
 * their readers, in the caller's transaction.
 */
import type { CheckSampleRow } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Tx } from "../../core/ports/store.ts";
import type { ComparedOutcome } from "./rules/evaluate.ts";
import { computeNextState, type Finding } from "./rules/state.ts";
import { sendNotices } from "./send-notices.ts";
import type { CheckRow } from "./sql/checks.ts";
import { holdActiveChecks } from "./sql/checks.ts";
import { insertEvaluations, type NewEvaluation } from "./sql/evaluations.ts";
import type { NewEvent, StateRow, WrittenState } from "./sql/states.ts";
import { insertCheckEvents, insertMissingStates, lockConnectionStates, writeStates } from "./sql/states.ts";

interface Evaluated {
	/** As it was evaluated. */
	readonly check: Pick<CheckRow, "id" | "revision">;
	readonly finding: Finding;
	readonly sample: readonly CheckSampleRow[];
}

/** Findings of one run, or of several together. */
interface Evaluation {
	/** Null: all connections of the checks together. */
	readonly connection: { readonly id: string; readonly name: string } | null;
	/** The run; of several the one that ended last. */
	readonly run: { readonly id: string; readonly endedAt: Date };
	/** Of several runs which they were; null for one. */
	readonly inputs: string | null;
	readonly evaluated: readonly Evaluated[];
}

/** Checks that were changed since they were evaluated are left alone. */
export async function writeTransitions(ctx: Context, tx: Tx, evaluation: Evaluation): Promise<void> {
	const { connection, run, inputs, evaluated } = evaluation;
	if (evaluated.length === 0) return;
	const now = new Date(ctx.clock.now());
	const held = await holdActiveChecks(
		tx,
		evaluated.map(({ check }) => check.id),
	);
	const rows = new Map(held.map((row) => [row.id, row]));
	const current = evaluated.filter(({ check }) => rows.get(check.id)?.revision === check.revision);
	const entries = current.flatMap(({ check }) => rows.get(check.id) ?? []);
	const connectionId = connection?.id ?? null;
	await insertMissingStates(
		tx,
		entries.map((check) => ({ check, connectionId })),
		now,
	);
	const locked = await lockConnectionStates(
		tx,
		entries.map(({ id }) => id),
		connectionId,
	);
	const byCheck = new Map(locked.map((entry) => [entry.check_id, entry]));
	const written: WrittenState[] = [];
	const transitions: NewEvent[] = [];
	const evaluations: NewEvaluation[] = [];
	for (const { check, finding, sample } of current) {
		const [row, entry] = [rows.get(check.id), byCheck.get(check.id)];
		if (row === undefined || entry === undefined || isKnown(entry, evaluation)) continue;
		const isMuted = entry.muted_until !== null && entry.muted_until > now;
		const before = { ...entry, violatedRuns: entry.violated_runs };
		const after = computeNextState(before, finding, row.for_runs, now);
		const isTransition = after.state !== entry.state;
		const { violatedRuns, ...standing } = after;
		written.push({
			...standing,
			check_id: row.id,
			last_evaluated_at: now,
			last_run_id: run.id,
			run_ended_at: run.endedAt,
			inputs,
			violated_runs: violatedRuns,
			acknowledged_by_id: isTransition ? null : entry.acknowledged_by_id,
			sample,
		});
		if (finding.kind !== "undecided")
			evaluations.push({ checkId: row.id, connectionId, violations: countViolations(finding) });
		if (!isTransition) continue;
		transitions.push({
			id: ctx.ids.uuid(),
			check_id: row.id,
			connection_id: connectionId,
			connection_name: connection?.name ?? null,
			from_state: entry.state,
			to_state: after.state,
			at: now,
			run_id: run.id,
			violations: after.violations,
			acknowledged_by_id: null,
			acknowledged_at: null,
			muted_by_id: isMuted ? entry.muted_by_id : null,
			muted_until: isMuted ? entry.muted_until : null,
		});
	}
	await writeStates(tx, connectionId, written);
	await insertEvaluations(tx, evaluations, now);
	await insertCheckEvents(tx, transitions);
	await sendNotices(
		ctx,
		tx,
		entries.map(({ id }) => id),
		connectionId,
	);
}

/** Null where the evaluation failed. */
const countViolations = (finding: Finding): number | null =>
	finding.kind === "violated" ? finding.violations : finding.kind === "holds" ? 0 : null;

/** The runs were evaluated before, or an entry shows a later one. */
function isKnown(entry: StateRow, { run, inputs }: Evaluation): boolean {
	if (inputs !== null) return entry.inputs === inputs;
	return entry.last_run_id === run.id || (entry.run_ended_at !== null && entry.run_ended_at > run.endedAt);
}

/** The finding of an outcome, and its evidence. */
export function getFinding(outcome: ComparedOutcome): Pick<Evaluated, "finding" | "sample"> {
	if (outcome.kind === "refused") return { finding: { kind: "failed", error: outcome.error }, sample: [] };
	if (outcome.kind === "undecided") return { finding: outcome, sample: [] };
	const { violations, sample } = outcome;
	return { finding: violations === 0 ? { kind: "holds" } : { kind: "violated", violations }, sample };
}
