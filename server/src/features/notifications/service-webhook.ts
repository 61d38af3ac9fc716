/** The caller's first webhook without its id, and the list of deliveries. */
import type { DeliveryList, NotificationWebhook, NotificationWebhookPatch } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../platform/caller.ts";
import { notFound } from "../../platform/errors.ts";
import { markUnchanged } from "../../platform/events.ts";
import { paginateRows } from "../../platform/http/paging.ts";
import { assertVisible } from "./policy.ts";
import { presentDelivery, presentWebhook } from "./present.ts";
import { listDeliveries } from "./repo-deliveries.ts";
import type { WebhookRow } from "./repo-webhooks.ts";
import { findFirstWebhook, findWebhook, lockFirstWebhook, lockWebhookOwner } from "./repo-webhooks.ts";
import { deleteWebhook, testAddress, writeWebhook } from "./webhook-settings.ts";

const presentFirst = (ctx: Context, row: WebhookRow | null): NotificationWebhook =>
	presentWebhook(row, ctx.webhooks !== null);
export const readFirstWebhook = async (ctx: Context, { userId }: Caller) =>
	presentFirst(ctx, await findFirstWebhook(ctx.store.db, userId));

export async function updateFirstWebhook(
	ctx: Context,
	caller: Caller,
	patch: NotificationWebhookPatch,
): Promise<NotificationWebhook> {
	const { userId } = caller;
	if (Object.values(patch).every((value) => value === undefined)) {
		markUnchanged(caller);
		return presentFirst(ctx, await findFirstWebhook(ctx.store.db, userId));
	}
	return ctx.store.transaction(async (tx) => {
		await lockWebhookOwner(tx, userId);
		return presentFirst(ctx, await writeWebhook(ctx, tx, caller, await lockFirstWebhook(tx, userId), patch));
	});
}

export async function removeFirstWebhook(ctx: Context, caller: Caller): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		const row = await lockFirstWebhook(tx, caller.userId);
		if (row === null) throw notFound("There is no webhook.");
		await deleteWebhook(ctx, tx, caller, row);
	});
}

export const testFirstWebhook = async (ctx: Context, caller: Caller, signal: AbortSignal) =>
	testAddress(ctx, caller, await findFirstWebhook(ctx.store.db, caller.userId), signal);

export async function listFirstWebhookDeliveries(ctx: Context, caller: Caller, filter: DeliveryList, url: string) {
	const webhook = filter.webhook === undefined ? null : await findWebhook(ctx.store.db, filter.webhook);
	const owner = filter.webhook === undefined ? caller.userId : assertVisible(caller, webhook).user_id;
	return paginateRows(url, filter, await listDeliveries(ctx.store.db, owner, filter), presentDelivery);
}
