/** The secret keys in the data folder, with mode 600: one on each line, the current one first. */
import { randomBytes } from "node:crypto";
import { readFileSync, type Stats, statSync } from "node:fs";
import { chmod, link, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../core/system/folder.ts";
import type { Keys } from "./secrets.ts";

export interface KeyFile {
	/** Reads the file again when it has changed: another process may rotate the keys. */
	keys(): Keys;
	/** Whether each key is one as this service makes it. Another may be the rest of one. */
	isOwn(): boolean;
	/** The error of a file whose keys open nothing of the store. */
	mismatch(): Error;
	/** Replaces the keys in one step. */
	write(keys: Keys): Promise<void>;
}

/** A problem of the key file, with its remedy. */
class KeyFileError extends Error {
	override readonly name = "KeyFileError";
}

/** Shorter keys could be guessed, or are the rest of a longer one. */
const MIN_KEY = 16;
/** A key as this service makes it: 32 random bytes. */
const OWN_KEY = /^[\w-]{43}$/;

const REMEDY =
	"Put it back from a backup (FILE.key), or run `npm run admin -- replace-key`, which makes a new key and gives up the stored secrets.";

/**
 * The file, made with a new key where there is none yet. Of two processes that make it at once,
 * both get the same.
 * @param hasStore whether a store exists whose secrets were sealed with a key
 * @throws KeyFileError if the key of an existing store is missing, or the file holds no whole key
 */
export async function openKeyFile(dataDir: string, { hasStore }: { readonly hasStore: boolean }): Promise<KeyFile> {
	const path = getKeyPath(dataDir);
	if (!(await hasKeyFile(path))) {
		if (hasStore) throw new KeyFileError(`The key file ${path} of the store in ${dataDir} is missing. ${REMEDY}`);
		await createKeyFile(dataDir);
	}
	const first = readKeys(path);
	let known = { version: getVersion(statSync(path)), keys: first };
	return {
		keys() {
			// A process that has read its keys keeps them if the file is deleted or damaged.
			const found = statSync(path, { throwIfNoEntry: false });
			if (found === undefined || getVersion(found) === known.version) return known.keys;
			try {
				known = { version: getVersion(found), keys: readKeys(path) };
			} catch (error) {
				if (!(error instanceof KeyFileError)) throw error;
			}
			return known.keys;
		},
		isOwn: () => known.keys.every((key) => OWN_KEY.test(key)),
		mismatch: () =>
			new KeyFileError(
				`No stored secret was sealed with a key in ${path}. The key is cut off, or it is that of another store. ${REMEDY}`,
			),
		async write(keys) {
			await rename(await writeDraft(path, keys), path);
		},
	};
}

/**
 * Replaces a lost key by a new one; a damaged file is kept beside it. Values sealed with the lost
 * key can no longer be read.
 * @throws KeyFileError if the file holds keys as this service makes them
 */
export async function replaceKeyFile(dataDir: string): Promise<void> {
	const path = getKeyPath(dataDir);
	if (await hasKeyFile(path)) {
		let isWhole = false;
		try {
			isWhole = readKeys(path).every((key) => OWN_KEY.test(key));
		} catch {
			// A damaged file is replaced.
		}
		if (isWhole) throw new KeyFileError(`${path} holds a key. Run rotate-key to change it: that keeps stored secrets.`);
		await rename(path, `${path}.damaged-${Date.now()}`);
	}
	await createKeyFile(dataDir);
}

export const createKey = (): string => randomBytes(32).toString("base64url");

const getKeyPath = (dataDir: string): string => join(dataDir, "secret.key");

async function createKeyFile(dataDir: string): Promise<void> {
	const path = getKeyPath(dataDir);
	await makeFolder(dataDir);
	const draft = await writeDraft(path, [createKey()]);
	try {
		// Linking to an existing name fails, so a second process reads the key of the first.
		await link(draft, path);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
	} finally {
		await rm(draft, { force: true });
	}
}

const getVersion = ({ ino, mtimeMs, size }: Stats): string => `${ino}:${mtimeMs}:${size}`;

/** Throws KeyFileError unless the file holds whole keys. */
function readKeys(path: string): Keys {
	let text: string;
	try {
		text = readFileSync(path, "utf8");
	} catch (error) {
		throw buildUnreadableError(path, error as NodeJS.ErrnoException);
	}
	const [first, ...older] = text.split("\n").flatMap((line) => line.trim() || []);
	if (first === undefined) throw new KeyFileError(`The key file ${path} is empty. ${REMEDY}`);
	const keys: Keys = [first, ...older];
	const last = keys.at(-1) ?? first;
	// Each line ends with a line break. A file that was cut lacks it.
	const isCut = !text.endsWith("\n") && !OWN_KEY.test(last);
	if (isCut || keys.some((key) => key.length < MIN_KEY)) {
		throw new KeyFileError(
			`The key file ${path} is cut off: each line must hold a key of at least ${MIN_KEY} characters and end with a line break. ${REMEDY}`,
		);
	}
	return keys;
}

function buildUnreadableError(path: string, { code, message }: NodeJS.ErrnoException): KeyFileError {
	if (code === "EISDIR")
		return new KeyFileError(
			`The key file ${path} is a folder, as when a mount did not find its file. Remove the folder, and mount or put the file there.`,
		);
	return new KeyFileError(
		`The key file ${path} cannot be read (${code ?? message}). Give it to the user that runs Weft, with mode 600.`,
	);
}

async function hasKeyFile(path: string): Promise<boolean> {
	return readFile(path).then(
		() => true,
		(error: NodeJS.ErrnoException) => {
			if (error.code === "ENOENT") return false;
			throw buildUnreadableError(path, error);
		},
	);
}

/** Writes and flushes a temporary file; returns its path. */
async function writeDraft(path: string, keys: Keys): Promise<string> {
	const draft = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
	const file = await open(draft, "wx", 0o600);
	try {
		await file.writeFile(`${keys.join("\n")}\n`);
		await file.sync();
	} finally {
		await file.close();
	}
	await chmod(draft, 0o600);
	return draft;
}
