/** The changes of one object, of the feed of changes. */
import { OBJECT_LIMITS, type ObjectAnswer } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import type { Caller } from "../../../core/caller.ts";
import { presentEntries } from "../changes/entries.ts";
import { getOldestChange } from "../changes/expand-history.ts";
import { isFeedBehind } from "../changes/sql/cursors.ts";
import { listEntriesByObject } from "../changes/sql/feed.ts";

interface ObjectChanges extends Pick<ObjectAnswer, "changes" | "changes_since" | "are_changes_pending"> {
	readonly hasMore: boolean;
}

/**
 * The newest changes over all histories.
 * @param of histories that have the object, and the first time at which one of them had it
 */
export async function listChangesOfObject(
	ctx: Context,
	caller: Caller,
	of: { connectionId: string; dn: string; historyIds: readonly string[]; firstSeen: Date | null },
): Promise<ObjectChanges> {
	const { db } = ctx.store;
	const { connectionId, historyIds, firstSeen } = of;
	const oldest = getOldestChange(ctx);
	// Read first: a snapshot that the feed gets in between is in both answers.
	const isPending = await isFeedBehind(db, historyIds, oldest);
	const shown = { viewer: caller, view: null, since: oldest };
	// As the feed stores it: a text of the store has no NUL.
	const dn = of.dn.replaceAll("\0", "\uFFFD");
	const leads = await listEntriesByObject(db, shown, { connectionId, dn, limit: OBJECT_LIMITS.changes + 1 });
	const entries = await presentEntries(ctx, shown, leads.slice(0, OBJECT_LIMITS.changes));
	const isKept = firstSeen !== null && firstSeen > oldest;
	return {
		changes: entries.map(({ connection: _, dn: _dn, class_name: _class, ...entry }) => ({
			...entry,
			attributes: entry.change === "modified" ? entry.attributes : [],
			attributes_omitted: entry.change === "modified" ? entry.attributes_omitted : 0,
		})),
		changes_since: firstSeen === null ? null : (isKept ? firstSeen : oldest).toISOString(),
		are_changes_pending: isPending,
		hasMore: leads.length > OBJECT_LIMITS.changes,
	};
}
