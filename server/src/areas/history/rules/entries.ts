/** Writes the entries of a comparison in each format. */
import { createHash } from "node:crypto";
import { createUtf8Writer } from "../../../core/utf8-writer.ts";
import { type Attribute, type Attributed, type ChangedObject, formatAttributed } from "./attribution.ts";
import { type ChangeKind, countShownBytes, getKind, KIND_NAMES, MODIFIED, PLACE } from "./compare.ts";
import { createEntryWriter, type Described } from "./entry-writer.ts";
import type { CompareRules, Exclude, Ignore } from "./ignore.ts";
import { decodeByteString, toByteString } from "./json-text.ts";
import type { NameMatch } from "./name-match.ts";
import { formatCsvLines } from "./report-csv.ts";
import { formatHtmlRows, formatHtmlSection } from "./report-html.ts";
import type { PackTexts } from "./row-reader.ts";

/**
 * `lists`: JSON members `added`, `deleted` and `modified`, each a list. `lines`: one JSON line per
 * entry, with `change` first. `csv`, `html`: rows of a report. `none`: no entries.
 */
export type EntryStyle = "lists" | "lines" | "csv" | "html" | "none";

/** Whether the style needs changes sorted by kind first. */
export function isByKind(style: EntryStyle): boolean {
	return style === "lists" || style === "html";
}

/** State between pages: the list that is open, and whether it has entries. */
export interface Open {
	kind: ChangeKind | -1;
	filled: boolean;
}

export const NOTHING_OPEN: Open = { kind: -1, filled: false };

/** Text that closes the open list and opens the next ones up to `kind`, empty ones included. */
export function openList({ kind: open }: Open, kind: ChangeKind): string {
	let text = "";
	for (let next = open + 1; next <= kind; next++)
		text += `${next > 0 ? "]," : ""}"${KIND_NAMES[next as ChangeKind]}":[`;
	return text;
}

/** Approximate bytes of an entry beside its rows. */
const ENTRY_BYTES = 512;
/** Upper limit of the text memory that is allocated in advance, in bytes. */
const MAX_ADVANCE = 32 * 1024 * 1024;

/** A change as its records are looked up. */
export function getChangedObject({ kind, dn, changes, isFlat }: Described): ChangedObject {
	const attributes = kind === MODIFIED ? changes.map(({ key }) => decodeByteString(key)) : [];
	return { dn, kind: KIND_NAMES[kind], attributes, isFlat };
}

/** The members that say who changed an object, with a comma behind each. */
function buildAttributedMembers(attributed: Attributed | undefined): string {
	if (attributed === undefined) return "";
	const { changed_by, changed_by_reason } = attributed;
	const reason = changed_by.length > 0 ? "" : `"changed_by_reason":${JSON.stringify(changed_by_reason ?? null)},`;
	return `"changed_by":${JSON.stringify(changed_by)},${reason}`;
}

/**
 * Writes changes, which are sorted as the style needs them.
 * @param attribute finds who changed an object; null: entries do not name anyone
 */
export function writeEntries(
	places: Int32Array,
	{ from, to }: PackTexts,
	style: EntryStyle,
	{ ignore, match }: CompareRules,
	attribute: Attribute | null,
	begin: Open,
): { bytes: Buffer; open: Open } {
	const writer = createEntryWriter(from, to, ignore, match);
	const likely = Math.min(countShownBytes(places) + (places.length / (2 * PLACE)) * ENTRY_BYTES, MAX_ADVANCE);
	const out = createUtf8Writer(likely);
	let open = begin;
	function readAttribution(described: Described | null): Attributed | undefined {
		return attribute === null || described === null ? undefined : attribute(getChangedObject(described));
	}
	function writeAttributed(at: number): void {
		if (attribute !== null) out.text(buildAttributedMembers(readAttribution(writer.describe(places, at))));
	}
	for (let at = 0; at < places.length; at += 2 * PLACE) {
		const kind = getKind(places, at / (2 * PLACE));
		if (style === "csv" || style === "html") {
			const described = writer.describe(places, at);
			if (style === "html" && kind !== open.kind) {
				out.text(formatHtmlSection(open.kind, kind));
				open = { kind, filled: true };
			}
			if (described === null) continue;
			const who = attribute === null ? null : formatAttributed(readAttribution(described));
			out.text(style === "csv" ? formatCsvLines(described, who) : formatHtmlRows(described, who));
			continue;
		}
		if (style === "lines") {
			out.ascii(`{"change":"${KIND_NAMES[kind]}",`);
			writeAttributed(at);
			writer.write(out, places, at);
			out.ascii("\n");
			continue;
		}
		if (kind !== open.kind) {
			out.ascii(openList(open, kind));
			open = { kind, filled: false };
		}
		out.ascii(open.filled ? ",{" : "{");
		writeAttributed(at);
		writer.write(out, places, at);
		open = { kind, filled: true };
	}
	return { bytes: out.bytes(), open };
}

/**
 * For each change 1 if it is left out: a modified object that differs in ignored attributes only,
 * or an object that drift rules exclude; else 0.
 */
export function findIgnored(
	places: Int32Array,
	{ from, to }: PackTexts,
	{ ignore, match }: CompareRules,
	exclude: Exclude | null,
): Uint8Array {
	const writer = createEntryWriter(from, to, ignore, match);
	const out = createUtf8Writer();
	const ignored = new Uint8Array(places.length / (2 * PLACE));
	function isIgnored(at: number): boolean {
		if (exclude === null) return !writer.write(out, places, at);
		const described = writer.describe(places, at);
		return described === null || exclude(described.className ?? "", described.dn);
	}
	for (let change = 0; change < ignored.length; change++) {
		ignored[change] = isIgnored(change * 2 * PLACE) ? 1 : 0;
		out.cut(0);
	}
	return ignored;
}

/**
 * The contents of added and deleted objects: equal texts for objects that a comparison by name
 * shows no difference of.
 */
export function readContentTexts(
	places: Int32Array,
	{ from, to }: PackTexts,
	ignore: Ignore | null,
	match: NameMatch,
): string[] {
	const writer = createEntryWriter(from, to, null);
	const found: string[] = [];
	for (let at = 0; at < places.length; at += 2 * PLACE) {
		const { changes = [], className } = writer.describe(places, at) ?? {};
		const name = toByteString(className ?? "");
		const compared = changes
			.filter(({ key }) => ignore?.(name, key, null, null) !== true)
			.map(({ key, old, new: now }) => [key, match.withoutNumbers(key, old ?? now ?? "")] as const)
			.sort(([one], [other]) => (one < other ? -1 : 1));
		found.push(
			createHash("sha256")
				.update(JSON.stringify([name, compared]))
				.digest("base64"),
		);
	}
	return found;
}
