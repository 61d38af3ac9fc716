/** Read-only checks of PostgreSQL: version, clock, schema, queue tasks without a worker. */
import pg from "pg";
import { getPackageFile } from "../../core/package-files.ts";
import { readMigrations } from "./migrate.ts";

export interface Finding {
	readonly state: "ok" | "warn" | "bad";
	readonly text: string;
}

export const buildOkFinding = (text: string): Finding => ({ state: "ok", text });
export const buildWarnFinding = (text: string): Finding => ({ state: "warn", text });
export const buildBadFinding = (text: string): Finding => ({ state: "bad", text });

const OLDEST_POSTGRES = 150_000;
/** Upper bound of the difference between the clocks of this host and the store, in milliseconds. */
const CLOCK_TOLERANCE_MS = 5_000;
const WAITING_MINUTES = 10;
/** Connections of a process outside of the pool: queue tasks and announcements. */
const OTHER_CONNECTIONS = 7;

/**
 * @param poolSize connections that one process may take, where the server is not the service's own
 */
export async function examineStore(connection: pg.ClientConfig, poolSize: number | null): Promise<Finding[]> {
	const client = new pg.Client({ ...connection, connectionTimeoutMillis: 5_000, query_timeout: 10_000 });
	try {
		const began = Date.now();
		await client.connect();
		const { rows } = await client.query(
			"select current_setting('server_version_num')::int as version, current_setting('server_version') " +
				"as name, current_setting('max_connections')::int as connections, clock_timestamp() as now",
		);
		const away = Math.abs(rows[0].now.getTime() - (began + Date.now()) / 2);
		const wanted = (poolSize ?? 0) + OTHER_CONNECTIONS;
		return [
			rows[0].version >= OLDEST_POSTGRES
				? buildOkFinding(`PostgreSQL ${rows[0].name} answers`)
				: buildBadFinding(`PostgreSQL ${rows[0].name} is too old: 15 or newer is needed.`),
			...(rows[0].connections < wanted
				? [
						buildWarnFinding(
							`PostgreSQL allows ${rows[0].connections} connections, and this process may need ${wanted}. ` +
								"Raise max_connections, or lower WEFT_DATABASE_POOL.",
						),
					]
				: []),
			away <= CLOCK_TOLERANCE_MS
				? buildOkFinding("The clocks of this host and the store agree")
				: buildBadFinding(`The store's clock is ${Math.round(away / 1_000)} s away from this host's: set both by NTP.`),
			...(await examineSchema(client)),
		];
	} catch (error) {
		return [buildBadFinding(`The store cannot be used: ${(error as Error).message}`)];
	} finally {
		await client.end().catch(() => {});
	}
}

async function examineSchema(client: pg.Client): Promise<Finding[]> {
	const known = await readMigrations(getPackageFile("migrations/"));
	const { rows } = await client.query("select to_regclass('public.weft_migrations') is not null as there");
	if (!rows[0].there) return [buildWarnFinding("The store is empty: the first start makes its schema.")];
	const done = new Set(
		(await client.query<{ name: string }>("select name from weft_migrations")).rows.map((row) => row.name),
	);
	const missing = known.filter(({ name }) => !done.has(name));
	const newer = [...done].filter((name) => !known.some((migration) => migration.name === name));
	return [
		missing.length === 0
			? buildOkFinding(`The schema has all ${known.length} migrations`)
			: buildWarnFinding(
					`The schema lacks ${missing.map(({ name }) => name).join(", ")}: the next start applies them.`,
				),
		...(newer.length > 0
			? [buildWarnFinding(`The schema is of a newer version (${newer.join(", ")}): upgrade this installation.`)]
			: []),
		...(await examineJobs(client)),
	];
}

async function examineJobs(client: pg.Client): Promise<Finding[]> {
	const { rows } = await client.query("select to_regclass('pgboss.job') is not null as there");
	if (!rows[0].there) return [];
	const waiting = await client.query(
		`select count(*)::int as count from pgboss.job
		 where state < 'active' and start_after < now() - $1 * interval '1 minute'`,
		[WAITING_MINUTES],
	);
	const { count } = waiting.rows[0];
	return [
		count === 0
			? buildOkFinding("No queue task waits")
			: buildBadFinding(
					`${count} queue ${count === 1 ? "task has" : "tasks have"} waited for more than ${WAITING_MINUTES} minutes. ` +
						"Start a process with the worker role.",
				),
	];
}
