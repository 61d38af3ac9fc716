/** The file with the profiles of `weft login`. It holds tokens of sessions, and no passwords. */
import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Clock } from "./clock.ts";
import { buildInputError, CliError, EXIT } from "./errors.ts";

export interface Profile {
	/** Address of the service; the tokens are sent to no other. */
	readonly url: string;
	readonly username: string;
	readonly access: string;
	readonly refresh: string;
}

interface File {
	readonly profiles: Readonly<Record<string, Profile>>;
}

/** A lock of a process that has died is taken over after this time, in milliseconds. */
const STALE_MS = 10_000;
const LOCK_WAIT_MS = 15_000;
const LOCK_PAUSE_MS = 25;

/** @param environment HOME and XDG_CONFIG_HOME (XDG Base Directory Specification) */
export function getCredentialsPath(environment: Readonly<Record<string, string | undefined>>): string {
	const folder = environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), ".config");
	return join(folder, "weft", "credentials.json");
}

export function createCredentials(path: string, clock: Clock) {
	async function readCredentials(): Promise<File> {
		try {
			const file: unknown = JSON.parse(await readFile(path, "utf8"));
			const profiles = (file as Partial<File> | null)?.profiles;
			if (typeof profiles === "object" && profiles !== null) return { profiles };
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === "ENOENT") return { profiles: {} };
			if (!(error instanceof SyntaxError)) throw error;
		}
		throw buildInputError(`${path} is not a file of weft login. Delete it and sign in again.`);
	}

	/** Replaces the file at once: a reader sees the old or the new one. */
	async function writeCredentials(file: File): Promise<void> {
		const next = `${path}.${randomUUID()}`;
		const handle = await open(next, "wx", 0o600);
		try {
			await handle.writeFile(`${JSON.stringify(file, null, "\t")}\n`);
		} finally {
			await handle.close();
		}
		await rename(next, path);
	}

	/** One process at a time. @throws CliError if another process holds the file for long */
	async function runWithLock<T>(work: () => Promise<T>): Promise<T> {
		await mkdir(dirname(path), { recursive: true, mode: 0o700 });
		const lock = `${path}.lock`;
		const start = clock.now();
		while (!(await lockFile(lock))) {
			const age =
				clock.now() -
				(await stat(lock).then(
					({ mtimeMs }) => mtimeMs,
					() => clock.now(),
				));
			if (age > STALE_MS) await rm(lock, { force: true });
			if (clock.now() - start > LOCK_WAIT_MS) throw new CliError(EXIT.badInput, `${lock} is held by another process.`);
			await clock.sleep(LOCK_PAUSE_MS);
		}
		try {
			return await work();
		} finally {
			await rm(lock, { force: true });
		}
	}

	return {
		path,
		exclusively: runWithLock,
		find: async (name: string): Promise<Profile | null> => {
			const { profiles } = await readCredentials();
			return Object.hasOwn(profiles, name) ? (profiles[name] ?? null) : null;
		},
		/** Replaces or removes one profile and leaves the others; call it within `runWithLock`. */
		async store(name: string, profile: Profile | null): Promise<void> {
			const { [name]: _, ...others } = (await readCredentials()).profiles;
			await writeCredentials({ profiles: profile === null ? others : { ...others, [name]: profile } });
		},
	};
}
export type Credentials = ReturnType<typeof createCredentials>;

async function lockFile(path: string): Promise<boolean> {
	try {
		await (await open(path, "wx", 0o600)).close();
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
		throw error;
	}
}
