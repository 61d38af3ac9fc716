/** The store: PostgreSQL through a query builder, and transactions with their side effects. */
import type { CompiledQuery, Kysely, Transaction } from "kysely";
import type { Schema } from "./schema.ts";

/** Anything that runs SQL: the pool, or a transaction. Every repository method takes one first. */
export type Db = Kysely<Schema>;

/** A running transaction. */
export interface Tx {
	readonly db: Transaction<Schema>;
	/** Runs with the commit, without a result; the transaction fails if it fails. */
	withCommit(query: CompiledQuery): Promise<void>;
	/** Runs after the commit; failures are logged. Only for wake-ups: it is lost with the process. */
	afterCommit(effect: () => unknown): void;
	/** Makes the transaction roll back at its end. Its work still answers as it would otherwise. */
	rollBack(): void;
}

export interface Store {
	/** The pool, for reads outside a transaction. Never used while holding a transaction. */
	readonly db: Db;
	/**
	 * Runs `work` in one transaction, possibly more than once (deadlock, serialization failure): it
	 * must have no effects other than through `tx`.
	 */
	transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
	/** Rejects when the store cannot be reached or its schema is not this version's. */
	healthy(): Promise<void>;
	close(): Promise<void>;
}

/** The SQLSTATE of a store error, or a system error's code. */
export function getSqlState(error: unknown): string | undefined {
	const code = (error as { code?: unknown } | null)?.code;
	return typeof code === "string" ? code : undefined;
}

/** Name of the unique constraint or index that an insert or update violated; otherwise null. */
export function findBrokenUnique(error: unknown): string | null {
	return getSqlState(error) === "23505" ? ((error as { constraint?: string }).constraint ?? "") : null;
}

/** Whether an error means that the store is unreachable, not that a statement is wrong. */
export function isStoreDown(error: unknown): boolean {
	const state = getSqlState(error);
	if (state !== undefined && /^(08|57P|53)/.test(state)) return true;
	if (state !== undefined && /^(ECONN|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH)/.test(state)) return true;
	return (
		error instanceof Error &&
		/Connection terminated|timeout exceeded when trying to connect|Cannot use a pool after|not currently accepting connections/.test(
			error.message,
		)
	);
}
