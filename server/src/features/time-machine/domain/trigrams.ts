/**
 * Which blocks of a text can hold a part that somebody looks for. A trigram is any three characters that follow one another; a block that holds the part
 * holds all of the part's. Trigrams share a limited number of lists, so what is told is where to look, not what is there.
 */

/** As few and large pieces that go from thread to thread at once. */
export interface Trigrams {
	/** List i: from `starts[i]` to `starts[i + 1]` of `blocks`, ascending. A power of two of them. */
	starts: Int32Array;
	blocks: Int32Array;
}

const LEAST_LISTS = 256;
const MOST_LISTS = 65_536;
/** Characters of the text for each list, about: so short a text has few different trigrams. */
const CHARACTERS = 8;

/** @param blockStarts where each block begins, and where one more would */
export function indexTrigrams(text: string, blockStarts: ArrayLike<number>): Trigrams {
	let lists = LEAST_LISTS;
	while (lists < MOST_LISTS && lists * CHARACTERS < text.length) lists *= 2;
	const starts = new Int32Array(lists + 1);
	eachInBlock(text, blockStarts, lists, (list) => {
		starts[list + 1] = (starts[list + 1] as number) + 1;
	});
	for (let list = 0; list < lists; list++) starts[list + 1] = (starts[list + 1] as number) + (starts[list] as number);
	const blocks = new Int32Array(starts[lists] as number);
	const next = starts.slice();
	eachInBlock(text, blockStarts, lists, (list, block) => {
		blocks[next[list] as number] = block;
		next[list] = (next[list] as number) + 1;
	});
	return { starts, blocks };
}

/** Each list of each block once. */
function eachInBlock(
	text: string,
	blockStarts: ArrayLike<number>,
	lists: number,
	visit: (list: number, block: number) => void,
): void {
	const seen = new Int32Array(lists).fill(-1);
	for (let block = 0; block + 1 < blockStarts.length; block++) {
		const end = (blockStarts[block + 1] as number) - 2;
		for (let at = blockStarts[block] as number; at < end; at++) {
			const list = listOf(text, at, lists);
			if (seen[list] === block) continue;
			seen[list] = block;
			visit(list, block);
		}
	}
}

/** The blocks that can hold the part, ascending; null where all of them can, for the part has no trigram. */
export function blocksWith({ starts, blocks }: Trigrams, part: string): Int32Array | null {
	let shortest: Int32Array | null = null;
	for (let at = 0; at + 2 < part.length; at++) {
		const list = listOf(part, at, starts.length - 1);
		const found = blocks.subarray(starts[list], starts[list + 1]);
		if (shortest === null || found.length < shortest.length) shortest = found;
	}
	return shortest;
}

function listOf(text: string, at: number, lists: number): number {
	const code = (text.charCodeAt(at) * 961 + text.charCodeAt(at + 1)) * 31 + text.charCodeAt(at + 2);
	return (Math.imul(code, 0x9e3779b1) >>> 12) & (lists - 1);
}
