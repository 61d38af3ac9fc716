/** Finds the snapshots that a run is compared with, and compares stored ones. */
import type { CheckBaseline } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Db } from "../../core/ports/store.ts";
import { readDriftRules } from "../queries/saved/visible-query.ts";
import type { DriftFound } from "./rules/drift.ts";
import type { BaselineRow, HistoryPlace } from "./sql/baselines.ts";
import {
	findBaselineById,
	findLabelledBaseline,
	findRunBaselineAt,
	findRunBaselineBefore,
	hasFirstSnapshot,
} from "./sql/baselines.ts";
import type { SnapshotRow } from "./sql/snapshots.ts";
import { findSnapshot } from "./sql/snapshots.ts";

/** A baseline that must be looked up; the previous one is known where a result is captured. */
export type StoredBaseline = Exclude<CheckBaseline, { readonly kind: "previous" }>;

export type BaselineFound =
	| { readonly kind: "found"; readonly snapshot: BaselineRow }
	/** There is none, or it has been deleted. */
	| { readonly kind: "missing" }
	/** Of `hours`: the history is younger, and nothing of it has been deleted. */
	| { readonly kind: "too_young" };

const HOUR_MS = 3_600_000;

/** @param at the time of the snapshot that is compared */
export async function findStoredBaseline(
	db: Db,
	place: HistoryPlace,
	baseline: StoredBaseline,
	at: Date,
): Promise<BaselineFound> {
	const found = await findBaselineRow(db, place, baseline, at);
	if (found !== undefined) return { kind: "found", snapshot: found };
	const isYoung = baseline.kind === "hours" && (await hasFirstSnapshot(db, place));
	return { kind: isYoung ? "too_young" : "missing" };
}

/** A snapshot of a run, with the one before; null if it no longer exists. */
export async function findBaselinesOfRun(
	ctx: Context,
	id: string,
): Promise<{ readonly snapshot: SnapshotRow; readonly previous: BaselineRow | null } | null> {
	const snapshot = await findSnapshot(ctx.store.db, id);
	if (snapshot === undefined) return null;
	return { snapshot, previous: (await findRunBaselineBefore(ctx.store.db, id)) ?? null };
}

/** What changes between two snapshots of a query; null if one of them no longer exists. */
export async function readBaselineDrift(
	ctx: Context,
	from: BaselineRow,
	to: SnapshotRow,
	signal: AbortSignal,
): Promise<DriftFound | null> {
	const rules = to.saved_query_id === null ? null : await readDriftRules(ctx.store.db, to.saved_query_id);
	if (rules === null) return null;
	const size = Math.max(from.bytes, to.result_size_bytes);
	return ctx.areas.history.threads.drift({ from: from.id, to: to.id, rules }, { size, signal });
}

function findBaselineRow(
	db: Db,
	place: HistoryPlace,
	baseline: StoredBaseline,
	at: Date,
): Promise<BaselineRow | undefined> {
	switch (baseline.kind) {
		case "snapshot":
			return findBaselineById(db, place, baseline.snapshot_id);
		case "label":
			return findLabelledBaseline(db, place, baseline.label);
		case "hours":
			return findRunBaselineAt(db, place, new Date(at.getTime() - baseline.hours * HOUR_MS));
	}
}
