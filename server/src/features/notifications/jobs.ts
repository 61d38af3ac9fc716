/** Background work of notifications: deliveries, what the clock brings, forgetting what is over. */
import type { Clock } from "../../ports/clock.ts";
import type { JobQueue } from "../../ports/jobs.ts";
import type { Log } from "../../ports/log.ts";
import type { Store } from "../../ports/store.ts";
import type { EmailDelivery } from "./deliver-email.ts";
import type { WebhookDelivery } from "./deliver-webhook.ts";
import { DIGEST_QUEUE, type Due, EMAIL_QUEUE, WEBHOOK_QUEUE } from "./due.ts";
import type { NotificationRepo } from "./repo.ts";
import type { DeliveryRepo } from "./repo-deliveries.ts";
import type { FrameRepo } from "./repo-frames.ts";

const TICK_MS = 5_000;
const HOUR_MS = 3_600_000;
/** Deleted notifications stay in the store for so long (specification, Limits). */
const DELETED_MS = 30 * 24 * HOUR_MS;
/** A socket looks for new frames every few seconds. */
const FRAMES_MS = 24 * HOUR_MS;
/** What became of deliveries is shown for so long. */
const FINISHED_MS = 30 * 24 * HOUR_MS;
const AT_ONCE = 1_000;

export interface WorkDeps {
	readonly store: Pick<Store, "db">;
	readonly clock: Clock;
	readonly log: Log;
	readonly repo: NotificationRepo;
	readonly frames: FrameRepo;
	readonly deliveries: Pick<DeliveryRepo, "purge">;
	readonly due: Pick<Due, "tick">;
	readonly emails: EmailDelivery;
	readonly hookDelivery: WebhookDelivery;
}

export function createWork({ store, clock, log, repo, frames, deliveries, due, emails, hookDelivery }: WorkDeps) {
	async function purge(signal: AbortSignal): Promise<void> {
		const before = (ms: number) => new Date(clock.now() - ms);
		while (!signal.aborted && (await repo.purge(store.db, before(DELETED_MS), AT_ONCE)) === AT_ONCE);
		while (!signal.aborted && (await deliveries.purge(store.db, before(FINISHED_MS), AT_ONCE)) === AT_ONCE);
		while (!signal.aborted && (await frames.purge(store.db, before(FRAMES_MS), AT_ONCE)) === AT_ONCE);
	}

	return {
		queues: [
			{ name: EMAIL_QUEUE, concurrency: 2, handler: emails.one },
			{ name: DIGEST_QUEUE, concurrency: 1, handler: emails.digest },
			{ name: WEBHOOK_QUEUE, concurrency: 4, handler: hookDelivery.one },
		] satisfies JobQueue[],

		/** Every process that takes jobs does it; that several do is no harm. */
		work(): { stop(): void } {
			const stopping = new AbortController();
			const timers = [
				every(TICK_MS, "deliveries that are due were not taken", () => due.tick(stopping.signal)),
				every(HOUR_MS, "old notifications were not removed", () => purge(stopping.signal)),
			];
			return {
				stop() {
					stopping.abort();
					for (const timer of timers) timer.stop();
				},
			};
		},
	};

	/** Now and then every `ms`; one that takes longer is not run twice at once, but once more afterwards. */
	function every(ms: number, failure: string, work: () => Promise<void>): { stop(): void } {
		let [running, again] = [false, false];
		async function run(): Promise<void> {
			again = true;
			if (running) return;
			running = true;
			while (again) {
				again = false;
				await work().catch((error: unknown) => log.warn({ err: error }, failure));
			}
			running = false;
		}
		void run();
		return clock.every(ms, () => void run());
	}
}
