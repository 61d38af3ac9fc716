/** Cells of the rows in sight: each is asked of the worker once, and a row that stays in sight stays the very same. */
import { useEffect, useRef, useState } from "react";
import type { GridWorker } from "./use-grid.ts";

interface Wanted {
	/** Tells views apart: the same place holds another row in each. */
	readonly version: number;
	readonly from: number;
	readonly to: number;
	readonly keys: readonly string[];
}

interface Cells {
	readonly version: number;
	readonly keys: readonly string[];
	readonly rows: ReadonlyMap<number, readonly string[]>;
}

const NONE: ReadonlyMap<number, readonly string[]> = new Map();

/** By the places of the rows; those that are not there yet are missing. */
export function useCells(worker: GridWorker, wanted: Wanted): ReadonlyMap<number, readonly string[]> {
	const { version, from, to, keys } = wanted;
	const [cells, setCells] = useState<Cells>({ version: -1, keys, rows: NONE });
	const held = useRef(cells);
	held.current = cells;
	const latest = useRef(wanted);
	latest.current = wanted;
	useEffect(() => {
		const known = held.current.version === version && held.current.keys === keys ? held.current.rows : NONE;
		let [first, last] = [from, to];
		while (first < last && known.has(first)) first++;
		while (last > first && known.has(last - 1)) last--;
		if (first === last && to > from) return;
		void worker.ask({ kind: "cells", from: first, to: last, keys }, "cells").then(({ cells: fresh }) => {
			const now = latest.current;
			// One has scrolled on: what came is still good for as long as it is in sight.
			if (now.version !== version || now.keys !== keys) return;
			setCells((before) => {
				const old = before.version === version && before.keys === keys ? before.rows : NONE;
				const rows = new Map<number, readonly string[]>();
				for (let row = now.from; row < now.to; row++) {
					const found = fresh[row - first] ?? old.get(row);
					if (found !== undefined) rows.set(row, found);
				}
				return { version, keys, rows };
			});
		});
	}, [worker, version, from, to, keys]);
	return cells.version === version && cells.keys === keys ? cells.rows : NONE;
}
