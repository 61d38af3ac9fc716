/**
 * The lines of a grid. Without groups each row of the view is a line. With groups each group is a
 * fold: a line of its own, its head, and below it the lines of its rows while it is open. A place
 * is a row's number in the view, folded or not. Pure.
 */
import type { Groups } from "./group-rows.ts";

export interface Fold {
	/** Null: its rows have no value. */
	readonly value: string | null;
	/** Places of its rows; `to` is the first one beyond. */
	readonly from: number;
	readonly to: number;
	/** Line of its head. */
	readonly line: number;
	readonly isOpen: boolean;
}

export interface Lines {
	readonly count: number;
	readonly isFolded: boolean;
	/** Place of the row at a line; -1 at the head of a fold. */
	getPlace(line: number): number;
	/** Line of the row at a place, or of the head of the closed fold that hides it. */
	getLine(place: number): number;
	/** The fold whose head is at a line; null at a row. */
	getHead(line: number): Fold | null;
	/** Line of the head above a row; -1 where rows are not folded. */
	findHeadLine(line: number): number;
	/** Places of the rows among lines, as ranges without their ends. */
	listPlaces(from: number, to: number): (readonly [from: number, to: number])[];
}

/** @param open values of the open folds */
export function createLines(rows: number, groups: Groups | null, open: ReadonlySet<string | null>): Lines {
	return groups === null ? createPlainLines(rows) : createFoldedLines(groups, open);
}

const createPlainLines = (count: number): Lines => ({
	count,
	isFolded: false,
	getPlace: (line) => line,
	getLine: (place) => place,
	getHead: () => null,
	findHeadLine: () => -1,
	listPlaces: (from, to) => (from < to ? [[from, to]] : []),
});

function createFoldedLines({ values, starts }: Groups, open: ReadonlySet<string | null>): Lines {
	/** The line of each head, and at the end the number of lines. */
	const heads = new Int32Array(values.length + 1);
	values.forEach((value, group) => {
		const shown = open.has(value) ? getStart(group + 1) - getStart(group) : 0;
		heads[group + 1] = getHeadLine(group) + 1 + shown;
	});
	function getStart(group: number): number {
		return starts[group] ?? 0;
	}
	function getHeadLine(group: number): number {
		return heads[group] ?? 0;
	}
	const findGroup = (line: number): number => findLast(heads, values.length, line);
	return {
		count: getHeadLine(values.length),
		isFolded: true,
		getPlace(line) {
			const group = findGroup(line);
			const below = line - getHeadLine(group);
			return below === 0 ? -1 : getStart(group) + below - 1;
		},
		getLine(place) {
			const group = findLast(starts, values.length, place);
			const isOpen = getHeadLine(group + 1) - getHeadLine(group) > 1;
			return getHeadLine(group) + (isOpen ? place - getStart(group) + 1 : 0);
		},
		getHead(line) {
			const group = findGroup(line);
			if (getHeadLine(group) !== line || values.length === 0) return null;
			const isOpen = getHeadLine(group + 1) - line > 1;
			return { value: values[group] ?? null, from: getStart(group), to: getStart(group + 1), line, isOpen };
		},
		findHeadLine: (line) => getHeadLine(findGroup(line)),
		listPlaces(from, to) {
			const ranges: [number, number][] = [];
			for (let group = findGroup(from); group < values.length && getHeadLine(group) < to; group++) {
				const first = Math.max(from, getHeadLine(group) + 1);
				const end = Math.min(to, getHeadLine(group + 1));
				if (first >= end) continue;
				const shift = getStart(group) - getHeadLine(group) - 1;
				ranges.push([first + shift, end + shift]);
			}
			return ranges;
		},
	};
}

/** Finds the last of the first `count` numbers that is at most the limit. They ascend from 0. */
function findLast(numbers: Int32Array, count: number, limit: number): number {
	let [low, high] = [0, count - 1];
	while (low < high) {
		const middle = Math.ceil((low + high) / 2);
		if ((numbers[middle] ?? 0) <= limit) low = middle;
		else high = middle - 1;
	}
	return Math.max(0, low);
}

/**
 * Finds the place at which a selection ends that is extended to a line. The head of a closed fold
 * stands for all of its rows, that of an open one for none.
 */
export function findLastPlace(lines: Lines, line: number, isDown: boolean): number {
	const head = lines.getHead(line);
	if (head === null) return lines.getPlace(line);
	return Math.max(0, isDown ? (head.isOpen ? head.from : head.to) - 1 : head.from);
}

/** Finds the place at which a selection begins that is extended from a line. */
export function findFirstPlace(lines: Lines, line: number, isDown: boolean): number {
	const head = lines.getHead(line);
	if (head === null) return lines.getPlace(line);
	return Math.max(0, isDown ? head.from : (head.isOpen ? head.from : head.to) - 1);
}
