/**
 * Lists the changes between two snapshots with their values. Counts the objects that drift rules
 * leave out: those with volatile attributes only, and those that other rules of the query match.
 */
import type { DriftRules } from "@weft/contracts";
import { getPage, PLACE } from "../rules/compare.ts";
import { createEntryWriter } from "../rules/entry-writer.ts";
import { createIgnore, type IgnoreSpec } from "../rules/ignore.ts";
import { createChangeReader, type ValuedChange } from "../rules/object-change.ts";
import {
	type CompareTask,
	getMatch,
	leaveOutIgnored,
	openTexts,
	planMatched,
	type SnapshotSources,
} from "./compare-plan.ts";
import { findSides, retryIfGone } from "./read.ts";

export interface ValuedChangesTask extends Pick<CompareTask, "from" | "to" | "beginnings" | "pageBytes"> {
	/** Drift rules of the query. */
	readonly rules: DriftRules;
	/** Upper bound of the listed changes. */
	readonly most: number;
}

/** A change. A flat row may have several objects, which a post-processor merged. */
type ListedChange = ValuedChange & { readonly isFlat: boolean };

export interface ValuedChanges {
	readonly changes: readonly ListedChange[];
	/** Number of changes after the rules, also beyond the listed ones. */
	readonly total: number;
	/** Numbers of objects that were left out. `rules` counts those that `volatile` does not. */
	readonly ignored: { readonly volatile: number; readonly rules: number };
}

/** Returns null if one of the snapshots no longer exists. */
export async function listValuedChanges(deps: SnapshotSources, task: ValuedChangesTask): Promise<ValuedChanges | null> {
	return retryIfGone(async () => {
		const sides = await findSides(deps, task);
		if (sides === null) return null;
		const { from, to, segments } = sides;
		const identity = task.beginnings !== null;
		const build = (spec: Partial<IgnoreSpec>) => ({
			...task,
			segments,
			ignore: { names: [], volatile: false, identity, rules: null, ...spec },
		});
		const all = await planMatched(deps, from, to, build({}));
		const byRules = build({ rules: task.rules });
		const [plain, plan] = [
			await leaveOutIgnored(deps, all, build({ volatile: task.rules.ignore_volatile })),
			await leaveOutIgnored(deps, all, byRules),
		];
		const places = plan.places.subarray(0, task.most * 2 * PLACE);
		const read = createChangeReader(task.rules);
		const match = getMatch(task);
		const changes: ListedChange[] = [];
		for (let at: number | null = places.length > 0 ? 0 : null; at !== null; ) {
			const page = getPage(places, at, task.pageBytes);
			const texts = await openTexts(deps, segments, page.places);
			const writer = createEntryWriter(texts.from, texts.to, createIgnore(byRules.ignore, match), match);
			for (let place = 0; place < page.places.length; place += 2 * PLACE) {
				const described = writer.describe(page.places, place);
				if (described !== null) changes.push({ ...read(described), isFlat: described.isFlat });
			}
			at = page.next;
		}
		return {
			changes,
			total: plan.total,
			ignored: { volatile: all.total - plain.total, rules: plain.total - plan.total },
		};
	});
}
