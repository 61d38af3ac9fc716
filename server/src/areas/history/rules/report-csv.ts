/**
 * A comparison as CSV: a line for each attribute that differs, and one for each object that only
 * one side has.
 */
import { csvLine } from "../../../core/csv.ts";
import { KIND_NAMES, MODIFIED } from "./compare.ts";
import type { Described } from "./entry-writer.ts";
import { fromByteString } from "./json-text.ts";
import { getNaming, getParts } from "./parts.ts";

const COLUMNS = ["change", "class_name", "dn", "attribute", "old", "new", "came", "went"];

/** The line of column names; with `changed_by` where it is known who changed what. */
export const csvHead = (isAttributed: boolean): string => csvLine(isAttributed ? [...COLUMNS, "changed_by"] : COLUMNS);

/**
 * An added or deleted object has its attributes as one JSON object under `new` or `old`.
 * @param who changed the object; null without such a column
 */
export function csvLines({ kind, dn, className, changes }: Described, who: string | null): string {
	const object = [KIND_NAMES[kind], className, dn];
	const last = who === null ? [] : [who];
	if (kind === MODIFIED)
		return changes
			.map(({ key, old, new: now }) => {
				const parts = getParts(getNaming(key), old, now);
				const moved = [parts?.added.join(","), parts?.removed.join(",")];
				return csvLine([...object, fromByteString(key), valueOfText(old), valueOfText(now), ...moved, ...last]);
			})
			.join("");
	const members = (side: "old" | "new") =>
		changes.flatMap(({ key, [side]: text }) =>
			text === null ? [] : [`${JSON.stringify(fromByteString(key))}:${text}`],
		);
	const [old, now] = [members("old"), members("new")].map((all) => (all.length === 0 ? "" : `{${all.join(",")}}`));
	return csvLine([...object, "", old, now, "", "", ...last]);
}

/**
 * Strings as they read; a number that a spreadsheet would not keep digit by digit, and anything
 * else, as it is spelt.
 */
function valueOfText(json: string | null): unknown {
	if (json === null) return "";
	if (json.startsWith('"')) return JSON.parse(json);
	return String(Number(json)) === json ? Number(json) : json;
}
