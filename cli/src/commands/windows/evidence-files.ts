/** Files of Cisco's pre-upgrade validation script, from paths, a folder or standard input. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { EvidenceInput } from "@weft/contracts";
import { EVIDENCE_LIMITS } from "@weft/contracts/browser";
import type { Context } from "../../context.ts";
import { buildInputError } from "../../errors.ts";
import { readTextFile } from "../files/file-folder.ts";

/** A path that means standard input. */
const STANDARD_INPUT = "-";

type File = EvidenceInput["files"][number];

/** Levels of folders that are read. */
const DEPTH_MAX = 3;
/** Upper bound of the files below a folder. */
const FILES_MAX = 5_000;

/**
 * Reads the JSON files of one run of the script. Notes the number of other files in a folder,
 * and each link and deep folder that is not read.
 * @throws CliError for an archive, a path that cannot be read, and for no or too many files
 */
export async function readEvidenceFiles(context: Context, paths: readonly string[]): Promise<File[]> {
	const names: string[] = [];
	for (const path of paths) {
		if (/\.(tgz|tar|gz|zip)$/i.test(path)) throw buildArchiveError(path);
		names.push(...(path === STANDARD_INPUT ? [path] : await listFiles(context, path)));
	}
	if (names.length > EVIDENCE_LIMITS.files)
		throw buildInputError(
			`There are ${names.length} files. At most ${EVIDENCE_LIMITS.files} can be attached together: name the folder of ` +
				"one run of the script.",
		);
	const files: File[] = [];
	for (const name of names)
		files.push(name === STANDARD_INPUT ? await readStandardInput(context) : { name, content: await readFile(name) });
	return files;
}

const buildArchiveError = (path: string) =>
	buildInputError(
		`${path} is an archive. Unpack it with tar -xzf ${path}, and name the folder preupgrade_validator_logs.`,
	);

async function readStandardInput({ input }: Context): Promise<File> {
	const bytes = await input.readAll(EVIDENCE_LIMITS.fileBytes);
	// The first bytes of gzip.
	if (bytes[0] === 0x1f && bytes[1] === 0x8b) throw buildArchiveError("standard input");
	return { name: "standard input", content: bytes.toString("utf8") };
}

async function readFile(path: string): Promise<string> {
	const text = await readTextFile(path, { maxLength: EVIDENCE_LIMITS.fileBytes, mayFollow: true }).catch(
		(error: NodeJS.ErrnoException) => {
			throw buildReadError(path, error);
		},
	);
	if (typeof text !== "string") throw buildInputError(`${path}: ${text.problem}`);
	return text;
}

const buildReadError = (path: string, { code }: NodeJS.ErrnoException) =>
	buildInputError(`${path} cannot be read (${code}).`);

/** The file itself, or the JSON files below a folder, ordered by path. */
async function listFiles(context: Context, path: string): Promise<string[]> {
	const about = await stat(path).catch((error: NodeJS.ErrnoException) => {
		throw buildReadError(path, error);
	});
	if (!about.isDirectory()) return [path];
	const all = await listFilesBelow(context, path, DEPTH_MAX);
	const json = all.filter((one) => /\.json$/i.test(one));
	if (json.length === 0)
		throw buildInputError(`There is no .json file below ${path}. Name the folder of one run of the script.`);
	const others = all.length - json.length;
	if (others > 0) context.note(`${others === 1 ? "1 file" : `${others} files`} below ${path}, not JSON: not attached.`);
	return json.sort();
}

async function listFilesBelow(context: Context, folder: string, depth: number): Promise<string[]> {
	const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
		throw buildReadError(folder, error);
	});
	const found: string[] = [];
	for (const entry of entries) {
		const path = join(folder, entry.name);
		if (entry.isFile()) found.push(path);
		else if (entry.isSymbolicLink()) context.note(`${path} is a link and is not read.`);
		else if (entry.isDirectory() && depth > 0) found.push(...(await listFilesBelow(context, path, depth - 1)));
		else if (entry.isDirectory()) context.note(`${path} lies too deep and is not read. Name it, or a folder above it.`);
		if (found.length > FILES_MAX)
			throw buildInputError(
				`There are more than ${FILES_MAX} files below ${folder}. Name the folder of one run of the script.`,
			);
	}
	return found;
}
