/**
 * Finds the texts of some fields in JSON bytes without parsing them, about eight times as fast.
 *
 * It reads pages of objects of one class as controllers send and the service stores them:
 * `{"Class":{"attributes":{…}}}`, without white space and with attributes that hold no objects. In
 * such a page each `{` is the first, second or third of a row, and an attribute's name between
 * quotes with a colon behind can only be that attribute: a quote within a text has a backslash.
 * Any other page is refused, and a value other than a plain text is read from the parsed row. Of
 * an attribute that occurs twice in an object, which no controller sends, the first one counts.
 */
import { isAscii } from "node:buffer";
import { parseExact } from "@weft/contracts/exact-json";
import type { Row } from "../../../core/rows/rows.ts";
import type { RowView } from "./row-view.ts";

const [OPENING, CLOSING, COMMA, QUOTE, BACKSLASH] = [0x7b, 0x7d, 0x2c, 0x22, 0x5c];
const HEAD = /^\{"[A-Za-z0-9]+":\{"attributes":\{/;
const HEAD_LENGTH = 200;
/** Names that rows have as they are written here, and that stand for attributes of a row. */
const PLAIN = /^[A-Za-z0-9_-]+$/;
const NOT_PLAIN: ReadonlySet<string> = new Set(["class", "children", "attributes"]);
/** Closing braces of a row. */
const END = 3;
const NO_TEXTS: readonly string[] = [];

/**
 * @param readers of the texts of each field in a parsed row
 * @returns whether the page could be read: otherwise nothing was taken
 */
export function scanRows(
	page: Buffer,
	names: readonly string[],
	readers: readonly ((row: Row) => readonly string[])[],
	take: (row: RowView) => void,
): boolean {
	const head = HEAD.exec(page.toString("latin1", 0, HEAD_LENGTH))?.[0];
	const starts = head === undefined ? null : startsOfRows(page, Buffer.from(head));
	if (head === undefined || starts === null) return false;
	const encoding = isAscii(page) ? "latin1" : "utf8";
	const slice = (from: number, to: number): string => page.toString(encoding, from, to);
	const ahead = head.length - 1;
	const keys = names.map((name) => (PLAIN.test(name) && !NOT_PLAIN.has(name) ? Buffer.from(`"${name}":`) : null));
	/** First place of each key from the row on that was read last. */
	const places = names.map(() => -1);
	let [start, end] = [0, 0];
	let parsed: Row | null = null;
	let known: (readonly string[] | undefined)[] = [];

	const row = (): Row => (parsed ??= parseExact(slice(start, end)) as Row);

	function readField(field: number): readonly string[] {
		const key = keys[field];
		const ofRow = () => readers[field]?.(row()) ?? NO_TEXTS;
		if (key === null || key === undefined) return ofRow();
		let at = places[field] ?? -1;
		if (at < start) {
			const found = page.indexOf(key, start + ahead);
			at = found < 0 ? page.length : found;
			places[field] = at;
		}
		if (at >= end) return NO_TEXTS;
		const value = at + key.length;
		const before = page[at - 1];
		if ((before !== COMMA && before !== OPENING) || page[value] !== QUOTE) return ofRow();
		const close = page.indexOf(QUOTE, value + 1);
		const text = slice(value + 1, close);
		return page[close - 1] === BACKSLASH || text.includes("\\") ? ofRow() : [text];
	}

	const view: RowView = { row, texts: (field) => (known[field] ??= readField(field)) };
	for (let i = 0; i < starts.length; i += 1) {
		start = starts[i] ?? 0;
		end = i + 1 < starts.length ? (starts[i + 1] ?? 0) - 1 : page.length;
		parsed = null;
		known = [];
		take(view);
	}
	return true;
}

/** Null for a page that has another form. */
function startsOfRows(page: Buffer, head: Buffer): number[] | null {
	const starts: number[] = [];
	for (let at = 0; at >= 0; at = page.indexOf(OPENING, at + head.length)) {
		if (at + head.length > page.length || head.compare(page, at, at + head.length) !== 0) return null;
		if (at > 0 && (page[at - 1] !== COMMA || !endsRow(page, at - 1))) return null;
		starts.push(at);
	}
	return endsRow(page, page.length) ? starts : null;
}

function endsRow(page: Buffer, end: number): boolean {
	for (let back = 1; back <= END; back += 1) if (page[end - back] !== CLOSING) return false;
	return true;
}
