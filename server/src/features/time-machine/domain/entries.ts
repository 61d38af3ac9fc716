/** The entries of a comparison as text: JSON lists, one line each, or what a person reads. */

import { createTextOut } from "../../../platform/text-out.ts";
import { createEntryWriter } from "./changes.ts";
import { type ChangeKind, KIND_NAMES, kindOf, PLACE, shownBytes } from "./compare.ts";
import type { Ignore } from "./ignore.ts";
import { csvLines } from "./report-csv.ts";
import { htmlRows, htmlSection } from "./report-html.ts";
import type { PackText } from "./row-reader.ts";

/**
 * `lists`: members added, deleted and modified of an object, each a list. `lines`: a line each, with `change` in front. `html`: sections of a report.
 * `none`: no entries at all.
 */
export type EntryStyle = "lists" | "lines" | "csv" | "html" | "none";

/** Whether changes are sorted by kind first. */
export function isByKind(style: EntryStyle): boolean {
	return style === "lists" || style === "html";
}

/** Where text goes on: the list that is open, and whether it has entries. Begin with that of no list. */
export interface Open {
	kind: ChangeKind | -1;
	filled: boolean;
}

export const NOTHING_OPEN: Open = { kind: -1, filled: false };

/** Text that closes the open list and begins the next ones up to `kind`, empty ones included. */
export function openList({ kind: open }: Open, kind: ChangeKind): string {
	let text = "";
	for (let next = open + 1; next <= kind; next++)
		text += `${next > 0 ? "]," : ""}"${KIND_NAMES[next as ChangeKind]}":[`;
	return text;
}

/** What an entry has beside its rows, about. */
const ENTRY_BYTES = 512;
/** Of so much text at a time more is made room for as it comes. */
const MOST_LIKELY = 32 * 1024 * 1024;

/** Text of changes, sorted as the style wants them. */
export function writeEntries(
	places: Int32Array,
	texts: { from: PackText; to: PackText },
	{ style, ignore }: { style: EntryStyle; ignore: Ignore | null },
	begin: Open,
): { bytes: Buffer; open: Open } {
	const writer = createEntryWriter(texts.from, texts.to, ignore);
	// Rows with children are shown in parts: together they are hardly more than the rows.
	const likely = Math.min(shownBytes(places) + (places.length / (2 * PLACE)) * ENTRY_BYTES, MOST_LIKELY);
	const out = createTextOut(likely);
	let open = begin;
	for (let at = 0; at < places.length; at += 2 * PLACE) {
		const kind = kindOf(places, at / (2 * PLACE));
		if (style === "csv" || style === "html") {
			const described = writer.describe(places, at);
			if (style === "html" && kind !== open.kind) {
				out.text(htmlSection(open.kind, kind));
				open = { kind, filled: true };
			}
			if (described !== null) out.text(style === "csv" ? csvLines(described) : htmlRows(described));
			continue;
		}
		if (style === "lines") {
			out.ascii(`{"change":"${KIND_NAMES[kind]}",`);
			writer.write(out, places, at);
			out.ascii("\n");
			continue;
		}
		if (kind !== open.kind) {
			out.ascii(openList(open, kind));
			open = { kind, filled: false };
		}
		out.ascii(open.filled ? ",{" : "{");
		writer.write(out, places, at);
		open = { kind, filled: true };
	}
	return { bytes: out.bytes(), open };
}

/** Which of some modified objects differ in nothing but what is ignored: 1 for each of those. */
export function findIgnored(places: Int32Array, texts: { from: PackText; to: PackText }, ignore: Ignore): Uint8Array {
	const writer = createEntryWriter(texts.from, texts.to, ignore);
	const out = createTextOut();
	const ignored = new Uint8Array(places.length / (2 * PLACE));
	for (let change = 0; change < ignored.length; change++) {
		ignored[change] = writer.write(out, places, change * 2 * PLACE) ? 0 : 1;
		out.cut(0);
	}
	return ignored;
}
