/** Background work of notifications: deliveries, due digests and retries, and purges. */
import { repeatWork } from "../../platform/repeating.ts";
import type { Clock } from "../../ports/clock.ts";
import type { JobQueue } from "../../ports/jobs.ts";
import type { Log } from "../../ports/log.ts";
import type { Secrets } from "../../ports/secrets.ts";
import type { Store } from "../../ports/store.ts";
import type { EmailDelivery } from "./jobs-email.ts";
import type { WebhookDelivery } from "./jobs-webhook.ts";
import { purgeNotifications } from "./repo.ts";
import { purgeDeliveries } from "./repo-deliveries.ts";
import { purgeFrames } from "./repo-frames.ts";
import { lockPlainAddresses, purgeSharedEvents, updateWebhookRow } from "./repo-webhooks.ts";
import { DIGEST_QUEUE, type Due, EMAIL_QUEUE, WEBHOOK_QUEUE } from "./service-queue.ts";
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

export interface WorkDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly log: Log;
	readonly secrets: Secrets;
	readonly due: Pick<Due, "tick">;
	readonly emails: EmailDelivery;
	readonly hookDelivery: WebhookDelivery;
}

export function createWork(deps: WorkDeps) {
	const { store, clock, log, secrets, due, emails, hookDelivery } = deps;

	async function purgeExpiredRows(signal: AbortSignal): Promise<void> {
		const before = (ms: number) => new Date(clock.now() - ms);
		while (!signal.aborted && (await purgeNotifications(store.db, before(DELETED_MS), AT_ONCE)) === AT_ONCE);
		while (!signal.aborted && (await purgeDeliveries(store.db, before(FINISHED_MS), AT_ONCE)) === AT_ONCE);
		while (!signal.aborted && (await purgeSharedEvents(store.db, before(FINISHED_MS), AT_ONCE)) === AT_ONCE);
		while (!signal.aborted && (await purgeFrames(store.db, before(FRAMES_MS), AT_ONCE)) === AT_ONCE);
	}

	/** Seals secret addresses that nodes of an earlier version have written. */
	const sealAddresses = () =>
		store.transaction(async (tx) => {
			for (const row of await lockPlainAddresses(tx, AT_ONCE)) {
				await updateWebhookRow(tx, row.id, sealAddress(secrets, row, row.url));
			}
		});

	return {
		queues: [
			{ name: EMAIL_QUEUE, concurrency: 2, handler: emails.one },
			{ name: DIGEST_QUEUE, concurrency: 1, handler: emails.digest },
			{ name: WEBHOOK_QUEUE, concurrency: 4, handler: hookDelivery.one },
		] satisfies JobQueue[],

		/** Starts the timers. Idempotent, so every process with queue tasks runs them. */
		work: () =>
			repeatWork({ clock, log }, [
				{ everyMs: TICK_MS, failure: "deliveries that are due were not taken", work: due.tick },
				{ everyMs: HOUR_MS, failure: "old notifications were not removed", work: purgeExpiredRows },
				{ everyMs: HOUR_MS, failure: "addresses of webhooks were not sealed", work: sealAddresses },
			]),
	};
}
