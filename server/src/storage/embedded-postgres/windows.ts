/**
 * PostgreSQL on Windows: started by pg_ctl, which gives up administrator rights, on a free port of
 * 127.0.0.1 with a password.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile, unlink, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { getClusterFolder } from "./account.ts";
import { locateBinaries } from "./binaries.ts";
import { ensureCluster } from "./cluster.ts";
import { readLockFile } from "./postmaster.ts";
import { runToEnd } from "./run.ts";
import type { Installation, Server } from "./server.ts";
import { buildSettingArguments } from "./settings.ts";

export async function createWindowsInstallation(options: {
	dataDir: string;
	native?: string | undefined;
	settings?: Record<string, string> | undefined;
	log: (line: string) => void;
}): Promise<Installation> {
	const { dataDir, log } = options;
	const folder = getClusterFolder(dataDir);
	const programs = options.native ?? locateBinaries();
	const passwordFile = join(dataDir, "postgres.password");
	const pgCtl = (...args: string[]) =>
		runToEnd(join(programs, "bin/pg_ctl.exe"), ["-D", folder, ...args], { account: undefined, cwd: dataDir });

	async function findServer(): Promise<Server | undefined> {
		const lock = await readLockFile(folder);
		if (!lock?.port || !isAlive(lock.pid)) return undefined;
		const password = await readFile(passwordFile, "utf8");
		return {
			pid: lock.pid,
			connection: { host: "127.0.0.1", port: lock.port, user: "weft", password, database: "weft" },
			running: async () => isAlive(lock.pid),
			async shutdown(mode) {
				if (mode === "kill") process.kill(lock.pid);
				else await pgCtl("stop", "-W", "-m", mode);
			},
		};
	}

	return {
		find: findServer,
		initialise: () =>
			ensureCluster({
				folder,
				account: undefined,
				maker: undefined,
				log,
				async initdb(draft) {
					await writeFile(passwordFile, randomBytes(24).toString("hex"), { mode: 0o600, flag: "wx" }).catch(
						(error: NodeJS.ErrnoException) => {
							if (error.code !== "EEXIST") throw error;
						},
					);
					const args = [
						"-D",
						draft,
						"-U",
						"weft",
						"--auth=scram-sha-256",
						`--pwfile=${passwordFile}`,
						"--no-instructions",
					];
					const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
					await runToEnd(join(programs, "bin/initdb.exe"), [...args, ...locale], { account: undefined, cwd: dataDir });
				},
			}),
		async start() {
			const port = await freePort();
			const settings = buildSettingArguments({
				...options.settings,
				listen_addresses: "127.0.0.1",
				port: String(port),
			});
			const quoted = settings.map((argument) => `"${argument}"`).join(" ");
			await pgCtl("start", "-w", "-l", join(dataDir, "postgres.log"), "-o", quoted);
			const server = await findServer();
			if (!server) throw new Error(`PostgreSQL ended right after its start in ${dataDir}`);
			return server;
		},
		async repair() {
			if (!(await readLockFile(folder))) await unlink(join(folder, "postmaster.pid")).catch(() => undefined);
		},
	};
}

async function freePort(): Promise<number> {
	const server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	server.close();
	await once(server, "close");
	return port;
}

function isAlive(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}
