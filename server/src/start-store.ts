/**
 * The beginning of a start: log, keys and store. Imports little, so that the store starts while the
 * rest of the service is loaded.
 */
import type pg from "pg";
import { pino } from "pino";
import type { Config } from "./config.ts";
import { hasCluster, openDataFolder, startEmbeddedPostgres } from "./storage/embedded-postgres/index.ts";
import { type KeyFile, openKeyFile } from "./storage/secrets/key-file.ts";

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

/**
 * The key file, unless the settings give the keys. It is made before the store is, so that a store
 * without one has lost it.
 */
export async function openKeys({ secretKeys, dataDir, databaseUrl }: Config): Promise<KeyFile | null> {
	if (secretKeys.length > 0) return null;
	const folder = databaseUrl === null ? await openDataFolder(dataDir) : dataDir;
	return openKeyFile(folder, { hasStore: await hasCluster(folder) });
}

export interface StartedStore extends ReturnType<typeof collectClosers> {
	readonly logger: ReturnType<typeof openLog>;
	/** Null where the settings give the keys. */
	readonly keyFile: KeyFile | null;
	readonly connection: pg.ClientConfig;
	/** Resolves with a sentence when the embedded store is lost. */
	readonly lost: Promise<string>;
}

/**
 * Opens the keys, then the store that the settings name.
 * @param signal stops the store; `startStore` rejects with the reason
 */
export async function startStore(config: Config, signal?: AbortSignal): Promise<StartedStore> {
	const logger = openLog(config.logLevel);
	const { closers, close } = collectClosers(logger);
	const keyFile = await openKeys(config);
	const database = await openDatabase(config, closers, logger, startEmbeddedPostgres, signal);
	return { logger, closers, close, keyFile, ...database };
}
