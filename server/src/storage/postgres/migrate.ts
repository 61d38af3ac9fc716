/**
 * Plain SQL migrations: files `NNNN_name.sql`, each applied once, in order, in one transaction of
 * its own.
 */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type pg from "pg";

/** An arbitrary advisory lock; processes that start together wait for each other. */
const LOCK = 0x77656674;
/** For one statement of a migration, and for the wait for another process that migrates. */
const STATEMENT_LIMIT = "6h";

export interface Migration {
	readonly name: string;
	readonly sql: string;
	readonly checksum: string;
}

export async function readMigrations(folder: URL): Promise<Migration[]> {
	const names = (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort();
	return Promise.all(
		names.map(async (name) => {
			const sql = await readFile(new URL(name, folder), "utf8");
			return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
		}),
	);
}

/**
 * Brings the schema up to date. A file that was changed after it had been applied is an error: the
 * store would not be what the code expects.
 */
export async function migrateSchema(pool: pg.Pool, migrations: readonly Migration[]): Promise<string[]> {
	const client = await pool.connect();
	const applied: string[] = [];
	try {
		// Indexes of large tables take longer than the statements that this limit is otherwise for.
		await client.query(`set statement_timeout = '${STATEMENT_LIMIT}'`);
		await client.query("select pg_advisory_lock($1)", [LOCK]);
		await client.query(
			"create table if not exists weft_migrations (name text primary key, checksum text not null, " +
				"applied_at timestamptz not null default now())",
		);
		const done = new Map<string, string>(
			(await client.query("select name, checksum from weft_migrations")).rows.map((row) => [row.name, row.checksum]),
		);
		for (const { name, sql, checksum } of migrations) {
			const before = done.get(name);
			if (before === checksum) continue;
			if (before !== undefined) throw new Error(`The migration ${name} was changed after it had been applied.`);
			await client.query("begin");
			try {
				await client.query(sql);
				await client.query("insert into weft_migrations (name, checksum) values ($1, $2)", [name, checksum]);
				await client.query("commit");
			} catch (error) {
				await client.query("rollback");
				throw new Error(`The migration ${name} failed: ${(error as Error).message}`, { cause: error });
			}
			applied.push(name);
		}
		return applied;
	} finally {
		await client.query("select pg_advisory_unlock($1)", [LOCK]).catch(() => {});
		// Closed, so that nothing else runs with its limit.
		client.release(true);
	}
}

/** Rejects unless every migration has been applied. */
export async function checkMigrated(pool: Pick<pg.Pool, "query">, migrations: readonly Migration[]): Promise<void> {
	const { rows } = await pool.query("select name from weft_migrations");
	const done = new Set(rows.map((row) => row.name));
	const missing = migrations.filter((migration) => !done.has(migration.name));
	if (missing.length > 0) throw new Error(`The store lacks ${missing.map((migration) => migration.name).join(", ")}.`);
}
