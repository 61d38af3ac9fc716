/** A comparison for display: objects, changed attributes without noise, parts of values. Pure. */

import type { AttributionReason, ChangedBy, CompareAnswer } from "@weft/contracts";
import { csvCell } from "@weft/contracts/spreadsheet";
import { written } from "./written.ts";

export type Kind = "added" | "deleted" | "modified";

export interface Attribute {
	readonly key: string;
	/** Null where it is absent. */
	readonly old: string | null;
	readonly now: string | null;
}

export interface Entry {
	/** The dn; of objects that are matched by name with another dn, both dns. */
	readonly id: string;
	readonly kind: Kind;
	readonly dn: string;
	/** The dn in the earlier snapshot, if it is another one. */
	readonly movedFrom?: string | undefined;
	readonly className: string;
	readonly changed: readonly Attribute[];
	readonly unchanged: readonly Attribute[];
	/** Newest first; undefined where it was not looked up. */
	readonly changedBy?: readonly ChangedBy[] | undefined;
	/** Why `changedBy` is empty. */
	readonly reason?: AttributionReason | null | undefined;
}

type Managed = CompareAnswer["diff"]["added"][number]["object"];

/** Attributes of a captured object: `{Class: {attributes}}`, or the members of a flat row. */
function attributesOf(object: Managed): Record<string, unknown> {
	const members = Object.entries(object);
	const [only] = members;
	const inner = only?.[1] as { attributes?: unknown } | null | undefined;
	const attributes = members.length === 1 ? inner?.attributes : undefined;
	return typeof attributes === "object" && attributes !== null ? (attributes as Record<string, unknown>) : object;
}

type Sides = Pick<CompareAnswer["diff"]["added"][number], "dn" | "dn_from" | "dn_to">;

function identityOf({ dn, dn_from, dn_to }: Sides): Pick<Entry, "id" | "dn" | "movedFrom"> {
	if (dn_from === dn_to) return { id: dn, dn };
	return { id: `${dn_from ?? ""} ${dn_to ?? ""}`, dn, movedFrom: (dn_to && dn_from) ?? undefined };
}

/** All entries by dn. */
export function entriesOf({ diff }: Pick<CompareAnswer, "diff">): Entry[] {
	const present = (kind: "added" | "deleted", list: CompareAnswer["diff"]["added"]): Entry[] =>
		list.map(({ class_name, object, changed_by, changed_by_reason, ...sides }) => {
			const attributes = Object.entries(attributesOf(object)).map(([key, value]): Attribute => {
				const text = written(value);
				return kind === "added" ? { key, old: null, now: text } : { key, old: text, now: null };
			});
			// Those without a value say little: they come behind the fold.
			const filled = attributes.filter(({ old, now }) => (old ?? now ?? "") !== "");
			const empty = attributes.filter(({ old, now }) => (old ?? now ?? "") === "");
			const who = { changedBy: changed_by, reason: changed_by_reason };
			return { ...identityOf(sides), kind, className: class_name ?? "", changed: filled, unchanged: empty, ...who };
		});
	const modified = diff.modified.map((entry): Entry => {
		const { class_name, after, attribute_changes } = entry;
		const names = new Set(attribute_changes.map(({ key }) => key));
		return {
			...identityOf(entry),
			kind: "modified",
			className: class_name ?? "",
			changed: attribute_changes.map(({ key, old, new: now }) => ({ key, old: written(old), now: written(now) })),
			unchanged: Object.entries(attributesOf(after))
				.filter(([key]) => !names.has(key))
				.map(([key, value]) => ({ key, old: written(value), now: written(value) })),
			changedBy: entry.changed_by,
			reason: entry.changed_by_reason,
		};
	});
	return [...present("added", diff.added), ...present("deleted", diff.deleted), ...modified].sort((a, b) =>
		a.dn < b.dn ? -1 : a.dn > b.dn ? 1 : 0,
	);
}

export interface Shown {
	readonly entries: readonly Entry[];
	/** Objects that differ in ignored attributes only. */
	readonly quiet: number;
	readonly counts: Readonly<Record<Kind, number>>;
}

/** Removes ignored attributes. Counts ignore the filter by kind, so that kinds can be selected. */
export function showEntries(
	all: readonly Entry[],
	ignored: ReadonlySet<string>,
	wanted: Kind | null,
	search: string,
): Shown {
	const counts = { added: 0, deleted: 0, modified: 0 };
	const entries: Entry[] = [];
	const needle = search.trim().toLowerCase();
	let quiet = 0;
	for (const entry of all) {
		const loud = entry.kind === "modified" ? entry.changed.filter(({ key }) => !ignored.has(key)) : entry.changed;
		if (entry.kind === "modified" && loud.length === 0) {
			quiet++;
			continue;
		}
		if (
			needle !== "" &&
			!`${entry.dn} ${entry.className} ${loud.map(({ key }) => key).join(" ")}`.toLowerCase().includes(needle)
		)
			continue;
		counts[entry.kind]++;
		if (wanted === null || wanted === entry.kind)
			entries.push(
				loud === entry.changed || loud.length === entry.changed.length ? entry : { ...entry, changed: loud },
			);
	}
	return { entries, quiet, counts };
}

/** A line of the comparison, of which only those in sight are drawn. */
export type Line =
	| { readonly kind: "head"; readonly entry: Entry; readonly index: number }
	| { readonly kind: "attribute"; readonly entry: Entry; readonly attribute: Attribute; readonly changed: boolean }
	| { readonly kind: "fold"; readonly entry: Entry; readonly count: number; readonly open: boolean };

/** Attributes of an object that came or went are many: some are enough at first. */
const SOME = 6;

export function linesOf(entries: readonly Entry[], open: ReadonlySet<string>): Line[] {
	const lines: Line[] = [];
	entries.forEach((entry, index) => {
		const isOpen = open.has(entry.dn);
		const first = entry.kind === "modified" ? entry.changed : entry.changed.slice(0, SOME);
		const rest = [...(entry.kind === "modified" ? [] : entry.changed.slice(SOME)), ...entry.unchanged];
		lines.push({ kind: "head", entry, index });
		for (const attribute of first) lines.push({ kind: "attribute", entry, attribute, changed: true });
		if (isOpen)
			for (const attribute of rest)
				lines.push({ kind: "attribute", entry, attribute, changed: entry.kind !== "modified" });
		if (rest.length > 0) lines.push({ kind: "fold", entry, count: rest.length, open: isOpen });
	});
	return lines;
}

export interface Piece {
	readonly text: string;
	readonly differs: boolean;
}

/** What of two values differs: everything between what they begin and end with alike. */
export function piecesOf(old: string, now: string): { old: Piece[]; now: Piece[] } {
	const shorter = Math.min(old.length, now.length);
	let start = 0;
	while (start < shorter && old[start] === now[start]) start++;
	let end = 0;
	while (end < shorter - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
	// Letters that happen to be alike say nothing: without a word in common the whole value differs.
	if (start + end < Math.max(old.length, now.length) / 4) [start, end] = [0, 0];
	const cut = (value: string): Piece[] =>
		[
			{ text: value.slice(0, start), differs: false },
			{ text: value.slice(start, value.length - end), differs: true },
			{ text: value.slice(value.length - end), differs: false },
		].filter(({ text: part }) => part !== "");
	return { old: cut(old), now: cut(now) };
}

/** One line an attribute, for a spreadsheet. */
export function asCsv(entries: readonly Entry[]): string {
	const cell = (value: string | null): string => csvCell(value ?? "");
	const rows = entries.flatMap(({ kind, dn, className, changed }) =>
		changed.map(({ key, old, now }) => [kind, dn, className, key, old, now].map(cell).join(",")),
	);
	return ["change,dn,class,attribute,before,after", ...rows, ""].join("\r\n");
}
