/** The content of a snapshot, stored or just parsed, as a comparison reads it. */
import { type ComparePlan, planCompare } from "../rules/compare.ts";
import { type NamesPlan, planNames } from "../rules/compare-names.ts";
import { diffVersions, readChain } from "../rules/manifest.ts";
import type { NameMatch } from "../rules/name-match.ts";
import type { Names } from "../rules/names-lookup.ts";
import { getPacks, type PackColumns, SHORT_HASH } from "../rules/packs.ts";
import type { PackText } from "../rules/row-reader.ts";
import { alignNames, alignObjects, findDifferingVersions, listObjectsOfRows } from "../rules/view.ts";
import type { ViewManifest } from "../sql/view.ts";
import type { PackSource } from "./pack-source.ts";
import type { SegmentView } from "./segment-source.ts";

export interface Content {
	/** Contents of the same segment number their rows and names alike. */
	readonly segment: string;
	/** Of the rows, ascending, each as often as the snapshot has it. */
	readonly versions: Int32Array;
	/** At least those that hold the rows, ascending by version. */
	readonly columns: readonly PackColumns[];
	readonly names: Names;
	/** Whether no dn occurs twice. */
	readonly distinct: boolean;
	/** Of the rows without a dn. */
	readonly looseHash: Buffer;
	/** Opens packs by number. Throws GoneError. */
	texts(packs: readonly number[]): Promise<PackText>;
}

/** Throws GoneError. */
export async function readStoredContent(
	packs: PackSource,
	{ segment, manifest }: { segment: SegmentView; manifest: ViewManifest },
): Promise<Content> {
	const versions = readChain(buildChain(segment.manifests, manifest.position)).versions.slice().sort();
	return {
		segment: segment.id,
		versions,
		columns: await packs.decoded(segment.id, getPacks(segment.packs, versions)),
		names: await packs.lookup(segment.id, segment.names),
		distinct: manifest.distinct,
		looseHash: manifest.looseHash,
		texts: (wanted) => openTexts(packs, segment.id, wanted),
	};
}

/** Opens stored packs by number. Throws GoneError. */
export async function openTexts(packs: PackSource, segment: string, wanted: readonly number[]): Promise<PackText> {
	const open = await packs.open(segment, wanted);
	return (seq) => open(seq).text();
}

/** The manifests that a snapshot is read from, its own last. */
export function buildChain(manifests: readonly ViewManifest[], position: number): ViewManifest[] {
	const own = manifests.filter((manifest) => manifest.position <= position);
	return own.slice(own.findLastIndex(({ whole }) => whole));
}

export interface ContentPlan {
	readonly plan: ComparePlan;
	/** Hashes of the rows without objects, of those that the comparison looked at. */
	readonly loose: { readonly from: string[]; readonly to: string[] };
}

export function planContents(from: Content, to: Content): ContentPlan {
	const versions = listVersionsToRead(from, to);
	const found = listFoundObjects(versions, from, to);
	const aligned = alignObjects(found.from, found.to);
	const loose = from.looseHash.equals(to.looseHash)
		? { from: [], to: [] }
		: { from: readLooseRows(versions.from, from.columns), to: readLooseRows(versions.to, to.columns) };
	return { plan: planCompare(aligned.from, aligned.to), loose };
}

/** Plans a comparison by name. Rows with equal texts on both sides match each other. */
export function planContentNames(from: Content, to: Content, match: NameMatch): NamesPlan {
	const found = listFoundObjects(listVersionsToRead(from, to), from, to);
	const aligned = alignNames(found.from, found.to, match);
	return planNames(aligned.from, aligned.to, aligned.nameNumbers);
}

function listFoundObjects(versions: { from: Int32Array; to: Int32Array }, from: Content, to: Content) {
	return {
		from: { found: listObjectsOfRows(versions.from, from.columns), names: from.names },
		to: { found: listObjectsOfRows(versions.to, to.columns), names: to.names },
	};
}

function listVersionsToRead(from: Content, to: Content): { from: Int32Array; to: Int32Array } {
	if (!from.distinct || !to.distinct) return { from: from.versions, to: to.versions };
	if (from.segment !== to.segment) return findDifferingVersions(from, to);
	const { removed, added } = diffVersions(from.versions, to.versions);
	return { from: removed, to: added };
}

/** The hash of each row that holds no object, as often as the row occurs. */
function readLooseRows(versions: Int32Array, columns: readonly PackColumns[]): string[] {
	const times = new Map<number, number>();
	for (const version of versions) times.set(version, (times.get(version) ?? 0) + 1);
	const found: string[] = [];
	for (const { rows, objects, hashes } of columns)
		for (const [row, version] of rows.versions.entries()) {
			if (objects.starts[row] !== objects.starts[row + 1]) continue;
			const canonical = hashes.row(row) ?? hashes.texts.subarray(row * SHORT_HASH, (row + 1) * SHORT_HASH);
			const hash = canonical.toString("latin1", 0, SHORT_HASH);
			for (let left = times.get(version) ?? 0; left > 0; left--) found.push(hash);
		}
	return found;
}
