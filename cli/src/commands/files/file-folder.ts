/** Files of queries and schedules in a folder: read for the service, and written by an export. */
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { lstat, mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { QueryFile } from "@weft/contracts";
import { APPLY_LIMITS } from "@weft/contracts/browser";
import { buildInputError, CliError, EXIT, listFileErrors } from "../../errors.ts";

const LIMITS = APPLY_LIMITS;
/** Entries that are looked at below a folder; more are a wrong folder, such as `/`. */
const ENTRIES_MAX = 100_000;
/** UTF-8 bytes per character at most. */
const BYTES_PER_CHARACTER = 4;
/** Of a request around its files, in bytes. */
const FRAME_BYTES = 1_024;
/** Without segments or characters that could lead out of the folder, on any file system. */
const EXPORTED = /^[a-z]{1,40}\/[a-z0-9][a-z0-9-]{0,119}\.yaml$/;

export interface WrittenFile {
	/** Below the folder. */
	readonly path: string;
	/** `stale`: an apply would read the file, and the export does not have it. */
	readonly action: "created" | "updated" | "unchanged" | "stale";
}

type Note = (line: string) => void;

/**
 * The YAML files below a folder, ordered by path.
 * @throws CliError for a folder without any, and for files that no request can have
 */
export async function readFolder(folder: string, note: Note): Promise<QueryFile[]> {
	const paths = await listPathsBelow(folder, note);
	if (paths.length === 0) throw buildInputError(`There is no .yaml or .yml file below ${folder}.`);
	if (paths.length > LIMITS.files)
		throw buildInputError(
			`There are ${paths.length} files below ${folder}. At most ${LIMITS.files} can be applied together.`,
		);
	const files: QueryFile[] = [];
	const problems: string[] = [];
	let bytes = FRAME_BYTES;
	for (const path of paths) {
		const read = await readTextFile(join(folder, path));
		const content = path.length > LIMITS.pathLength ? LONG_PATH : read;
		if (typeof content !== "string") problems.push(`${join(folder, path)}:1: ${content.problem}`);
		else {
			files.push({ path, content });
			bytes += Buffer.byteLength(JSON.stringify({ path, content })) + 1;
		}
		if (bytes > LIMITS.body)
			throw buildInputError(`The files below ${folder} have more than ${LIMITS.body / 2 ** 20} MiB together.`);
	}
	if (problems.length > 0) throw listFileErrors(problems);
	return files;
}

const LONG_PATH = { problem: `The path must have at most ${LIMITS.pathLength} characters.` };

interface ReadOptions {
	readonly maxLength?: number;
	/** Upper bound of the size of the file; only `maxLength` bounds it where this is absent. */
	readonly maxBytes?: number;
	/** Whether links are followed. */
	readonly mayFollow?: boolean;
}

/** The text of a file, or why it cannot be sent. Follows no link, unless it may. */
export async function readTextFile(
	path: string,
	{ maxLength = LIMITS.fileLength, maxBytes, mayFollow = false }: ReadOptions = {},
): Promise<string | { readonly problem: string }> {
	const handle = await open(path, constants.O_RDONLY | (mayFollow ? 0 : (constants.O_NOFOLLOW ?? 0)));
	try {
		const tooLong = { problem: `Must have at most ${maxLength.toLocaleString("en")} characters.` };
		const about = await handle.stat();
		if (!about.isFile()) return { problem: "Must be a file." };
		if (maxBytes !== undefined && about.size > maxBytes)
			return { problem: `Must have at most ${maxBytes.toLocaleString("en")} bytes.` };
		if (about.size > maxLength * BYTES_PER_CHARACTER) return tooLong;
		const text = new TextDecoder("utf-8", { fatal: true }).decode(await handle.readFile());
		return text.length > maxLength ? tooLong : text;
	} catch (error) {
		if (error instanceof TypeError) return { problem: "Must be text in UTF-8." };
		throw error;
	} finally {
		await handle.close();
	}
}

/** Paths with `/`, in the order of their code units. Leaves out links and hidden entries. */
async function listPathsBelow(folder: string, note: Note): Promise<string[]> {
	const found: string[] = [];
	const waiting = [""];
	let count = 0;
	for (let below = waiting.pop(); below !== undefined; below = waiting.pop()) {
		for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
			if (++count > ENTRIES_MAX)
				throw buildInputError(
					`${folder} has more than ${ENTRIES_MAX.toLocaleString("en")} entries. Give the folder of the files.`,
				);
			if (entry.name.startsWith(".")) continue;
			const path = below === "" ? entry.name : `${below}/${entry.name}`;
			if (entry.isSymbolicLink()) note(`${join(folder, path)} is a link and is not read.`);
			else if (entry.isDirectory()) waiting.push(path);
			else if (entry.isFile() && /\.ya?ml$/i.test(entry.name)) found.push(path);
		}
	}
	return found.sort();
}

/** Writes an export, deletes no file, and lists the other files of the folder. */
export async function writeExport(folder: string, files: readonly QueryFile[], note: Note): Promise<WrittenFile[]> {
	const written = await writeFiles(folder, files);
	const paths = new Set(files.map(({ path }) => path));
	const others = (await listPathsBelow(folder, note)).filter((path) => !paths.has(path));
	return [...written, ...others.map((path) => ({ path, action: "stale" as const }))];
}

/**
 * Writes files below a folder. Files that have their text already stay as they are.
 * @throws CliError for a path that is not of the form `queries/name.yaml`, and for another file in
 * its place unless it may be replaced; nothing is written then
 */
export async function writeFiles(
	folder: string,
	files: readonly QueryFile[],
	{ mayReplace = true }: { mayReplace?: boolean } = {},
): Promise<WrittenFile[]> {
	const paths = new Set<string>();
	for (const { path } of files) {
		if (!EXPORTED.test(path) || paths.has(path))
			throw new CliError(
				EXIT.unreachable,
				`Nothing was written: the service answered a path that is wrong or occurs twice (${JSON.stringify(path)}).`,
			);
		paths.add(path);
	}
	await mkdir(folder, { recursive: true });
	for (const below of new Set([...paths].map((path) => path.slice(0, path.indexOf("/"))))) {
		const name = join(folder, below);
		await mkdir(name, { recursive: true });
		if (!(await lstat(name)).isDirectory()) throw buildInputError(`${name} is a link. Replace it with a folder.`);
	}
	for (const { path, content } of mayReplace ? [] : files) {
		const before = await readTextBefore(join(folder, path));
		if (before !== null && before !== content)
			throw buildInputError(`Nothing was written: ${join(folder, path)} exists. Move it, or give another folder.`);
	}
	const written: WrittenFile[] = [];
	for (const { path, content } of files) written.push({ path, action: await writeOne(join(folder, path), content) });
	return written;
}

/** The text of the file there; null: none. Something else than a text is equal to none. */
async function readTextBefore(path: string): Promise<string | object | null> {
	return readTextFile(path).catch((error: NodeJS.ErrnoException) => {
		if (error.code === "ENOENT") return null;
		if (error.code === "ELOOP") return { problem: "It is a link." };
		throw error;
	});
}

/** Replaces the file at once; a link is replaced and not followed. */
async function writeOne(path: string, content: string): Promise<WrittenFile["action"]> {
	const before = await readTextBefore(path);
	if (before === content) return "unchanged";
	const next = join(path, `../.${randomUUID()}`);
	try {
		await writeFile(next, content, { flag: "wx" });
		await rename(next, path);
	} catch (error) {
		await rm(next, { force: true });
		throw error;
	}
	return before === null ? "created" : "updated";
}
