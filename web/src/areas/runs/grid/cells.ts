/**
 * Cells around the visible rows, requested from the worker in blocks, one block ahead, once each.
 */
import type { GridWorker } from "./grid-worker.ts";

const BLOCK = 64;
/** Of a long way through the rows only the last blocks stay. */
const MOST_BLOCKS = 64;

export interface Cells {
	/** Of one row, in the order of the keys; undefined while they are on their way. */
	at(row: number): readonly string[] | undefined;
	/** Loads these rows and their neighbours. @param come called when missing rows have arrived */
	want(from: number, to: number, come: () => void): void;
}

/** @param rows number of rows of the view; each view and column set needs a new instance */
export function createCells(worker: GridWorker, keys: readonly string[], rows: number): Cells {
	/** Null while they are on their way. */
	const blocks = new Map<number, readonly (readonly string[])[] | null>();
	const last = Math.ceil(rows / BLOCK) - 1;
	return {
		at: (row) => blocks.get(Math.floor(row / BLOCK))?.[row % BLOCK],
		want(from, to, come) {
			const [first, end] = [Math.floor(from / BLOCK) - 1, Math.floor((to - 1) / BLOCK) + 1];
			for (let block = Math.max(0, first); block <= Math.min(last, end); block++) {
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
				if (blocks.size <= MOST_BLOCKS) break;
				blocks.delete(block);
			}
		},
	};
}
