/**
 * The open sockets of a user, over all processes: each takes a place of the quota `sockets_max`
 * until it closes. A process holds a lease on its places, so that those of a process that died are
 * free once the lease has ended. It is a lease of the process and not of work, as those of
 * core/lease.ts are: nothing is aborted with it, and the next renewal takes the places again.
 */
import { randomUUID } from "node:crypto";
import type { Clock } from "../../../core/ports/clock.ts";
import type { Log } from "../../../core/ports/log.ts";
import type { Db, Store, Tx } from "../../../core/ports/store.ts";
import type { QuotaHolder, Quotas } from "../../../core/quotas.ts";
import { type Repeating, repeatWork } from "../../../core/repeating.ts";
import type { OpenSocket } from "./sql/sockets.ts";
import {
	countSocketRows,
	deleteExpiredProcesses,
	deleteSocketProcess,
	deleteSockets,
	extendSocketLease,
	insertSocket,
	insertSockets,
} from "./sql/sockets.ts";

const LEASE_MS = 60_000;
const EXTEND_MS = 20_000;

export interface SocketPlaces {
	/**
	 * Takes a place for a socket. Returns the function that frees it.
	 * @throws 403 `{detail, quota}` when the user has no place left
	 */
	takePlace(holder: QuotaHolder): Promise<() => void>;
	countSockets(db: Db, userId: number): Promise<number>;
	/** Frees all places of this process, for a shutdown. */
	close(): Promise<void>;
}

interface SocketPlaceContext {
	readonly store: Store;
	readonly clock: Clock;
	readonly log: Log;
	readonly quotas: Quotas;
}

export function createSocketPlaces({ store, clock, log, quotas }: SocketPlaceContext): SocketPlaces {
	const processId = randomUUID();
	/** Users by the ids of the sockets that are open here. */
	const open = new Map<string, number>();
	/** Ids of closed sockets whose place could not be freed yet. */
	const closed = new Set<string>();
	let extending: Repeating | null = null;
	let freeing = Promise.resolve();

	async function extendLease(tx: Tx): Promise<void> {
		const now = clock.now();
		const isNew = await extendSocketLease(tx, processId, new Date(now + LEASE_MS));
		const stored: OpenSocket[] = [...open].map(([id, user_id]) => ({ id, user_id }));
		if (!isNew || stored.length === 0) return;
		await insertSockets(tx, processId, stored);
		// A socket may have closed meanwhile: the next extension frees its place.
		tx.afterCommit(() => {
			for (const { id } of stored) if (!open.has(id)) closed.add(id);
		});
	}

	/** Runs as long as the process does: the lease of a process without sockets is one row. */
	async function maintainLease(): Promise<void> {
		await store.transaction(async (tx) => {
			await extendLease(tx);
			await deleteExpiredProcesses(tx, new Date(clock.now()));
		});
		await freePlaces();
	}

	async function freePlaces(): Promise<void> {
		const ids = [...closed];
		if (ids.length === 0) return;
		await deleteSockets(store.db, ids);
		for (const id of ids) closed.delete(id);
	}

	function freePlace(id: string): void {
		if (!open.delete(id)) return;
		closed.add(id);
		freeing = freeing.then(freePlaces).catch((error: unknown) => log.warn({ err: error }, FREE_LATER));
	}

	return {
		async takePlace(holder) {
			const socket = { id: randomUUID(), user_id: holder.userId };
			await store.transaction(async (tx) => {
				await quotas.check(holder, "sockets_max", tx);
				if (await insertSocket(tx, processId, socket)) return;
				await extendLease(tx);
				await insertSocket(tx, processId, socket);
			});
			open.set(socket.id, holder.userId);
			extending ??= repeatWork({ clock, log }, [
				{
					everyMs: EXTEND_MS,
					failure: "the lease of this process on its sockets was not extended",
					work: maintainLease,
				},
			]);
			return () => freePlace(socket.id);
		},

		countSockets: (db, userId) => countSocketRows(db, userId, new Date(clock.now())),

		async close() {
			open.clear();
			await Promise.all([extending?.stop(), freeing]);
			if (extending !== null) await deleteSocketProcess(store.db, processId);
		},
	};
}

const FREE_LATER = "the place of a closed socket was not freed; it is tried again";
