/** Counts rows by the values of fields. */
import { getKey } from "./keys.ts";
import { assignFieldNumber, createRowReader, type Fields, type Page } from "./row-reader.ts";

export interface GroupRows {
	/** Value of each field. */
	readonly group: readonly string[];
	readonly rows: number;
}

/** Upper bound of the groups that are counted. */
const GROUPS_MAX = 20_000;

/**
 * Counts the rows of each group, in the order of the groups' first rows. Without fields, all rows
 * are one group, which may be empty. Returns null for more than `GROUPS_MAX` groups.
 */
export function countGroupRows(fields: readonly string[], pages: Iterable<Page>): GroupRows[] | null {
	const all: Fields = { names: [] };
	const numbers = fields.map((name) => assignFieldNumber(all, name));
	const read = createRowReader(all);
	const groups = new Map<string, { readonly group: readonly string[]; rows: number }>();
	if (fields.length === 0) groups.set("", { group: [], rows: 0 });
	for (const page of pages) {
		read(page, (row) => {
			const texts = numbers.map((field) => row.texts(field));
			const key = fields.length === 0 ? "" : getKey(texts);
			const known = groups.get(key);
			if (known !== undefined) known.rows += 1;
			else if (groups.size <= GROUPS_MAX) groups.set(key, { group: texts.map((each) => each.join(", ")), rows: 1 });
		});
	}
	return groups.size > GROUPS_MAX ? null : [...groups.values()];
}
