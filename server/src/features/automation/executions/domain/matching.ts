/** Which rows of a request the item of a loop is about. */

export interface SheetRows {
	/** Null where there is one sheet only. */
	readonly name: string | null;
	/** As they were sent. */
	readonly rows: readonly Readonly<Record<string, unknown>>[];
}

export interface RowPlace {
	/** Empty where there is one sheet only. */
	readonly sheet: string;
	readonly row_index: number;
}

export interface RowMatcher {
	/** The rows that the item is about; `nth` counts the items of its loop. Empty: none. */
	find(item: unknown, nth: number): readonly RowPlace[];
}

/** Results of a loop that are the items of the next one, and so on, up to this depth. */
const WRAPS_MAX = 10;
/** An item that holds rows, such as a pair of a row and a port, is searched up to these bounds. */
const SEARCH_DEPTH = 4;
const SEARCH_VALUES = 5_000;
/** Values nested deeper than this are not compared. */
const COMPARE_DEPTH = 20;

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
	typeof value === "object" && value !== null && !Array.isArray(value);

/** Numbers that went through a template come back as texts: 1 and "1" are the same. */
function canonical(value: unknown, depth = 0): string {
	if (depth > COMPARE_DEPTH) return "…";
	if (Array.isArray(value)) return `[${value.map((one) => canonical(one, depth + 1)).join(",")}]`;
	if (isFields(value)) {
		const keys = Object.keys(value).sort();
		return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key], depth + 1)}`).join(",")}}`;
	}
	return JSON.stringify(String(value));
}

const namesOf = (fields: Fields): string => JSON.stringify(Object.keys(fields).sort());

export function createRowMatcher(sheets: readonly SheetRows[]): RowMatcher {
	const byText = new Map<string, RowPlace[]>();
	/** Names of the cells of the rows: only objects with one of these sets of names are compared. */
	const names = new Set<string>();
	const cells = new Map<string, RowPlace | null>();
	for (const { name, rows } of sheets) {
		for (const [row_index, row] of rows.entries()) {
			const place = { sheet: name ?? "", row_index };
			const text = canonical(row);
			const same = byText.get(text);
			if (same === undefined) byText.set(text, [place]);
			else same.push(place);
			names.add(namesOf(row));
			// A value that only one row has stands for it, as where a loop goes over one column.
			for (const value of new Set(Object.values(row).map((cell) => canonical(cell)))) {
				cells.set(value, cells.has(value) ? null : place);
			}
		}
	}

	/** The row that has a number of its own. */
	function numbered(item: Fields): RowPlace | null {
		const [sheet] = sheets;
		const key = item._row;
		if (typeof key !== "number" || sheets.length !== 1 || sheet?.rows[key] === undefined) return null;
		return { sheet: sheet.name ?? "", row_index: key };
	}

	/** Of rows that are alike it is the one that is in its place. */
	function whole(item: Fields, nth: number): RowPlace | null {
		if (!names.has(namesOf(item))) return null;
		const same = byText.get(canonical(item)) ?? [];
		return same.find(({ row_index }) => row_index === nth) ?? same[0] ?? null;
	}

	/** Rows inside an item that is none: each of them once, in the order in which they come. */
	function held(item: unknown, nth: number): RowPlace[] {
		const found = new Map<string, RowPlace>();
		let level: unknown[] = [item];
		let seen = 0;
		for (let depth = 0; depth < SEARCH_DEPTH && level.length > 0; depth++) {
			const next: unknown[] = [];
			for (const value of level) {
				for (const inner of Array.isArray(value) ? value : isFields(value) ? Object.values(value) : []) {
					if (++seen > SEARCH_VALUES) return [...found.values()];
					if (typeof inner !== "object" || inner === null) continue;
					const place = isFields(inner) && Object.keys(inner).length > 0 ? whole(inner, nth) : null;
					if (place === null) next.push(inner);
					else found.set(JSON.stringify(place), place);
				}
			}
			level = next;
		}
		return [...found.values()];
	}

	return {
		find(item, nth) {
			let value = item;
			for (let wraps = 0; wraps <= WRAPS_MAX; wraps++) {
				if (!isFields(value)) break;
				const place = numbered(value) ?? whole(value, nth);
				if (place !== null) return [place];
				// A registered result holds the item of its loop under the name of that loop's variable.
				const name = typeof value.ansible_loop_var === "string" ? value.ansible_loop_var : "item";
				if (!Object.hasOwn(value, name)) break;
				value = value[name];
			}
			if (typeof value === "object" && value !== null) return held(value, nth);
			const place = cells.get(canonical(value));
			return place ? [place] : held(item, nth);
		},
	};
}
