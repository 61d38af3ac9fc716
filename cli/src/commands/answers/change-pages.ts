/** The feed of changes, page by page. */
import type { FeedEntry } from "@weft/contracts";
import { changeRoutes, MAX_PAGE_SIZE } from "@weft/contracts/browser";
import type { WeftClient } from "@weft/sdk";

/** Filters of the feed by their names in the API. */
export type ChangeFilter = Readonly<
	Partial<
		Record<"since" | "until" | "connection" | "saved_query" | "user" | "tenant" | "class" | "search", string> & {
			change: FeedEntry["change"];
			severity: FeedEntry["severity"];
		}
	>
>;

interface ChangePage {
	/** Changes of all pages. */
	readonly count: number;
	readonly results: readonly FeedEntry[];
}

/** The pages of the feed, newest changes first; all show the view of the first one. */
export async function* iterateChangePages(
	client: WeftClient,
	filter: ChangeFilter,
	pageSize = MAX_PAGE_SIZE,
): AsyncGenerator<ChangePage, void, void> {
	let query: Record<string, string> = { ...filter, page_size: String(pageSize) };
	for (;;) {
		const page = await client.call(changeRoutes.list, { query });
		yield page;
		if (page.next === null) return;
		query = Object.fromEntries(new URL(page.next).searchParams);
	}
}
