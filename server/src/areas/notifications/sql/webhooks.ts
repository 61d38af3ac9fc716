/** SQL of outgoing webhooks. */
import type { NotificationCategory } from "@weft/contracts";
import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import { getOffset, type Page, type PageQuery } from "../../../core/http/paging.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import type { WebhooksTable } from "../tables.ts";

export type WebhookRow = Selectable<WebhooksTable>;
/** A user's webhooks, or with null the shared ones. */
export type WebhookOwner = number | null;

/** Space of advisory locks on the webhooks of an owner. */
const OWNER_LOCK = 0x7768;

const buildIdCondition = (db: Db, id: string) => db.selectFrom("webhooks").selectAll().where("id", "=", id);

export async function findWebhook(db: Db, id: string): Promise<WebhookRow | null> {
	return (await buildIdCondition(db, id).executeTakeFirst()) ?? null;
}

/** Kept from changing until the transaction ends. */
export async function lockWebhook(tx: Tx, id: string): Promise<WebhookRow | null> {
	return (await buildIdCondition(tx.db, id).forUpdate().executeTakeFirst()) ?? null;
}

/** Only one transaction at a time adds webhooks for the owner. */
export async function lockWebhookOwner(tx: Tx, owner: WebhookOwner): Promise<void> {
	await sql`select pg_advisory_xact_lock(${OWNER_LOCK}, ${owner ?? 0}::int)`.execute(tx.db);
}

export async function countWebhooks(db: Db, owner: WebhookOwner): Promise<number> {
	const row = await db
		.selectFrom("webhooks")
		.select(sql<number>`count(*)`.as("count"))
		.where("user_id", owner === null ? "is" : "=", owner)
		.executeTakeFirstOrThrow();
	return row.count;
}

/** The user's webhooks, oldest first, then the shared ones for those who may see them. */
export async function listWebhookPage(
	db: Db,
	viewer: { userId: number; isAdmin: boolean },
	query: PageQuery,
): Promise<Page<WebhookRow>> {
	const visible = db
		.selectFrom("webhooks")
		.where((eb) => eb.or([eb("user_id", "=", viewer.userId), ...(viewer.isAdmin ? [eb("user_id", "is", null)] : [])]));
	const total = await visible.select(sql<number>`count(*)`.as("count")).executeTakeFirstOrThrow();
	const rows = await visible
		.selectAll()
		.orderBy(sql`user_id nulls last`)
		.orderBy("created_at")
		.orderBy("id")
		.limit(query.page_size)
		.offset(getOffset(query))
		.execute();
	return { count: total.count, rows };
}

export async function saveWebhook(tx: Tx, row: Insertable<WebhooksTable>): Promise<WebhookRow> {
	const { id: _, created_at: __, ...values } = row;
	return tx.db
		.insertInto("webhooks")
		.values(row)
		.onConflict((conflict) => conflict.column("id").doUpdateSet(values))
		.returningAll()
		.executeTakeFirstOrThrow();
}

export async function updateWebhookRow(tx: Tx, id: string, values: Updateable<WebhooksTable>): Promise<void> {
	await tx.db.updateTable("webhooks").set(values).where("id", "=", id).execute();
}

/** Locks webhooks whose secret address is stored in plain text. Skips locked ones. */
export async function lockPlainAddresses(tx: Tx, limit: number): Promise<WebhookRow[]> {
	return tx.db
		.selectFrom("webhooks")
		.selectAll()
		.where("format", "in", ["slack", "teams"])
		.where("url", "<>", "")
		.where(sql<boolean>`(url_sealed = '' or url !~ '^https?://[^/?]+$')`)
		.orderBy("id")
		.limit(limit)
		.forUpdate()
		.skipLocked()
		.execute();
}

export async function removeWebhookRow(tx: Tx, id: string): Promise<void> {
	await tx.db.deleteFrom("webhooks").where("id", "=", id).execute();
}

/** Cancels the pending deliveries to a webhook that is removed or has a new address. */
export async function cancelPendingDeliveries(tx: Tx, id: string, at: Date, error: string): Promise<void> {
	await sql`
		update notification_deliveries set state = 'cancelled', finished_at = ${at}, error = ${error}
		where webhook_id = ${id} and state = 'pending'`.execute(tx.db);
}

/**
 * Records an event of the shared webhooks that want it. Returns those that had not got it.
 * @param among null: all
 * @param named those that want it whatever their categories
 */
export async function claimSharedEvent(
	tx: Tx,
	category: NotificationCategory,
	key: string,
	at: Date,
	among: readonly string[] | null,
	named: readonly string[] = [],
): Promise<string[]> {
	const { rows } = await sql<{ webhook_id: string }>`
		insert into webhook_events (webhook_id, key, created_at)
		select id, ${key}, ${at} from webhooks
		where user_id is null and enabled and (${category} = any(categories) or id = any(${named}::uuid[]))
			and (${among}::uuid[] is null or id = any(${among}::uuid[])) order by id
		on conflict do nothing returning webhook_id`.execute(tx.db);
	return rows.map(({ webhook_id }) => webhook_id);
}

/** Purges up to `limit` events from before an instant. Returns their number. */
export async function purgeSharedEvents(db: Db, before: Date, limit: number): Promise<number> {
	const { numAffectedRows } = await sql`
		delete from webhook_events where ctid = any(array(
			select ctid from webhook_events where created_at < ${before} limit ${limit}))`.execute(db);
	return Number(numAffectedRows ?? 0);
}
