/** Opens the store that the settings ask for: an embedded PostgreSQL, or one by its address. */
import type pg from "pg";
import { pino } from "pino";
import type { AppParts } from "./app.ts";
import type { Config } from "./config.ts";
import { getPackageFile } from "./core/package-files.ts";
import type { startEmbeddedPostgres } from "./storage/embedded-postgres/index.ts";
import { checkMigrated, readMigrations } from "./storage/postgres/migrate.ts";
import { createPostgresStore, type PostgresStore } from "./storage/postgres/store.ts";

const CONNECTIONS_KEPT = 12;

/** Too few to be divided. */
const FEW_CONNECTIONS = 6;

/** Logs go to standard error: standard output is for the line that says "ready". */
export function openLog(level: Config["logLevel"]) {
	return pino(
		{ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: describeError } },
		pino.destination(2),
	);
}

/**
 * Only what says what happened: drivers hang connections, and with them credentials, onto their
 * errors.
 */
function describeError(error: unknown): unknown {
	if (!(error instanceof Error)) return String(error);
	const { name, message, stack, cause } = error;
	const { code } = error as { code?: unknown };
	return { type: name, message, code, stack, ...(cause === undefined ? {} : { cause: describeError(cause) }) };
}

export type Closer = (graceMs: number) => Promise<unknown>;

export function collectClosers(logger: ReturnType<typeof openLog>): {
	closers: Closer[];
	close: (graceMs: number) => Promise<void>;
} {
	const closers: Closer[] = [];
	return {
		closers,
		async close(graceMs) {
			for (const closer of closers.splice(0).reverse()) {
				await closer(graceMs).catch((error: unknown) => logger.warn({ err: error }, "a part did not close cleanly"));
			}
		},
	};
}

export async function openDatabase(
	config: Config,
	closers: Closer[],
	logger: ReturnType<typeof openLog>,
	embed: typeof startEmbeddedPostgres,
	signal?: AbortSignal,
): Promise<{ connection: pg.ClientConfig; lost: Promise<string> }> {
	if (config.databaseUrl !== null) {
		return { connection: { connectionString: config.databaseUrl }, lost: new Promise(() => {}) };
	}
	const embedded = await embed({
		dataDir: config.dataDir,
		log: (line) => logger.info({}, line),
		...(signal ? { signal } : {}),
	});
	closers.push(() => embedded.stop());
	// Without this a PGSSLMODE of the environment would be obeyed on a socket that knows no TLS.
	return { connection: { ...embedded.connection, ssl: false }, lost: embedded.exited };
}

export const listConnections = (config: Config): number =>
	config.databaseUrl === null ? CONNECTIONS_KEPT : config.databasePool;

/**
 * Divides the connections between requests and, in a process that does both, background work (a
 * quarter).
 */
export function divideConnections(config: Config): readonly [forRequests: number, forJobs: number] {
	const all = listConnections(config);
	if (all < FEW_CONNECTIONS || !config.roles.has("web") || !config.roles.has("worker")) return [all, 0];
	const forJobs = Math.ceil(all / 4);
	return [all - forJobs, forJobs];
}

export function openStore(
	connection: pg.ClientConfig,
	poolSize: number,
	log: AppParts["logger"],
	beforeConnect?: () => Promise<void>,
): PostgresStore {
	const migrations = readMigrations(getPackageFile("migrations/"));
	return createPostgresStore({
		connection,
		poolSize,
		log,
		...(beforeConnect ? { beforeConnect } : {}),
		checkSchema: async (pool) => checkMigrated(pool, await migrations),
	});
}

/** Throws a sentence that names the setting if an external PostgreSQL cannot be used. */
export async function checkReachable({ databaseUrl }: Config, store: PostgresStore): Promise<void> {
	if (databaseUrl === null) return;
	await store.pool.query("select 1").catch(({ code, message }: NodeJS.ErrnoException) => {
		throw new Error(
			`The PostgreSQL of WEFT_DATABASE_URL cannot be used: ${message || code}. Check that it runs, and ` +
				"the address, user, password and database.",
		);
	});
}
