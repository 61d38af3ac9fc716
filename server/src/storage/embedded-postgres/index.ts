/**
 * Starts the PostgreSQL that comes with the service, on a data folder that one process at a time
 * owns.
 */
import { join } from "node:path";
import type { Client } from "pg";
import { getClusterFolder, openDataFolder } from "./account.ts";
import { isComplete, removeDrafts } from "./cluster.ts";
import { type LogFile, openLogFile } from "./logfile.ts";
import { claimServer, ensureDatabase } from "./ownership.ts";
import { type Connection, hasEndedWithin, type Installation, type Server, shutDown, sleepMs } from "./server.ts";
import { createUnixInstallation } from "./unix.ts";
import { createWindowsInstallation } from "./windows.ts";

export interface EmbeddedPostgres {
	/** For pg; `host` is the folder of a Unix socket, except on Windows. */
	connection: Connection;
	/**
	 * Ends all sessions and the server, within about 20 seconds. Further calls return the same
	 * promise.
	 */
	stop(): Promise<void>;
	/** Resolves with a sentence when the server is lost without `stop`; never rejects. */
	exited: Promise<string>;
}

/** Whether a store was made in the data folder before. */
export const hasCluster = (dataDir: string): Promise<boolean> => isComplete(getClusterFolder(dataDir));

export { openDataFolder };

/**
 * Starts PostgreSQL on `<dataDir>/postgres`, or takes over the one that a killed process left
 * running there. Makes folder, database cluster and the database `weft` where they are absent.
 * Rejects with a sentence for the operator when the folder is in use by another process, cannot be
 * reached by PostgreSQL's user, or PostgreSQL does not start.
 */
export async function startEmbeddedPostgres(options: {
	dataDir: string;
	log: (line: string) => void;
	/** The folder of PostgreSQL's bin/, lib/ and share/, where it is not the installed package's. */
	native?: string;
	/** Settings of PostgreSQL that differ from those of a service. */
	settings?: Record<string, string>;
	/** Ends the start: the server is shut down, and the promise rejects with the signal's reason. */
	signal?: AbortSignal;
}): Promise<EmbeddedPostgres> {
	const { log, native, settings, signal } = options;
	const dataDir = await openDataFolder(options.dataDir);
	const logFile = await openLog(dataDir);
	try {
		const create = process.platform === "win32" ? createWindowsInstallation : createUnixInstallation;
		const installation = await create({ dataDir, native, settings, logFile, log });
		const { server, client } = await bringUp(installation, { dataDir, logFile, log, signal });
		try {
			signal?.throwIfAborted();
			await ensureDatabase(client, server.connection.database);
			await removeDrafts(join(dataDir, "postgres"));
		} catch (error) {
			await shutDown(server);
			throw error;
		}
		return superviseServer({ server, client, logFile });
	} catch (error) {
		await logFile.close();
		throw error;
	}
}

/**
 * For a command beside the service: uses the server of a running service, which then stays, or
 * starts one of its own. Nothing is claimed in the first case, so the command must leave migrations
 * and everything else of an owner alone.
 */
export async function attachEmbeddedPostgres(options: {
	dataDir: string;
	log: (line: string) => void;
	/** As for `startEmbeddedPostgres`. */
	signal?: AbortSignal;
}): Promise<EmbeddedPostgres> {
	const dataDir = await openDataFolder(options.dataDir);
	const logFile = await openLog(dataDir);
	const create = process.platform === "win32" ? createWindowsInstallation : createUnixInstallation;
	const live = await create({ dataDir, native: undefined, logFile, log: options.log })
		.then((installation) => installation.find())
		.finally(() => logFile.close());
	if (live === undefined) return startEmbeddedPostgres(options);
	return { connection: live.connection, stop: async () => {}, exited: new Promise(() => {}) };
}

async function openLog(dataDir: string): Promise<LogFile> {
	const path = join(dataDir, "postgres.log");
	return openLogFile(path).catch((error: NodeJS.ErrnoException) => {
		throw new Error(
			`The store's log ${path} cannot be written (${error.code}): it must be a file of the user that ` +
				"runs Weft. Move away what is in its place.",
		);
	});
}

interface Owned {
	server: Server;
	/** Its connection holds the ownership. */
	client: Client;
}

/**
 * How long a start is repeated while remains of a predecessor that is about to end are in the way.
 */
const patience = 20_000;
const remains = /shared memory block|lock file .* (already exists|is empty)|bogus data in lock file/;

interface Place {
	dataDir: string;
	logFile: LogFile;
	log: (line: string) => void;
	signal: AbortSignal | undefined;
}

async function bringUp(installation: Installation, { dataDir, logFile, log, signal }: Place): Promise<Owned> {
	const began = performance.now();
	for (;;) {
		await installation.initialise();
		signal?.throwIfAborted();
		const found = await installation.find();
		await logFile.mark();
		const server = found ?? (await installation.start());
		const result = await claimServer(server).catch(async (error: Error) => {
			if (!found) await shutDown(server);
			throw new Error(`${error.message}\n${await logFile.tail()}`);
		});
		if (result.outcome === "mine") {
			if (found) log(`takes over PostgreSQL (process ${server.pid}), which still runs in ${dataDir}`);
			return { server, client: result.client };
		}
		if (result.outcome === "taken") {
			// The other process's server stays, also where we started it. One of ours that has lost the
			// race and is about to end must not begin to serve when the other one stops.
			if (!found && (await installation.find())?.pid !== server.pid) await shutDown(server);
			throw new Error(
				`the data folder ${dataDir} is in use by ${result.by}: stop that one, or choose another WEFT_DATA_DIR`,
			);
		}
		// It ended: a predecessor that was shutting down, or ours, which met one or lost a race against
		// another starter.
		if (found || (await installation.find())) continue;
		const tail = await logFile.tail();
		if (!remains.test(tail) || performance.now() - began > patience) {
			throw new Error(`PostgreSQL does not start in ${dataDir}; its last lines:\n${tail}`);
		}
		await sleepMs(250);
		await installation.repair();
	}
}

/**
 * Watches the connection that holds the ownership, which ends when the server does, and keeps the
 * ownership while it lives.
 */
function superviseServer({ server, client, logFile }: Owned & { logFile: LogFile }): EmbeddedPostgres {
	let stopped: Promise<void> | undefined;
	let lost: (reason: string) => void;
	const exited = new Promise<string>((resolve) => {
		lost = resolve;
	});

	async function onEnd(): Promise<void> {
		if (stopped) return;
		// After a crash of one session the server ends all of them and goes on.
		const result = (await hasEndedWithin(server, 500)) ? ({ outcome: "gone" } as const) : await claimServer(server);
		if (result.outcome === "mine") return monitorOwner(result.client);
		if (stopped) return;
		if (result.outcome === "taken") return lost(`the data folder was taken over by ${result.by}`);
		lost(`PostgreSQL (process ${server.pid}) ended by itself; its last lines:\n${await logFile.tail()}`);
	}
	function monitorOwner(owner: Client): void {
		owner.once("end", () => {
			onEnd().catch((error: Error) => lost(error.message));
		});
	}

	monitorOwner(client);
	return {
		connection: server.connection,
		exited,
		stop() {
			stopped ??= shutDown(server).finally(() => logFile.close());
			return stopped;
		},
	};
}
