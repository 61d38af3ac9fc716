/** The secret keys in the data folder, with mode 600: one on each line, the current one first. */
import { randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { chmod, link, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Keys } from "./secrets.ts";

export interface KeyFile {
	/** Read anew whenever the file is another one: another process may change the keys while this one runs. */
	keys(): Keys;
	/** Replaces the keys in one step. */
	write(keys: Keys): Promise<void>;
}

/** The file, made with a new key where there is none. Of two processes that make it at once, both get the same. */
export async function openKeyFile(dataDir: string): Promise<KeyFile> {
	await mkdir(dataDir, { recursive: true });
	const path = join(dataDir, "secret.key");
	if (!(await exists(path))) {
		const draft = await writeDraft(path, [newKey()]);
		try {
			// A link to a name that exists fails, so whoever comes second reads the first one's key.
			await link(draft, path);
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
		} finally {
			await rm(draft, { force: true });
		}
	}
	let known: { readonly version: string; readonly keys: Keys } | null = null;
	return {
		keys() {
			const found = statSync(path, { throwIfNoEntry: false });
			// A file that somebody took away takes nothing away from who has read it.
			if (found === undefined && known !== null) return known.keys;
			const { ino, mtimeMs, size } = found ?? statSync(path);
			const version = `${ino}:${mtimeMs}:${size}`;
			if (known?.version !== version) known = { version, keys: parse(readFileSync(path, "utf8"), path) };
			return known.keys;
		},
		async write(keys) {
			await rename(await writeDraft(path, keys), path);
		},
	};
}

export const newKey = (): string => randomBytes(32).toString("base64url");

function parse(text: string, path: string): Keys {
	const [first, ...older] = text.split("\n").flatMap((line) => line.trim() || []);
	if (first === undefined) throw new Error(`${path} holds no key.`);
	return [first, ...older];
}

async function exists(path: string): Promise<boolean> {
	return readFile(path).then(
		() => true,
		(error: NodeJS.ErrnoException) => {
			if (error.code === "ENOENT") return false;
			throw error;
		},
	);
}

/** Written and on disk, under a name of its own. */
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
