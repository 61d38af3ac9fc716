/**
 * Reserves a history for work that other processes overtook too often. The work is done outside of
 * transactions; the others leave the history alone meanwhile. Unlike a lease of core/lease.ts, a
 * reservation is never renewed: work that outlasts it is done again.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "../../context.ts";
import { buildUnavailableError } from "../../core/errors.ts";
import { RESERVATION_MS } from "./rules/reservation.ts";
import { endReservation, tryReserveHistory } from "./sql/snapshots.ts";

/** Between two looks at a reserved history. */
const POLL_MS = 50;
/** Longest wait for the reservations of others. */
const WAIT_MS = 2 * RESERVATION_MS;
/** How often work may outlast its reservation. */
export const RESERVATION_ATTEMPTS = 3;

/** Waits until no other work has reserved the history, and reserves it. @throws 503 */
export async function reserveHistory(ctx: Context, historyId: string, holder: string): Promise<void> {
	for (let waited = 0; waited < WAIT_MS; waited += POLL_MS) {
		const now = new Date(ctx.clock.now());
		const until = new Date(now.getTime() + RESERVATION_MS);
		if (await tryReserveHistory(ctx.store.db, historyId, { holder, now, until })) return;
		await sleep(POLL_MS);
	}
	throw buildUnavailableError("The history is being changed by others.");
}

/**
 * Does work with a history that is reserved for `holder`, and again when it answers null because
 * the history was changed after the reservation ended.
 * @throws 503 when the history is not to be had
 */
export async function holdHistory<T>(
	ctx: Context,
	historyId: string,
	work: (holder: string) => Promise<T | null>,
): Promise<T> {
	const holder = ctx.ids.uuid();
	for (let left = RESERVATION_ATTEMPTS; left > 0; left--) {
		await reserveHistory(ctx, historyId, holder);
		try {
			const result = await work(holder);
			if (result !== null) return result;
		} finally {
			await endReservation(ctx.store.db, historyId, holder);
		}
	}
	throw buildUnavailableError("The history changes faster than it can be worked on.");
}
