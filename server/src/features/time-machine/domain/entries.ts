/** The entries of a comparison as text: JSON lists, or one line each. */
import { createEntryWriter } from "./changes.ts";
import { ADDED, type ChangeKind, DELETED, kindOf, MODIFIED, PLACE } from "./compare.ts";
import type { Ignore } from "./ignore.ts";
import type { PackText } from "./row-reader.ts";
import { createTextOut } from "./text-out.ts";

const KIND_NAMES = { [ADDED]: "added", [DELETED]: "deleted", [MODIFIED]: "modified" } as const;

/** `lists`: members added, deleted and modified of an object, each a list. `lines`: a line each, with `change` in front. */
export type EntryStyle = "lists" | "lines";

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

/** Text of changes; for lists sorted by kind. */
export function writeEntries(
	places: Int32Array,
	texts: { from: PackText; to: PackText },
	{ style, ignore }: { style: EntryStyle; ignore: Ignore | null },
	begin: Open,
): { bytes: Buffer; open: Open } {
	const writer = createEntryWriter(texts.from, texts.to, ignore);
	const out = createTextOut();
	let open = begin;
	for (let at = 0; at < places.length; at += 2 * PLACE) {
		const kind = kindOf(places, at / (2 * PLACE));
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
