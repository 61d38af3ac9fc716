/** The feed of changes, page by page. */
import type { ChangeListQuery, FeedEntry } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import type { Caller } from "../../../core/caller.ts";
import { buildFieldError, buildNotFoundError } from "../../../core/errors.ts";
import { getOffset } from "../../../core/http/paging.ts";
import { presentEntries } from "./entries.ts";
import { findWindow } from "./feed-window.ts";
import { type FeedCursor, formatCursor, parseCursor } from "./rules/cursor.ts";
import type { FeedView } from "./sql/conditions.ts";
import { countEntries, listEntries } from "./sql/feed.ts";

/** A page of a search is read by time if there are this many times as many entries. */
const FREQUENT = 100;

interface ChangePage {
	readonly count: number;
	readonly next: string | null;
	readonly previous: null;
	readonly results: FeedEntry[];
}

/**
 * A page and the link to the next one, which goes on in the view of the first page: changes that
 * come meanwhile are not part of it.
 */
export async function listObjectChanges(
	ctx: Context,
	caller: Caller,
	query: ChangeListQuery,
	url: string,
): Promise<ChangePage> {
	const { page, page_size, cursor: text, ...filter } = query;
	const after = text === undefined ? null : parseCursor(text);
	if (text !== undefined && after === null) throw buildFieldError("cursor", "Must be the cursor of a next link.");
	const window = findWindow(ctx, filter);
	const { db } = ctx.store;
	const all: FeedView = { viewer: caller, filter, ...window, view: null };
	const { count, view } = after ?? (await countEntries(db, all));
	const offset = after === null ? getOffset({ page, page_size }) : 0;
	const isFrequent = (offset + page_size) * FREQUENT < count;
	const shown: FeedView = { ...all, view, isFrequent };
	const found = offset < count ? await listEntries(db, shown, { after, offset, limit: page_size + 1 }) : [];
	const leads = found.slice(0, page_size);
	if (leads.length === 0 && page > 1 && after === null) throw buildNotFoundError("There is no such page.");
	const last = leads.at(-1);
	const hasMore = found.length > page_size && last !== undefined;
	return {
		count,
		next: hasMore ? buildNextLink(url, page + 1, window.since, { at: last.at, id: last.id, view, count }) : null,
		previous: null,
		results: await presentEntries(ctx, shown, leads),
	};
}

function buildNextLink(url: string, page: number, since: Date, cursor: FeedCursor): string {
	const parsed = new URL(url);
	parsed.searchParams.set("since", since.toISOString());
	parsed.searchParams.set("page", String(page));
	parsed.searchParams.set("cursor", formatCursor(cursor));
	return parsed.href;
}
