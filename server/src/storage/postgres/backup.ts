/**
 * A whole store as one stream, and back: readable by any PostgreSQL that the service runs on, so
 * that it also moves a store from the embedded server to another one. Gzip around lines of JSON
 * and, for each table, PostgreSQL's COPY text:
 *
 *   {"format":"weft-backup", "version", "created_at", "key_id", "jobs_version",
 *    "migrations":[{name, checksum}]}
 *   {"table":"public.users","columns":["id", …]}
 *   … rows …
 *   \.
 *   {"end":true,"rows":{"public.users":2, …},"sequences":{"public.users_id_seq":[2,true], …}}
 *   {"hmac":"…"}
 */
import { createHash } from "node:crypto";
import { Socket } from "node:net";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { type BackupHeader, type BackupReader, readBackup } from "./backup-format.ts";
import { type Migration, migrateSchema } from "./migrate.ts";
import { createSilenceGuard } from "./silence.ts";

interface BackupCounts {
	readonly tables: number;
	readonly rows: number;
}

/** Known from the schema itself, or not to be carried over. */
const LEFT_OUT = ["public.weft_migrations", "pgboss.version", "public.service_nodes"];
const END = Buffer.from("\\.\n");

interface Table {
	readonly name: string;
	readonly columns: readonly string[];
	/**
	 * Its rows are in partitions. A table that others inherit from has rows of its own, and theirs
	 * are copied with them.
	 */
	readonly parts: boolean;
}

/**
 * Writes a consistent snapshot of the store, which may be in use. Ends `out`.
 * @param sign makes the signature of the SHA-256 digest of all lines before it
 */
export async function writeBackup(
	connection: pg.ClientConfig,
	out: Writable,
	about: Pick<BackupHeader, "version" | "created_at" | "key_id">,
	sign: (digest: Buffer) => string,
): Promise<BackupCounts> {
	const hash = createHash("sha256");
	const write = (piece: string | Buffer): Promise<void> => {
		hash.update(piece);
		return writeTo(out, piece);
	};
	return withClient(connection, async (client) => {
		await client.query("begin isolation level repeatable read read only");
		const { rows: migrations } = await client.query("select name, checksum from weft_migrations order by name");
		const jobs_version = await readJobsVersion(client);
		const header: BackupHeader = { format: "weft-backup", ...about, migrations, jobs_version, signed: true };
		await write(`${JSON.stringify(header)}\n`);
		const rows: Record<string, number> = {};
		for (const table of await listTables(client)) {
			await write(`${JSON.stringify({ table: table.name, columns: table.columns })}\n`);
			const copy = client.query(
				copyTo(
					`copy (select ${table.columns.map(quoteName).join(", ")} from ${table.parts ? "" : "only "}${quoteQualifiedName(table.name)}) to stdout`,
				),
			);
			for await (const piece of copy) await write(piece as Buffer);
			rows[table.name] = copy.rowCount;
			await write(END);
		}
		const sequences = await listSequences(client);
		await write(`${JSON.stringify({ end: true, rows, sequences })}\n`);
		await writeTo(out, `${JSON.stringify({ hmac: sign(hash.digest()) })}\n`);
		await client.query("commit");
		await new Promise<void>((resolve, reject) => out.once("error", reject).end(resolve));
		return countByIds(rows);
	});
}

/**
 * Notes a complete backup in the store, for the page of the service's status. Does nothing in a
 * store whose schema is older than the notes.
 */
export async function recordBackup(
	connection: pg.ClientConfig,
	{ file_name, size_bytes, row_count, version, created_at }: Readonly<Record<string, string | number>>,
): Promise<void> {
	await withClient(connection, async (client) => {
		const { rows } = await client.query("select to_regclass('store_backups') is not null as is_known");
		if (rows[0]?.is_known !== true) return;
		await client.query(
			"insert into store_backups (file_name, size_bytes, row_count, version, created_at) values ($1, $2, $3, $4, $5)",
			[file_name, size_bytes, row_count, version, created_at],
		);
	});
}

interface RestoreOptions {
	readonly connection: pg.ClientConfig;
	/** The backup's bytes, gunzipped. */
	readonly source: AsyncIterable<Buffer>;
	readonly migrations: readonly Migration[];
	/** Makes the job queue's tables. */
	readonly installJobs: () => Promise<void>;
	/** Throws where the backup's secrets could not be opened. */
	readonly checkKey: (keyId: string) => void;
	/** Throws where the signature is not that of the digest; null: the backup has none. */
	readonly checkSignature: (digest: Buffer, signature: string | null) => void;
}

/**
 * Fills an empty store, in one transaction: after a failure it is as empty as before. Migrations
 * that the backup does not know are left to the next start. Rejects with a sentence where the store
 * is not empty, the backup is damaged or cut off, or it comes from a newer version.
 */
export async function restoreBackup(
	options: RestoreOptions,
): Promise<BackupCounts & { readonly header: BackupHeader }> {
	const reader = readBackup(options.source);
	const header = await reader.header();
	options.checkKey(header.key_id);
	return withClient(options.connection, async (client) => {
		await refuseFilled(client);
		await makeSchema(options, header);
		if ((await readJobsVersion(client)) !== header.jobs_version) {
			throw new Error(`The backup's job tables are of another version: restore it with Weft ${header.version}.`);
		}
		await client.query("begin");
		const rows = await fillTables(client, reader, options.checkSignature);
		await client.query("commit");
		return { ...countByIds(rows), header };
	});
}

async function makeSchema(
	{ connection, migrations, installJobs }: RestoreOptions,
	header: BackupHeader,
): Promise<void> {
	const wanted = header.migrations.map(({ name, checksum }) => {
		const known = migrations.find((migration) => migration.name === name);
		if (known?.checksum !== checksum) {
			throw new Error(
				`The backup is of a schema with ${name}, which this version does not have: it needs Weft ${header.version}.`,
			);
		}
		return known;
	});
	const pool = new pg.Pool({ ...connection, max: 1 });
	await migrateSchema(pool, wanted).finally(() => pool.end());
	await installJobs();
}

/**
 * Without constraints between tables and triggers while it copies: they are made and checked again
 * at the end.
 */
async function fillTables(
	client: pg.Client,
	reader: BackupReader,
	checkSignature: RestoreOptions["checkSignature"],
): Promise<Record<string, number>> {
	const tables = new Map((await listTables(client)).map((table) => [table.name, table]));
	const { rows: constraints } = await client.query<{ table: string; name: string; definition: string }>(
		`select conrelid::regclass::text as "table", quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
		 from pg_constraint
		 where contype = 'f' and conparentid = 0 and connamespace in ('public'::regnamespace, 'pgboss'::regnamespace)`,
	);
	for (const { table, name } of constraints) await client.query(`alter table ${table} drop constraint ${name}`);
	for (const { name } of tables.values()) {
		await client.query(`alter table ${quoteQualifiedName(name)} disable trigger user`);
		// A new schema has rows of its own, such as the first groups: the backup has them too.
		await client.query(`delete from ${quoteQualifiedName(name)}`);
	}
	const rows: Record<string, number> = {};
	for await (const { table, columns, data } of reader.tables()) {
		if (!tables.has(table)) throw new Error(`The backup has a table ${table} that its own schema does not know.`);
		if (rows[table] !== undefined) throw new Error(`The backup has the table ${table} twice.`);
		const copy = client.query(
			copyFrom(`copy ${quoteQualifiedName(table)} (${columns.map(quoteName).join(", ")}) from stdin`),
		);
		await pipeline(data, copy);
		rows[table] = copy.rowCount;
	}
	const { rows: counted, sequences, digest, signature } = await reader.end();
	checkSignature(digest, signature);
	for (const table of tables.keys()) {
		if (rows[table] === undefined) throw new Error(`The backup lacks the table ${table}: it is not of a whole store.`);
		if (rows[table] !== counted[table])
			throw new Error(`The backup says ${counted[table] ?? 0} rows of ${table}, but has ${rows[table]}.`);
	}
	for (const [name, [value, called]] of Object.entries(sequences)) {
		await client.query("select setval($1::regclass, $2, $3)", [quoteQualifiedName(name), value, called]);
	}
	for (const { name } of tables.values())
		await client.query(`alter table ${quoteQualifiedName(name)} enable trigger user`);
	for (const { table, name, definition } of constraints) {
		await client.query(`alter table ${table} add constraint ${name} ${definition}`);
	}
	return rows;
}

async function refuseFilled(client: pg.Client): Promise<void> {
	const { rows } = await client.query("select to_regclass('public.users') is not null as there");
	if (!rows[0].there) return;
	const users = await client.query("select 1 from users limit 1");
	if (users.rows.length > 0) throw new Error("The store is not empty: restore into a new data folder or database.");
}

/**
 * Ordinary and partitioned tables, partitions not by themselves; columns that the store computes
 * are left out.
 */
async function listTables(client: pg.Client): Promise<Table[]> {
	const { rows } = await client.query<Table>(
		`select n.nspname || '.' || c.relname as name, array_agg(a.attname::text order by a.attnum) as columns, c.relkind = 'p' as parts
		 from pg_class c join pg_namespace n on n.oid = c.relnamespace
		 join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
		 where n.nspname in ('public', 'pgboss') and c.relkind in ('r', 'p') and not c.relispartition
		 group by 1, c.relkind order by 1`,
	);
	return rows.filter(({ name }) => !LEFT_OUT.includes(name));
}

async function listSequences(client: pg.Client): Promise<Record<string, [string, boolean]>> {
	const { rows } = await client.query<{ name: string; value: string; called: boolean }>(
		`select schemaname || '.' || sequencename as name, coalesce(last_value, start_value)::text as value,
		        last_value is not null as called
		 from pg_sequences where schemaname in ('public', 'pgboss')`,
	);
	return Object.fromEntries(rows.map(({ name, value, called }) => [name, [value, called]]));
}

async function readJobsVersion(client: pg.Client): Promise<number> {
	const { rows } = await client.query("select version from pgboss.version");
	return Number(rows[0]?.version);
}

/** Milliseconds without a byte from or to a store that accepts other connections. */
const IDLE_MS = 600_000;
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * Works with a connection. Rejects soon when the store stands still, whatever the work waits for.
 */
async function withClient<T>(connection: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
	const client = await connectClient(connection);
	const lost = new Promise<never>((_resolve, reject) => client.once("error", reject));
	const { stream } = client.connection;
	if (stream instanceof Socket) {
		stream.setTimeout(IDLE_MS, () =>
			stream.destroy(new Error(`The store has sent and taken nothing for ${IDLE_MS / 60_000} minutes.`)),
		);
	}
	const guard = createSilenceGuard({ connection, log: SILENT, limitMs: Number.POSITIVE_INFINITY });
	const answered = guard.watch(client);
	try {
		const prepared = client.query("set search_path = public; set idle_in_transaction_session_timeout = 0");
		return await Promise.race([prepared.then(() => work(client)), lost]);
	} finally {
		// A store that stands still does not end a connection either.
		await client.end();
		answered();
	}
}

async function connectClient(connection: pg.ClientConfig): Promise<pg.Client> {
	// Tables of any size are copied in one statement.
	const client = new pg.Client({
		...connection,
		application_name: "weft-backup",
		connectionTimeoutMillis: 10_000,
		// A large table takes as long as it takes; a connection that died is noticed.
		statement_timeout: 0,
		keepAlive: true,
	});
	await client.connect();
	return client;
}

function countByIds(rows: Record<string, number>): BackupCounts {
	const counts = Object.values(rows);
	return { tables: counts.length, rows: counts.reduce((sum, count) => sum + count, 0) };
}

async function writeTo(out: Writable, piece: string | Buffer): Promise<void> {
	if (out.write(piece)) return;
	await new Promise<void>((resolve, reject) => {
		const done = (error?: Error) => {
			out.off("drain", done).off("error", done);
			if (error) reject(error);
			else resolve();
		};
		out.once("drain", done).once("error", done);
	});
}

const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const quoteQualifiedName = (name: string): string => name.split(".").map(quoteName).join(".");
