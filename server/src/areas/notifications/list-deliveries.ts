/** Lists deliveries, and sends one of them again without a wait. */
import type { DeliveryFilter, DeliveryList, NotificationDelivery } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import { buildNotFoundError, buildRefusedError } from "../../core/errors.ts";
import { paginateRows } from "../../core/http/paging.ts";
import type { Tx } from "../../core/ports/store.ts";
import { addDeliveries, hastenDeliveries } from "./enqueue-deliveries.ts";
import { assertVisible } from "./policy.ts";
import { presentDelivery } from "./present.ts";
import { buildCopiedId } from "./rules/webhook-secrets.ts";
import type { ShownDelivery } from "./sql/deliveries.ts";
import { findDelivery, findWaitingDelivery, listDeliveries } from "./sql/deliveries.ts";
import type { WebhookRow } from "./sql/webhooks.ts";
import { findWebhook, lockWebhook, updateWebhookRow } from "./sql/webhooks.ts";
import { getName, UNAVAILABLE } from "./webhook-settings.ts";

/** Locks the webhook of a delivery. @throws 404 unless the caller may change the webhook */
async function lockHook(tx: Tx, caller: Caller, row: ShownDelivery): Promise<WebhookRow> {
	const hook = await lockWebhook(tx, row.webhook_id ?? buildCopiedId(row.user_id ?? 0));
	if (hook === null) throw buildNotFoundError("The webhook of this delivery was removed.");
	// A webhook that changed its owner: its earlier deliveries are the earlier owner's.
	if (hook.user_id !== row.user_id) throw buildNotFoundError();
	return assertVisible(caller, hook);
}

/** @throws 400 when the webhook would not be sent the notification */
function assertWanted(ctx: Context, { enabled, name, categories }: WebhookRow, { category }: ShownDelivery): void {
	if (ctx.webhooks === null) throw buildRefusedError(UNAVAILABLE);
	if (!enabled) throw buildRefusedError(`The webhook "${name}" is off. Enable it first.`);
	if (categories.includes(category)) return;
	throw buildRefusedError(`The webhook "${name}" does not get the category ${category}. Add the category to it first.`);
}

/** Makes the waiting delivery due, or adds one. Returns its id. */
async function makeDue(ctx: Context, tx: Tx, hook: WebhookRow, row: ShownDelivery): Promise<string> {
	const now = new Date(ctx.clock.now());
	await updateWebhookRow(tx, hook.id, { held_until: null });
	const waiting = await findWaitingDelivery(tx.db, row, hook.id);
	if (waiting !== null) {
		if (waiting.due_at > now) await hastenDeliveries(ctx, tx, waiting);
		return waiting.id;
	}
	const { notification_id, user_id } = row;
	const copy = { notification_id, user_id, webhook_id: hook.id, channel: "webhook" } as const;
	const [id = ""] = await addDeliveries(ctx, tx, [{ ...copy, due_at: now, created_at: now }]);
	return id;
}

/** Lists deliveries to the caller, or to one webhook that the caller may see. */
export async function listCallerDeliveries(ctx: Context, caller: Caller, filter: DeliveryList, url: string) {
	const webhook = filter.webhook === undefined ? null : await findWebhook(ctx.store.db, filter.webhook);
	const owner = filter.webhook === undefined ? caller.userId : assertVisible(caller, webhook).user_id;
	return paginateRows(url, filter, await listDeliveries(ctx.store.db, owner, filter), presentDelivery);
}

export async function listDeliveriesOfHook(
	ctx: Context,
	caller: Caller,
	webhook: string,
	filter: DeliveryFilter,
	url: string,
) {
	const { user_id } = assertVisible(caller, await findWebhook(ctx.store.db, webhook));
	return paginateRows(
		url,
		filter,
		await listDeliveries(ctx.store.db, user_id, { ...filter, webhook }),
		presentDelivery,
	);
}

/** @param webhookId absent: of any webhook that the caller may change */
export async function resendDelivery(
	ctx: Context,
	caller: Caller,
	id: string,
	webhookId?: string,
): Promise<NotificationDelivery> {
	return ctx.store.transaction(async (tx) => {
		const row = await findDelivery(tx.db, id);
		if (row === null || (row.user_id === null ? !caller.isAdmin : row.user_id !== caller.userId))
			throw buildNotFoundError();
		if (row.channel !== "webhook") throw buildRefusedError("Only deliveries by webhook can be sent again.");
		const hook = await lockHook(tx, caller, row);
		if (webhookId !== undefined && hook.id !== webhookId) throw buildNotFoundError();
		assertWanted(ctx, hook, row);
		const dueId = await makeDue(ctx, tx, hook, row);
		await ctx.events.changed(tx, caller, {
			targetType: "notification_webhook",
			targetId: hook.id,
			description: `${caller.username} sent a notification again to ${getName(hook)}`,
			metadata: { notification_id: row.notification_id, delivery_id: dueId },
		});
		const made = await findDelivery(tx.db, dueId);
		if (made === null) throw buildNotFoundError();
		return presentDelivery(made);
	});
}
