/**
 * The user's arrangement of columns: order, widths, hidden and pinned. Stored per kind of result.
 */
import type { ColumnInfo } from "./protocol.ts";

export interface Arrangement {
	readonly order: readonly string[];
	readonly widths: Readonly<Record<string, number>>;
	readonly hidden: readonly string[];
	readonly pinned: readonly string[];
	/** Whether columns are shown that have no value in any visible row. */
	readonly withEmpty: boolean;
}

export interface LaidOut {
	readonly key: string;
	readonly numeric: boolean;
	readonly width: number;
	readonly pinned: boolean;
	/** Pixels from the left edge of the cells. */
	readonly left: number;
}

const NEW: Arrangement = { order: [], widths: {}, hidden: [], pinned: [], withEmpty: false };
/** Columns that are pinned at first on wide screens. Without a value they are not shown. */
const PINNED: readonly string[] = ["class", "dn", "name"];
const PINNED_FROM = "(min-width: 1280px)";
export const LEAST_WIDTH = 48;
const LETTER = 7.25;
const PADDING = 26;
const WIDEST = 380;

/**
 * Columns in the arranged order; unknown columns keep the worker's position. Pinned columns stay
 * without a value.
 * @param filled keys of the columns with a value in the view
 */
export function arrangeColumns(
	columns: readonly ColumnInfo[],
	{ order, widths, hidden, pinned, withEmpty }: Arrangement,
	filled: ReadonlySet<string>,
): LaidOut[] {
	const place = new Map(order.map((key, index) => [key, index]));
	const known = columns
		.filter(({ key }) => place.has(key))
		.sort((a, b) => (place.get(a.key) ?? 0) - (place.get(b.key) ?? 0));
	const all = [...known, ...columns.filter(({ key }) => !place.has(key))].filter(
		({ key }) =>
			!hidden.includes(key) && (withEmpty || filled.has(key) || (pinned.includes(key) && !PINNED.includes(key))),
	);
	const sorted = [...all.filter(({ key }) => pinned.includes(key)), ...all.filter(({ key }) => !pinned.includes(key))];
	let left = 0;
	return sorted.map(({ key, numeric, length }) => {
		const fitting = Math.round(Math.max(length, key.length + 2) * LETTER + PADDING);
		const width = widths[key] ?? Math.max(LEAST_WIDTH + 16, Math.min(WIDEST, fitting));
		const laidOut = { key, numeric, width, pinned: pinned.includes(key), left };
		left += width;
		return laidOut;
	});
}

/** Columns that are in sight, beside the pinned ones. */
export function isInSight(columns: readonly LaidOut[], scrollLeft: number, width: number): LaidOut[] {
	const pinnedWidth = columns.filter(({ pinned }) => pinned).reduce((sum, column) => sum + column.width, 0);
	const from = scrollLeft + pinnedWidth;
	const to = scrollLeft + width;
	return columns.filter((column) => !column.pinned && column.left + column.width > from && column.left < to);
}

export function moveColumn(columns: readonly LaidOut[], key: string, by: -1 | 1): string[] {
	const order = columns.map((column) => column.key);
	const at = order.indexOf(key);
	const to = at + by;
	if (at < 0 || to < 0 || to >= order.length) return order;
	order.splice(at, 1);
	order.splice(to, 0, key);
	return order;
}

/** With more columns in front, nothing is pinned: the pinned ones would leave no room. */
const MOST_IN_FRONT = 4;

/** @param first keys of the columns that stand before those that name an object */
export const createArrangement = (first: readonly string[]): Arrangement => ({
	...NEW,
	pinned: matchMedia(PINNED_FROM).matches && first.length <= MOST_IN_FRONT ? [...first, ...PINNED] : [],
});

export function readArrangement(scope: string, first: readonly string[]): Arrangement {
	const start = createArrangement(first);
	try {
		return { ...start, ...JSON.parse(localStorage.getItem(`weft.columns:${scope}`) ?? "{}") };
	} catch {
		return start;
	}
}

export function keepArrangement(scope: string, arrangement: Arrangement): void {
	try {
		localStorage.setItem(`weft.columns:${scope}`, JSON.stringify(arrangement));
	} catch {
		// Nothing is kept here: the arrangement lasts as long as the page.
	}
}
