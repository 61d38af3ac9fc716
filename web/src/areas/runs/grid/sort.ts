/** By which column a grid is sorted. */
export interface GridSort {
	readonly column: string;
	readonly descending: boolean;
}

/** Ascending, descending, none. */
export function computeNextSort(sort: GridSort | null, column: string): GridSort | null {
	if (sort?.column !== column) return { column, descending: false };
	return sort.descending ? null : { column, descending: true };
}

/** As it stands in an address: `name`, or `-name` for descending. */
export const readSort = (text: string | undefined): GridSort | null =>
	text === undefined
		? null
		: text.startsWith("-")
			? { column: text.slice(1), descending: true }
			: { column: text, descending: false };
export const writeSort = (sort: GridSort | null): string | undefined =>
	sort === null ? undefined : `${sort.descending ? "-" : ""}${sort.column}`;
