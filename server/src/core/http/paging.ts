/** Page-number paging: the envelope with links that keep the caller's other parameters. */
import { buildNotFoundError } from "../errors.ts";

export interface PageQuery {
	readonly page: number;
	readonly page_size: number;
}

/** One page of rows and the count of all rows. */
export interface Page<Row> {
	readonly count: number;
	readonly rows: readonly Row[];
}

export const getOffset = (query: PageQuery): number => (query.page - 1) * query.page_size;

/**
 * The list envelope. A page beyond the last one answers 404; the first page always exists.
 * @param url the absolute address of the request
 */
export function paginateRows<Row, Item>(
	url: string,
	query: PageQuery,
	page: Page<Row>,
	present: (row: Row) => Item,
): { count: number; next: string | null; previous: string | null; results: Item[] } {
	const pages = Math.max(1, Math.ceil(page.count / query.page_size));
	if (query.page > pages) throw buildNotFoundError("There is no such page.");
	return {
		count: page.count,
		next: query.page < pages ? buildPageLink(url, query.page + 1) : null,
		previous: query.page > 1 ? buildPageLink(url, query.page - 1) : null,
		results: page.rows.map(present),
	};
}

function buildPageLink(url: string, page: number): string {
	const parsed = new URL(url);
	parsed.searchParams.set("page", String(page));
	return parsed.href;
}
