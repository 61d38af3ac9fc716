/**
 * Where the Unix socket goes: into the data of PostgreSQL, whose folder is closed to everyone else,
 * unless that path is too long.
 */
import { createHash } from "node:crypto";
import { chown, lstat, mkdir, realpath } from "node:fs/promises";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Account, findFirstClosedFolder } from "./account.ts";

/** Its number is only part of the socket's name. */
export const socketPort = 5432;

/** The room in an address: 104 bytes on macOS and 108 on Linux, with the closing zero. */
const longest = 103;

/** The same folder for the same data at every start, so that a live server is found again. */
export async function chooseSocketFolder(folder: string, account: Account | undefined): Promise<string> {
	if (isShortEnough(folder)) return folder;
	const name = `weft-${createHash("sha256").update(folder).digest("hex").slice(0, 16)}`;
	for (const base of [tmpdir(), "/tmp"]) {
		const parent = await realpath(base).catch(() => undefined);
		if (parent === undefined || !isShortEnough(join(parent, name))) continue;
		if (account && (await findFirstClosedFolder(parent, account)) !== undefined) continue;
		const socketFolder = join(parent, name);
		await makePrivate(socketFolder, account);
		return socketFolder;
	}
	throw new Error(
		`the path ${folder} is too long for a socket and there is no temporary folder to use instead: choose a shorter WEFT_DATA_DIR`,
	);
}

/** Whether something listens on the socket. */
export function isListening(socketFolder: string): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = createConnection(join(socketFolder, `.s.PGSQL.${socketPort}`));
		socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
		socket.once("close", () => resolve(false)).setTimeout(2_000, () => socket.destroy());
		socket.once("connect", () => socket.destroy());
	});
}

function isShortEnough(folder: string): boolean {
	return Buffer.byteLength(join(folder, `.s.PGSQL.${socketPort}`)) <= longest;
}

/**
 * Every user may write to the temporary folder: another user's folder of this name must not be
 * used.
 */
async function makePrivate(path: string, account: Account | undefined): Promise<void> {
	await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
		if (error.code !== "EEXIST") throw error;
	});
	const self = process.geteuid?.();
	const { uid, mode, isFolder } = await lstat(path).then((s) => ({
		uid: s.uid,
		mode: s.mode,
		isFolder: s.isDirectory(),
	}));
	if (!isFolder || (uid !== self && uid !== account?.uid) || (mode & 0o077) !== 0) {
		throw new Error(
			`${path}, the folder for the database's socket, belongs to someone else: remove it or choose a shorter WEFT_DATA_DIR`,
		);
	}
	if (account && uid !== account.uid) await chown(path, account.uid, account.gid);
}
