/** Cuts a report to a size. Each part stays, with the number of rows that were left out. */

import { dropHalfPair } from "../../../core/text.ts";

export interface Block {
	/** Title and head of a table. */
	readonly lead: string;
	readonly rows: readonly string[];
	/** End of a table. */
	readonly tail: string;
	/** The line about rows that were left out: its texts before and after their number. */
	readonly omitted: readonly [before: string, after: string];
}

/**
 * Joins blocks within a size. Small blocks keep all their rows; the others share the rest equally.
 * @param measure returns the size of a text, such as its number of characters; sizes add up
 */
export function fitBlocks(blocks: readonly Block[], max: number, measure: (text: string) => number): string {
	const least = blocks.map(
		({ lead, rows, tail, omitted }) =>
			measure(lead) + measure(tail) + (rows.length > 0 ? measure(omitted.join(String(rows.length))) : 0),
	);
	const left = max - sumSizes(least);
	if (left < 0) return cutText(blocks.map(({ lead }) => lead).join(""), max, measure);
	const sizes = blocks.map(({ rows }) => rows.map(measure));
	const rooms = divideRoom(sizes.map(sumSizes), left);
	return blocks.map((block, i) => writeBlock(block, sizes[i] ?? [], rooms[i] ?? 0)).join("");
}

const sumSizes = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);

/** Divides a room among needs, the smallest first: each gets at most an equal share of the rest. */
function divideRoom(needs: readonly number[], room: number): number[] {
	const shares = needs.map(() => 0);
	let left = room;
	const order = needs.map((need, place) => ({ need, place })).sort((one, other) => one.need - other.need);
	for (const [i, { need, place }] of order.entries()) {
		const share = Math.min(need, Math.floor(left / (order.length - i)));
		shares[place] = share;
		left -= share;
	}
	return shares;
}

function writeBlock({ lead, rows, tail, omitted }: Block, sizes: readonly number[], room: number): string {
	let used = 0;
	let count = 0;
	for (const size of sizes) {
		if (used + size > room) break;
		used += size;
		count++;
	}
	const left = rows.length - count;
	return lead + rows.slice(0, count).join("") + (left > 0 ? omitted.join(String(left)) : "") + tail;
}

/** Cuts a text to a size with an ellipsis. */
function cutText(text: string, max: number, measure: (text: string) => number): string {
	let end = Math.min(text.length, max);
	while (end > 0 && measure(text.slice(0, end)) + measure("…") > max)
		end -= Math.max(1, Math.ceil((measure(text.slice(0, end)) + measure("…") - max) / 4));
	return `${dropHalfPair(text.slice(0, Math.max(0, end)))}…`;
}
