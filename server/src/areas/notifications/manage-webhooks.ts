/** Webhooks by id: the caller's own, and for administrators the shared ones. */
import type { Webhook, WebhookInput, WebhookPatch } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import { markUnchanged } from "../../core/events.ts";
import { type PageQuery, paginateRows } from "../../core/http/paging.ts";
import type { Tx } from "../../core/ports/store.ts";
import { assertMayShare, assertVisible } from "./policy.ts";
import { presentWebhook } from "./present.ts";
import type { WebhookRow } from "./sql/webhooks.ts";
import { findWebhook, listWebhookPage, lockWebhook, lockWebhookOwner } from "./sql/webhooks.ts";
import { deleteWebhook, testAddress, writeWebhook } from "./webhook-settings.ts";

const presentOne = (ctx: Context, row: WebhookRow): Webhook => presentWebhook(row, ctx.webhooks !== null);
const requireWebhook = async (ctx: Context, caller: Caller, id: string) =>
	assertVisible(caller, await findWebhook(ctx.store.db, id));

/** Always in the same order. */
async function lockOwners(tx: Tx, { userId }: Caller): Promise<void> {
	await lockWebhookOwner(tx, null);
	await lockWebhookOwner(tx, userId);
}

export const listWebhooks = async (ctx: Context, caller: Caller, query: PageQuery, url: string) =>
	paginateRows(url, query, await listWebhookPage(ctx.store.db, caller, query), (row) => presentOne(ctx, row));

export const readWebhook = async (ctx: Context, caller: Caller, id: string) =>
	presentOne(ctx, await requireWebhook(ctx, caller, id));

export async function createWebhook(ctx: Context, caller: Caller, input: WebhookInput): Promise<Webhook> {
	assertMayShare(caller, input.is_shared);
	return ctx.store.transaction(async (tx) => {
		await lockWebhookOwner(tx, input.is_shared ? null : caller.userId);
		return presentOne(ctx, await writeWebhook(ctx, tx, caller, null, input));
	});
}

export async function updateWebhook(ctx: Context, caller: Caller, id: string, patch: WebhookPatch): Promise<Webhook> {
	if (Object.values(patch).every((value) => value === undefined)) {
		markUnchanged(caller);
		return presentOne(ctx, await requireWebhook(ctx, caller, id));
	}
	return ctx.store.transaction(async (tx) => {
		if (patch.is_shared !== undefined) await lockOwners(tx, caller);
		const before = assertVisible(caller, await lockWebhook(tx, id));
		assertMayShare(caller, patch.is_shared);
		return presentOne(ctx, await writeWebhook(ctx, tx, caller, before, patch));
	});
}

export async function removeWebhook(ctx: Context, caller: Caller, id: string): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		await deleteWebhook(ctx, tx, caller, assertVisible(caller, await lockWebhook(tx, id)));
	});
}

export const testWebhook = async (ctx: Context, caller: Caller, id: string, signal: AbortSignal) =>
	testAddress(ctx, caller, await requireWebhook(ctx, caller, id), signal);
