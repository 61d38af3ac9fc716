/** Measures what a capture changes against an earlier snapshot, before it is stored. */
import { type DriftRules, driftRules } from "@weft/contracts";
import type { AppendedSnapshot } from "../rules/append.ts";
import { decompressBytes, viewAsBuffer } from "../rules/bytes.ts";
import type { CaptureBase } from "../rules/capture-base.ts";
import { countShownBytes, getPage, listNeededPacks } from "../rules/compare.ts";
import type { DocumentContent } from "../rules/document.ts";
import { countLoose, createDriftCounter, type DriftFound, NO_DRIFT } from "../rules/drift.ts";
import { readChain, type StoredManifest } from "../rules/manifest.ts";
import { createNames, joinNames } from "../rules/names-lookup.ts";
import { decodePack, type PackColumns } from "../rules/packs.ts";
import type { LatestSnapshot } from "../sql/content.ts";
import { type Content, type ContentPlan, openTexts, planContents, readStoredContent } from "./content.ts";
import { type Difference, type Differences, isListable, readDifferences } from "./differences.ts";
import { GoneError, type PackSource } from "./pack-source.ts";
import { retryIfGone } from "./read.ts";
import type { SegmentSource } from "./segment-source.ts";

/** Approximate bytes of rows that are held at once. */
const PAGE_BYTES = 16 * 1024 * 1024;

export interface Drifts {
	/** Against the latest snapshot; null if there is none. */
	readonly drift: DriftFound | null;
	/** Of a run's result: against the latest snapshot of a run; null if there is none. */
	readonly runDrift: RunDrift | null;
	/** Against the requested baselines. Null: it does not exist; absent: it was being replaced. */
	readonly baselines: BaselineDrifts;
	/** Differences from the latest snapshot; null if there is none, or if they are too many. */
	readonly differences: Differences | null;
}

/** By the baseline's id. */
export type BaselineDrifts = ReadonlyMap<string, DriftFound | null>;

export interface RunDrift extends DriftFound {
	/** Id of the snapshot that it was measured against. */
	readonly against: string;
}

/** The latest snapshot of a history, and its segment. */
export interface Before {
	readonly segment: string | null;
	readonly base: CaptureBase | null;
	/** Manifests of the latest snapshot, from its keyframe on. */
	readonly chain: readonly StoredManifest[];
	/** All packs of the segment. */
	readonly columns: readonly PackColumns[];
	readonly latest: LatestSnapshot | undefined;
}

export interface Parsed {
	readonly content: DocumentContent;
	readonly appended: AppendedSnapshot;
}

export interface DriftSources {
	readonly packs: PackSource;
	readonly segments: SegmentSource;
}

/**
 * If the history changes meanwhile, they may be missing; then the capture is parsed again before it
 * is stored.
 */
export async function measureDrifts(
	deps: DriftSources,
	before: Before,
	parsed: Parsed,
	{ isRun, baselines }: { readonly isRun: boolean; readonly baselines: readonly string[] },
): Promise<Drifts> {
	const { latest } = before;
	const compared = new Map<string, DriftFound | null>(baselines.map((id) => [id, null]));
	if (latest === undefined) return { drift: null, runDrift: null, baselines: compared, differences: null };
	const { hash } = parsed.content;
	const rules = driftRules.parse(latest.rules ?? {});
	const now = parseContent(deps, before, parsed);
	const against = async (content: Content | null) => content && measureDrift(content, now, rules);
	let differences: Differences | null = null;
	const measureLatest = async (content: Content | null) => {
		if (content === null) return null;
		const list: Difference[] = [];
		const plan = planContents(content, now);
		// Only histories of saved queries are in the feed and the index.
		const isListed = latest.rules !== null && content.distinct && now.distinct && isListable(plan.plan);
		const drift = await measurePlanned(content, now, rules, plan, isListed ? list : null);
		if (isListed) differences = { against: latest.id, rules, list, bytes: countShownBytes(plan.plan.places) };
		return drift;
	};
	try {
		const drift = latest.hash === hash ? NO_DRIFT : await measureLatest(readLatestContent(deps, before, latest));
		for (const id of baselines) compared.set(id, await against(await findContent(deps, id)));
		const { runId } = latest;
		if (!isRun || runId === null) return { drift, runDrift: null, baselines: compared, differences };
		const ofRun =
			latest.origin === "run"
				? drift
				: latest.runHash === hash
					? NO_DRIFT
					: await against(await findContent(deps, runId));
		return { drift, runDrift: ofRun && { ...ofRun, against: runId }, baselines: compared, differences };
	} catch (error) {
		if (!(error instanceof GoneError)) throw error;
		return { drift: null, runDrift: null, baselines: new Map(), differences: null };
	}
}

/** The drift between two stored snapshots; null if one of them no longer exists. */
export async function readStoredDrift(
	deps: DriftSources,
	{ from, to, rules }: { readonly from: string; readonly to: string; readonly rules: DriftRules },
): Promise<DriftFound | null> {
	return retryIfGone(async () => {
		const [before, after] = [await findContent(deps, from), await findContent(deps, to)];
		return before && after && measureDrift(before, after, rules);
	});
}

/** Throws GoneError. */
const measureDrift = (from: Content, to: Content, rules: DriftRules): Promise<DriftFound> =>
	measurePlanned(from, to, rules, planContents(from, to), null);

/**
 * @param list receives all differences; null to count them only
 * @throws GoneError
 */
async function measurePlanned(
	from: Content,
	to: Content,
	rules: DriftRules,
	{ plan, loose }: ContentPlan,
	list: Difference[] | null,
): Promise<DriftFound> {
	const counter = createDriftCounter(rules);
	for (let at: number | null = plan.total > 0 ? 0 : null; at !== null; ) {
		const page = getPage(plan.places, at, PAGE_BYTES);
		const needed = listNeededPacks(page.places);
		const texts = { from: await from.texts(needed.from), to: await to.texts(needed.to) };
		counter.add(page.places, texts);
		if (list !== null) list.push(...readDifferences(page.places, texts, rules));
		at = page.next;
	}
	counter.addLoose(countLoose(loose.from, loose.to, !from.looseHash.equals(to.looseHash)));
	return counter.found();
}

function readLatestContent({ packs }: DriftSources, { segment, base, columns }: Before, latest: LatestSnapshot) {
	if (base === null || segment === null) return null;
	return {
		segment,
		versions: base.latest.versions.slice().sort(),
		columns,
		names: base.names,
		distinct: latest.distinct,
		looseHash: latest.looseHash,
		texts: (wanted: readonly number[]) => openTexts(packs, segment, wanted),
	};
}

/** The capture itself: rows that its segment has already, and those that it brings. */
function parseContent({ packs }: DriftSources, before: Before, { content, appended }: Parsed): Content {
	const { segment, base, chain, columns } = before;
	const own = appended.packs.map(decodePack);
	const ownNames = createNames(appended.names.map(({ payload }) => payload));
	const payloads = new Map(appended.packs.map(({ seq, payload }) => [seq, payload]));
	const opened = new Map<number, Buffer>();
	function getText(seq: number): Buffer | undefined {
		const payload = payloads.get(seq);
		if (payload !== undefined && !opened.has(seq)) opened.set(seq, decompressBytes(payload));
		return opened.get(seq);
	}
	const stored = appended.startsSegment || base === null ? null : { base, segment };
	const manifests = appended.manifest.whole ? [] : chain;
	return {
		segment: stored?.segment ?? "",
		versions: readChain([...manifests, appended.manifest])
			.versions.slice()
			.sort(),
		columns: stored ? [...columns, ...own] : own,
		names: stored ? joinNames(stored.base.names, stored.base.counters.nextEntry, ownNames) : ownNames,
		distinct: content.distinct,
		looseHash: viewAsBuffer(content.looseHash),
		async texts(wanted) {
			const older = wanted.filter((seq) => !payloads.has(seq));
			const open = await openTexts(packs, stored?.segment ?? "", older);
			return (seq) => getText(seq) ?? open(seq);
		},
	};
}

/** A stored snapshot; null if it no longer exists. */
async function findContent({ segments, packs }: DriftSources, snapshotId: string): Promise<Content | null> {
	const [segment] = await segments.find([snapshotId]);
	const manifest = segment?.manifests.find((own) => own.snapshotId === snapshotId);
	return segment === undefined || manifest === undefined ? null : readStoredContent(packs, { segment, manifest });
}
