/** The store on any PostgreSQL from version 15: one pool, transactions with retry, health. */
import { CompiledQuery, Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { Log } from "../../ports/log.ts";
import type { Schema } from "../../ports/schema.ts";
import { type Store, sqlState, type Tx } from "../../ports/store.ts";
import { clientClass, WITH_COMMIT } from "./client.ts";
import { isOutdatedStatement } from "./prepared.ts";

export interface PostgresOptions {
	/** An address, or the parts of one. */
	readonly connection: pg.ClientConfig;
	readonly poolSize: number;
	readonly log: Log;
	/** How long a use waits for a free connection before it fails as if the store were away, in ms. */
	readonly acquireMs?: number;
	/** Awaited before each use of a connection: whoever it is may have to let others go first. */
	readonly turn?: () => Promise<void>;
	/** Checked by `healthy`: rejects while the schema is not this version's. */
	checkSchema(pool: pg.Pool): Promise<void>;
}

/** Deadlock and serialisation failures: the same work succeeds when it is tried again. */
const RETRY = new Set(["40001", "40P01"]);
const TRIES = 4;

/** Counts and sums come as bigint; they are far below 2^53 here. */
const types: pg.CustomTypesConfig = {
	getTypeParser: (oid, format) =>
		oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as "text"),
};

export interface PostgresStore extends Store {
	readonly pool: pg.Pool;
}

export function createPostgresStore({ acquireMs = 10_000, ...options }: PostgresOptions): PostgresStore {
	const { connection, poolSize, log, turn, checkSchema } = options;
	const pool = new pg.Pool({
		...connection,
		Client: clientClass(),
		types,
		max: poolSize,
		application_name: "weft",
		// Statements here are short and many. PostgreSQL compiles those whose estimate is high, which takes longer than to run them.
		options: "-c jit=off",
		connectionTimeoutMillis: acquireMs,
		idleTimeoutMillis: 60_000,
		// A statement that runs longer than this is a defect; nothing may hang on the store.
		statement_timeout: 60_000,
		idle_in_transaction_session_timeout: 120_000,
	});
	let closing = false;
	// While the store closes its server may be quicker to end a connection than the pool.
	pool.on("error", (error) => log[closing ? "debug" : "warn"]({ err: error }, "an idle store connection was lost"));
	// A connection that breaks while it is in use tells its query, and then everybody: without a listener that ends the process.
	pool.on("connect", (client) => client.on("error", (error) => log.debug({ err: error }, "a store connection broke")));
	const inTurn = {
		async connect() {
			await turn?.();
			return pool.connect();
		},
		end: () => pool.end(),
	};
	const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: turn ? inTurn : pool }) });

	async function attempt<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
		const effects: (() => unknown)[] = [];
		const result = await db.transaction().execute((transaction) =>
			work({
				db: transaction,
				async withCommit({ sql, parameters }) {
					await transaction.executeQuery(CompiledQuery.raw(WITH_COMMIT + sql, [...parameters]));
				},
				afterCommit: (effect) => effects.push(effect),
			}),
		);
		for (const effect of effects) {
			void (async () => effect())().catch((error: unknown) =>
				log.warn({ err: error }, "an effect after commit failed"),
			);
		}
		return result;
	}

	return {
		db,
		pool,
		async transaction(work) {
			for (let tries = 1; ; tries++) {
				try {
					return await attempt(work);
				} catch (error) {
					if (tries === TRIES || !(RETRY.has(sqlState(error) ?? "") || isOutdatedStatement(error))) throw error;
				}
			}
		},
		healthy: () => checkSchema(pool),
		close() {
			closing = true;
			return db.destroy();
		},
	};
}
