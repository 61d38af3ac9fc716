/** The places and the spellings in which a secret must not appear. */
import pg from "pg";
import { attachEmbeddedPostgres } from "../../src/storage/embedded-postgres/index.ts";

/** The spellings of a secret by encoding. */
export function getForms(secret: string): Record<string, string> {
	const bytes = Buffer.from(secret);
	return {
		plain: secret,
		...(secret.length < 12
			? {}
			: {
					base64: bytes.toString("base64").replace(/=+$/, "").slice(0, -2),
					base64url: bytes.toString("base64url").slice(0, -2),
					hex: bytes.toString("hex"),
					...(encodeURIComponent(secret) === secret ? {} : { encoded: encodeURIComponent(secret) }),
				}),
	};
}

export const getPrecedingText = (text: string, spelt: string): string =>
	text.slice(Math.max(0, text.indexOf(spelt) - 120), text.indexOf(spelt));

/** Answers that exist to give a secret to its owner, once. */
export function mayAnswer(what: string, name: string): boolean {
	if (/\/(login|mfa-login|token\/refresh)\/$/.test(what)) return /token|begun sign-in/.test(name);
	if (what.endsWith("/mfa/setup/")) return name === "secret of the second factor";
	if (/\/mfa\/(verify|backup-codes)\/$/.test(what)) return name.includes("backup code");
	if (what.endsWith("/generate_reset_code/")) return name === "reset code";
	if (/^POST .*\/tokens\/$/.test(what)) return name.startsWith("API token");
	return what.endsWith("/ws-ticket/") && name === "ticket";
}

/** Runs a function with the store of a stopped or running service. */
export async function runWithStore<T>(dataDir: string, use: (pool: pg.Pool) => Promise<T>): Promise<T> {
	const attached = await attachEmbeddedPostgres({ dataDir, log: () => {} });
	const pool = new pg.Pool({ ...attached.connection, max: 1 });
	try {
		return await use(pool);
	} finally {
		await pool.end();
		await attached.stop();
	}
}

/** Reads every row of every table, those of background jobs too. */
export async function dumpTables(pool: pg.Pool): Promise<string[]> {
	const { rows: tables } = await pool.query(
		`select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
			where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
	);
	const all: string[] = [];
	for (const { name } of tables) {
		const { rows } = await pool.query(`select to_jsonb(t)::text as row from ${name} t`);
		all.push(...rows.map(({ row }) => `${name} ${row}`));
	}
	return all;
}
