/** Cells of the rows around what is in sight: asked of the worker by the block, one block ahead, each block once. */
import type { GridWorker } from "./use-grid.ts";

const BLOCK = 64;
/** Of a long way through the rows only the last blocks stay. */
const MOST_BLOCKS = 64;

export interface Cells {
	/** Of one row, in the order of the keys; undefined while they are on their way. */
	at(row: number): readonly string[] | undefined;
	/** Has these rows, and those beside them, brought here. @param come called when some that were missing are there */
	want(from: number, to: number, come: () => void): void;
}

/** @param rows how many the view has: for each view, and each set of columns, these are made anew */
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
				// What was wanted last goes last.
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
