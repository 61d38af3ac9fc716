/** SQL of notifications, each user's counters, and the frames for open sockets. */
import type { NotificationList } from "@weft/contracts";
import { type Selectable, sql } from "kysely";
import { getOffset, type Page } from "../../../core/http/paging.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import type { NotificationFramesTable, NotificationsTable } from "../tables.ts";

export type NotificationRow = Selectable<NotificationsTable>;
type FrameType = NotificationFramesTable["type"];

/** The content of a notification, the same for all recipients. */
type NotificationContent = Pick<
	NotificationRow,
	"category" | "severity" | "title" | "body" | "link" | "facts" | "key" | "created_at"
>;

interface NewNotification {
	readonly id: string;
	readonly user_id: number;
	/** Not listed. Stored like a deleted one, so that the same key does not notify the user again. */
	readonly hidden: boolean;
}

interface Inbox {
	readonly total: number;
	readonly unread: number;
}

/** The user's listed notifications. */
const selectListedNotifications = (db: Db, userId: number) =>
	db.selectFrom("notifications").where("user_id", "=", userId).where("deleted_at", "is", null);

export async function readInbox(db: Db, userId: number): Promise<Inbox> {
	const row = await db
		.selectFrom("notification_inboxes")
		.select(["total", "unread"])
		.where("user_id", "=", userId)
		.executeTakeFirst();
	return row ?? { total: 0, unread: 0 };
}

/** Moves a user's counters and numbers one frame; the inbox is locked by it. */
async function appendInboxFrame(
	tx: Tx,
	userId: number,
	type: FrameType,
	id: string,
	at: Date,
	moved: Inbox,
): Promise<void> {
	await sql`
		with counted as (
			update notification_inboxes
			set total = total + ${moved.total}, unread = unread + ${moved.unread}, last_frame = last_frame + 1
			where user_id = ${userId} returning last_frame)
		insert into notification_frames (user_id, seq, type, notification_id, created_at)
		select ${userId}, last_frame, ${type}, ${id}, ${at} from counted`.execute(tx.db);
}

/**
 * Counts come from the user's counters, or from an index with a category or severity filter.
 */
export async function listNotificationPage(
	db: Db,
	userId: number,
	filter: NotificationList,
): Promise<Page<NotificationRow>> {
	let matching = selectListedNotifications(db, userId);
	if (filter.unread === true) matching = matching.where("read_at", "is", null);
	if (filter.unread === false) matching = matching.where("read_at", "is not", null);
	if (filter.category !== undefined) matching = matching.where("category", "=", filter.category);
	if (filter.severity !== undefined) matching = matching.where("severity", "=", filter.severity);
	const direction = filter.ordering === "created_at" ? "asc" : "desc";
	const count = async (): Promise<number> => {
		if (filter.category === undefined && filter.severity === undefined) {
			const { total, unread } = await readInbox(db, userId);
			return filter.unread === undefined ? total : filter.unread ? unread : total - unread;
		}
		const row = await matching.select(sql<number>`count(*)`.as("count")).executeTakeFirstOrThrow();
		return row.count;
	};
	const rows = matching
		.selectAll()
		.orderBy("created_at", direction)
		.orderBy("id", direction)
		.limit(filter.page_size)
		.offset(getOffset(filter));
	return { count: await count(), rows: await rows.execute() };
}

export async function findNotification(db: Db, userId: number, id: string): Promise<NotificationRow | undefined> {
	return selectListedNotifications(db, userId).selectAll().where("id", "=", id).executeTakeFirst();
}

/**
 * Inserts new ones with their frames, and updates the counters. Locks the inboxes first, in the
 * order of the users' ids.
 * @param rows one for each user
 * @returns the ids that were inserted
 */
export async function insertNotifications(
	tx: Tx,
	content: NotificationContent,
	rows: readonly NewNotification[],
): Promise<ReadonlySet<string>> {
	const { category, severity, title, body, link, facts, key, created_at } = content;
	const users = rows.map(({ user_id }) => user_id);
	const { rows: made } = await sql<{ id: string; user_id: number; hidden: boolean }>`
		with locked as (
			insert into notification_inboxes (user_id)
			select u from unnest(${users}::int[]) u order by u
			on conflict (user_id) do update set total = notification_inboxes.total returning user_id)
		insert into notifications (id, user_id, category, severity, title, body, link, facts, key, created_at, deleted_at)
		select n.id, n.user_id, ${category}, ${severity}, ${title}, ${body}, ${link},
			${JSON.stringify(facts)}::jsonb, ${key}, ${created_at}::timestamptz,
			case when n.hidden then ${created_at}::timestamptz end
		from unnest(${rows.map(({ id }) => id)}::uuid[], ${users}::int[], ${rows.map(({ hidden }) => hidden)}::bool[])
			as n(id, user_id, hidden) join locked using (user_id)
		on conflict on constraint notifications_key do nothing
		returning id, user_id, deleted_at is not null as hidden`.execute(tx.db);
	const shown = made.filter(({ hidden }) => !hidden);
	if (shown.length > 0) {
		await sql`
			with made as (
				select * from unnest(${shown.map(({ id }) => id)}::uuid[], ${shown.map(({ user_id }) => user_id)}::int[])
					as m(id, user_id)),
			counted as (
				update notification_inboxes i set total = total + 1, unread = unread + 1, last_frame = last_frame + 1
				from made where i.user_id = made.user_id returning i.user_id, i.last_frame, made.id)
			insert into notification_frames (user_id, seq, type, notification_id, created_at)
			select user_id, last_frame, 'notification_created', id, ${created_at}::timestamptz from counted`.execute(tx.db);
	}
	return new Set(made.map(({ id }) => id));
}

/** Returns false when it was read before, or does not exist. */
export async function markNotificationRead(tx: Tx, userId: number, id: string, at: Date): Promise<boolean> {
	await lockInbox(tx, userId);
	const { numUpdatedRows } = await tx.db
		.updateTable("notifications")
		.set({ read_at: at })
		.where("id", "=", id)
		.where("user_id", "=", userId)
		.where("deleted_at", "is", null)
		.where("read_at", "is", null)
		.executeTakeFirst();
	if (numUpdatedRows === 0n) return false;
	await appendInboxFrame(tx, userId, "notification_read", id, at, { total: 0, unread: -1 });
	return true;
}

/** Marks up to `limit` as read, oldest first. Returns their number. */
export async function markNotificationsRead(tx: Tx, userId: number, at: Date, limit: number): Promise<number> {
	await lockInbox(tx, userId);
	const { rows } = await sql<{ updated: number }>`
		with done as (
			update notifications set read_at = ${at} where id in (
				select id from notifications where user_id = ${userId} and deleted_at is null and read_at is null
				order by created_at, id limit ${limit})
			returning id, created_at),
		told as (
			insert into notification_frames (user_id, seq, type, notification_id, created_at)
			select ${userId}, i.last_frame + row_number() over (order by done.created_at, done.id),
				'notification_read', done.id, ${at}
			from done, notification_inboxes i where i.user_id = ${userId})
		select count(*) as updated from done`.execute(tx.db);
	const updated = rows[0]?.updated ?? 0;
	if (updated > 0) {
		await sql`update notification_inboxes set unread = unread - ${updated}, last_frame = last_frame + ${updated}
			where user_id = ${userId}`.execute(tx.db);
	}
	return updated;
}

/** False when there is none that is not deleted. */
export async function removeNotification(tx: Tx, userId: number, id: string, at: Date): Promise<boolean> {
	await lockInbox(tx, userId);
	const row = await tx.db
		.updateTable("notifications")
		.set({ deleted_at: at })
		.where("id", "=", id)
		.where("user_id", "=", userId)
		.where("deleted_at", "is", null)
		.returning("read_at")
		.executeTakeFirst();
	if (row === undefined) return false;
	await appendInboxFrame(tx, userId, "notification_deleted", id, at, {
		total: -1,
		unread: row.read_at === null ? -1 : 0,
	});
	return true;
}

/** Serializes changes of a user's notifications until the transaction ends. */
export async function lockInbox(tx: Tx, userId: number): Promise<void> {
	await tx.db.selectFrom("notification_inboxes").select("user_id").where("user_id", "=", userId).forUpdate().execute();
}

/** Purges up to `limit` that were deleted before an instant. Returns their number. */
export async function purgeNotifications(db: Db, deletedBefore: Date, limit: number): Promise<number> {
	const { numDeletedRows } = await db
		.deleteFrom("notifications")
		.where("id", "in", (eb) =>
			eb
				.selectFrom("notifications")
				.select("id")
				.where("deleted_at", "<", deletedBefore)
				.limit(limit)
				.forUpdate()
				.skipLocked(),
		)
		.executeTakeFirst();
	return Number(numDeletedRows);
}
