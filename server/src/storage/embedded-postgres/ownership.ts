/**
 * The owner of the data folder is the process that holds an advisory lock in its server. The lock
 * ends with the process.
 */
import { Client } from "pg";
import { type Server, sleepMs } from "./server.ts";

type Claim =
	/** The client's connection is the ownership. */
	| { outcome: "mine"; client: Client }
	/** `by` names the owner. */
	| { outcome: "taken"; by: string }
	/** The server ended before it answered. */
	| { outcome: "gone" };

/** "Weft" in ASCII; advisory locks count per database, and this one is taken in `postgres`. */
const lock = 0x57656674;

/**
 * Timeouts in milliseconds. A server that answers but is not ready may be recovering after a crash.
 */
const limits = { silent: 60_000, notReady: 600_000, taken: 1_000, statement: 60_000 };

const cannotConnectNow = "57P03";

/**
 * Waits until the server answers and tries to become its owner. Throws when the server stays
 * silent.
 */
export async function claimServer(server: Server): Promise<Claim> {
	const began = performance.now();
	let takenSince: number | undefined;
	for (;;) {
		if (!(await server.running())) return { outcome: "gone" };
		const client = new Client({
			...server.connection,
			database: "postgres",
			ssl: false,
			application_name: `process ${process.pid}`,
			connectionTimeoutMillis: 10_000,
			query_timeout: limits.statement,
		});
		// Losing the connection is seen through "end".
		client.on("error", () => undefined);
		try {
			await client.connect();
			const by = await tryLock(client);
			if (by === undefined) return { outcome: "mine", client };
			await client.end();
			// A killed owner's session takes a moment to end.
			takenSince ??= performance.now();
			if (performance.now() - takenSince > limits.taken) return { outcome: "taken", by };
		} catch (error) {
			client.end().catch(() => undefined);
			const { code, message } = error as { code?: string; message: string };
			const limit = code === cannotConnectNow ? limits.notReady : limits.silent;
			if (performance.now() - began > limit) {
				throw new Error(`PostgreSQL (process ${server.pid}) runs but cannot be used: ${message}`);
			}
		}
		await sleepMs(performance.now() - began < 1_000 ? 3 : 50);
	}
}

/** Makes the service's database unless it is there. Only for the owner. */
export async function ensureDatabase(client: Client, name: string): Promise<void> {
	const { rowCount } = await client.query("select from pg_database where datname = $1", [name]);
	if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
}

/** Undefined when the lock is ours now, else the name of its holder. */
async function tryLock(client: Client): Promise<string | undefined> {
	const { rows } = await client.query<{ mine: boolean; holder: string | null }>(
		`select pg_try_advisory_lock($1) as mine,
			(select application_name from pg_locks join pg_stat_activity using (pid)
			 where locktype = 'advisory' and classid = 0 and objid = $1 and granted limit 1) as holder`,
		[lock],
	);
	if (rows[0]?.mine) return undefined;
	return rows[0]?.holder ?? "another process";
}
