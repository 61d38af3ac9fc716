/** Stores documents by themselves in memory, and compares them in full. */
import { appendSnapshot } from "../../src/areas/history/rules/append.ts";
import { decompressBytes } from "../../src/areas/history/rules/bytes.ts";
import {
	type ComparePlan,
	getPage,
	listNeededPacks,
	planCompare,
	sortByKind,
} from "../../src/areas/history/rules/compare.ts";
import { type DocumentContent, readResult } from "../../src/areas/history/rules/document.ts";
import { type EntryStyle, NOTHING_OPEN, writeEntries } from "../../src/areas/history/rules/entries.ts";
import { type Changes, type Manifest, readChain } from "../../src/areas/history/rules/manifest.ts";
import { createNames } from "../../src/areas/history/rules/names-lookup.ts";
import { decodePack, decodeRows, getPacks, type StoredPack } from "../../src/areas/history/rules/packs.ts";
import { alignObjects, assembleText, listObjectsOfRows } from "../../src/areas/history/rules/view.ts";

function getContent(text: string): DocumentContent {
	const content = readResult(Buffer.from(text), { maxBytes: 1 << 26 })?.content;
	if (!content) throw new Error("not a document");
	return content;
}

/** A document as the only one of a segment. */
export function storeAlone(text: string, packBytes = 1 << 18) {
	const content = getContent(text);
	const appended = appendSnapshot(content, null, [], { packBytes });
	if (appended === null) throw new Error("A segment of its own cannot be full");
	const names = appended.names.map(({ payload }) => payload);
	return { content, names, packs: appended.packs, chain: [appended.manifest] };
}

type Alone = ReturnType<typeof storeAlone>;

/** Plans a comparison of all objects of both sides. */
export function planAlone(from: Alone, to: Alone, style: EntryStyle = "lines"): ComparePlan {
	const side = ({ packs, names, chain }: Alone) => ({
		found: listObjectsOfRows(readChain(chain).versions.slice().sort(), packs.map(decodePack)),
		names: createNames(names),
	});
	return getPlan(side(from), side(to), style);
}

type Found = Parameters<typeof alignObjects>[0];

function getPlan(from: Found, to: Found, style: EntryStyle): ComparePlan {
	const aligned = alignObjects(from, to);
	const plan = planCompare(aligned.from, aligned.to);
	return style === "lists" ? sortByKind(plan) : plan;
}

/** The plan of a comparison within a segment, of what goes and what comes. */
export function planChanges(changes: Changes, packs: readonly StoredPack[], names: readonly Uint8Array[]): ComparePlan {
	const known = createNames(names);
	const columns = packs.map(decodePack);
	const side = (versions: Int32Array) => ({ found: listObjectsOfRows(versions, columns), names: known });
	return getPlan(side(changes.removed), side(changes.added), "lines");
}

/** Packs as they are read, those of some numbers alone. */
function openPacks(packs: readonly StoredPack[], wanted: readonly number[]) {
	return packs
		.filter(({ seq }) => wanted.includes(seq))
		.map(({ seq, rows, payload }) => ({ seq, rows: decodeRows(rows), text: () => decompressBytes(payload) }));
}

/** The text of a snapshot, from no more packs than it needs. */
export function getText(manifest: Manifest, packs: readonly StoredPack[], bytes: number): string {
	return assembleText(manifest, openPacks(packs, getPacks(packs, manifest.versions.slice().sort())), bytes).toString();
}

/**
 * The entries of a comparison, written page by page; a page is given only the packs that it needs.
 */
export function getEntries(plan: ComparePlan, from: Alone["packs"], to: Alone["packs"], pageBytes = 1 << 24): string[] {
	const lines: string[] = [];
	for (let at: number | null = plan.total > 0 ? 0 : null; at !== null; ) {
		const { places, next } = getPage(plan.places, at, pageBytes);
		at = next;
		const needed = listNeededPacks(places);
		const given = (packs: Alone["packs"], wanted: number[]) => {
			const texts = new Map(openPacks(packs, wanted).map(({ seq, text }) => [seq, text()]));
			return (seq: number): Buffer => {
				const text = texts.get(seq);
				if (text === undefined) throw new Error(`Pack ${seq} was not asked for`);
				return text;
			};
		};
		const texts = { from: given(from, needed.from), to: given(to, needed.to) };
		const { bytes } = writeEntries(places, texts, "lines", { ignore: null, match: null }, null, NOTHING_OPEN);
		lines.push(...bytes.toString().split("\n").slice(0, -1));
	}
	return lines;
}

/** The dns of a document's objects. */
export function listDns(text: string): Set<string> {
	const { content, names } = storeAlone(text);
	const known = createNames(names);
	return new Set(content.newRows.flatMap(({ objects }) => objects.map(({ entry }) => known.getDn(entry))));
}
