/**
 * Which operating system user PostgreSQL runs as, and whether that user can reach a path.
 * PostgreSQL refuses to run as root.
 */
import { access, constants, readFile, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder } from "../../core/system/folder.ts";

/** The user PostgreSQL runs as, where it is not the user of this process. */
export interface Account {
	uid: number;
	gid: number;
	name: string;
}

/**
 * Makes the data folder where it is absent and returns its real path, which is how the kernel names
 * it to us later. Throws a sentence for the operator when this process cannot write there.
 */
export async function openDataFolder(dataDir: string): Promise<string> {
	try {
		// Search permission only: the files that need secrecy are closed themselves, and PostgreSQL's
		// user must pass through.
		await makeFolder(dataDir, isRoot() ? 0o711 : 0o700);
		await access(dataDir, constants.W_OK | constants.X_OK);
		return await realpath(dataDir);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		throw new Error(
			`the data folder ${dataDir} cannot be made or written to (${code}): choose another with ` +
				"WEFT_DATA_DIR, or give it to the user that runs Weft",
		);
	}
}

/**
 * Undefined: PostgreSQL runs as the user of this process. As root, it is the owner of the existing
 * data, else of the data folder, else `postgres`, else `nobody`. Throws a sentence for the operator
 * where the data belongs to someone else.
 */
export async function chooseAccount(dataDir: string, folder: string): Promise<Account | undefined> {
	const existing = await stat(folder).catch(() => undefined);
	const known = await readAccounts();
	if (!isRoot()) {
		const self = process.geteuid?.();
		if (existing && existing.uid !== self) {
			const owner = known.find((account) => account.uid === existing.uid)?.name ?? `uid ${existing.uid}`;
			throw new Error(
				`the data folder ${folder} belongs to ${owner}, and this process has no right to change user: ` +
					`start Weft as ${owner} or as root, or give the folder to uid ${self} with chown -R`,
			);
		}
		return undefined;
	}
	for (const owned of [existing, await stat(dataDir)]) {
		if (!owned || owned.uid === 0) continue;
		const { uid, gid } = owned;
		return known.find((account) => account.uid === uid) ?? { uid, gid, name: `uid ${uid}` };
	}
	return findServiceAccount(known) ?? { uid: 65534, gid: 65534, name: "nobody" };
}

/**
 * The account itself, or one that /etc/passwd knows, which initdb insists on though it needs
 * nothing of it.
 */
export async function findNameableAccount(account: Account): Promise<Account> {
	const known = await readAccounts();
	return known.some(({ uid }) => uid === account.uid) ? account : (findServiceAccount(known) ?? account);
}

function findServiceAccount(known: Account[]): Account | undefined {
	for (const name of ["postgres", "_postgres", "nobody"]) {
		const account = known.find((candidate) => candidate.name === name && candidate.uid !== 0);
		if (account) return account;
	}
	return undefined;
}

/**
 * For the operator: `closed` is a folder at or above the data folder that the account may not pass
 * through.
 */
export function explainClosed(dataDir: string, closed: string, account: Account): Error {
	return new Error(
		`the data folder ${dataDir} cannot be reached by ${account.name}, the user PostgreSQL runs as because it refuses to run as root: ` +
			`${closed} is closed to that user. Choose another folder with WEFT_DATA_DIR, open this one with ` +
			`chmod o+x '${closed}', or start Weft as an ordinary user`,
	);
}

/** For the operator, when changing a user or an owner is refused to root. */
export function explainNoRight(account: Account): Error {
	return new Error(
		`this process runs as root but has no right to change to the user ${account.name}, and PostgreSQL refuses to run as root: ` +
			"allow it (capabilities SETUID, SETGID and CHOWN), start Weft as an ordinary user, or set WEFT_DATABASE_URL",
	);
}

/**
 * The first folder, from the root downwards and including `path` itself, that the account may not
 * pass through.
 */
export async function findFirstClosedFolder(path: string, account: Account): Promise<string | undefined> {
	const chain = [path];
	for (let at = path; dirname(at) !== at; at = dirname(at)) chain.unshift(dirname(at));
	for (const folder of chain) if (!(await isPermitted(folder, 0o1, account))) return folder;
	return undefined;
}

/**
 * Whether the mode bits grant `wanted` (4 read, 1 execute or search) to the account; access control
 * lists are not seen.
 */
export async function isPermitted(path: string, wanted: number, account: Account): Promise<boolean> {
	const { uid, gid, mode } = await stat(path);
	const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
	return ((mode >> shift) & wanted) === wanted;
}

export function isRoot(): boolean {
	return process.geteuid?.() === 0;
}

/** The real path of the PostgreSQL data below the data folder. */
export function getClusterFolder(dataDir: string): string {
	return join(dataDir, "postgres");
}

async function readAccounts(): Promise<Account[]> {
	const text = await readFile("/etc/passwd", "utf8").catch(() => "");
	const accounts: Account[] = [];
	for (const line of text.split("\n")) {
		const [name, , uid, gid] = line.split(":");
		if (!name || !uid || !gid) continue;
		// macOS writes nobody as -2.
		accounts.push({ name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 });
	}
	return accounts;
}
