/**
 * Notifications. Areas emit `notification_due` in the transaction of a change; this area
 * notifies each user on the channels they chose.
 */
import type { Context } from "../../context.ts";
import type { BoundRoute } from "../../core/http/binder.ts";
import type { JobQueue } from "../../core/ports/jobs.ts";
import type { SealedColumn } from "../../core/ports/secrets.ts";
import type { Db } from "../../core/ports/store.ts";
import type { Repeating } from "../../core/repeating.ts";
import type { BoundChannel } from "../../core/ws/hub.ts";
import { createChannel } from "./channels.ts";
import { createWork } from "./jobs.ts";
import { notifyUsers } from "./notify-users.ts";
import { createRoutes } from "./routes.ts";
import { buildAccountNotice } from "./rules/account-notices.ts";
import { buildCopiedContext, buildSecretContext } from "./rules/webhook-secrets.ts";
import { readInbox } from "./sql/notifications.ts";
import { countWebhooks } from "./sql/webhooks.ts";
import { buildAddressContext } from "./webhook-address.ts";

export const webhookSecrets: readonly SealedColumn[] = [
	{
		table: "notification_webhooks",
		key: "user_id",
		column: "secret_sealed",
		context: (userId) => buildCopiedContext(Number(userId)),
	},
	{ table: "webhooks", key: "id", column: "secret_sealed", context: buildSecretContext },
	{ table: "webhooks", key: "id", column: "url_sealed", context: buildAddressContext },
];

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

export function createNotifications(ctx: Context): Notifications {
	ctx.events.inTransaction("notification_due", async (tx, event) => void (await notifyUsers(ctx, tx, event)));
	ctx.events.inTransaction("changed", async (tx, { actor, targetType, targetId }) => {
		const notice = "none" in actor.audit ? null : buildAccountNotice(actor.audit.action, targetType);
		if (notice === null) return;
		const due = { type: "notification_due", userId: Number(targetId), category: "system", ...notice } as const;
		const name = actor.userId === Number(targetId) ? actor.username : "";
		const objects = [{ kind: "user", id: targetId, name }];
		const facts = { event: "account_changed", actor: actor.username, objects } as const;
		await notifyUsers(ctx, tx, { ...due, facts, link: "", key: `account:${ctx.ids.uuid()}`, isPersonal: true });
	});
	return {
		routes: createRoutes(ctx),
		channels: [createChannel(ctx)],
		countWebhooks,
		unreadCount: async (db, userId) => (await readInbox(db, userId)).unread,
		...createWork(ctx),
	};
}
