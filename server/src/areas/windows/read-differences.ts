/** Reads the differences between the two sides of an item, with the users who made them. */
import { type DriftRules, type QueryItem, WINDOW_LIMITS } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Identity } from "../../core/caller.ts";
import { AppError } from "../../core/errors.ts";
import { findAttributions } from "../history/attribute-changes.ts";
import { buildNumberBeginnings } from "../history/compare-snapshots.ts";
import { createAttribute } from "../history/rules/attribution.ts";
import { findSnapshot, type SnapshotRow } from "../history/sql/snapshots.ts";
import type { Difference, GroupCount } from "./rules/types.ts";
import type { ItemToJudge } from "./workers/tasks.ts";

export interface Differences {
	/** At most `WINDOW_LIMITS.findings`. */
	readonly list: readonly Difference[];
	readonly total: number;
	readonly ignored: { readonly volatile: number; readonly rules: number };
}

const NONE: Differences = { list: [], total: 0, ignored: { volatile: 0, rules: 0 } };
const PAGE_BYTES = 16 * 1024 * 1024;

export interface DifferencesWanted {
	readonly from: string;
	readonly to: string;
	readonly rules: DriftRules;
	readonly match: "dn" | "name";
	/** Asks the controller for its records of changes; null: no user is named. */
	readonly identity: Identity | null;
}

/** Builds the task that judges an item of a query. */
export const buildQueryTask = (
	item: QueryItem,
	index: number,
	{ list, total, ignored }: Differences,
	groups: readonly GroupCount[],
): ItemToJudge => ({
	kind: "query",
	item,
	index,
	differences: list,
	unjudged: total - list.length,
	groups,
	ignored,
});

/** Null if one of the snapshots no longer exists. */
export async function readDifferences(
	ctx: Context,
	wanted: DifferencesWanted,
	signal: AbortSignal,
): Promise<Differences | null> {
	const { db } = ctx.store;
	const [from, to] = await Promise.all([findSnapshot(db, wanted.from), findSnapshot(db, wanted.to)]);
	if (from === undefined || to === undefined) return null;
	if (from.result_hash === to.result_hash) return NONE;
	const { rules } = wanted;
	const beginnings = wanted.match === "name" ? await buildNumberBeginnings(ctx) : null;
	const found = await ctx.areas.history.threads.valuedChanges(
		{ from: from.id, to: to.id, rules, beginnings, most: WINDOW_LIMITS.findings, pageBytes: PAGE_BYTES },
		{ size: Math.max(from.result_size_bytes, to.result_size_bytes), signal },
	);
	if (found === null) return null;
	const attribute =
		found.total === 0 ? null : await findAttribute(ctx, wanted, { from, to, rules, beginnings }, signal);
	return {
		list: found.changes.map((change) => {
			const attributes = change.attributes.map(([name, before, after]) => ({ name, before, after }));
			const names = attributes.map(({ name }) => name);
			const known = attribute?.({ dn: change.dn, kind: change.kind, attributes: names, isFlat: change.isFlat });
			return {
				dn: change.dn,
				className: change.className,
				change: change.kind,
				severity: change.severity,
				attributes,
				omitted: change.omitted,
				changedBy: known === undefined ? null : known.changed_by,
			};
		}),
		total: found.total,
		ignored: found.ignored,
	};
}

/** Finds the users who changed objects; null if neither controller nor store has records. */
async function findAttribute(
	ctx: Context,
	{ identity }: DifferencesWanted,
	sides: {
		readonly from: SnapshotRow;
		readonly to: SnapshotRow;
		readonly rules: DriftRules;
		readonly beginnings: readonly string[] | null;
	},
	signal: AbortSignal,
) {
	if (identity === null) return null;
	const { from, to, rules, beginnings } = sides;
	const ignore = { names: [], volatile: false, identity: beginnings !== null, rules };
	const find = (isAsked: boolean) => findAttributions(ctx, identity, { from, to, ignore, beginnings, isAsked }, signal);
	try {
		const asked = (await find(true)) ?? (await find(false));
		return asked && createAttribute(asked.attribution);
	} catch (error) {
		// The owner may not query the controller: use the records that captures have stored.
		if (!(error instanceof AppError) || error.status >= 500) throw error;
		const stored = await find(false);
		return stored && createAttribute(stored.attribution);
	}
}
