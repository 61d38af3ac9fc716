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

/** A column of a sheet, by the place of the sheet; null as the name: the rows themselves. */
export type Column = readonly [sheet: number, name: string | null];

/** An open loop on one host, as it is stored between two pages of events. */
export interface LoopState {
	/** Counter of the event of its first item; identifies the loop in its job. */
	readonly first: number;
	/** Number of its items so far. */
	readonly count: number;
	/** Columns whose first `count` cells are its items, in the order of the rows. */
	readonly columns: readonly Column[];
}

export interface RowMatcher {
	/** The loop after one more item; undefined as the item: hidden. */
	advanceLoop(loop: LoopState | undefined, counter: number, item: unknown): LoopState;
	/** The rows that the newest item of a loop is about. Empty: none, or not certain. */
	findRows(item: unknown, loop: LoopState): readonly RowPlace[];
	/**
	 * The row that the newest item stands for if the whole loop turns out to go over one column; null
	 * where it cannot.
	 */
	findColumnRow(loop: LoopState): number | null;
	/** The sheet whose column an ended loop went over, from the first row to the last; else null. */
	findColumnSheet(loop: LoopState): string | null;
}

/** Results of a loop that are the items of the next one, and so on, up to this depth. */
const WRAPS_MAX = 10;
/** An item that holds rows, such as a pair of a row and a port, is searched up to these bounds. */
const SEARCH_DEPTH = 4;
const SEARCH_VALUES = 5_000;
/** Values nested deeper than this are not compared. */
const COMPARE_DEPTH = 20;
/** Extended rows are recognised if the rows have at most this many sets of names. */
const NAME_SETS_MAX = 200;
/** A loop over a single value says nothing: any list of one item looks like it. */
const COLUMN_ROWS_MIN = 2;

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
	typeof value === "object" && value !== null && !Array.isArray(value);

/** Numbers that went through a template come back as texts: 1 and "1" are the same. */
function canonicalizeValue(value: unknown, depth = 0): string {
	if (depth > COMPARE_DEPTH) return "…";
	if (Array.isArray(value)) return `[${value.map((one) => canonicalizeValue(one, depth + 1)).join(",")}]`;
	if (isFields(value)) {
		const keys = Object.keys(value).sort();
		return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalizeValue(value[key], depth + 1)}`).join(",")}}`;
	}
	return JSON.stringify(String(value));
}

/** Whether a cell can name its row. Numbers cannot: pods, ports and retries count too. */
const isNaming = (value: unknown): value is string => typeof value === "string" && /\p{L}/u.test(value);

const isRegistered = (value: Fields): boolean => typeof value.ansible_loop_var === "string";

/** An item and what it wraps: a registered result holds the item of its loop. */
function unwrapItem(item: unknown): unknown[] {
	const values = [item];
	for (let value = item; isFields(value) && values.length <= WRAPS_MAX; values.push(value)) {
		const name = typeof value.ansible_loop_var === "string" ? value.ansible_loop_var : "item";
		if (!Object.hasOwn(value, name)) break;
		value = value[name];
	}
	return values;
}

/** The columns of naming cells: every row has a text of its own. */
function findNamingColumns(sheets: readonly SheetRows[]): Column[] {
	return sheets.flatMap(({ rows }, sheet) => {
		if (rows.length < COLUMN_ROWS_MIN) return [];
		return Object.keys(rows[0] ?? {}).flatMap((name): Column[] => {
			const cells = rows.map((row) => row[name]);
			return cells.every(isNaming) && new Set(cells).size === rows.length ? [[sheet, name]] : [];
		});
	});
}

export function createRowMatcher(sheets: readonly SheetRows[]): RowMatcher {
	const byText = new Map<string, RowPlace[]>();
	/** Names of the cells of the rows: only objects with one of these sets of names are compared. */
	const names = new Map<string, readonly string[]>();
	for (const { name, rows } of sheets) {
		for (const [row_index, row] of rows.entries()) {
			const place = { sheet: name ?? "", row_index };
			const text = canonicalizeValue(row);
			const same = byText.get(text);
			if (same === undefined) byText.set(text, [place]);
			else same.push(place);
			const keys = Object.keys(row).sort();
			names.set(JSON.stringify(keys), keys);
		}
	}
	const columns: readonly Column[] = [
		...sheets.map((_sheet, index): Column => [index, null]),
		...findNamingColumns(sheets),
	];

	/** The row that has a number of its own. */
	function findNumbered(item: Fields): RowPlace | null {
		const [sheet] = sheets;
		const key = item._row;
		if (typeof key !== "number" || sheets.length !== 1 || sheet?.rows[key] === undefined) return null;
		return { sheet: sheet.name ?? "", row_index: key };
	}

	/** The rows that are equal to the item. */
	function findEqual(item: Fields): readonly RowPlace[] {
		return names.has(JSON.stringify(Object.keys(item).sort())) ? (byText.get(canonicalizeValue(item)) ?? []) : [];
	}

	/** Of rows that are alike it is the one in its place, if the loop goes over the rows in order. */
	function findWhole(item: Fields, loop: LoopState): RowPlace | null {
		const equal = findEqual(item);
		if (equal.length === 1) return equal[0] ?? null;
		const inOrder = loop.columns.filter(([, name]) => name === null).map(([sheet]) => sheets[sheet]?.name ?? "");
		const placed = equal.filter(({ sheet, row_index }) => row_index === loop.count - 1 && inOrder.includes(sheet));
		return placed.length === 1 ? (placed[0] ?? null) : null;
	}

	/** The only row whose cells are all among the item's. */
	function findExtended(item: Fields): RowPlace | null {
		if (names.size > NAME_SETS_MAX) return null;
		const found: RowPlace[] = [];
		for (const keys of names.values()) {
			if (keys.length === 0 || !keys.every((key) => Object.hasOwn(item, key))) continue;
			found.push(...(byText.get(canonicalizeValue(Object.fromEntries(keys.map((key) => [key, item[key]])))) ?? []));
			if (found.length > 1) return null;
		}
		return found[0] ?? null;
	}

	/** Rows inside an item that is none: each of them once, in the order in which they come. */
	function findHeld(item: unknown): RowPlace[] {
		const found = new Map<string, RowPlace>();
		let level: unknown[] = [item];
		let seen = 0;
		for (let depth = 0; depth < SEARCH_DEPTH && level.length > 0; depth++) {
			const next: unknown[] = [];
			for (const value of level) {
				for (const inner of Array.isArray(value) ? value : isFields(value) ? Object.values(value) : []) {
					if (++seen > SEARCH_VALUES) return [...found.values()];
					if (typeof inner !== "object" || inner === null) continue;
					const equal = isFields(inner) && Object.keys(inner).length > 0 ? findEqual(inner) : [];
					const [place] = equal;
					if (place === undefined) next.push(inner);
					else if (equal.length === 1) found.set(JSON.stringify(place), place);
				}
			}
			level = next;
		}
		return [...found.values()];
	}

	const isCell = ([sheet, name]: Column, index: number, texts: readonly string[]): boolean => {
		const row = sheets[sheet]?.rows[index];
		return row !== undefined && texts.includes(canonicalizeValue(name === null ? row : row[name]));
	};

	const hasNames = ({ columns: open }: LoopState): boolean => open.some(([, name]) => name !== null);

	return {
		advanceLoop(loop, counter, item) {
			const count = loop?.count ?? 0;
			const open = loop?.columns ?? columns;
			const texts = open.length === 0 ? [] : unwrapItem(item).map((value) => canonicalizeValue(value));
			return {
				first: loop?.first ?? counter,
				count: count + 1,
				columns: item === undefined ? [] : open.filter((column) => isCell(column, count, texts)),
			};
		},

		findRows(item, loop) {
			const values = unwrapItem(item);
			for (const value of values) {
				if (!isFields(value)) break;
				const place = findNumbered(value) ?? findWhole(value, loop);
				if (place !== null) return [place];
				// Equal rows that cannot be distinguished.
				if (findEqual(value).length > 0) return [];
			}
			const own = values.filter(isFields).filter((value) => !isRegistered(value));
			const extended = own.map(findExtended).find((place) => place !== null) ?? null;
			const last = values.at(-1);
			const held = findHeld(typeof last === "object" && last !== null ? last : item);
			if (extended === null) return held;
			const isOther = held.some((place) => JSON.stringify(place) !== JSON.stringify(extended));
			return isOther ? [] : [extended];
		},

		findColumnRow: (loop) => (hasNames(loop) ? loop.count - 1 : null),

		findColumnSheet(loop) {
			const whole = loop.columns.filter(([sheet, name]) => name !== null && sheets[sheet]?.rows.length === loop.count);
			const [index] = new Set(whole.map(([sheet]) => sheet));
			const isOne = whole.every(([sheet]) => sheet === index);
			return index === undefined || !isOne ? null : (sheets[index]?.name ?? "");
		},
	};
}
