/**
 * Reserves a history for work that other processes overtook too often. The work is done outside of
 * transactions; the others leave the history alone meanwhile, for as long as a lease.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { buildUnavailableError } from "../../platform/errors.ts";
import { RESERVATION_MS } from "./domain/reservation.ts";
import { endReservation, tryReserveHistory } from "./repo.ts";
import type { Reservations, TimeMachineDeps } from "./service.ts";

type ReservationDeps = Pick<TimeMachineDeps, "store" | "clock" | "ids">;

/** Between two looks at a reserved history. */
const POLL_MS = 50;
/** Longest wait for the reservations of others. */
const WAIT_MS = 2 * RESERVATION_MS;
/** How often work may outlast its reservation. */
const ATTEMPTS = 3;

export function createReservations({ store, clock, ids }: ReservationDeps): Reservations {
	async function reserveHistory(historyId: string, holder: string): Promise<void> {
		for (let waited = 0; waited < WAIT_MS; waited += POLL_MS) {
			const now = new Date(clock.now());
			const until = new Date(now.getTime() + RESERVATION_MS);
			if (await tryReserveHistory(store.db, historyId, { holder, now, until })) return;
			await sleep(POLL_MS);
		}
		throw buildUnavailableError("The history is being changed by others.");
	}

	return {
		async hold(historyId, work) {
			const holder = ids.uuid();
			for (let left = ATTEMPTS; left > 0; left--) {
				await reserveHistory(historyId, holder);
				try {
					const result = await work(holder);
					if (result !== null) return result;
				} finally {
					await endReservation(store.db, historyId, holder);
				}
			}
			throw buildUnavailableError("The history changes faster than it can be worked on.");
		},
	};
}
