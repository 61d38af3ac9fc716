/**
 * The data folder of PostgreSQL: complete or absent, because it is made beside its place and then
 * renamed.
 */
import { chmod, lchown, mkdtemp, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type Account, explainNoRight } from "./account.ts";

/**
 * Makes the folder unless it is there. `initdb` fills an empty folder as the maker, who owns it
 * then.
 */
export async function ensureCluster(options: {
	folder: string;
	account: Account | undefined;
	/** The user that initdb runs as. */
	maker: Account | undefined;
	initdb: (folder: string) => Promise<void>;
	log: (line: string) => void;
}): Promise<void> {
	const { folder, account, maker, log } = options;
	if (await isComplete(folder)) {
		// Data that root restored from a backup.
		if (account && (await stat(folder)).uid === 0) await giveTo(folder, account);
		await closeFolder(folder);
		return;
	}
	await moveAside(folder, log);
	log(`makes a new database in ${folder}`);
	const draft = await mkdtemp(`${folder}.new-`);
	try {
		if (maker) await giveTo(draft, maker);
		await options.initdb(draft);
		if (account && maker !== account) await giveTo(draft, account);
		await rename(draft, folder);
		await synchronizeFolder(dirname(folder));
	} catch (error) {
		await removeDraft(draft);
		// Another process was faster, or removed our draft because it owns the folder by now.
		if (!(await isComplete(folder))) throw error;
	}
}

/** Bits of a folder's mode with which PostgreSQL refuses it: group write, and all of others. */
const REFUSED_BITS = 0o027;

/**
 * Sets mode 700 where a restored backup or a volume's `fsGroup` has opened the folder to others.
 * Throws a sentence for the operator where the file system does not allow it.
 */
export async function closeFolder(folder: string): Promise<void> {
	const { mode } = await stat(folder);
	if (process.platform === "win32" || (mode & REFUSED_BITS) === 0) return;
	await chmod(folder, 0o700).catch(({ code }: NodeJS.ErrnoException) => {
		throw new Error(
			`the data folder ${folder} has mode ${(mode & 0o777).toString(8)}, with which PostgreSQL refuses it, and its ` +
				`mode cannot be changed (${code}): run chmod 700 '${folder}' as its owner`,
		);
	});
}

/** Removes what starts that were killed left behind. Only for the owner of the folder. */
export async function removeDrafts(folder: string): Promise<void> {
	for (const name of await readdir(dirname(folder))) {
		if (name.startsWith(`${basename(folder)}.new-`)) {
			await removeDraft(join(dirname(folder), name));
		}
	}
}

/**
 * Another process may still write there, or remove it too: what remains is left to the next owner.
 */
async function removeDraft(draft: string): Promise<void> {
	await rm(draft, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 }).catch(() => undefined);
}

/** Whether the folder holds a database cluster, which may run or not. */
export async function isComplete(folder: string): Promise<boolean> {
	const parts = await Promise.allSettled([stat(join(folder, "PG_VERSION")), stat(join(folder, "global/pg_control"))]);
	return parts.every((part) => part.status === "fulfilled");
}

/**
 * Moves an incomplete folder aside instead of deleting it: it may hold data that the operator
 * needs.
 */
async function moveAside(folder: string, log: (line: string) => void): Promise<void> {
	const names = await readdir(folder).catch(() => []);
	if (names.length === 0) return;
	const aside = `${folder}.incomplete-${Date.now()}`;
	await rename(folder, aside);
	// Between our look and the renaming another process finished it.
	if (await isComplete(aside)) await rename(aside, folder);
	else log(`${folder} holds no complete database and is kept as ${aside}`);
}

async function giveTo(path: string, account: Account): Promise<void> {
	await lchown(path, account.uid, account.gid).catch((error: NodeJS.ErrnoException) => {
		throw error.code === "EPERM" ? explainNoRight(account) : error;
	});
	for (const entry of await readdir(path, { withFileTypes: true })) {
		const child = join(path, entry.name);
		if (entry.isDirectory()) await giveTo(child, account);
		else await lchown(child, account.uid, account.gid);
	}
}

/** Makes the renaming durable. Folders cannot be opened on Windows. */
async function synchronizeFolder(path: string): Promise<void> {
	if (process.platform === "win32") return;
	const folder = await open(path, "r");
	try {
		await folder.sync();
	} finally {
		await folder.close();
	}
}
