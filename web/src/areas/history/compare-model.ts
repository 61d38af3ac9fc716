/** A comparison for display: objects, changed attributes without noise, parts of values. Pure. */

import type { AttributionReason, ChangedBy, CompareAnswer } from "@weft/contracts";
import { orderColumns } from "@weft/contracts/column-order";
import { formatCsvCell } from "@weft/contracts/spreadsheet";
import type { Sheet } from "../../platform/workbook.ts";
import { formatCapturedValue } from "./written.ts";

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
	/** Of objects of a class with the same changes, which then follow one another. */
	readonly group?: string;
}

/** Fewer objects with the same changes are shown one by one. */
const GROUP_FROM = 3;

/** The same class and the same changes of the same attributes; null for other kinds of change. */
const buildChangeKey = ({ kind, className, changed }: Entry): string | null =>
	kind === "modified" ? JSON.stringify([className, changed.map(({ key, old, now }) => [key, old, now])]) : null;

/** Puts objects with the same changes together, at the place of the first of them. */
export function groupEqualChanges(entries: readonly Entry[]): Entry[] {
	const groups = new Map<string, Entry[]>();
	for (const entry of entries) {
		const same = buildChangeKey(entry);
		if (same === null) continue;
		const members = groups.get(same);
		if (members === undefined) groups.set(same, [entry]);
		else members.push(entry);
	}
	const gathered: Entry[] = [];
	for (const entry of entries) {
		const group = buildChangeKey(entry) ?? "";
		const members = groups.get(group) ?? [];
		if (members.length < GROUP_FROM) gathered.push(entry);
		else if (members[0] === entry) gathered.push(...members.map((member) => ({ ...member, group })));
	}
	return gathered;
}

/** Sorts attributes in the order that the columns of all tables have. */
function sortAttributes(attributes: readonly Attribute[]): Attribute[] {
	const places = new Map(orderColumns(attributes.map(({ key }) => key)).map((key, at) => [key, at]));
	return [...attributes].sort((a, b) => (places.get(a.key) ?? 0) - (places.get(b.key) ?? 0));
}

type Managed = CompareAnswer["diff"]["added"][number]["object"];

/** Attributes of a captured object: `{Class: {attributes}}`, or the members of a flat row. */
function listAttributes(object: Managed): Record<string, unknown> {
	const members = Object.entries(object);
	const [only] = members;
	const inner = only?.[1] as { attributes?: unknown } | null | undefined;
	const attributes = members.length === 1 ? inner?.attributes : undefined;
	return typeof attributes === "object" && attributes !== null ? (attributes as Record<string, unknown>) : object;
}

type Sides = Pick<CompareAnswer["diff"]["added"][number], "dn" | "dn_from" | "dn_to">;

function getIdentity({ dn, dn_from, dn_to }: Sides): Pick<Entry, "id" | "dn" | "movedFrom"> {
	if (dn_from === dn_to) return { id: dn, dn };
	return { id: `${dn_from ?? ""} ${dn_to ?? ""}`, dn, movedFrom: (dn_to && dn_from) ?? undefined };
}

/** All entries by dn. */
export function getEntries({ diff }: Pick<CompareAnswer, "diff">): Entry[] {
	const present = (kind: "added" | "deleted", list: CompareAnswer["diff"]["added"]): Entry[] =>
		list.map(({ class_name, object, changed_by, changed_by_reason, ...sides }) => {
			const values = listAttributes(object);
			const attributes = orderColumns(Object.keys(values)).map((key): Attribute => {
				const text = formatCapturedValue(values[key]);
				return kind === "added" ? { key, old: null, now: text } : { key, old: text, now: null };
			});
			// Those without a value say little: they come behind the fold.
			const filled = attributes.filter(({ old, now }) => (old ?? now ?? "") !== "");
			const empty = attributes.filter(({ old, now }) => (old ?? now ?? "") === "");
			const who = { changedBy: changed_by, reason: changed_by_reason };
			return { ...getIdentity(sides), kind, className: class_name ?? "", changed: filled, unchanged: empty, ...who };
		});
	const modified = diff.modified.map((entry): Entry => {
		const { class_name, after, attribute_changes } = entry;
		const names = new Set(attribute_changes.map(({ key }) => key));
		return {
			...getIdentity(entry),
			kind: "modified",
			className: class_name ?? "",
			changed: sortAttributes(
				attribute_changes.map(({ key, old, new: now }) => ({
					key,
					old: formatCapturedValue(old),
					now: formatCapturedValue(now),
				})),
			),
			unchanged: sortAttributes(
				Object.entries(listAttributes(after))
					.filter(([key]) => !names.has(key))
					.map(([key, value]) => ({ key, old: formatCapturedValue(value), now: formatCapturedValue(value) })),
			),
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
	return { entries: groupEqualChanges(entries), quiet, counts };
}

/** A line of the comparison, of which only those in sight are drawn. */
export type Line =
	| { readonly kind: "head"; readonly entry: Entry; readonly index: number }
	/** Of a group: `entry` is its first, whose changes follow; `count` is how many there are. */
	| { readonly kind: "group"; readonly entry: Entry; readonly count: number; readonly open: boolean }
	| { readonly kind: "attribute"; readonly entry: Entry; readonly attribute: Attribute; readonly changed: boolean }
	| { readonly kind: "fold"; readonly entry: Entry; readonly count: number; readonly open: boolean };

/** Attributes of an object that came or went are many: some are enough at first. */
const SOME = 6;

/** @param open ids of objects, and groups, that are shown in full */
export function getLines(entries: readonly Entry[], open: ReadonlySet<string>): Line[] {
	const lines: Line[] = [];
	const sizes = new Map<string, number>();
	for (const { group } of entries) if (group !== undefined) sizes.set(group, (sizes.get(group) ?? 0) + 1);
	const show = (entry: Entry, attributes: readonly Attribute[], changed: boolean) => {
		for (const attribute of attributes) lines.push({ kind: "attribute", entry, attribute, changed });
	};
	entries.forEach((entry, index) => {
		const { group } = entry;
		if (group !== undefined) {
			if (entries[index - 1]?.group !== group) {
				lines.push({ kind: "group", entry, count: sizes.get(group) ?? 0, open: open.has(group) });
				show(entry, entry.changed, true);
			}
			if (!open.has(group)) return;
		}
		const isOpen = open.has(entry.id);
		const isModified = entry.kind === "modified";
		const first = isModified ? entry.changed : entry.changed.slice(0, SOME);
		const rest = [...(isModified ? [] : entry.changed.slice(SOME)), ...entry.unchanged];
		lines.push({ kind: "head", entry, index });
		// The changes of a group stand above all of its objects.
		if (group === undefined) show(entry, first, true);
		if (isOpen) show(entry, rest, !isModified);
		if (rest.length > 0) lines.push({ kind: "fold", entry, count: rest.length, open: isOpen });
	});
	return lines;
}

/** The line of an entry, or of the group that hides it. */
export const getLine = (lines: readonly Line[], entries: readonly Entry[], index: number): number => {
	const own = lines.findIndex((line) => line.kind === "head" && line.index === index);
	const group = entries[index]?.group;
	return own >= 0 ? own : lines.findIndex((line) => line.kind === "group" && line.entry.group === group);
};

/** The entry of the next change, or of the one before: a group counts as one change. */
export function stepFrom(entries: readonly Entry[], at: number, step: 1 | -1): number {
	const group = entries[at]?.group;
	let next = at + step;
	while (group !== undefined && entries[next]?.group === group) next += step;
	// Backwards into a group: its first object, as forwards.
	const into = entries[next]?.group;
	while (into !== undefined && entries[next - 1]?.group === into) next--;
	return entries[next] === undefined ? at : next;
}

export interface Piece {
	readonly text: string;
	readonly differs: boolean;
}

/** What of two values differs: everything between what they begin and end with alike. */
export function splitPieces(old: string, now: string): { old: Piece[]; now: Piece[] } {
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

const COLUMNS = ["change", "dn", "class", "attribute", "before", "after"];

/** Builds a sheet with one line for each attribute. */
export function buildSheet(entries: readonly Entry[]): Sheet {
	const rows = entries.flatMap(({ kind, dn, className, changed }) =>
		changed.map(({ key, old, now }) => [kind, dn, className, key, old ?? "", now ?? ""]),
	);
	return { name: "Changes", columns: COLUMNS, count: rows.length, row: (at) => rows[at] ?? [] };
}

/** Formats the same lines as CSV. */
export function formatCsv(entries: readonly Entry[]): string {
	const { columns, count, row } = buildSheet(entries);
	const rows = Array.from({ length: count }, (_, at) => row(at).map(formatCsvCell).join(","));
	return [columns.join(","), ...rows, ""].join("\r\n");
}
