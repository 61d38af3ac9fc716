/** Filter, order and folds of a result, applied at once and then stored in the address. */
import { useCallback, useEffect, useRef, useState } from "react";
import type { GridWorker } from "./grid-worker.ts";
import type { Groups } from "./group-rows.ts";
import type { ColumnInfo, View } from "./protocol.ts";
import type { GridSort } from "./sort.ts";

/** Of all rows. */
const getFilledAtFirst = (columns: readonly ColumnInfo[]): readonly string[] =>
	columns.filter(({ length }) => length > 0).map(({ key }) => key);

export interface ViewSearch {
	readonly filter: string;
	readonly sort: GridSort | null;
	/** Key of the column whose values fold the rows; null: none. */
	readonly group: string | null;
	onFilter(text: string): void;
	onSort(sort: GridSort | null): void;
	onGroup(group: string | null): void;
}

export interface ResultView {
	readonly version: number;
	/** Number of rows. */
	readonly rows: number;
	/** Keys of the columns that have a value in these rows. */
	readonly filled: readonly string[];
	/** Groups of the rows; null where they are not folded. */
	readonly groups: Groups | null;
	/** Key of the column whose values fold the rows; null: none. */
	readonly group: string | null;
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
	{ filter, sort, group, onFilter, onSort, onGroup }: ViewSearch,
	onNewView: () => void,
) {
	const [view, setView] = useState<ResultView>(() => ({
		version: 0,
		rows: total,
		filled: getFilledAtFirst(columns),
		groups: null,
		group: null,
	}));
	const latest = useRef(onNewView);
	latest.current = onNewView;

	// Applies a change at once, then stores it in the URL.
	const [wanted, setWanted] = useState<View>({ filter, sort, group });
	const { column: sortColumn, descending } = sort ?? { column: null, descending: false };
	useEffect(() => {
		setWanted({ filter, sort: sortColumn === null ? null : { column: sortColumn, descending }, group });
	}, [filter, sortColumn, descending, group]);
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
	const setGroup = useCallback(
		(next: string | null) => {
			setWanted((before) => ({ ...before, group: next }));
			onGroup(next);
		},
		[onGroup],
	);

	// Another filter, order or grouping is another view of the same rows.
	const first = useRef(true);
	const viewKey = JSON.stringify(wanted);
	useEffect(() => {
		const { filter, sort, group } = JSON.parse(viewKey) as View;
		if (first.current && filter === "" && sort === null && group === null) {
			first.current = false;
			return;
		}
		first.current = false;
		let current = true;
		void worker.ask({ kind: "view", view: { filter, sort, group } }, "view").then(({ rows, filled, groups, ms }) => {
			if (!current) return;
			performance.measure("weft.grid.view", { start: performance.now() - ms, duration: ms });
			// An empty view keeps its columns: its condition is read from them.
			setView(({ version, filled: before }) => ({
				version: version + 1,
				rows,
				filled: rows === 0 ? before : filled,
				groups,
				group,
			}));
			latest.current();
		});
		return () => {
			current = false;
		};
	}, [worker, viewKey]);

	return { view, wanted, setFilter, setSort, setGroup };
}
