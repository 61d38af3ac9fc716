/**
 * PostgreSQL on Linux and macOS: a Unix socket, no TCP port, no password; the folder's owner and
 * root can connect.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
	type Account,
	chooseAccount,
	explainClosed,
	findFirstClosedFolder,
	findNameableAccount,
	getClusterFolder,
} from "./account.ts";
import { locateBinaries, prepareBinaries } from "./binaries.ts";
import { ensureCluster } from "./cluster.ts";
import type { LogFile } from "./logfile.ts";
import { isPostmaster, readLockFile, readStalePid, removeBrokenLockFiles } from "./postmaster.ts";
import { launchProgram, runToEnd } from "./run.ts";
import { type Connection, type Installation, type Server, type ShutdownMode, sleepMs } from "./server.ts";
import { buildSettingArguments } from "./settings.ts";
import { chooseSocketFolder, isListening, socketPort } from "./socket.ts";

/**
 * Leads every process on Linux to its own working folder, also where the folders above are closed
 * to it: PostgreSQL can live in a data folder below /root, say, because its working folder is set
 * before the user is changed and stays its data folder.
 */
const workingFolder = "/proc/self/cwd";

const initdbArguments = [
	...["-U", "weft", "--auth-local=trust", "--auth-host=reject", "--no-instructions"],
	...["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"],
];

/** Upper bound of the time that sessions of a killed server hold its socket. */
const orphansMs = 5_000;

const signals: Record<ShutdownMode, NodeJS.Signals> = { fast: "SIGINT", immediate: "SIGQUIT", kill: "SIGKILL" };

export async function createUnixInstallation(options: {
	/** A real path. */
	dataDir: string;
	/** The folder of bin/, lib/ and share/, else the installed package's. */
	native?: string | undefined;
	settings?: Record<string, string> | undefined;
	logFile: LogFile;
	log: (line: string) => void;
}): Promise<Installation> {
	const { dataDir, logFile, log } = options;
	const folder = getClusterFolder(dataDir);
	const account = await chooseAccount(dataDir, folder);
	const maker = account && (await findNameableAccount(account));
	const closed = await findFirstClosedTo(dataDir, [account, maker]);
	if (closed !== undefined && !existsSync(workingFolder)) throw explainClosed(dataDir, closed.folder, closed.account);
	/** How PostgreSQL names its data, which is its working folder. */
	const getDataName = (path: string) => (closed === undefined ? path : workingFolder);
	const programFolders = [...(closed === undefined ? [dataDir] : []), "/var/cache", "/var/tmp", "/tmp"];
	const programs = await prepareBinaries(options.native ?? locateBinaries(), programFolders, account);
	const socketFolder = await chooseSocketFolder(folder, account);

	async function findServer(): Promise<Server | undefined> {
		const lock = await readLockFile(folder);
		if (!lock || !(await isPostmaster(lock.pid, folder))) return undefined;
		return buildServer(lock.pid, lock.socketFolder, () => isPostmaster(lock.pid, folder));
	}

	return {
		initialise: () =>
			ensureCluster({
				folder,
				account,
				maker,
				log,
				initdb: (draft) => runInitdb(join(programs, "bin/initdb"), getDataName(draft), { account: maker, cwd: draft }),
			}),
		async find() {
			const began = performance.now();
			for (;;) {
				const server = await findServer();
				// A container that shares the folder has other process numbers, but the same socket.
				if (server !== undefined || !(await isListening(socketFolder))) return server;
				if (performance.now() - began > orphansMs) {
					throw new Error(
						`the data folder ${dataDir} is in use by a PostgreSQL whose process cannot be seen from here (in ` +
							"another container?): stop that one first",
					);
				}
				await sleepMs(50);
			}
		},
		async start() {
			const remembered = await readStalePid(folder, socketFolder);
			// Checked after the file was read: a concurrent start may write another id in between.
			const stale = remembered !== undefined && !(await isPostmaster(remembered, folder)) ? remembered : undefined;
			const settings = {
				...options.settings,
				unix_socket_permissions: "0700",
				listen_addresses: "",
				unix_socket_directories: socketFolder === folder ? "." : quotePath(socketFolder),
			};
			const child = await launchProgram(
				join(programs, "bin/postgres"),
				["-D", getDataName(folder), ...buildSettingArguments(settings)],
				{
					account,
					cwd: folder,
					output: logFile.fd,
					detached: true,
					// PostgreSQL takes a lock file for valid when any process of its user has the number in
					// it, and asks this variable (from pg_ctl) for an exception. It then replaces the file
					// itself, safe from another starter.
					env: stale === undefined ? {} : { PG_GRANDPARENT_PID: String(stale) },
				},
			);
			// It outlives this process on purpose; the owner's connection keeps this one alive.
			child.unref();
			return buildServer(
				child.pid ?? 0,
				socketFolder,
				async () => child.exitCode === null && child.signalCode === null,
			);
		},
		repair: () => removeBrokenLockFiles(folder, socketFolder),
	};
}

async function runInitdb(
	program: string,
	draft: string,
	options: { account: Account | undefined; cwd: string },
): Promise<void> {
	try {
		await runToEnd(program, ["-D", draft, ...initdbArguments], options);
	} catch (error) {
		if (!(error instanceof Error && error.message.includes("could not look up effective user ID"))) throw error;
		throw new Error(
			`the user that runs Weft (uid ${process.geteuid?.()}) has no name on this system, which PostgreSQL needs to make a database: ` +
				"add it to /etc/passwd, start Weft as another user or as root, or set WEFT_DATABASE_URL",
		);
	}
}

/** Finds the first folder above the path that an account cannot enter, with that account. */
async function findFirstClosedTo(
	path: string,
	accounts: (Account | undefined)[],
): Promise<{ readonly folder: string; readonly account: Account } | undefined> {
	for (const account of accounts) {
		const folder = account && (await findFirstClosedFolder(path, account));
		if (folder !== undefined) return { folder, account: account as Account };
	}
	return undefined;
}

function buildServer(pid: number, host: string, running: () => Promise<boolean>): Server {
	const connection: Connection = { host, port: socketPort, user: "weft", database: "weft" };
	return {
		pid,
		connection,
		running,
		async shutdown(mode) {
			if (await running()) process.kill(pid, signals[mode]);
		},
	};
}

/** The setting is a list of names separated by commas. */
function quotePath(path: string): string {
	return `"${path.replaceAll('"', '""')}"`;
}
