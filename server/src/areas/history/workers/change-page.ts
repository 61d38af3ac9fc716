/** Reads the changes between two snapshots with their values, page by page. */
import type { DriftRules } from "@weft/contracts";
import { getPage, PLACE } from "../rules/compare.ts";
import { createEntryWriter } from "../rules/entry-writer.ts";
import { createIgnore } from "../rules/ignore.ts";
import { createChangeReader, type ValuedChange } from "../rules/object-change.ts";
import { leaveOutIgnored, openTexts, planMatched, type SnapshotSources } from "./compare-plan.ts";
import { findSide, retryIfGone } from "./read.ts";

export interface ChangePageTask {
	readonly from: string;
	readonly to: string;
	/** Drift rules of the query: what they ignore is left out. */
	readonly rules: DriftRules;
	/** Index of the change to begin with, in the order of dn. */
	readonly skip: number;
	/** Upper bound of changes in the page. */
	readonly most: number;
	/** Approximate upper bound of bytes of rows that the page shows; one change is always shown. */
	readonly pageBytes: number;
}

export interface ChangePage {
	readonly changes: readonly ValuedChange[];
	/** Index of the change that the next page begins with; null after the last page. */
	readonly next: number | null;
}

/** Null if one of the snapshots no longer exists. */
export async function readChangePage(deps: SnapshotSources, task: ChangePageTask): Promise<ChangePage | null> {
	const ignore = { names: [], volatile: false, identity: false, rules: task.rules };
	return retryIfGone(async () => {
		const views = await deps.segments.find([task.from, task.to]);
		const [from, to] = [findSide(views, task.from), findSide(views, task.to)];
		if (from === undefined || to === undefined) return null;
		const segments = { from: from.segment.id, to: to.segment.id };
		const options = { segments, ignore, beginnings: null, pageBytes: task.pageBytes };
		const plan = await leaveOutIgnored(deps, await planMatched(deps, from, to, options), options);
		const wanted = plan.places.subarray(0, (task.skip + task.most) * 2 * PLACE);
		if (task.skip * 2 * PLACE >= wanted.length) return { changes: [], next: null };
		const { places } = getPage(wanted, task.skip, task.pageBytes);
		const texts = await openTexts(deps, segments, places);
		const writer = createEntryWriter(texts.from, texts.to, createIgnore(ignore));
		const read = createChangeReader(task.rules);
		const changes: ValuedChange[] = [];
		for (let at = 0; at < places.length; at += 2 * PLACE) {
			const described = writer.describe(places, at);
			if (described !== null) changes.push(read(described));
		}
		const end = task.skip + places.length / (2 * PLACE);
		return { changes, next: end < plan.total ? end : null };
	});
}
