/**
 * Notifications over a WebSocket. Reads of a process are batched: sockets woken at the same time,
 * or while a read is in flight, share one statement.
 */
import { notificationsChannel } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { isAllowed } from "../../core/caller.ts";
import { buildForbiddenError } from "../../core/errors.ts";
import type { BoundChannel } from "../../core/ws/hub.ts";
import { getTopic } from "./notify-users.ts";
import { presentFrame } from "./present.ts";
import type { Found, Wanted } from "./sql/frames.ts";
import { listNotificationFrames } from "./sql/frames.ts";

/** Sockets per statement. */
const READ_BATCH = 500;

interface Reader {
	readonly wanted: Wanted;
	resolve(found: Found): void;
	reject(error: unknown): void;
}

/** Collects reads and runs them in batches, one at a time. */
function createBatchReader(read: (wanted: readonly Wanted[]) => Promise<readonly Found[]>) {
	let waiting: Reader[] = [];
	let busy = false;

	async function readWaitingBatches(): Promise<void> {
		while (waiting.length > 0) {
			const readers = waiting.slice(0, READ_BATCH);
			waiting = waiting.slice(READ_BATCH);
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
			setImmediate(() => void readWaitingBatches());
		});
}

export function createChannel(ctx: Context): BoundChannel {
	const readFrames = createBatchReader((wanted) => listNotificationFrames(ctx.store.db, wanted));
	return {
		contract: notificationsChannel,
		async open(identity) {
			if (!isAllowed(identity, "view_notification")) throw buildForbiddenError();
			const { userId } = identity;
			let after: number | null = null;
			let sentCount: number | null = null;
			let left = false;
			return {
				topic: getTopic(userId),
				more: () => left,
				async next() {
					const { lastFrame, unread, frames: rows } = await readFrames({ userId, after });
					const reached: number = after === null ? lastFrame : (rows.at(-1)?.seq ?? after);
					after = reached;
					left = reached < lastFrame && rows.length > 0;
					const sent = rows.map(presentFrame);
					// The count includes the last frame, so it is sent only after that frame.
					if (left || unread === sentCount) return sent;
					sentCount = unread;
					return [...sent, { type: "unread_count", timestamp: new Date(ctx.clock.now()), data: { count: unread } }];
				},
			};
		},
	};
}
