/**
 * The query builder's driver on a pool of PostgreSQL connections. It prepares statements that
 * recur, and sends statements that need no answer of each other in one packet: each message costs a
 * system call on both sides, which for short statements is most of their cost.
 */
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from "kysely";
import type pg from "pg";
import { isOutdatedStatement, type StatementNames } from "./prepared.ts";
import type { SilenceGuard } from "./silence.ts";

interface StoreDriver extends Driver {
	/**
	 * Makes a query wait for the commit of its transaction, which fails with it. The query has no
	 * answer.
	 */
	deferToCommit(query: CompiledQuery): void;
}

const NO_ROWS: QueryResult<never> = { rows: [] };
const MUTATIONS: ReadonlySet<string> = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

/** @param beforeConnect awaited before each use of a connection */
export function createStoreDriver(
	pool: pg.Pool,
	names: StatementNames,
	guard: SilenceGuard,
	beforeConnect?: () => Promise<void>,
): StoreDriver {
	const deferred = new WeakSet<CompiledQuery>();
	return {
		async init() {},
		async acquireConnection() {
			await beforeConnect?.();
			return createConnection(await pool.connect(), { names, guard, deferred });
		},
		beginTransaction: async (connection) => (connection as StoreConnection).begin(),
		commitTransaction: (connection) => (connection as StoreConnection).commit(),
		rollbackTransaction: (connection) => (connection as StoreConnection).rollback(),
		releaseConnection: async (connection) => (connection as StoreConnection).release(),
		destroy: () => pool.end(),
		deferToCommit: (query) => void deferred.add(query),
	};
}

interface StoreConnection extends DatabaseConnection {
	begin(): void;
	commit(): Promise<void>;
	rollback(): Promise<void>;
	release(): void;
}

function createConnection(
	client: pg.PoolClient,
	{
		names,
		guard,
		deferred,
	}: {
		readonly names: StatementNames;
		readonly guard: SilenceGuard;
		readonly deferred: WeakSet<CompiledQuery>;
	},
): StoreConnection {
	/** "pending" until the first statement, which BEGIN is sent with. */
	let transaction: "none" | "pending" | "open" = "none";
	let atCommit: CompiledQuery[] = [];

	/** Statements that are sent before the next await leave in one packet. */
	function corkStream(): void {
		const { stream } = client.connection;
		stream.cork();
		process.nextTick(() => stream.uncork());
	}

	/** Every statement has a deadline: see `SilenceGuard`. */
	async function runStatement(query: pg.QueryConfig): Promise<pg.QueryResult> {
		const answered = guard.watch(client);
		try {
			return await client.query(query);
		} finally {
			answered();
		}
	}

	/** Sends BEGIN with the first statement of a transaction. */
	function beforeStatement(): void {
		corkStream();
		if (transaction !== "pending") return;
		transaction = "open";
		// BEGIN only fails with its connection. Otherwise what follows must not run outside a
		// transaction.
		runStatement({ text: "begin" }).catch(() => client.connection.stream.destroy());
	}

	async function sendQuery({ sql: text, parameters }: CompiledQuery): Promise<pg.QueryResult> {
		const values = [...parameters];
		const name = values.length > 0 ? names.getName(text) : undefined;
		if (name === undefined) return runStatement({ text, values });
		const isAlone = transaction === "none";
		try {
			return await runStatement({ name, text, values });
		} catch (error) {
			if (!isOutdatedStatement(error)) throw error;
			names.reset();
			// Inside a transaction its owner has to retry the whole.
			if (!isAlone) throw error;
			return runStatement({ text, values });
		}
	}

	async function endTransaction(statement: "commit" | "rollback", last: readonly CompiledQuery[]): Promise<void> {
		const isEmpty = transaction === "pending" && last.length === 0;
		if (!isEmpty) beforeStatement();
		const sent = last.map(sendQuery);
		transaction = "none";
		atCommit = [];
		if (isEmpty) return;
		// COMMIT after a failed statement rolls back and succeeds: the statement's error is the
		// transaction's.
		const answers = await Promise.allSettled([...sent, runStatement({ text: statement })]);
		for (const answer of answers) if (answer.status === "rejected") throw answer.reason;
	}

	return {
		async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
			if (deferred.has(query)) {
				atCommit.push(query);
				return NO_ROWS;
			}
			beforeStatement();
			const { command, rowCount, rows } = await sendQuery(query);
			return { rows, ...(MUTATIONS.has(command) ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) };
		},
		// biome-ignore lint/correctness/useYield: nothing streams from the store
		async *streamQuery() {
			throw new Error("The store does not stream.");
		},
		begin() {
			transaction = "pending";
		},
		commit: () => endTransaction("commit", atCommit),
		rollback: () => endTransaction("rollback", []),
		release: () => client.release(),
	};
}
