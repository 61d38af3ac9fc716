/**
 * A comparison as CSV: a line for each attribute that differs, and one for each object that only
 * one side has.
 */
import { formatCsvLine } from "../../../core/csv.ts";
import { KIND_NAMES, MODIFIED } from "./compare.ts";
import type { Described } from "./entry-writer.ts";
import { decodeByteString } from "./json-text.ts";
import { getNaming, getParts } from "./parts.ts";

const COLUMNS = ["change", "class_name", "dn", "attribute", "old", "new", "came", "went"];

/** The line of column names; with `changed_by` where it is known who changed what. */
export const formatCsvHead = (isAttributed: boolean): string =>
	formatCsvLine(isAttributed ? [...COLUMNS, "changed_by"] : COLUMNS);

/**
 * An added or deleted object has its attributes as one JSON object under `new` or `old`.
 * @param who changed the object; null without such a column
 */
export function formatCsvLines({ kind, dn, className, changes }: Described, who: string | null): string {
	const object = [KIND_NAMES[kind], className, dn];
	const last = who === null ? [] : [who];
	if (kind === MODIFIED)
		return changes
			.map(({ key, old, new: now }) => {
				const parts = getParts(getNaming(key), old, now);
				const moved = [parts?.added.join(","), parts?.removed.join(",")];
				return formatCsvLine([
					...object,
					decodeByteString(key),
					readValueOfText(old),
					readValueOfText(now),
					...moved,
					...last,
				]);
			})
			.join("");
	const members = (side: "old" | "new") =>
		changes.flatMap(({ key, [side]: text }) =>
			text === null ? [] : [`${JSON.stringify(decodeByteString(key))}:${text}`],
		);
	const [old, now] = [members("old"), members("new")].map((all) => (all.length === 0 ? "" : `{${all.join(",")}}`));
	return formatCsvLine([...object, "", old, now, "", "", ...last]);
}

/**
 * Strings as they read; a number that a spreadsheet would not keep digit by digit, and anything
 * else, as it is spelt.
 */
function readValueOfText(json: string | null): unknown {
	if (json === null) return "";
	if (json.startsWith('"')) return JSON.parse(json);
	return String(Number(json)) === json ? Number(json) : json;
}
