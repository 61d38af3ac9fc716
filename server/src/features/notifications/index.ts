/**
 * Notifications. Features emit `notification_due` in the transaction of a change; this feature
 * notifies each user on the channels they chose.
 */
import type { Events } from "../../platform/events.ts";
import type { BoundRoute } from "../../platform/http/binder.ts";
import type { Quotas } from "../../platform/quotas.ts";
import type { Repeating } from "../../platform/repeating.ts";
import type { BoundChannel } from "../../platform/ws/hub.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { JobQueue, Jobs } from "../../ports/jobs.ts";
import type { Log } from "../../ports/log.ts";
import type { Mailer } from "../../ports/mailer.ts";
import type { PubSub } from "../../ports/pubsub.ts";
import type { SealedColumn, Secrets } from "../../ports/secrets.ts";
import type { Db, Store } from "../../ports/store.ts";
import type { WebhookSender } from "../../ports/webhooks.ts";
import { createChannel } from "./channels.ts";
import { accountNotice } from "./domain/account-notices.ts";
import { copiedContext, secretContext } from "./domain/webhook-secrets.ts";
import { createWork } from "./jobs.ts";
import { createEmailDelivery } from "./jobs-email.ts";
import { createWebhookDelivery } from "./jobs-webhook.ts";
import { readInbox } from "./repo.ts";
import { countWebhooks } from "./repo-webhooks.ts";
import { createRoutes } from "./routes.ts";
import { createNotificationService } from "./service.ts";
import { createNotify } from "./service-notify.ts";
import { createDue } from "./service-queue.ts";
import { createResendService } from "./service-resend.ts";
import { createWebhookService } from "./service-webhook.ts";
import { createWebhookRequest } from "./service-webhook-request.ts";
import { createWebhooksService } from "./service-webhooks.ts";
import { addressContext } from "./webhook-address.ts";
import { createWebhookSettings } from "./webhook-settings.ts";

export const webhookSecrets: readonly SealedColumn[] = [
	{
		table: "notification_webhooks",
		key: "user_id",
		column: "secret_sealed",
		context: (userId) => copiedContext(Number(userId)),
	},
	{ table: "webhooks", key: "id", column: "secret_sealed", context: secretContext },
	{ table: "webhooks", key: "id", column: "url_sealed", context: addressContext },
];

export interface NotificationDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Pick<Ids, "uuid">;
	readonly log: Log;
	readonly pubsub: PubSub;
	readonly events: Events;
	readonly jobs: Pick<Jobs, "enqueue" | "enqueueAll">;
	readonly secrets: Secrets;
	/** Null: no mail is sent. */
	readonly mailer: Mailer | null;
	/** Null: the administrator allows no outgoing webhooks. */
	readonly webhooks: WebhookSender | null;
	/** Address of a web front end, for links; empty where there is none. */
	readonly frontendUrl: string;
	readonly version: string;
	readonly quotas: Quotas;
}

export interface Notifications {
	readonly routes: BoundRoute[];
	readonly channels: readonly BoundChannel[];
	/** The number of a user's unread notifications. */
	unreadCount(db: Db, userId: number): Promise<number>;
	/** The number of a user's own webhooks. */
	countWebhooks(db: Db, userId: number): Promise<number>;
	readonly queues: readonly JobQueue[];
	/** Starts the timers of a process that takes jobs. */
	work(): Repeating;
}

export function createNotifications(deps: NotificationDeps): Notifications {
	const { events, ids } = deps;
	const base = {
		...deps,

		post: createWebhookRequest(deps),
		enabled: { mail: deps.mailer !== null, webhooks: deps.webhooks !== null },
	};
	const all = { ...base, due: createDue(base) };
	const { notify } = createNotify(all);
	const { queues, work } = createWork({
		...all,
		emails: createEmailDelivery(all),
		hookDelivery: createWebhookDelivery(all),
	});

	events.inTransaction("notification_due", async (tx, event) => void (await notify(tx, event)));
	events.inTransaction("changed", async (tx, { actor, targetType, targetId }) => {
		const notice = "none" in actor.audit ? null : accountNotice(actor.audit.action, targetType);
		if (notice === null) return;
		const due = { type: "notification_due", userId: Number(targetId), category: "system", ...notice } as const;
		const name = actor.userId === Number(targetId) ? actor.username : "";
		const objects = [{ kind: "user", id: targetId, name }];
		const facts = { event: "account_changed", actor: actor.username, objects } as const;
		await notify(tx, { ...due, facts, link: "", key: `account:${ids.uuid()}`, isPersonal: true });
	});

	const settings = createWebhookSettings(all);
	return {
		routes: createRoutes({
			notifications: createNotificationService({ ...all, notify }),
			webhook: createWebhookService({ ...all, settings }),
			webhooks: createWebhooksService({ ...all, settings }),
			resends: createResendService(all),
		}),
		channels: [createChannel(all)],
		countWebhooks: countWebhooks,
		unreadCount: async (db, userId) => (await readInbox(db, userId)).unread,
		queues,
		work,
	};
}
