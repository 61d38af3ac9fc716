/**
 * Retention: previews and deletes the snapshots that have expired by a user's settings, on demand
 * and daily.
 */
import { CLEANUP_PREVIEW, type CleanupBody, type CleanupPreviewBody, type SnapshotSettings } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller, Identity } from "../../core/caller.ts";
import { buildForbiddenError, buildNotFoundError } from "../../core/errors.ts";
import type { Actor, NotificationDue } from "../../core/events.ts";
import { loadVisibleQuery } from "../queries/saved/visible-query.ts";
import { eraseSnapshots } from "./erase-snapshots.ts";
import { findSettingsOrDefault } from "./snapshot-settings.ts";
import { type Expired, listExpired, listSnapshotOwners, previewExpired, type SnapshotOwner } from "./sql/cleanup.ts";

const DAY_MS = 24 * 3_600_000;

/** Null if the settings keep everything. */
function buildExpiryCriteria(
	ctx: Context,
	userId: number,
	own: Pick<SnapshotSettings, "retention_policy" | "retention_days" | "retention_count">,
	{ query_id, include_annotated }: CleanupBody,
): Expired | null {
	if (own.retention_policy === "unlimited") return null;
	const byDays = own.retention_policy === "days";
	return {
		userId,
		queryId: query_id,
		before: byDays ? new Date(ctx.clock.now() - own.retention_days * DAY_MS) : null,
		keep: byDays ? null : own.retention_count,
		includeAnnotated: include_annotated,
	};
}

/** Throws 403 or 404 if the body names a query whose snapshots the user may not clean up. */
async function readExpiryCriteria(ctx: Context, identity: Identity, body: CleanupPreviewBody): Promise<Expired | null> {
	if (body.query_id !== null) {
		const query = await loadVisibleQuery(ctx.store.db, identity, body.query_id);
		if (query === null) throw buildNotFoundError();
		if (query.ownerId !== identity.userId)
			throw buildForbiddenError("Only the owner of a query cleans up its snapshots.");
	}
	const own = await findSettingsOrDefault(ctx, identity.userId);
	const {
		retention_policy = own.retention_policy,
		retention_days = own.retention_days,
		retention_count = own.retention_count,
	} = body;
	return buildExpiryCriteria(ctx, identity.userId, { retention_policy, retention_days, retention_count }, body);
}

/** Deletes expired snapshots history by history. Returns how many. */
async function purgeSnapshots(ctx: Context, actor: Actor, criteria: Expired): Promise<number> {
	const histories = new Map<string, string[]>();
	for (const { id, history_id } of await listExpired(ctx.store.db, criteria)) {
		const known = histories.get(history_id);
		if (known === undefined) histories.set(history_id, [id]);
		else known.push(id);
	}
	let deleted = 0;
	for (const [historyId, ids] of histories)
		deleted += await eraseSnapshots(ctx, historyId, ids, (tx, count) =>
			ctx.events.changed(tx, actor, {
				targetType: "snapshot_history",
				targetId: historyId,
				description: `${actor.username} cleaned up ${count} ${count === 1 ? "snapshot" : "snapshots"}`,
				metadata: { deleted_count: count },
			}),
		);
	return deleted;
}

export async function previewCleanup(ctx: Context, identity: Identity, body: CleanupPreviewBody) {
	const criteria = await readExpiryCriteria(ctx, identity, body);
	if (criteria === null) return { count: 0, has_more: false, snapshots: [] };
	const { count, rows } = await previewExpired(ctx.store.db, criteria, CLEANUP_PREVIEW);
	return {
		count,
		has_more: count > rows.length,
		snapshots: rows.map(({ id, query_name, executed_at, result_count, result_size_bytes }) => ({
			id,
			query_name,
			executed_at: executed_at.toISOString(),
			result_count,
			size_bytes: result_size_bytes,
		})),
	};
}

export async function executeCleanup(ctx: Context, caller: Caller, body: CleanupBody) {
	const criteria = await readExpiryCriteria(ctx, caller, body);
	const deleted = criteria === null ? 0 : await purgeSnapshots(ctx, caller, criteria);
	if (deleted === 0) {
		await ctx.store.transaction((tx) =>
			ctx.events.changed(tx, caller, {
				targetType: body.query_id === null ? "snapshot_history" : "saved_query",
				targetId: body.query_id ?? "",
				description: `${caller.username} cleaned up 0 snapshots`,
				metadata: { deleted_count: 0 },
			}),
		);
	}
	return { message: `Deleted ${deleted} ${deleted === 1 ? "snapshot" : "snapshots"}.`, deleted_count: deleted };
}

/**
 * Deletes the expired snapshots of all users who have the daily cleanup on.
 * @throws AggregateError if those of some users could not be deleted, after all others
 */
export async function purgeExpiredSnapshots(ctx: Context, signal: AbortSignal): Promise<void> {
	const failures: unknown[] = [];
	for (const user of await listSnapshotOwners(ctx.store.db)) {
		if (signal.aborted) return;
		try {
			await purgeOfUser(ctx, user);
		} catch (error) {
			ctx.log.error({ err: error, user: user.id }, "the expired snapshots of a user could not be deleted");
			failures.push(error);
		}
	}
	if (failures.length > 0) throw new AggregateError(failures, "The daily cleanup failed for some users.");
}

async function purgeOfUser(ctx: Context, user: SnapshotOwner): Promise<void> {
	const own = await findSettingsOrDefault(ctx, user.id);
	if (!own.auto_cleanup_enabled) return;
	const criteria = buildExpiryCriteria(ctx, user.id, own, { query_id: null, include_annotated: false });
	if (criteria === null) return;
	const count = await purgeSnapshots(ctx, buildCleanupActor(user), criteria);
	if (count === 0) return;
	await ctx.store.transaction((tx) =>
		ctx.events.emit(tx, buildCleanupNotice(user.id, count, new Date(ctx.clock.now()))),
	);
}

/** The key allows one per day, whichever node cleans up and however often it starts again. */
function buildCleanupNotice(userId: number, count: number, at: Date): NotificationDue {
	return {
		type: "notification_due",
		userId,
		category: "time_machine",
		severity: "info",
		title: "Old snapshots were deleted",
		body: `${count} ${count === 1 ? "snapshot was" : "snapshots were"} beyond the retention of your snapshot settings.`,
		link: "",
		facts: { event: "snapshots_deleted", objects: [] },
		key: `snapshot_cleanup:${at.toISOString().slice(0, 10)}`,
	};
}

/** The daily cleanup acts for the user whose settings it follows. */
function buildCleanupActor({ id, username }: SnapshotOwner): Actor {
	return {
		userId: id,
		username,
		ip: "",
		userAgent: "",
		requestId: "",
		audit: { category: "time_machine", action: "snapshot_cleanup" },
	};
}
