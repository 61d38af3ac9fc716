/** The store on any PostgreSQL from version 15: one pool, transactions with retry, health. */
import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import pg from "pg";
import type { Log } from "../../core/ports/log.ts";
import type { Schema } from "../../core/ports/schema.ts";
import { getSqlState, type Store, type Tx } from "../../core/ports/store.ts";
import { createStoreDriver } from "./driver.ts";
import { createStatementNames, isOutdatedStatement } from "./prepared.ts";
import { createSilenceGuard, STORE_APPLICATION } from "./silence.ts";

interface PostgresOptions {
	/** An address, or the parts of one. */
	readonly connection: pg.ClientConfig;
	readonly poolSize: number;
	readonly log: Log;
	/** Milliseconds to wait for a free connection before the store counts as unreachable. */
	readonly acquireMs?: number;
	/** Awaited before each use of a connection, so that background work lets requests go first. */
	readonly beforeConnect?: () => Promise<void>;
	/** Checked by `healthy`: rejects while the schema is not this version's. */
	checkSchema(client: Pick<pg.Pool, "query">): Promise<void>;
}

/** Serialisation failures and deadlocks: a retry succeeds. */
const RETRY = new Set(["40001", "40P01"]);
const TRIES = 4;
/** Thrown to the query builder, which then rolls back. */
const ROLLED_BACK = new Error("The transaction was rolled back on request");
/** With the time that a silent store takes to be noticed, below the 10 s of an answer with 503. */
const ACQUIRE_MS = 6_000;

/** Counts and sums are bigint; here they are far below 2^53. */
const types: pg.CustomTypesConfig = {
	getTypeParser: (oid, format) =>
		oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as "text"),
};

export interface PostgresStore extends Store {
	readonly pool: pg.Pool;
}

export function createPostgresStore({ acquireMs = ACQUIRE_MS, ...options }: PostgresOptions): PostgresStore {
	const { connection, poolSize, log, beforeConnect, checkSchema } = options;
	const pool = new pg.Pool({
		...connection,
		// Lets a connection send a statement before the one before it is answered.
		pipeline: true,
		types,
		max: poolSize,
		application_name: STORE_APPLICATION,
		// Statements are short and many: compiling the expensive ones takes longer than running them.
		options: "-c jit=off",
		connectionTimeoutMillis: acquireMs,
		idleTimeoutMillis: 60_000,
		// A statement that runs longer is a defect.
		statement_timeout: 60_000,
		idle_in_transaction_session_timeout: 120_000,
	});
	let closing = false;
	// While the store closes, the server may end a connection before the pool does.
	pool.on("error", (error) => log[closing ? "debug" : "warn"]({ err: error }, "an idle store connection was lost"));
	// A connection that breaks in use also emits an error event: without a listener that ends the
	// process.
	pool.on("connect", (client) => client.on("error", (error) => log.debug({ err: error }, "a store connection broke")));
	const guard = createSilenceGuard({ connection, log });
	const driver = createStoreDriver(pool, createStatementNames(), guard, beforeConnect);
	const db = new Kysely<Schema>({
		dialect: {
			createDriver: () => driver,
			createAdapter: () => new PostgresAdapter(),
			createQueryCompiler: () => new PostgresQueryCompiler(),
			createIntrospector: (store) => new PostgresIntrospector(store),
		},
	});

	async function attemptTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
		const effects: (() => unknown)[] = [];
		let isRolledBack = false;
		let result: T | undefined;
		try {
			await db.transaction().execute(async (transaction) => {
				result = await work({
					db: transaction,
					async withCommit(query) {
						driver.deferToCommit(query);
						await transaction.executeQuery(query);
					},
					afterCommit: (effect) => effects.push(effect),
					rollBack: () => {
						isRolledBack = true;
					},
				});
				if (isRolledBack) throw ROLLED_BACK;
			});
		} catch (error) {
			if (error !== ROLLED_BACK) throw error;
			return result as T;
		}
		for (const effect of effects) {
			void (async () => effect())().catch((error: unknown) =>
				log.warn({ err: error }, "an effect after commit failed"),
			);
		}
		return result as T;
	}

	return {
		db,
		pool,
		async transaction(work) {
			for (let tries = 1; ; tries++) {
				try {
					return await attemptTransaction(work);
				} catch (error) {
					if (tries === TRIES || !(RETRY.has(getSqlState(error) ?? "") || isOutdatedStatement(error))) throw error;
				}
			}
		},
		async healthy() {
			const client = await pool.connect();
			const answered = guard.watch(client);
			try {
				await checkSchema(client);
			} finally {
				answered();
				client.release();
			}
		},
		close() {
			closing = true;
			return db.destroy();
		},
	};
}
