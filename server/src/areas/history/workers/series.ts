/**
 * Computes the numbers of snapshots. Neighbours share most rows: each distinct row is read once,
 * and the numbers of a snapshot follow from those of the snapshot before.
 */
import { SERIES_LIMITS } from "@weft/contracts";
import { parseExact } from "@weft/contracts/exact-json";
import { createTextsReader } from "../../../core/rows/conditions.ts";
import type { Row } from "../../../core/rows/rows.ts";
import { type Changes, readChain, readChanges } from "../rules/manifest.ts";
import { getPacks } from "../rules/packs.ts";
import { type Contribution, createTally, readContribution, type SeriesDefinition } from "../series/rules/tally.ts";
import type { SnapshotSources } from "./compare-plan.ts";
import { buildChain } from "./content.ts";
import { retryIfGone } from "./read.ts";
import type { SegmentView } from "./segment-source.ts";

export interface SeriesTask {
	readonly definition: SeriesDefinition;
	readonly snapshotIds: readonly string[];
}

/** The numbers of one snapshot. */
export interface SnapshotNumbers {
	readonly snapshotId: string;
	/** `[[key, number], …]` as JSON text; null with a failure. */
	readonly numbers: string | null;
	readonly leftOut: number;
	/** `groups`: it has too many of them. */
	readonly failure: "groups" | null;
}

type Sources = Pick<SnapshotSources, "packs" | "segments">;

/** Distinct rows that one task keeps in memory. */
const ROWS_MAX = 200_000;
/** Packs whose compressed text is in memory at the same time. */
const PACKS_AT_ONCE = 64;
/** Different contributions that are shared by the rows that have them. */
const SHARED_MAX = 50_000;

/**
 * The numbers of the snapshots that still exist; of fewer snapshots where these have more rows than
 * one task reads, but of one at least.
 */
export async function computeSeries(sources: Sources, task: SeriesTask): Promise<SnapshotNumbers[]> {
	return retryIfGone(async () => {
		const found: SnapshotNumbers[] = [];
		const wanted = new Set(task.snapshotIds);
		let rows = 0;
		for (const segment of await sources.segments.find(task.snapshotIds)) {
			if (rows >= ROWS_MAX) break;
			const steps = listSteps(segment, wanted, ROWS_MAX - rows);
			const contributions = await readContributions(sources, segment, steps, task.definition);
			rows += contributions.size;
			found.push(...followSteps(steps, contributions, task.definition, wanted));
		}
		return found;
	});
}

interface Step {
	readonly snapshotId: string;
	/** Whether `added` has all versions of the snapshot. */
	readonly isWhole: boolean;
	readonly changes: Changes;
}

/** The first wanted snapshot as a whole, and how each later one differs from the one before. */
function listSteps({ manifests }: SegmentView, wanted: ReadonlySet<string>, rowsMax: number): Step[] {
	const [first, last] = [
		manifests.findIndex(({ snapshotId }) => wanted.has(snapshotId)),
		manifests.findLastIndex(({ snapshotId }) => wanted.has(snapshotId)),
	];
	const start = manifests[first];
	if (start === undefined) return [];
	const { versions } = readChain(buildChain(manifests, start.position));
	const steps: Step[] = [
		{ snapshotId: start.snapshotId, isWhole: true, changes: { removed: new Int32Array(0), added: versions } },
	];
	let rows = versions.length;
	for (const manifest of manifests.slice(first + 1, last + 1)) {
		const changes = readChanges(manifest);
		rows += changes.added.length;
		if (rows > rowsMax) break;
		steps.push({ snapshotId: manifest.snapshotId, isWhole: manifest.whole, changes });
	}
	return steps;
}

async function readContributions(
	{ packs }: Sources,
	segment: SegmentView,
	steps: readonly Step[],
	definition: SeriesDefinition,
): Promise<Map<number, Contribution | null>> {
	const wanted = new Set<number>();
	for (const { changes } of steps) for (const version of changes.added) wanted.add(version);
	const seqs = getPacks(segment.packs, Int32Array.from(wanted).sort());
	const read = createContributionReader(definition);
	const found = new Map<number, Contribution | null>();
	for (let at = 0; at < seqs.length; at += PACKS_AT_ONCE) {
		const open = await packs.open(segment.id, seqs.slice(at, at + PACKS_AT_ONCE));
		for (const seq of seqs.slice(at, at + PACKS_AT_ONCE)) {
			const { rows, text } = open(seq);
			let bytes: Buffer | undefined;
			for (const [row, version] of rows.versions.entries()) {
				if (!wanted.has(version)) continue;
				bytes ??= text();
				const start = rows.starts[row] as number;
				found.set(version, read(bytes.toString("utf8", start, start + (rows.lengths[row] as number))));
			}
		}
	}
	return found;
}

function createContributionReader(definition: SeriesDefinition): (text: string) => Contribution | null {
	const { field, groupBy } = definition;
	const readers = new Map([field, groupBy].flatMap((name) => (name === null ? [] : [[name, createTextsReader(name)]])));
	const shared = new Map<string, Contribution>();
	return (text) => {
		// Rows are counted without reading them.
		const row: unknown = readers.size === 0 ? {} : parseExact(text);
		if (typeof row !== "object" || row === null || Array.isArray(row)) return null;
		const contribution = readContribution(definition, (name) => readers.get(name)?.(row as Row) ?? []);
		if (contribution === null) return null;
		const key = JSON.stringify(contribution);
		const known = shared.get(key);
		if (known !== undefined) return known;
		if (shared.size < SHARED_MAX) shared.set(key, contribution);
		return contribution;
	};
}

function followSteps(
	steps: readonly Step[],
	contributions: ReadonlyMap<number, Contribution | null>,
	definition: SeriesDefinition,
	wanted: ReadonlySet<string>,
): SnapshotNumbers[] {
	const tally = createTally(definition);
	const present = new Map<number, number>();
	const found: SnapshotNumbers[] = [];
	let text: string | null | undefined;

	function addVersion(version: number, times: number): void {
		const left = (present.get(version) ?? 0) + times;
		if (left === 0) present.delete(version);
		else present.set(version, left);
		const contribution = contributions.get(version);
		if (contribution !== null && contribution !== undefined) tally.add(contribution, times);
		text = undefined;
	}

	for (const { snapshotId, isWhole, changes } of steps) {
		if (isWhole) for (const [version, times] of [...present]) addVersion(version, -times);
		for (const version of changes.removed) addVersion(version, -1);
		for (const version of changes.added) addVersion(version, 1);
		if (!wanted.has(snapshotId)) continue;
		if (text === undefined)
			text = tally.countGroups() > SERIES_LIMITS.groupsPerSnapshot ? null : JSON.stringify(tally.list());
		found.push({
			snapshotId,
			numbers: text,
			leftOut: tally.countLeftOut(),
			failure: text === null ? "groups" : null,
		});
	}
	return found;
}
