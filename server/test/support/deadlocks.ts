/** Finds work that could deadlock in the pool of connections, or that did in the store. */
import { AsyncLocalStorage } from "node:async_hooks";
import { getSqlState, type Store } from "../../src/core/ports/store.ts";
import type { PostgresStore } from "../../src/storage/postgres/store.ts";

/**
 * The store whose transaction the current work holds. One storage for all stores: each promise
 * costs a step for every storage.
 */
const held = new AsyncLocalStorage<PostgresStore>();

/**
 * A store that reports each use of the pool by work that already holds a transaction (enough of
 * those at once would deadlock: each waits for a connection that another one holds), and each
 * deadlock in the store, which the store's retry would hide at the price of a second.
 */
export function failOnDeadlocks(
	open: (poolSize: number, beforeConnect: () => Promise<void>) => PostgresStore,
	poolSize: number,
	violations: string[],
): PostgresStore {
	const store: PostgresStore = open(poolSize, async () => {
		if (held.getStore() === store)
			violations.push(new Error("The pool was used while a transaction was held.").stack ?? "");
	});
	const transaction: Store["transaction"] = (work) =>
		store.transaction(async (tx) => {
			try {
				return await held.run(store, () => work(tx));
			} catch (error) {
				if (getSqlState(error) === "40P01")
					violations.push(new Error("Transactions deadlocked.", { cause: error }).stack ?? "");
				throw error;
			}
		});
	return { ...store, transaction };
}
