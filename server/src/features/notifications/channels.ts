/**
 * Notifications over a WebSocket. All sockets of a process read together: those that are woken at the same time, and all that
 * ask while a read is under way, share one statement.
 */
import { notificationsChannel } from "@weft/contracts";
import { isAllowed } from "../../platform/caller.ts";
import { forbidden } from "../../platform/errors.ts";
import type { BoundChannel } from "../../platform/ws/hub.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Store } from "../../ports/store.ts";
import { presentFrame } from "./present.ts";
import type { Found, FrameRepo, Wanted } from "./repo-frames.ts";
import { topicOf } from "./tell.ts";

/** Readers of one statement. */
const TOGETHER = 500;

interface Reader {
	readonly wanted: Wanted;
	resolve(found: Found): void;
	reject(error: unknown): void;
}

/** Collects what is asked for and reads it in as few statements as possible, one at a time. */
function createTogether(read: (wanted: readonly Wanted[]) => Promise<readonly Found[]>) {
	let waiting: Reader[] = [];
	let busy = false;

	async function work(): Promise<void> {
		while (waiting.length > 0) {
			const readers = waiting.slice(0, TOGETHER);
			waiting = waiting.slice(TOGETHER);
			try {
				const found = await read(readers.map(({ wanted }) => wanted));
				for (const [i, reader] of readers.entries()) reader.resolve(found[i] as Found);
			} catch (error) {
				for (const reader of readers) reader.reject(error);
			}
		}
		busy = false;
	}

	return (wanted: Wanted): Promise<Found> =>
		new Promise((resolve, reject) => {
			waiting.push({ wanted, resolve, reject });
			if (busy) return;
			busy = true;
			setImmediate(() => void work());
		});
}

export interface ChannelDeps {
	readonly store: Pick<Store, "db">;
	readonly clock: Pick<Clock, "now">;
	readonly frames: Pick<FrameRepo, "read">;
}

export function createChannel({ store, clock, frames }: ChannelDeps): BoundChannel {
	const ask = createTogether((wanted) => frames.read(store.db, wanted));
	return {
		contract: notificationsChannel,
		async open(identity) {
			if (!isAllowed(identity, "view_notification")) throw forbidden();
			const { userId } = identity;
			let after: number | null = null;
			let told: number | null = null;
			let left = false;
			return {
				topic: topicOf(userId),
				more: () => left,
				async next() {
					const { lastFrame, unread, frames: rows } = await ask({ userId, after });
					const reached: number = after === null ? lastFrame : (rows.at(-1)?.seq ?? after);
					after = reached;
					left = reached < lastFrame && rows.length > 0;
					const sent = rows.map(presentFrame);
					// The count is of the last frame's moment: before that one is sent it would be ahead of what was told.
					if (left || unread === told) return sent;
					told = unread;
					return [...sent, { type: "unread_count", timestamp: new Date(clock.now()), data: { count: unread } }];
				},
			};
		},
	};
}
