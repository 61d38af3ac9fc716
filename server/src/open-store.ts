/** The connections of the service to its store. */
import type pg from "pg";
import type { AppParts } from "./app.ts";
import type { Config } from "./config.ts";
import { checkMigrated, type Migration } from "./storage/postgres/migrate.ts";
import { createPostgresStore, type PostgresStore } from "./storage/postgres/store.ts";

const CONNECTIONS_KEPT = 12;

/** Too few to be divided. */
const FEW_CONNECTIONS = 6;

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

/** @param migrations those that `healthy` expects to be applied */
export function openStore(
	connection: pg.ClientConfig,
	migrations: readonly Migration[],
	poolSize: number,
	log: AppParts["logger"],
	beforeConnect?: () => Promise<void>,
): PostgresStore {
	return createPostgresStore({
		connection,
		poolSize,
		log,
		...(beforeConnect ? { beforeConnect } : {}),
		checkSchema: (pool) => checkMigrated(pool, migrations),
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
