/** The view of a result: its filter and order, applied at once and then stored in the address. */
import { useCallback, useEffect, useRef, useState } from "react";
import type { GridWorker } from "./grid-worker.ts";
import type { ColumnInfo, View } from "./protocol.ts";
import type { GridSort } from "./sort.ts";

/** Of all rows. */
const getFilledAtFirst = (columns: readonly ColumnInfo[]): readonly string[] =>
	columns.filter(({ length }) => length > 0).map(({ key }) => key);

export interface ViewSearch {
	readonly filter: string;
	readonly sort: GridSort | null;
	onFilter(text: string): void;
	onSort(sort: GridSort | null): void;
}

interface ViewedResult {
	readonly worker: GridWorker;
	/** Number of all rows. */
	readonly total: number;
	readonly columns: readonly ColumnInfo[];
}

/** @param onNewView called when the rows of another view are there */
export function useView(
	{ worker, total, columns }: ViewedResult,
	{ filter, sort, onFilter, onSort }: ViewSearch,
	onNewView: () => void,
) {
	const [view, setView] = useState(() => ({ version: 0, rows: total, filled: getFilledAtFirst(columns) }));
	const latest = useRef(onNewView);
	latest.current = onNewView;

	// Applies a change at once, then stores it in the URL.
	const [wanted, setWanted] = useState({ filter, sort });
	const { column: sortColumn, descending } = sort ?? { column: null, descending: false };
	useEffect(() => {
		setWanted({ filter, sort: sortColumn === null ? null : { column: sortColumn, descending } });
	}, [filter, sortColumn, descending]);
	const setFilter = useCallback(
		(text: string) => {
			setWanted((before) => ({ ...before, filter: text }));
			onFilter(text);
		},
		[onFilter],
	);
	const setSort = useCallback(
		(next: GridSort | null) => {
			setWanted((before) => ({ ...before, sort: next }));
			onSort(next);
		},
		[onSort],
	);

	// Another filter or order is another view of the same rows.
	const first = useRef(true);
	const viewKey = JSON.stringify(wanted);
	useEffect(() => {
		const { filter, sort } = JSON.parse(viewKey) as View;
		if (first.current && filter === "" && sort === null) {
			first.current = false;
			return;
		}
		first.current = false;
		let current = true;
		void worker.ask({ kind: "view", view: { filter, sort } }, "view").then(({ rows, filled, ms }) => {
			if (!current) return;
			performance.measure("weft.grid.view", { start: performance.now() - ms, duration: ms });
			// An empty view keeps its columns: its condition is read from them.
			setView((before) => ({ version: before.version + 1, rows, filled: rows === 0 ? before.filled : filled }));
			latest.current();
		});
		return () => {
			current = false;
		};
	}, [worker, viewKey]);

	return { view, wanted, setFilter, setSort };
}
