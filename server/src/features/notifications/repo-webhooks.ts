/** SQL of outgoing webhooks. */
import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import type { Db, Tx } from "../../ports/store.ts";
import type { NotificationWebhooksTable } from "./tables.ts";

export type WebhookRow = Selectable<NotificationWebhooksTable>;

export function createWebhookRepo() {
	return {
		async find(db: Db, userId: number): Promise<WebhookRow | null> {
			const query = db.selectFrom("notification_webhooks").selectAll().where("user_id", "=", userId);
			return (await query.executeTakeFirst()) ?? null;
		},

		/** Kept from changing until the transaction ends. */
		async lock(tx: Tx, userId: number): Promise<WebhookRow | null> {
			const query = tx.db.selectFrom("notification_webhooks").selectAll().where("user_id", "=", userId).forUpdate();
			return (await query.executeTakeFirst()) ?? null;
		},

		async save(tx: Tx, row: Insertable<NotificationWebhooksTable>): Promise<WebhookRow> {
			const { user_id: _, created_at: __, ...values } = row;
			return tx.db
				.insertInto("notification_webhooks")
				.values(row)
				.onConflict((conflict) => conflict.column("user_id").doUpdateSet(values))
				.returningAll()
				.executeTakeFirstOrThrow();
		},

		async update(tx: Tx, userId: number, values: Updateable<NotificationWebhooksTable>): Promise<void> {
			await tx.db.updateTable("notification_webhooks").set(values).where("user_id", "=", userId).execute();
		},

		/** False when there is none. */
		async remove(tx: Tx, userId: number): Promise<boolean> {
			const { numDeletedRows } = await tx.db
				.deleteFrom("notification_webhooks")
				.where("user_id", "=", userId)
				.executeTakeFirst();
			return numDeletedRows > 0n;
		},

		/** Cancels the pending deliveries to a webhook that is removed or has a new address. */
		async cancelPending(tx: Tx, userId: number, at: Date, error: string): Promise<void> {
			await sql`
				update notification_deliveries set state = 'cancelled', finished_at = ${at}, error = ${error}
				where user_id = ${userId} and channel = 'webhook' and state = 'pending'`.execute(tx.db);
		},
	};
}
export type WebhookRepo = ReturnType<typeof createWebhookRepo>;
