/**
 * PostgreSQL's own lock file (postmaster.pid), and whether the process it names is the server of
 * this folder.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, readlink, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

interface LockFile {
	pid: number;
	port: number | undefined;
	/** Where its Unix socket is, absolute. */
	socketFolder: string;
}

/**
 * Lines of the file: process, folder, start, port, socket folder, address, shared memory, state.
 * Undefined when absent or unreadable as such.
 */
export async function readLockFile(folder: string): Promise<LockFile | undefined> {
	const lines = (await readFile(join(folder, "postmaster.pid"), "utf8").catch(() => "")).split("\n");
	const pid = parsePid(lines[0]);
	if (pid === undefined) return undefined;
	const socket = lines[4]?.trim();
	return {
		pid,
		port: Number(lines[3]) || undefined,
		socketFolder: socket?.startsWith("/") ? socket : folder,
	};
}

/**
 * The process named by a lock file that a dead server left behind, of the folder or of its socket.
 */
export async function readStalePid(folder: string, socketFolder: string): Promise<number | undefined> {
	for (const path of [join(folder, "postmaster.pid"), join(socketFolder, ".s.PGSQL.5432.lock")]) {
		const pid = parsePid((await readFile(path, "utf8").catch(() => "")).split("\n")[0]);
		if (pid !== undefined) return pid;
	}
	return undefined;
}

/**
 * Whether the process is the main process of a PostgreSQL on the folder (a real path). Process
 * numbers are reused, so that a live process is not proof enough: PostgreSQL works in its data
 * folder, which its children and successors share.
 */
export async function isPostmaster(pid: number, folder: string): Promise<boolean> {
	if (existsSync("/proc/self")) {
		const [cwd, name] = await Promise.all([
			readlink(`/proc/${pid}/cwd`).catch(() => ""),
			readFile(`/proc/${pid}/comm`, "utf8").catch(() => ""),
		]);
		return cwd === folder && name.trim() === "postgres";
	}
	const { stdout } = await promisify(execFile)("ps", ["-ww", "-o", "command=", "-p", String(pid)]).catch(() => ({
		stdout: "",
	}));
	return stdout.includes("postgres") && stdout.includes(` -D ${folder}`);
}

/**
 * Removes lock files without a process number, which a crash of the machine can leave and
 * PostgreSQL never replaces.
 */
export async function removeBrokenLockFiles(folder: string, socketFolder: string): Promise<void> {
	for (const path of [join(folder, "postmaster.pid"), join(socketFolder, ".s.PGSQL.5432.lock")]) {
		const read = async (file: string) => parsePid((await readFile(file, "utf8").catch(() => "1")).split("\n")[0]);
		if ((await read(path)) !== undefined) continue;
		// Check the moved file: a server may have written its own in between.
		const aside = `${path}.broken`;
		await rename(path, aside);
		if ((await read(aside)) === undefined) await unlink(aside);
		else await rename(aside, path);
	}
}

function parsePid(line: string | undefined): number | undefined {
	const pid = Number(line?.trim());
	return Number.isInteger(pid) && pid > 0 ? pid : undefined;
}
