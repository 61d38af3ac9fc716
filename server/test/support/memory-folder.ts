/** Temporary files in memory, where the system offers a file system for them. */
import { accessSync, constants, readFileSync, statfsSync } from "node:fs";

const FOLDER = "/dev/shm";
/** The most that tests with their stores have on it at once, with room to spare. */
const NEEDED_BYTES = 3 * 1024 ** 3;

/**
 * Leads temporary files of this process and its children to memory, unless TMPDIR is set. Each test
 * file makes and drops a database of hundreds of files: on ext4 the search for free inodes among
 * recently deleted ones costs more processor time than PostgreSQL itself.
 */
export function keepTemporaryFilesInMemory(): void {
	if (process.env.TMPDIR === undefined && isUsable()) process.env.TMPDIR = FOLDER;
}

function isUsable(): boolean {
	try {
		accessSync(FOLDER, constants.W_OK);
		// Tests run programs from temporary folders, which containers often forbid here.
		const mount = readFileSync("/proc/mounts", "utf8")
			.split("\n")
			.map((line) => line.split(" "))
			.findLast(([, place]) => place === FOLDER);
		const [, , type, options = ""] = mount ?? [];
		const { bavail, bsize } = statfsSync(FOLDER);
		const free = Math.min(bavail * bsize, process.availableMemory());
		return type === "tmpfs" && !options.split(",").includes("noexec") && free >= NEEDED_BYTES;
	} catch {
		return false;
	}
}
