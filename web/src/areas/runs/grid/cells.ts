/**
 * Cells around the visible rows, requested from the worker in blocks, one block ahead, once each.
 */
import type { GridWorker } from "./grid-worker.ts";

const BLOCK = 64;
/** Of a long way through the rows only the last blocks stay. */
const MOST_BLOCKS = 64;

export interface Cells {
	/** Cells of the row at a place, in the order of the keys; undefined while they load. */
	at(place: number): readonly string[] | undefined;
	/**
	 * Loads these rows and their neighbours.
	 * @param places ranges without their ends, ascending
	 * @param come called when missing rows have arrived
	 */
	want(places: readonly (readonly [from: number, to: number])[], come: () => void): void;
}

/** @param rows number of rows of the view; each view and column set needs a new instance */
export function createCells(worker: GridWorker, keys: readonly string[], rows: number): Cells {
	/** Null while they are on their way. */
	const blocks = new Map<number, readonly (readonly string[])[] | null>();
	const last = Math.ceil(rows / BLOCK) - 1;
	return {
		at: (place) => blocks.get(Math.floor(place / BLOCK))?.[place % BLOCK],
		want(places, come) {
			const wanted = listBlocks(places).filter((block) => block >= 0 && block <= last);
			for (const block of wanted) {
				const known = blocks.get(block);
				// Keeps the most recently requested block last.
				blocks.delete(block);
				blocks.set(block, known ?? null);
				if (known !== undefined) continue;
				const question = { kind: "cells", from: block * BLOCK, to: (block + 1) * BLOCK, keys } as const;
				void worker.ask(question, "cells").then(({ cells }) => {
					if (!blocks.has(block)) return;
					blocks.set(block, cells);
					come();
				});
			}
			for (const block of blocks.keys()) {
				if (blocks.size <= Math.max(MOST_BLOCKS, wanted.length)) break;
				blocks.delete(block);
			}
		},
	};
}

/** Lists the blocks that have these places, each once, and one more at both ends. */
function listBlocks(places: readonly (readonly [from: number, to: number])[]): number[] {
	const blocks = new Set<number>();
	for (const [at, [from, to]] of places.entries()) {
		const first = Math.floor(from / BLOCK) - (at === 0 ? 1 : 0);
		const last = Math.floor((to - 1) / BLOCK) + (at === places.length - 1 ? 1 : 0);
		for (let block = first; block <= last; block++) blocks.add(block);
	}
	return [...blocks];
}
