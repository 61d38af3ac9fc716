/** Users' notifications and preferences, and administrators' announcements. */
import type { Announcement, Notification, NotificationList, NotificationPreferencesPatch } from "@weft/contracts";
import type { Caller } from "../../platform/caller.ts";
import { buildInvalidError, notFound } from "../../platform/errors.ts";
import { type Events, markUnchanged } from "../../platform/events.ts";
import { paginateRows } from "../../platform/http/paging.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { PubSub } from "../../ports/pubsub.ts";
import type { Store, Tx } from "../../ports/store.ts";
import { mergePreferences, quietHoursErrors } from "./domain/preferences.ts";
import { presentNotification } from "./present.ts";
import {
	findNotification,
	listNotificationPage,
	markNotificationRead,
	markNotificationsRead,
	readInbox,
	removeNotification,
} from "./repo.ts";
import {
	findNotificationPreferences,
	lockNotificationPreferences,
	saveNotificationPreferences,
} from "./repo-recipients.ts";

import { getTopic, type Notify } from "./service-notify.ts";

export interface ServiceDeps {
	readonly store: Store;
	readonly clock: Pick<Clock, "now">;
	readonly ids: Pick<Ids, "uuid">;
	readonly pubsub: Pick<PubSub, "publish">;
	readonly events: Pick<Events, "changed">;
	readonly notify: Notify;
}

/** A statement over more rows would lock the user's inbox for seconds. */
const READ_BATCH = 10_000;

const buildNotificationTarget = (id: string) => ({ targetType: "notification", targetId: id });

export function createNotificationService(deps: ServiceDeps) {
	const { store, clock, ids, pubsub, events, notify } = deps;
	const now = () => new Date(clock.now());

	/** Wakes all sockets of the user, so that each of their windows shows the change. */
	function wakeSockets(tx: Tx, userId: number): void {
		tx.afterCommit(() => pubsub.publish(getTopic(userId), ""));
	}

	async function markSome(tx: Tx, caller: Caller): Promise<number> {
		const { userId, username } = caller;
		const updated = await markNotificationsRead(tx, userId, now(), READ_BATCH);
		if (updated === 0) return 0;
		await events.changed(tx, caller, {
			targetType: "user",
			targetId: userId,
			metadata: { updated },
			description: `${username} read all notifications`,
		});
		wakeSockets(tx, userId);
		return updated;
	}

	return {
		async list(caller: Caller, filter: NotificationList, url: string) {
			return paginateRows(
				url,
				filter,
				await listNotificationPage(store.db, caller.userId, filter),
				presentNotification,
			);
		},

		async unreadCount({ userId }: Pick<Caller, "userId">): Promise<number> {
			return (await readInbox(store.db, userId)).unread;
		},

		async markRead(caller: Caller, id: string): Promise<Notification> {
			const { userId, username } = caller;
			return store.transaction(async (tx) => {
				if (await markNotificationRead(tx, userId, id, now())) {
					await events.changed(tx, caller, {
						...buildNotificationTarget(id),
						description: `${username} read a notification`,
					});
					wakeSockets(tx, userId);
				} else markUnchanged(caller);
				const row = await findNotification(tx.db, userId, id);
				if (row === undefined) throw notFound();
				return presentNotification(row);
			});
		},

		/** In batches, so that thousands of unread notifications do not lock the inbox for long. */
		async markAllRead(caller: Caller): Promise<number> {
			let updated = 0;
			for (;;) {
				const some = await store.transaction((tx) => markSome(tx, caller));
				updated += some;
				if (some < READ_BATCH) break;
			}
			if (updated === 0) markUnchanged(caller);
			return updated;
		},

		async remove(caller: Caller, id: string): Promise<void> {
			await store.transaction(async (tx) => {
				if (!(await removeNotification(tx, caller.userId, id, now()))) throw notFound();
				await events.changed(tx, caller, {
					...buildNotificationTarget(id),
					description: `${caller.username} deleted a notification`,
				});
				wakeSockets(tx, caller.userId);
			});
		},

		preferences: ({ userId }: Caller) => findNotificationPreferences(store.db, userId),

		async changePreferences(caller: Caller, patch: NotificationPreferencesPatch) {
			const { userId, username } = caller;
			return store.transaction(async (tx) => {
				await lockNotificationPreferences(tx, userId);
				const before = await findNotificationPreferences(tx.db, userId);
				const after = mergePreferences(before, patch);
				const errors = quietHoursErrors(after);
				if (errors !== null) throw buildInvalidError(errors);
				const fields = Object.keys(patch);
				if (fields.length === 0) {
					markUnchanged(caller);
					return before;
				}
				await saveNotificationPreferences(tx, userId, after);
				await events.changed(tx, caller, {
					targetType: "notification_preferences",
					targetId: userId,
					metadata: { fields },
					description: `${username} changed how notifications are told`,
				});
				return after;
			});
		},

		async announce(caller: Caller, { title, body, severity, link }: Announcement): Promise<{ recipients: number }> {
			return store.transaction(async (tx) => {
				const id = ids.uuid();
				const recipients = await notify(tx, {
					type: "notification_due",
					category: "system",
					severity,
					title,
					body,
					link,
					facts: { event: "announcement", actor: caller.username, objects: [] },
					audience: "everyone",
					key: `announcement:${id}`,
				});
				await events.changed(tx, caller, {
					targetType: "announcement",
					targetId: id,
					metadata: { title, severity, recipients },
					description: `${caller.username} announced "${title}" to ${recipients} users`,
				});
				return { recipients };
			});
		},
	};
}
export type NotificationService = ReturnType<typeof createNotificationService>;
