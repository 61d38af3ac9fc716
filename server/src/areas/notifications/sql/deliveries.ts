/** SQL of deliveries by mail and webhook. */
import type { DeliveryList } from "@weft/contracts";
import { type Insertable, type Selectable, sql } from "kysely";
import { getOffset, type Page } from "../../../core/http/paging.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import type { NotificationDeliveriesTable, NotificationsTable } from "../tables.ts";
import type { WebhookOwner } from "./webhooks.ts";

export type DeliveryRow = Selectable<NotificationDeliveriesTable>;
/** A delivery with its notification. */
export type FullDelivery = DeliveryRow &
	Pick<Selectable<NotificationsTable>, "category" | "severity" | "title" | "body" | "link" | "facts"> & {
		readonly told_at: Date;
	};
export type ShownDelivery = DeliveryRow & Pick<FullDelivery, "category" | "title">;
export type NewDelivery = Insertable<NotificationDeliveriesTable>;

const INSERTED_AT_ONCE = 1_000;

const selectFullDeliveries = (db: Db) =>
	db
		.selectFrom("notification_deliveries as d")
		.innerJoin("notifications as n", "n.id", "d.notification_id")
		.selectAll("d")
		.select(["n.category", "n.severity", "n.title", "n.body", "n.link", "n.facts", "n.created_at as told_at"]);

export async function insertDeliveries(tx: Tx, rows: readonly NewDelivery[]): Promise<void> {
	for (let at = 0; at < rows.length; at += INSERTED_AT_ONCE) {
		await tx.db
			.insertInto("notification_deliveries")
			.values(rows.slice(at, at + INSERTED_AT_ONCE))
			.execute();
	}
}

/** Null when it is finished, or gone. */
export async function findPendingDelivery(db: Db, id: string): Promise<FullDelivery | null> {
	return (
		(await selectFullDeliveries(db).where("d.id", "=", id).where("d.state", "=", "pending").executeTakeFirst()) ?? null
	);
}

export async function findDelivery(db: Db, id: string): Promise<ShownDelivery | null> {
	return (await selectFullDeliveries(db).where("d.id", "=", id).executeTakeFirst()) ?? null;
}

/** The pending delivery of the same notification to a webhook: the row, or a later one. */
export async function findWaitingDelivery(db: Db, row: DeliveryRow, webhookId: string): Promise<DeliveryRow | null> {
	const found = await db
		.selectFrom("notification_deliveries")
		.selectAll()
		.where("notification_id", "=", row.notification_id)
		.where("state", "=", "pending")
		.where((eb) => eb.or([eb("id", "=", row.id), eb("webhook_id", "=", webhookId)]))
		.orderBy("created_at")
		.limit(1)
		.executeTakeFirst();
	return found ?? null;
}

/** What goes into one email, oldest first. */
export async function listDigestDeliveries(db: Db, digestId: string): Promise<FullDelivery[]> {
	return selectFullDeliveries(db)
		.where("d.digest_id", "=", digestId)
		.where("d.state", "=", "pending")
		.orderBy("n.created_at")
		.orderBy("n.id")
		.execute();
}

/** Ends those that are still pending; of two at once one counts. */
export async function finishDeliveries(
	db: Db,
	ids: readonly string[],
	end: {
		state: "delivered" | "failed" | "cancelled";
		at: Date;
		error?: string;
		status?: number | null;
		tried: boolean;
	},
): Promise<void> {
	await db
		.updateTable("notification_deliveries")
		.set({ state: end.state, finished_at: end.at, error: end.error ?? "", response_status: end.status ?? null })
		.$if(end.tried, (update) => update.set((eb) => ({ attempts: eb("attempts", "+", 1) })))
		.where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
		.where("state", "=", "pending")
		.execute();
}

/**
 * Postpones those that are still pending. @param failed the error of an attempt; absent without
 * one
 */
export async function postponeDeliveries(
	db: Db,
	ids: readonly string[],
	dueAt: Date,
	failed?: { readonly error: string; readonly status?: number | null },
): Promise<void> {
	await db
		.updateTable("notification_deliveries")
		.set({ due_at: dueAt, look_at: dueAt })
		.$if(failed !== undefined, (update) =>
			update.set((eb) => ({
				attempts: eb("attempts", "+", 1),
				error: failed?.error ?? "",
				response_status: failed?.status ?? null,
			})),
		)
		.where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
		.where("state", "=", "pending")
		.execute();
}

/** Makes a pending delivery due, and leases it until an instant. */
export async function leaseDelivery(tx: Tx, id: string, dueAt: Date, until: Date): Promise<void> {
	await tx.db
		.updateTable("notification_deliveries")
		.set({ due_at: dueAt, look_at: until })
		.where("id", "=", id)
		.where("state", "=", "pending")
		.execute();
}

/** Leases due deliveries until an instant; without digests that are not bundled yet. */
export async function claimDueDeliveries(
	tx: Tx,
	now: Date,
	until: Date,
	limit: number,
): Promise<Pick<DeliveryRow, "id" | "channel" | "digest_id">[]> {
	const { rows } = await sql<Pick<DeliveryRow, "id" | "channel" | "digest_id">>`
		update notification_deliveries set look_at = ${until} where id in (
			select id from notification_deliveries
			where state = 'pending' and look_at <= ${now} and (channel <> 'digest' or digest_id is not null)
			order by look_at limit ${limit} for update skip locked)
		returning id, channel, digest_id`.execute(tx.db);
	return rows;
}

/** Users whose daily email is due. */
export async function listDigestUsers(db: Db, now: Date, limit: number): Promise<number[]> {
	const rows = await db
		.selectFrom("notification_deliveries")
		.select("user_id")
		.distinct()
		.where("state", "=", "pending")
		.where("channel", "=", "digest")
		.where("digest_id", "is", null)
		.where("look_at", "<=", now)
		.limit(limit)
		.execute();
	return rows.flatMap(({ user_id }) => user_id ?? []);
}

/**
 * Bundles a user's due deliveries into a digest; the caller has locked the inbox. Deliveries
 * that belong to an earlier digest, already sent, are postponed until `next`.
 * @returns whether the digest has any
 */
export async function bundleDeliveries(
	tx: Tx,
	userId: number,
	digestId: string,
	at: { now: Date; until: Date; next: Date },
): Promise<boolean> {
	const { rows } = await sql<{ due_at: Date }>`
		with open as (
			select d.id, d.due_at <= coalesce(i.digest_due_at, '-infinity') as late
			from notification_deliveries d join notification_inboxes i on i.user_id = d.user_id
			where d.user_id = ${userId} and d.channel = 'digest' and d.state = 'pending' and d.digest_id is null
				and d.due_at <= ${at.now}),
		put_off as (
			update notification_deliveries d set due_at = ${at.next}, look_at = ${at.next}
			from open where d.id = open.id and open.late)
		update notification_deliveries d set digest_id = ${digestId}, look_at = ${at.until}
		from open where d.id = open.id and not open.late returning d.due_at`.execute(tx.db);
	if (rows.length === 0) return false;
	const latest = new Date(Math.max(...rows.map(({ due_at }) => due_at.getTime())));
	await tx.db
		.updateTable("notification_inboxes")
		.set({ digest_due_at: latest })
		.where("user_id", "=", userId)
		.execute();
	return true;
}

/** @param owner null: of shared webhooks */
export async function listDeliveries(db: Db, owner: WebhookOwner, filter: DeliveryList): Promise<Page<ShownDelivery>> {
	let matching = db
		.selectFrom("notification_deliveries as d")
		.innerJoin("notifications as n", "n.id", "d.notification_id")
		.where("d.user_id", owner === null ? "is" : "=", owner);
	if (filter.channel !== undefined) matching = matching.where("d.channel", "=", filter.channel);
	if (filter.webhook !== undefined) matching = matching.where("d.webhook_id", "=", filter.webhook);
	if (filter.state !== undefined) matching = matching.where("d.state", "=", filter.state);
	const total = await matching.select(sql<number>`count(*)`.as("count")).executeTakeFirstOrThrow();
	const rows = await matching
		.selectAll("d")
		.select(["n.category", "n.title"])
		.orderBy("d.created_at", "desc")
		.orderBy("d.id", "desc")
		.limit(filter.page_size)
		.offset(getOffset(filter))
		.execute();
	return { count: total.count, rows };
}

/** Purges up to `limit` that finished before an instant. Returns their number. */
export async function purgeDeliveries(db: Db, before: Date, limit: number): Promise<number> {
	const { numDeletedRows } = await db
		.deleteFrom("notification_deliveries")
		.where("id", "in", (eb) =>
			eb.selectFrom("notification_deliveries").select("id").where("finished_at", "<", before).limit(limit),
		)
		.executeTakeFirst();
	return Number(numDeletedRows);
}
