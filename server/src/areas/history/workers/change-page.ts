/** Reads the changes between two snapshots with their values, page by page. */
import type { DriftRules } from "@weft/contracts";
import { getPage, PLACE } from "../rules/compare.ts";
import { createEntryWriter } from "../rules/entry-writer.ts";
import { createIgnore, type IgnoreSpec } from "../rules/ignore.ts";
import { createChangeReader, type ValuedChange } from "../rules/object-change.ts";
import type { ChangedPlan } from "./changed-objects.ts";
import { leaveOutIgnored, openTexts, planMatched, type SnapshotSources } from "./compare-plan.ts";
import { findSides, retryIfGone } from "./read.ts";

export interface ChangePlanTask {
	readonly from: string;
	readonly to: string;
	/** Drift rules of the query: what they ignore is left out. */
	readonly rules: DriftRules;
	/** Approximate bytes of rows that are held at once. */
	readonly pageBytes: number;
}

export interface ChangePageTask extends ChangedPlan {
	/** Those of the plan. */
	readonly rules: DriftRules;
	/** Approximate upper bound of bytes of rows that the page shows; one change is always shown. */
	readonly pageBytes: number;
}

export interface ChangePage {
	readonly changes: readonly ValuedChange[];
	/** How many changes of the task's places were read: all, or fewer for their bytes. */
	readonly read: number;
}

const buildIgnore = (rules: DriftRules): IgnoreSpec => ({ names: [], volatile: false, identity: false, rules });

/** Plans the changes that the rules leave; null if one of the snapshots no longer exists. */
export async function planChanges(deps: SnapshotSources, task: ChangePlanTask): Promise<ChangedPlan | null> {
	return retryIfGone(async () => {
		const sides = await findSides(deps, task);
		if (sides === null) return null;
		const { from, to, segments } = sides;
		const options = { segments, ignore: buildIgnore(task.rules), beginnings: null, pageBytes: task.pageBytes };
		const plan = await leaveOutIgnored(deps, await planMatched(deps, from, to, options), options);
		return { segments, places: plan.places };
	});
}

/** Reads the first changes of a part of a plan. */
export async function readChangePage(deps: SnapshotSources, task: ChangePageTask): Promise<ChangePage> {
	if (task.places.length === 0) return { changes: [], read: 0 };
	return retryIfGone(async () => {
		const { places } = getPage(task.places, 0, task.pageBytes);
		const texts = await openTexts(deps, task.segments, places);
		const writer = createEntryWriter(texts.from, texts.to, createIgnore(buildIgnore(task.rules)));
		const read = createChangeReader(task.rules);
		const changes: ValuedChange[] = [];
		for (let at = 0; at < places.length; at += 2 * PLACE) {
			const described = writer.describe(places, at);
			if (described !== null) changes.push(read(described));
		}
		return { changes, read: places.length / (2 * PLACE) };
	});
}
