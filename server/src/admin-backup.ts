/**
 * `npm run admin -- backup FILE` and `restore FILE`: a whole store as one file, from and into the
 * embedded store or a PostgreSQL.
 */
import { createReadStream, existsSync } from "node:fs";
import { chmod, copyFile, link, open, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import type { Config } from "./config.ts";
import { getPackageFile } from "./core/package-files.ts";
import { makeFolder } from "./core/system/folder.ts";
import { readVersion } from "./open.ts";
import { openStoreAddress } from "./open-command.ts";
import { startPgBoss } from "./storage/jobs/pg-boss.ts";
import { recordBackup, restoreBackup, writeBackup } from "./storage/postgres/backup.ts";
import { isBackupSignature, signBackup } from "./storage/postgres/backup-signature.ts";
import { readMigrations } from "./storage/postgres/migrate.ts";
import { computeKeyId } from "./storage/secrets/secrets.ts";

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Writes `file`, and with the embedded store `file`.key beside it, without which the secrets in it
 * cannot be opened. The service may run. Never replaces a file. Answers a sentence.
 */
export async function backUpStore(config: Config, file: string): Promise<string> {
	const draft = `${file}.part`;
	for (const taken of [file, `${file}.key`, draft]) {
		if (existsSync(taken)) throw new Error(`${taken} exists already: choose another name.`);
	}
	const store = await openStoreAddress(config, "shared");
	let began = false;
	try {
		const [key = ""] = store.keys;
		const packed = new PassThrough();
		// Fails where another backup has begun the file meanwhile.
		const output = (await open(draft, "wx", 0o600)).createWriteStream();
		began = true;
		const about = { version: await readVersion(), created_at: new Date().toISOString(), key_id: computeKeyId(key) };
		const [counts] = await Promise.all([
			writeBackup(store.connection, packed, about, (digest) => signBackup(key, digest)).catch((error: Error) => {
				packed.destroy(error);
				throw error;
			}),
			pipeline(packed, createGzip({ level: 4 }), output),
		]);
		await flushFile(draft);
		// Unlike a rename, a link replaces no file.
		await link(draft, file);
		const ownKey = config.secretKeys.length === 0;
		if (ownKey) await writeFile(`${file}.key`, `${store.keys.join("\n")}\n`, { mode: 0o600, flag: "wx", flush: true });
		await recordBackup(store.connection, {
			file_name: basename(file),
			size_bytes: (await stat(file)).size,
			row_count: counts.rows,
			version: about.version,
			created_at: about.created_at,
		});
		const said = `${counts.rows} rows of ${counts.tables} tables are in ${file}.`;
		return ownKey
			? `${said} What opens its secrets is in ${file}.key: keep it elsewhere, and do not lose it.`
			: `${said} Its secrets need the WEFT_SECRET_KEY of now.`;
	} finally {
		if (began) await rm(draft, { force: true });
		await store.close();
	}
}

/**
 * Fills a new data folder or an empty database from `file`. The service must not run. Answers a
 * sentence.
 * @param acceptsUnsigned whether a backup of a version that did not sign is restored
 */
export async function restoreStore(config: Config, file: string, acceptsUnsigned: boolean): Promise<string> {
	if (!existsSync(file)) throw new Error(`There is no ${file}.`);
	if (config.secretKeys.length === 0) await bringKey(config.dataDir, `${file}.key`);
	const store = await openStoreAddress(config, "alone");
	try {
		const { header, rows, tables } = await restoreBackup({
			connection: store.connection,
			source: unpackFile(file),
			migrations: await readMigrations(getPackageFile("migrations/")),
			installJobs: async () => (await startPgBoss({ connection: store.connection, log: SILENT })).stop(0),
			checkSignature(digest, signature) {
				if (signature === null && acceptsUnsigned) return;
				if (signature === null) {
					throw new Error(`${file} has no signature: if you trust it, restore it with --unsigned.`);
				}
				if (store.keys.some((key) => isBackupSignature(key, digest, signature))) return;
				throw new Error(`The signature of ${file} is wrong: the file was changed after it was written.`);
			},
			checkKey(id) {
				if (store.keys.map(computeKeyId).includes(id)) return;
				throw new Error(
					`The secrets in ${file} are sealed with another key: put its key file beside it as ${file}.key ` +
						"and restore into a new data folder, or set WEFT_SECRET_KEY to it.",
				);
			},
		});
		return `${rows} rows of ${tables} tables are restored as they were at ${header.created_at}. Start the service now.`;
	} finally {
		await store.close();
	}
}

async function* unpackFile(file: string): AsyncGenerator<Buffer> {
	const gunzip = createGunzip();
	// What goes wrong is thrown to who reads from it.
	pipeline(createReadStream(file), gunzip).catch(() => {});
	yield* gunzip as AsyncIterable<Buffer>;
}

/** A key that is there already stays: it belongs to a store. */
async function bringKey(dataDir: string, from: string): Promise<void> {
	const to = join(dataDir, "secret.key");
	if (existsSync(to) || !existsSync(from)) return;
	await makeFolder(dataDir);
	await copyFile(from, to);
	await chmod(to, 0o600);
}

async function flushFile(path: string): Promise<void> {
	const handle = await open(path, "r+");
	await handle.sync().finally(() => handle.close());
}
