/** An index of the rows of a request: finds rows in values that a playbook makes of them. */

export interface SheetRows {
	/** Null where there is one sheet only. */
	readonly name: string | null;
	/** Rows in the form in which they were sent. */
	readonly rows: readonly Readonly<Record<string, unknown>>[];
}

export interface RowPlace {
	/** Empty where there is one sheet only. */
	readonly sheet: string;
	readonly row_index: number;
}

export interface RowIndex {
	readonly sheets: readonly SheetRows[];
	/** The places of equal rows, by the canonical text of the row. */
	readonly places: ReadonlyMap<string, readonly RowPlace[]>;
	/** The sets of column names that rows have, by their sorted names as JSON. */
	readonly nameSets: ReadonlyMap<string, readonly string[]>;
}

/** An item that holds rows, such as a pair of a row and a port, is searched up to these bounds. */
const SEARCH_DEPTH = 4;
const SEARCH_VALUES = 5_000;
/** Values nested deeper than this are not compared. */
const COMPARE_DEPTH = 20;
/** Extended rows are recognised if the rows have at most this many sets of names. */
const NAME_SETS_MAX = 200;

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
	typeof value === "object" && value !== null && !Array.isArray(value);

/** Numbers that went through a template come back as texts: 1 and "1" are the same. */
export function canonicalizeValue(value: unknown, depth = 0): string {
	if (depth > COMPARE_DEPTH) return "…";
	if (Array.isArray(value)) return `[${value.map((one) => canonicalizeValue(one, depth + 1)).join(",")}]`;
	if (isFields(value)) {
		const keys = Object.keys(value).sort();
		return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalizeValue(value[key], depth + 1)}`).join(",")}}`;
	}
	return JSON.stringify(String(value));
}

export function buildRowIndex(sheets: readonly SheetRows[]): RowIndex {
	const places = new Map<string, RowPlace[]>();
	const nameSets = new Map<string, readonly string[]>();
	for (const { name, rows } of sheets) {
		for (const [row_index, row] of rows.entries()) {
			const place = { sheet: name ?? "", row_index };
			const text = canonicalizeValue(row);
			const equal = places.get(text);
			if (equal === undefined) places.set(text, [place]);
			else equal.push(place);
			const keys = Object.keys(row).sort();
			nameSets.set(JSON.stringify(keys), keys);
		}
	}
	return { sheets, places, nameSets };
}

/** The row whose number the item has as `_row`. */
export function findNumberedRow({ sheets }: RowIndex, item: Fields): RowPlace | null {
	const [sheet] = sheets;
	const key = item._row;
	if (typeof key !== "number" || sheets.length !== 1 || sheet?.rows[key] === undefined) return null;
	return { sheet: sheet.name ?? "", row_index: key };
}

/** The rows that are equal to the item. */
export function findEqualRows({ places, nameSets }: RowIndex, item: Fields): readonly RowPlace[] {
	// Only objects with the names of a row are compared.
	if (!nameSets.has(JSON.stringify(Object.keys(item).sort()))) return [];
	return places.get(canonicalizeValue(item)) ?? [];
}

/** The only row whose cells are all among the item's. */
export function findExtendedRow({ places, nameSets }: RowIndex, item: Fields): RowPlace | null {
	if (nameSets.size > NAME_SETS_MAX) return null;
	const found: RowPlace[] = [];
	for (const keys of nameSets.values()) {
		if (keys.length === 0 || !keys.every((key) => Object.hasOwn(item, key))) continue;
		const part = Object.fromEntries(keys.map((key) => [key, item[key]]));
		found.push(...(places.get(canonicalizeValue(part)) ?? []));
		if (found.length > 1) return null;
	}
	return found[0] ?? null;
}

/** The rows inside an item that is none itself, without duplicates, breadth first. */
export function findHeldRows(index: RowIndex, item: unknown): RowPlace[] {
	const found = new Map<string, RowPlace>();
	let level: unknown[] = [item];
	let searched = 0;
	for (let depth = 0; depth < SEARCH_DEPTH && level.length > 0; depth++) {
		const next: unknown[] = [];
		for (const value of level) {
			for (const inner of listInnerValues(value)) {
				if (++searched > SEARCH_VALUES) return [...found.values()];
				if (typeof inner !== "object" || inner === null) continue;
				const equal = isFields(inner) && Object.keys(inner).length > 0 ? findEqualRows(index, inner) : [];
				const [place] = equal;
				if (place === undefined) next.push(inner);
				else if (equal.length === 1) found.set(JSON.stringify(place), place);
			}
		}
		level = next;
	}
	return [...found.values()];
}

function listInnerValues(value: unknown): readonly unknown[] {
	if (Array.isArray(value)) return value;
	return isFields(value) ? Object.values(value) : [];
}
