/** Opens the store for a command beside the service. */
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Config } from "./config.ts";
import { getPackageFile } from "./core/package-files.ts";
import { createPasswords } from "./core/system/argon2.ts";
import { systemClock } from "./core/system/clock.ts";
import { createIds } from "./core/system/ids.ts";
import { checkKeys, openSecrets } from "./open-keys.ts";
import { listConnections, openStore } from "./open-store.ts";
import { type Closer, collectClosers, openDatabase, openKeys, openLog } from "./start-store.ts";
import { attachEmbeddedPostgres, startEmbeddedPostgres } from "./storage/embedded-postgres/index.ts";
import { createAnnouncements } from "./storage/postgres/announcements.ts";
import { readMigrations } from "./storage/postgres/migrate.ts";

interface StoreAddress {
	readonly connection: pg.ClientConfig;
	readonly keys: readonly string[];
	close(): Promise<void>;
}

/**
 * The bare store, for backup and restore. `shared` uses the server of a running service or starts
 * one; otherwise the data folder is claimed, which fails with a sentence while a service runs on
 * it.
 */
export async function openStoreAddress(config: Config, use: "shared" | "alone"): Promise<StoreAddress> {
	const logger = openLog("warn");
	const { closers, close } = collectClosers(logger);
	const embed = use === "shared" ? attachEmbeddedPostgres : startEmbeddedPostgres;
	const signal = closeOnSignals(closers, close);
	const keyFile = await openKeys(config);
	const { connection } = await openDatabase(config, closers, logger, embed, signal);
	return {
		connection,
		keys: keyFile === null ? config.secretKeys : keyFile.keys(),
		close: () => closeSoon(close),
	};
}

/**
 * What a command beside the service needs: the store as it is, without migrations and without
 * taking jobs.
 */
export async function openForCommand(config: Config) {
	const logger = openLog("warn");
	const { closers, close } = collectClosers(logger);
	const signal = closeOnSignals(closers, close);
	try {
		const keyFile = await openKeys(config);
		const { connection } = await openDatabase(config, closers, logger, attachEmbeddedPostgres, signal);
		const migrations = await readMigrations(getPackageFile("migrations/"));
		const store = openStore(connection, migrations, listConnections(config), logger);
		closers.push(() => store.close());
		await store.healthy().catch((error: Error) => {
			throw new Error(`The store is not ready: ${error.message} Start the service once first.`);
		});
		await checkKeys(keyFile, store);
		const announcements = await createAnnouncements({ connection, log: logger, clock: systemClock });
		closers.push(() => announcements.close());
		return {
			store,
			announcements,
			...openSecrets(config, keyFile),
			passwords: createPasswords(),
			clock: systemClock,
			ids: createIds(systemClock),
			log: logger,
			close: () => closeSoon(close),
		};
	} catch (error) {
		await closeSoon(close);
		throw error;
	}
}

/** Milliseconds that a command waits for its connections to end; the process ends anyway. */
const CLOSE_MS = 5_000;

/** A store that stands still ends no connection. */
async function closeSoon(close: (graceMs: number) => Promise<void>): Promise<void> {
	await Promise.race([close(0), sleep(CLOSE_MS, undefined, { ref: false })]);
}

/** Exit code of a command that a signal ended, as shells report SIGTERM. */
const ENDED_BY_SIGNAL = 143;

/**
 * SIGTERM and SIGINT end a command with everything that it has opened, so that no server of its own
 * stays. Returns a signal that ends a start of the server which is under way.
 */
function closeOnSignals(closers: readonly Closer[], close: (graceMs: number) => Promise<void>): AbortSignal {
	const stopping = new AbortController();
	for (const name of ["SIGTERM", "SIGINT"] as const) {
		process.once(name, () => {
			if (closers.length === 0) return stopping.abort(new Error(`The command was ended by ${name}.`));
			void closeSoon(close).finally(() => process.exit(ENDED_BY_SIGNAL));
		});
	}
	return stopping.signal;
}
