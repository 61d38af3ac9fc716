/** Checks of type `unchanged`: the snapshots that runs are compared with, and what differs. */
import type { CheckBaseline, CheckConfig } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { buildFieldError } from "../../core/errors.ts";
import type { Db } from "../../core/ports/store.ts";
import { findBaselinesOfRun, findStoredBaseline, readBaselineDrift } from "../history/baselines.ts";
import type { BaselineFound, BaselineRow, RunDrift, SnapshotOutcome } from "../history/index.ts";
import { findBaselineConnection as findSnapshotConnection } from "../history/sql/baselines.ts";
import type { EndedRun, LatestRun } from "../runs/background/index.ts";
import { findRunStanding } from "../runs/pipelines/run-standing.ts";
import type { ComparedOutcome, Outcome } from "./rules/evaluate.ts";
import { isSameJson } from "./rules/same-json.ts";
import { createSample } from "./rules/sample.ts";
import type { CheckRow } from "./sql/checks.ts";

type Ruled = Pick<CheckRow, "type" | "config">;
/** By the baseline as JSON text; null above the limit of a run. */
export type FoundBaselines = ReadonlyMap<string, BaselineFound | null>;

/** Different baselines that one run is compared with; those of the query's owner come first. */
const BASELINES_PER_RUN = 50;

const HOLDS: Outcome = { kind: "evaluated", violations: 0, sample: [] };
const buildRefusal = (error: string): Outcome => ({ kind: "refused", error });
const NO_SNAPSHOT = buildRefusal("There is no snapshot. Switch on snapshots for the query.");
const CLEANED_UP = buildRefusal("Snapshots of the query were being deleted. The next run is compared again.");

const TOO_MANY = buildRefusal(
	`The checks of this query compare with more than ${BASELINES_PER_RUN} different baselines. Use a baseline of another check.`,
);

/** Null for other types. */
export const getBaseline = ({ type, config }: Ruled): CheckBaseline | null =>
	type === "unchanged" ? (config as unknown as CheckConfig<"unchanged">).baseline : null;

const getText = (baseline: CheckBaseline): string => JSON.stringify(baseline);

/**
 * The connections of a check whose query the caller sees. A pinned snapshot decides: its own is
 * the only one. A snapshot that is new to the check must be one of the query's.
 * @throws 400 by field
 */
export async function listBaselineConnections(
	db: Db,
	after: Ruled & Pick<CheckRow, "saved_query_id" | "connection_ids">,
	before: CheckRow | null,
): Promise<readonly string[]> {
	const baseline = getBaseline(after);
	if (baseline?.kind !== "snapshot") return after.connection_ids;
	const known = before === null ? null : getBaseline(before);
	const isKept = known !== null && isSameJson(known, baseline);
	const pinned =
		isKept && before?.saved_query_id === after.saved_query_id
			? before.connection_ids
			: [await findBaselineConnection(db, after.saved_query_id, baseline.snapshot_id)];
	if (after.connection_ids.every((id) => pinned.includes(id))) return pinned;
	throw buildFieldError(
		"controller_connection_ids",
		"The baseline is a snapshot of one connection. Choose that connection only, or compare with a label.",
	);
}

/** The baselines of checks at the end of a run, before its snapshot is stored, in order. */
export async function findBaseline(
	ctx: Context,
	{ query, connection, completedAt }: EndedRun,
	checks: readonly Ruled[],
): Promise<FoundBaselines> {
	const found = new Map<string, BaselineFound | null>();
	const place = { savedQueryId: query.id, connectionId: connection.id };
	for (const check of checks) {
		const baseline = getBaseline(check);
		if (baseline === null || baseline.kind === "previous" || found.has(getText(baseline))) continue;
		const isWithin = found.size < BASELINES_PER_RUN;
		found.set(
			getText(baseline),
			isWithin ? await findStoredBaseline(ctx.store.db, place, baseline, completedAt) : null,
		);
	}
	return found;
}

/** What a run changes against the baseline of a check. */
export function readBaselineOutcome(
	check: Ruled,
	found: FoundBaselines,
	run: EndedRun,
	snapshot: SnapshotOutcome,
): ComparedOutcome {
	const baseline = getBaseline(check);
	if (!run.success) return buildRefusal(run.errorMessage ?? "The run failed.");
	if (snapshot === null || baseline === null) return NO_SNAPSHOT;
	if (snapshot.kind === "none") return buildRefusal(`No snapshot was kept. ${snapshot.reason}`);
	const { name } = run.connection;
	if (baseline.kind === "previous") {
		const drift = snapshot.kind === "stored" ? snapshot.drift : null;
		// Without an earlier snapshot nothing has changed.
		return drift === null ? HOLDS : buildOutcomeOfDrift(drift, name);
	}
	const own = found.get(getText(baseline));
	if (own === null) return TOO_MANY;
	if (own === undefined) return buildOutcomeWithout(baseline, MISSING, name);
	if (own.kind !== "found") return buildOutcomeWithout(baseline, own, name);
	const drift = snapshot.baselines.get(own.snapshot.id);
	if (drift === undefined) return CLEANED_UP;
	return drift === null ? buildOutcomeWithout(baseline, MISSING, name) : buildOutcomeOfDrift(drift, name);
}

/** The outcome for a run whose end is recorded, from stored snapshots. */
export async function previewBaseline(
	ctx: Context,
	run: LatestRun,
	queryId: string,
	check: Ruled,
	signal: AbortSignal,
): Promise<ComparedOutcome> {
	const baseline = getBaseline(check);
	const { name, id: connectionId } = run.connection;
	const snapshotId = (await findRunStanding(ctx, run.runId))?.snapshotId ?? null;
	const stored = snapshotId === null ? null : await findBaselinesOfRun(ctx, snapshotId);
	if (stored === null || baseline === null) return NO_SNAPSHOT;
	const { snapshot, previous } = stored;
	let from: BaselineRow | null;
	if (baseline.kind === "previous") {
		// A snapshot that is older than the run is one that the run has repeated.
		from = snapshot.executed_at < run.endedAt ? null : previous;
		if (from === null) return HOLDS;
	} else {
		const place = { savedQueryId: queryId, connectionId };
		const found = await findStoredBaseline(ctx.store.db, place, baseline, run.endedAt);
		if (found.kind !== "found") return buildOutcomeWithout(baseline, found, name);
		from = found.snapshot;
	}
	const drift = await readBaselineDrift(ctx, from, snapshot, signal);
	return drift === null ? buildOutcomeWithout(baseline, MISSING, name) : buildOutcomeOfDrift(drift, name);
}

async function findBaselineConnection(db: Db, queryId: string, snapshotId: string): Promise<string> {
	const connectionId = await findSnapshotConnection(db, queryId, snapshotId);
	if (connectionId !== null) return connectionId;
	throw buildFieldError(
		"config.baseline.snapshot_id",
		"The query has no such snapshot of a connection. Choose one of its snapshots, or compare with a label.",
	);
}

const MISSING: BaselineFound = { kind: "missing" };

function buildOutcomeWithout(baseline: CheckBaseline, { kind }: BaselineFound, connection: string): ComparedOutcome {
	switch (baseline.kind) {
		case "label":
			return buildRefusal(
				`No snapshot on "${connection}" has the label "${baseline.label}". Give one this label, or choose another baseline.`,
			);
		case "hours": {
			const age = `${baseline.hours} ${baseline.hours === 1 ? "hour" : "hours"}`;
			if (kind === "too_young") {
				return {
					kind: "undecided",
					reason: `No snapshot on "${connection}" is ${age} old yet. The check is evaluated once one is.`,
				};
			}
			return buildRefusal(
				`The snapshots on "${connection}" that are ${age} old were deleted. Keep snapshots for longer, or choose fewer hours.`,
			);
		}
		default:
			return buildRefusal("The snapshot that the check compares with was deleted. Choose another baseline.");
	}
}

/** The changed objects are the evidence. */
function buildOutcomeOfDrift({ drift, examples }: Omit<RunDrift, "against">, connection: string): Outcome {
	const sample = createSample();
	for (const example of examples) sample.add(connection, { ...example });
	return { kind: "evaluated", violations: drift.added + drift.deleted + drift.modified, sample: sample.rows };
}
