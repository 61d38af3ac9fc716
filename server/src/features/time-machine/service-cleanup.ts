/** Retention: what a user's settings no longer keep is shown, deleted on demand, and deleted every day. */
import { CLEANUP_PREVIEW, type CleanupBody, type SnapshotSettings } from "@weft/contracts";
import type { Caller, Identity } from "../../platform/caller.ts";
import { forbidden, notFound } from "../../platform/errors.ts";
import { type Actor, type NotificationDue, unchanged } from "../../platform/events.ts";
import type { Erase } from "./erase.ts";
import type { CleanupRepo, Expired } from "./repo-cleanup.ts";
import { DEFAULT_SETTINGS, type TimeMachineDeps } from "./service.ts";

const DAY_MS = 24 * 3_600_000;

type CleanupDeps = Pick<TimeMachineDeps, "store" | "clock" | "events" | "settings" | "queries"> & {
	readonly cleanup: CleanupRepo;
	readonly erase: Erase;
};

export function createCleanup({ store, clock, events, settings, queries, cleanup, erase }: CleanupDeps) {
	/** Null when the settings keep everything. */
	function expired(
		userId: number,
		own: SnapshotSettings,
		{ query_id, include_annotated }: CleanupBody,
	): Expired | null {
		if (own.retention_policy === "unlimited") return null;
		const byDays = own.retention_policy === "days";
		return {
			userId,
			queryId: query_id,
			before: byDays ? new Date(clock.now() - own.retention_days * DAY_MS) : null,
			keep: byDays ? null : own.retention_count,
			includeAnnotated: include_annotated,
		};
	}

	const settingsOf = async (userId: number) => (await settings.find(store.db, userId)) ?? DEFAULT_SETTINGS;

	async function asked(identity: Identity, body: CleanupBody): Promise<Expired | null> {
		if (body.query_id !== null) {
			const query = await queries.find(identity, body.query_id);
			if (query === null) throw notFound();
			if (query.ownerId !== identity.userId) throw forbidden("Only the owner of a query cleans up its snapshots.");
		}
		return expired(identity.userId, await settingsOf(identity.userId), body);
	}

	/** Deletes what has expired, history by history. */
	async function purge(actor: Actor, of: Expired): Promise<number> {
		const histories = new Map<string, string[]>();
		for (const { id, history_id } of await cleanup.all(store.db, of))
			histories.set(history_id, [...(histories.get(history_id) ?? []), id]);
		let deleted = 0;
		for (const [historyId, ids] of histories)
			deleted += await erase(historyId, ids, (tx, count) =>
				events.changed(tx, actor, {
					targetType: "snapshot_history",
					targetId: historyId,
					description: `${actor.username} cleaned up ${count} ${count === 1 ? "snapshot" : "snapshots"}`,
					metadata: { deleted_count: count },
				}),
			);
		return deleted;
	}

	return {
		async preview(identity: Identity, body: CleanupBody) {
			const of = await asked(identity, body);
			if (of === null) return { count: 0, has_more: false, snapshots: [] };
			const { count, rows } = await cleanup.preview(store.db, of, CLEANUP_PREVIEW);
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
		},

		async execute(caller: Caller, body: CleanupBody) {
			const of = await asked(caller, body);
			const deleted = of === null ? 0 : await purge(caller, of);
			if (deleted === 0) unchanged(caller);
			return { message: `Deleted ${deleted} ${deleted === 1 ? "snapshot" : "snapshots"}.`, deleted_count: deleted };
		},

		/** For every user who lets the daily cleanup run. */
		async purgeAll(signal: AbortSignal): Promise<void> {
			for (const user of await cleanup.owners(store.db)) {
				if (signal.aborted) return;
				const own = await settingsOf(user.id);
				if (!own.auto_cleanup_enabled) continue;
				const of = expired(user.id, own, { query_id: null, include_annotated: false });
				if (of === null) continue;
				const count = await purge(nightly(user), of);
				if (count > 0)
					await store.transaction((tx) => events.emit(tx, purgedNotice(user.id, count, new Date(clock.now()))));
			}
		},
	};
}

/** One a day, whichever node cleans up, and however often it has to begin again. */
function purgedNotice(userId: number, count: number, at: Date): NotificationDue {
	return {
		type: "notification_due",
		userId,
		category: "time_machine",
		severity: "info",
		title: "Old snapshots were deleted",
		body: `${count} ${count === 1 ? "snapshot was" : "snapshots were"} older than your settings keep.`,
		link: "",
		key: `snapshot_cleanup:${at.toISOString().slice(0, 10)}`,
	};
}

/** The daily cleanup acts for the user whose settings it follows. */
function nightly({ id, username }: { id: number; username: string }): Actor {
	return {
		userId: id,
		username,
		ip: "",
		userAgent: "",
		requestId: "",
		audit: { category: "time_machine", action: "snapshot_cleanup" },
	};
}
