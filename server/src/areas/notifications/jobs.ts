/** Background work of notifications: deliveries, due digests and retries, and purges. */
import type { Context } from "../../context.ts";
import type { JobQueue } from "../../core/ports/jobs.ts";
import { repeatWork } from "../../core/repeating.ts";
import { DIGEST_QUEUE, EMAIL_QUEUE, enqueueDueDeliveries, WEBHOOK_QUEUE } from "./enqueue-deliveries.ts";
import { createEmailDelivery } from "./jobs-email.ts";
import { deliverWebhook } from "./jobs-webhook.ts";
import { purgeDeliveries } from "./sql/deliveries.ts";
import { purgeFrames } from "./sql/frames.ts";
import { purgeNotifications } from "./sql/notifications.ts";
import { lockPlainAddresses, purgeSharedEvents, updateWebhookRow } from "./sql/webhooks.ts";
import { sealAddress } from "./webhook-address.ts";

const TICK_MS = 5_000;
const HOUR_MS = 3_600_000;
/** Retention of deleted notifications (specification, Limits). */
const DELETED_MS = 30 * 24 * HOUR_MS;
/** Retention of frames; sockets read new ones within seconds. */
const FRAMES_MS = 24 * HOUR_MS;
/** Retention of finished deliveries, and of the keys of what shared webhooks were sent. */
const FINISHED_MS = 30 * 24 * HOUR_MS;
const AT_ONCE = 1_000;

export function createWork(ctx: Context) {
	async function purgeExpiredRows(signal: AbortSignal): Promise<void> {
		const before = (ms: number) => new Date(ctx.clock.now() - ms);
		while (!signal.aborted && (await purgeNotifications(ctx.store.db, before(DELETED_MS), AT_ONCE)) === AT_ONCE);
		while (!signal.aborted && (await purgeDeliveries(ctx.store.db, before(FINISHED_MS), AT_ONCE)) === AT_ONCE);
		while (!signal.aborted && (await purgeSharedEvents(ctx.store.db, before(FINISHED_MS), AT_ONCE)) === AT_ONCE);
		while (!signal.aborted && (await purgeFrames(ctx.store.db, before(FRAMES_MS), AT_ONCE)) === AT_ONCE);
	}

	/** Seals secret addresses that nodes of an earlier version have written. */
	const sealAddresses = () =>
		ctx.store.transaction(async (tx) => {
			for (const row of await lockPlainAddresses(tx, AT_ONCE)) {
				await updateWebhookRow(tx, row.id, sealAddress(ctx.secrets, row, row.url));
			}
		});

	const emails = createEmailDelivery(ctx);

	return {
		queues: [
			{ name: EMAIL_QUEUE, concurrency: 2, handler: emails.one },
			{ name: DIGEST_QUEUE, concurrency: 1, handler: emails.digest },
			{ name: WEBHOOK_QUEUE, concurrency: 4, handler: (data, signal) => deliverWebhook(ctx, data, signal) },
		] satisfies JobQueue[],

		/** Starts the timers. Idempotent, so every process with queue tasks runs them. */
		work: () =>
			repeatWork({ clock: ctx.clock, log: ctx.log }, [
				{
					everyMs: TICK_MS,
					failure: "deliveries that are due were not taken",
					work: (signal) => enqueueDueDeliveries(ctx, signal),
				},
				{ everyMs: HOUR_MS, failure: "old notifications were not removed", work: purgeExpiredRows },
				{ everyMs: HOUR_MS, failure: "addresses of webhooks were not sealed", work: sealAddresses },
			]),
	};
}
