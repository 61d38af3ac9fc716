/** Folders of the file system. */
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a folder and those above it that are missing. Rejects with the system's error. Node's own
 * recursive `mkdir` never ends where the system says ENOENT although the parent exists, as below
 * /proc.
 * @param mode of each folder that is made
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
	try {
		await mkdir(path, { mode });
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === "EEXIST" && (await stat(path)).isDirectory()) return;
		const parent = dirname(path);
		const isParentMissing = parent !== path && (await stat(parent).catch(() => null)) === null;
		if (code !== "ENOENT" || !isParentMissing) throw error;
		await makeFolder(parent, mode);
		await makeFolder(path, mode);
	}
}
