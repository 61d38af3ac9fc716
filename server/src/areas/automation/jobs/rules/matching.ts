/** The rows of a request that the items of a job's loops are about. */
import {
	buildRowIndex,
	canonicalizeValue,
	type Fields,
	findEqualRows,
	findExtendedRow,
	findHeldRows,
	findNumberedRow,
	isFields,
	type RowIndex,
	type RowPlace,
	type SheetRows,
} from "./row-index.ts";

/** A column of a sheet, by the place of the sheet; null as the name: the rows themselves. */
type Column = readonly [sheet: number, name: string | null];

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
/** A loop over a single value says nothing: any list of one item looks like it. */
const COLUMN_ROWS_MIN = 2;

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

/** Finds the equal row; of several the one in its place in a loop over the rows. */
function findWholeRow(index: RowIndex, item: Fields, loop: LoopState): RowPlace | null {
	const equal = findEqualRows(index, item);
	if (equal.length === 1) return equal[0] ?? null;
	const inOrder = loop.columns.filter(([, name]) => name === null).map(([at]) => index.sheets[at]?.name ?? "");
	const placed = equal.filter(({ sheet, row_index }) => row_index === loop.count - 1 && inOrder.includes(sheet));
	return placed.length === 1 ? (placed[0] ?? null) : null;
}

function findRows(index: RowIndex, item: unknown, loop: LoopState): readonly RowPlace[] {
	const values = unwrapItem(item);
	for (const value of values) {
		if (!isFields(value)) break;
		const place = findNumberedRow(index, value) ?? findWholeRow(index, value, loop);
		if (place !== null) return [place];
		// Equal rows that cannot be distinguished.
		if (findEqualRows(index, value).length > 0) return [];
	}
	const own = values.filter(isFields).filter((value) => !isRegistered(value));
	const extended = own.map((value) => findExtendedRow(index, value)).find((place) => place !== null) ?? null;
	const last = values.at(-1);
	const held = findHeldRows(index, typeof last === "object" && last !== null ? last : item);
	if (extended === null) return held;
	const isOther = held.some((place) => JSON.stringify(place) !== JSON.stringify(extended));
	return isOther ? [] : [extended];
}

function isCell({ sheets }: RowIndex, [sheet, name]: Column, at: number, texts: readonly string[]): boolean {
	const row = sheets[sheet]?.rows[at];
	return row !== undefined && texts.includes(canonicalizeValue(name === null ? row : row[name]));
}

function findColumnSheet({ sheets }: RowIndex, loop: LoopState): string | null {
	const whole = loop.columns.filter(([sheet, name]) => name !== null && sheets[sheet]?.rows.length === loop.count);
	const [found] = new Set(whole.map(([sheet]) => sheet));
	const isOne = whole.every(([sheet]) => sheet === found);
	return found === undefined || !isOne ? null : (sheets[found]?.name ?? "");
}

export function createRowMatcher(sheets: readonly SheetRows[]): RowMatcher {
	const index = buildRowIndex(sheets);
	/** Every loop may go over these until its items say otherwise. */
	const columns: readonly Column[] = [...sheets.map((_sheet, at): Column => [at, null]), ...findNamingColumns(sheets)];
	return {
		advanceLoop(loop, counter, item) {
			const count = loop?.count ?? 0;
			const open = loop?.columns ?? columns;
			const texts = open.length === 0 ? [] : unwrapItem(item).map((value) => canonicalizeValue(value));
			return {
				first: loop?.first ?? counter,
				count: count + 1,
				columns: item === undefined ? [] : open.filter((column) => isCell(index, column, count, texts)),
			};
		},
		findRows: (item, loop) => findRows(index, item, loop),
		findColumnRow: (loop) => (loop.columns.some(([, name]) => name !== null) ? loop.count - 1 : null),
		findColumnSheet: (loop) => findColumnSheet(index, loop),
	};
}
