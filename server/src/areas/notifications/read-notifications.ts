/** Users' notifications and preferences, and administrators' announcements. */
import type { Announcement, Notification, NotificationList, NotificationPreferencesPatch } from "@weft/contracts";
import { type Context, getNow } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import { buildInvalidError, buildNotFoundError } from "../../core/errors.ts";
import { markUnchanged } from "../../core/events.ts";
import { paginateRows } from "../../core/http/paging.ts";
import type { Tx } from "../../core/ports/store.ts";
import { getTopic, notifyUsers } from "./notify-users.ts";
import { presentNotification } from "./present.ts";
import { findQuietHoursErrors, mergePreferences } from "./rules/preferences.ts";
import {
	findNotification,
	listNotificationPage,
	markNotificationRead,
	markNotificationsRead,
	readInbox,
	removeNotification,
} from "./sql/notifications.ts";
import {
	findNotificationPreferences,
	lockNotificationPreferences,
	saveNotificationPreferences,
} from "./sql/recipients.ts";

/** A statement over more rows would lock the user's inbox for seconds. */
const READ_BATCH = 10_000;

const buildNotificationTarget = (id: string) => ({ targetType: "notification", targetId: id });

/** Wakes all sockets of the user, so that each of their windows shows the change. */
function wakeSockets(ctx: Context, tx: Tx, userId: number): void {
	tx.afterCommit(() => ctx.pubsub.publish(getTopic(userId), ""));
}

async function markSome(ctx: Context, tx: Tx, caller: Caller): Promise<number> {
	const { userId, username } = caller;
	const updated = await markNotificationsRead(tx, userId, getNow(ctx), READ_BATCH);
	if (updated === 0) return 0;
	await ctx.events.changed(tx, caller, {
		targetType: "user",
		targetId: userId,
		metadata: { updated },
		description: `${username} read all notifications`,
	});
	wakeSockets(ctx, tx, userId);
	return updated;
}

export async function readNotificationPage(ctx: Context, caller: Caller, filter: NotificationList, url: string) {
	return paginateRows(
		url,
		filter,
		await listNotificationPage(ctx.store.db, caller.userId, filter),
		presentNotification,
	);
}

export async function countUnread(ctx: Context, { userId }: Pick<Caller, "userId">): Promise<number> {
	return (await readInbox(ctx.store.db, userId)).unread;
}

export async function markRead(ctx: Context, caller: Caller, id: string): Promise<Notification> {
	const { userId, username } = caller;
	return ctx.store.transaction(async (tx) => {
		if (await markNotificationRead(tx, userId, id, getNow(ctx))) {
			await ctx.events.changed(tx, caller, {
				...buildNotificationTarget(id),
				description: `${username} read a notification`,
			});
			wakeSockets(ctx, tx, userId);
		} else markUnchanged(caller);
		const row = await findNotification(tx.db, userId, id);
		if (row === undefined) throw buildNotFoundError();
		return presentNotification(row);
	});
}

/** In batches, so that thousands of unread notifications do not lock the inbox for long. */
export async function markAllRead(ctx: Context, caller: Caller): Promise<number> {
	let updated = 0;
	for (;;) {
		const some = await ctx.store.transaction((tx) => markSome(ctx, tx, caller));
		updated += some;
		if (some < READ_BATCH) break;
	}
	if (updated === 0) markUnchanged(caller);
	return updated;
}

export async function deleteNotification(ctx: Context, caller: Caller, id: string): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		if (!(await removeNotification(tx, caller.userId, id, getNow(ctx)))) throw buildNotFoundError();
		await ctx.events.changed(tx, caller, {
			...buildNotificationTarget(id),
			description: `${caller.username} deleted a notification`,
		});
		wakeSockets(ctx, tx, caller.userId);
	});
}

export const readPreferences = (ctx: Context, { userId }: Caller) => findNotificationPreferences(ctx.store.db, userId);

export async function changePreferences(ctx: Context, caller: Caller, patch: NotificationPreferencesPatch) {
	const { userId, username } = caller;
	return ctx.store.transaction(async (tx) => {
		await lockNotificationPreferences(tx, userId);
		const before = await findNotificationPreferences(tx.db, userId);
		const after = mergePreferences(before, patch);
		const errors = findQuietHoursErrors(after);
		if (errors !== null) throw buildInvalidError(errors);
		const fields = Object.keys(patch);
		if (fields.length === 0) {
			markUnchanged(caller);
			return before;
		}
		await saveNotificationPreferences(tx, userId, after);
		await ctx.events.changed(tx, caller, {
			targetType: "notification_preferences",
			targetId: userId,
			metadata: { fields },
			description: `${username} changed their notification preferences`,
		});
		return after;
	});
}

export async function announceToUsers(
	ctx: Context,
	caller: Caller,
	{ title, body, severity, link }: Announcement,
): Promise<{ recipients: number }> {
	return ctx.store.transaction(async (tx) => {
		const id = ctx.ids.uuid();
		const recipients = await notifyUsers(ctx, tx, {
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
		await ctx.events.changed(tx, caller, {
			targetType: "announcement",
			targetId: id,
			metadata: { title, severity, recipients },
			description: `${caller.username} announced "${title}" to ${recipients} users`,
		});
		return { recipients };
	});
}
