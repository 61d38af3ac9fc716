/** Entries of the feed, read with all of their rows. */
import type { FeedEntry } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { presentChange } from "./present.ts";
import type { FeedView } from "./sql/conditions.ts";
import { type FeedRow, listImportantEntries, listMembers } from "./sql/feed.ts";

/** Presents the entries that some rows begin, in their order. */
export async function presentEntries(
	ctx: Context,
	shown: Pick<FeedView, "viewer" | "view">,
	leads: readonly FeedRow[],
): Promise<FeedEntry[]> {
	const shared = leads.filter(({ is_shared }) => is_shared).map(({ group_id }) => group_id);
	const groups = new Map<string, FeedRow[]>();
	for (const row of await listMembers(ctx.store.db, shown, shared))
		groups.set(row.group_id, [...(groups.get(row.group_id) ?? []), row]);
	return leads.map((lead) => presentChange(lead, groups.get(lead.group_id) ?? [lead]));
}

/** The entries of a view with the highest severity, then the newest. */
export async function listImportantChanges(ctx: Context, shown: FeedView, limit: number): Promise<FeedEntry[]> {
	if (limit === 0) return [];
	return presentEntries(ctx, shown, await listImportantEntries(ctx.store.db, shown, limit));
}
