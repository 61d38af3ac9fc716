/** The caller's first webhook without its id, and the list of deliveries. */
import type { DeliveryList, NotificationWebhook, NotificationWebhookPatch } from "@weft/contracts";
import type { Caller } from "../../platform/caller.ts";
import { notFound } from "../../platform/errors.ts";
import { markUnchanged } from "../../platform/events.ts";
import { paginateRows } from "../../platform/http/paging.ts";
import type { Store } from "../../ports/store.ts";
import type { WebhookSender } from "../../ports/webhooks.ts";
import { assertVisible } from "./policy.ts";
import { presentDelivery, presentWebhook } from "./present.ts";
import { listDeliveries } from "./repo-deliveries.ts";
import type { WebhookRow } from "./repo-webhooks.ts";
import { findFirstWebhook, findWebhook, lockFirstWebhook, lockWebhookOwner } from "./repo-webhooks.ts";
import type { WebhookSettings } from "./webhook-settings.ts";

export interface WebhookServiceDeps {
	readonly store: Store;
	/** Null: the administrator allows none. */
	readonly webhooks: WebhookSender | null;
	readonly settings: WebhookSettings;
}

export function createWebhookService({ store, webhooks, settings }: WebhookServiceDeps) {
	const present = (row: WebhookRow | null): NotificationWebhook => presentWebhook(row, webhooks !== null);

	return {
		detail: async ({ userId }: Caller) => present(await findFirstWebhook(store.db, userId)),

		async update(caller: Caller, patch: NotificationWebhookPatch): Promise<NotificationWebhook> {
			const { userId } = caller;
			if (Object.values(patch).every((value) => value === undefined)) {
				markUnchanged(caller);
				return present(await findFirstWebhook(store.db, userId));
			}
			return store.transaction(async (tx) => {
				await lockWebhookOwner(tx, userId);
				return present(await settings.save(tx, caller, await lockFirstWebhook(tx, userId), patch));
			});
		},

		async remove(caller: Caller): Promise<void> {
			await store.transaction(async (tx) => {
				const row = await lockFirstWebhook(tx, caller.userId);
				if (row === null) throw notFound("There is no webhook.");
				await settings.remove(tx, caller, row);
			});
		},

		test: async (caller: Caller, signal: AbortSignal) =>
			settings.test(caller, await findFirstWebhook(store.db, caller.userId), signal),

		async deliveries(caller: Caller, filter: DeliveryList, url: string) {
			const webhook = filter.webhook === undefined ? null : await findWebhook(store.db, filter.webhook);
			const owner = filter.webhook === undefined ? caller.userId : assertVisible(caller, webhook).user_id;
			return paginateRows(url, filter, await listDeliveries(store.db, owner, filter), presentDelivery);
		},
	};
}
export type WebhookService = ReturnType<typeof createWebhookService>;
