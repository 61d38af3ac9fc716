/** By which column a grid is sorted. */
export interface GridSort {
	readonly column: string;
	readonly descending: boolean;
}

/** Ascending, descending, none. */
export function nextSort(sort: GridSort | null, column: string): GridSort | null {
	if (sort?.column !== column) return { column, descending: false };
	return sort.descending ? null : { column, descending: true };
}
