/** A user's outgoing webhook: settings, test, removal, and the list of deliveries. */
import {
	type DeliveryList,
	NOTIFICATION_CATEGORIES,
	type NotificationWebhook,
	type NotificationWebhookPatch,
} from "@weft/contracts";
import type { Caller } from "../../platform/caller.ts";
import { invalid, invalidField, notFound } from "../../platform/errors.ts";
import { type Events, unchanged } from "../../platform/events.ts";
import { paginate } from "../../platform/http/paging.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Secrets } from "../../ports/secrets.ts";
import type { Store, Tx } from "../../ports/store.ts";
import type { WebhookSender } from "../../ports/webhooks.ts";
import { presentDelivery, presentWebhook } from "./present.ts";
import type { DeliveryRepo } from "./repo-deliveries.ts";
import type { PeopleRepo } from "./repo-recipients.ts";
import type { WebhookRepo, WebhookRow } from "./repo-webhooks.ts";
import { type PostWebhook, secretContext } from "./service-webhook-request.ts";

export interface WebhookServiceDeps {
	readonly store: Store;
	readonly clock: Pick<Clock, "now">;
	readonly ids: Pick<Ids, "uuid">;
	readonly secrets: Pick<Secrets, "seal">;
	readonly events: Pick<Events, "changed">;
	/** Null: the administrator allows none. */
	readonly webhooks: WebhookSender | null;
	readonly hooks: WebhookRepo;
	readonly deliveries: DeliveryRepo;
	readonly people: Pick<PeopleRepo, "lockPreferences">;
	readonly post: PostWebhook;
}

const UNAVAILABLE = "The administrator's settings allow no outgoing webhooks.";
const about = (userId: number) => ({ targetType: "notification_webhook", targetId: userId });

export function createWebhookService(deps: WebhookServiceDeps) {
	const { store, clock, ids, secrets, events, webhooks, hooks, deliveries, people, post } = deps;
	const present = (row: WebhookRow | null): NotificationWebhook => presentWebhook(row, webhooks !== null);

	/** What the webhook becomes. @throws 400 when it could not be sent to */
	function changed(userId: number, before: WebhookRow | null, patch: NotificationWebhookPatch) {
		const row = {
			user_id: userId,
			enabled: patch.enabled ?? before?.enabled ?? false,
			url: patch.url ?? before?.url ?? "",
			secret_sealed:
				patch.secret === undefined ? (before?.secret_sealed ?? "") : secrets.seal(patch.secret, secretContext(userId)),
			categories: patch.categories ?? before?.categories ?? [...NOTIFICATION_CATEGORIES],
		};
		const refusal = patch.url === undefined ? null : (webhooks?.refusal(patch.url) ?? null);
		if (refusal !== null) throw invalidField("url", refusal);
		if (patch.secret === undefined && before !== null && before.url !== "" && before.secret_sealed !== "") {
			const { origin } = new URL(before.url);
			if (new URL(row.url).origin !== origin) {
				throw invalidField("secret", `Enter the secret again: the stored one is for ${origin} only.`);
			}
		}
		if (row.enabled) {
			const errors: Record<string, string[]> = {};
			if (webhooks === null) errors.enabled = [UNAVAILABLE];
			if (row.url === "") errors.url = ["Is needed to enable the webhook."];
			if (row.secret_sealed === "") errors.secret = ["Is needed to enable the webhook."];
			if (Object.keys(errors).length > 0) throw invalid(errors);
		}
		return row;
	}

	async function save(tx: Tx, caller: Caller, patch: NotificationWebhookPatch): Promise<WebhookRow> {
		const { userId, username } = caller;
		const at = new Date(clock.now());
		const before = await hooks.lock(tx, userId);
		const row = changed(userId, before, patch);
		// A change resets the failures: the new settings may be right.
		const afresh = { failures: 0, failing_since: null, held_until: null, last_error: "" };
		const history = {
			last_attempt_at: before?.last_attempt_at ?? null,
			last_success_at: before?.last_success_at ?? null,
		};
		const saved = await hooks.save(tx, { ...row, ...afresh, ...history, created_at: at, updated_at: at });
		if (before !== null && (row.url !== before.url || !row.enabled)) {
			const why = row.enabled ? "The webhook leads elsewhere now." : "The webhook was switched off.";
			await hooks.cancelPending(tx, userId, at, why);
		}
		await events.changed(tx, caller, {
			...about(userId),
			description: `${username} changed their webhook`,
			// Its path may be a secret of the receiver's.
			metadata: { fields: Object.keys(patch), enabled: row.enabled, host: row.url === "" ? "" : new URL(row.url).host },
		});
		return saved;
	}

	return {
		detail: async ({ userId }: Caller) => present(await hooks.find(store.db, userId)),

		async update(caller: Caller, patch: NotificationWebhookPatch): Promise<NotificationWebhook> {
			if (Object.values(patch).every((value) => value === undefined)) {
				unchanged(caller);
				return present(await hooks.find(store.db, caller.userId));
			}
			return store.transaction(async (tx) => {
				await people.lockPreferences(tx, caller.userId);
				return present(await save(tx, caller, patch));
			});
		},

		async remove(caller: Caller): Promise<void> {
			const { userId, username } = caller;
			await store.transaction(async (tx) => {
				if (!(await hooks.remove(tx, userId))) throw notFound("There is no webhook.");
				await hooks.cancelPending(tx, userId, new Date(clock.now()), "The webhook was removed.");
				await events.changed(tx, caller, { ...about(userId), description: `${username} removed their webhook` });
			});
		},

		/** Changes nothing but the log. */
		async test(caller: Caller, signal: AbortSignal) {
			const row = await hooks.find(store.db, caller.userId);
			if (webhooks === null)
				return { success: false as const, message: UNAVAILABLE, reason: "address", response_status: null };
			if (row === null || row.url === "" || row.secret_sealed === "") {
				const message = "Set url and secret first.";
				return { success: false as const, message, reason: "address", response_status: null };
			}
			const began = performance.now();
			const message = { id: `test_${ids.uuid()}`, type: "webhook_test", timestamp: new Date(clock.now()) } as const;
			const outcome = await post(webhooks, row, { ...message, data: { username: caller.username } }, signal);
			const latency_ms = Math.round(performance.now() - began);
			await store.transaction((tx) =>
				events.changed(tx, caller, {
					...about(caller.userId),
					description: `${caller.username} tried out their webhook`,
					metadata: { success: outcome.ok, host: new URL(row.url).host, response_status: outcome.status },
				}),
			);
			const response_status = outcome.status;
			return outcome.ok
				? {
						success: true as const,
						message: `The receiver answered ${outcome.status}.`,
						response_status: outcome.status,
						latency_ms,
					}
				: { success: false as const, message: outcome.message, reason: outcome.reason, response_status };
		},

		async deliveries(caller: Caller, filter: DeliveryList, url: string) {
			return paginate(url, filter, await deliveries.page(store.db, caller.userId, filter), presentDelivery);
		},
	};
}
export type WebhookService = ReturnType<typeof createWebhookService>;
