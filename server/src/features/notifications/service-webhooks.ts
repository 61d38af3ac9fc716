/** Webhooks by id: the caller's own, and for administrators the shared ones. */
import type { Webhook, WebhookInput, WebhookPatch } from "@weft/contracts";
import type { Caller } from "../../platform/caller.ts";
import { markUnchanged } from "../../platform/events.ts";
import { type PageQuery, paginateRows } from "../../platform/http/paging.ts";
import type { Store, Tx } from "../../ports/store.ts";
import type { WebhookSender } from "../../ports/webhooks.ts";
import { assertMayShare, assertVisible } from "./policy.ts";
import { presentWebhookById } from "./present.ts";
import type { WebhookRow } from "./repo-webhooks.ts";
import { findWebhook, listWebhookPage, lockWebhook, lockWebhookOwner } from "./repo-webhooks.ts";
import type { WebhookSettings } from "./webhook-settings.ts";

export interface WebhooksServiceDeps {
	readonly store: Store;
	/** Null: the administrator allows none. */
	readonly webhooks: WebhookSender | null;
	readonly settings: WebhookSettings;
}

export function createWebhooksService({ store, webhooks, settings }: WebhooksServiceDeps) {
	const present = (row: WebhookRow): Webhook => presentWebhookById(row, webhooks !== null);
	const find = async (caller: Caller, id: string) => assertVisible(caller, await findWebhook(store.db, id));

	/** Always in the same order. */
	async function lockOwners(tx: Tx, { userId }: Caller): Promise<void> {
		await lockWebhookOwner(tx, null);
		await lockWebhookOwner(tx, userId);
	}

	return {
		list: async (caller: Caller, query: PageQuery, url: string) =>
			paginateRows(url, query, await listWebhookPage(store.db, caller, query), present),

		detail: async (caller: Caller, id: string) => present(await find(caller, id)),

		async create(caller: Caller, input: WebhookInput): Promise<Webhook> {
			assertMayShare(caller, input.is_shared);
			return store.transaction(async (tx) => {
				await lockWebhookOwner(tx, input.is_shared ? null : caller.userId);
				return present(await settings.save(tx, caller, null, input));
			});
		},

		async update(caller: Caller, id: string, patch: WebhookPatch): Promise<Webhook> {
			if (Object.values(patch).every((value) => value === undefined)) {
				markUnchanged(caller);
				return present(await find(caller, id));
			}
			return store.transaction(async (tx) => {
				if (patch.is_shared !== undefined) await lockOwners(tx, caller);
				const before = assertVisible(caller, await lockWebhook(tx, id));
				assertMayShare(caller, patch.is_shared);
				return present(await settings.save(tx, caller, before, patch));
			});
		},

		async remove(caller: Caller, id: string): Promise<void> {
			await store.transaction(async (tx) => {
				await settings.remove(tx, caller, assertVisible(caller, await lockWebhook(tx, id)));
			});
		},

		test: async (caller: Caller, id: string, signal: AbortSignal) =>
			settings.test(caller, await find(caller, id), signal),
	};
}
export type WebhooksService = ReturnType<typeof createWebhooksService>;
