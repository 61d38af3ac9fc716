/**
 * Lists, counts, statistics and cleanups over a year of a large fabric: 200 users, 500 hourly
 * schedules, WEFT_BENCH_ROWS rows in the big tables (a million by default; docs/scaling.md uses 50
 * million). Runs on the PostgreSQL at WEFT_BENCH_DATABASE_URL as a superuser, in the database
 * `weft_scale`, which is kept because filling takes long. WEFT_BENCH_CLEANUP=1 runs a cleanup
 * afterwards, which makes the data unusable.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AUDIT_GROUPS } from "@weft/contracts";
import pg from "pg";
import { type Connect, fillTables, isFilled } from "./scale/fill.ts";
import { ADMINISTRATORS, type Address, EVERYBODY } from "./scale/routes.ts";
import { BIG_TABLES } from "./scale/tables.ts";
import { measureTime, PASSWORD, printFigure, startService } from "./tools.ts";

const DATABASE = "weft_scale";
const ROWS = Number(process.env.WEFT_BENCH_ROWS ?? 1_000_000);
const REQUESTS = 12;
const GOAL_MS = 200;
/** Slow requests are repeated less often. */
const LONG_MS = 3_000;

async function main(address: string): Promise<void> {
	const url = new URL(address);
	url.pathname = `/${DATABASE}`;
	const connect: Connect = async () => {
		const client = new pg.Client({ connectionString: url.href });
		await client.connect();
		return client;
	};
	await createDatabase(address);
	const dataDir = await mkdtemp(join(tmpdir(), "weft-bench-"));
	const start = (roles: string) =>
		startService({
			dataDir,
			env: {
				WEFT_DATABASE_URL: url.href,
				WEFT_SECRET_KEY: "a key that only benchmarks use",
				WEFT_ROLES: roles,
				WEFT_DATABASE_POOL: "10",
			},
		});
	const client = await connect();
	try {
		if (!(await isFilled(client))) {
			// The schema comes with the first start.
			await (await start("web")).stop({ keep: true });
			const { ms } = await measureTime(() => fillTables(connect, ROWS));
			printFigure("filled in", `${(ms / 60_000).toFixed(1)} min`);
		}
		await indexTerms(client, () => start("web,worker"));
		await printTableSizes(client);
		const service = await start("web");
		await measureReads(service.url, client).finally(() => service.stop({ keep: true }));
		if (process.env.WEFT_BENCH_CLEANUP === "1") await cleanUp(client, () => start("web,worker"));
	} finally {
		await client.end();
		await rm(dataDir, { recursive: true, force: true });
	}
}

async function measureReads(url: string, client: pg.Client): Promise<void> {
	await client.query(
		"update users set password_hash = (select password_hash from users where username = 'admin') where username = 'person-1'",
	);
	const admin = await signIn(url, "admin");
	const person = await signIn(url, "person-1");
	for (const [name, path] of Object.entries(ADMINISTRATORS)) await measureAddress(name, admin, path);
	for (const [name, path] of Object.entries(EVERYBODY)) {
		await measureAddress(`${name}, administrator`, admin, path);
		await measureAddress(`${name}, one of 200`, person, path);
	}
	const { ms } = await measureTime(() => person("/api/time-machine/cleanup/preview/", "POST", {}));
	printFigure("cleanup of one user's snapshots, preview", `${ms.toFixed(0)} ms`);
}

async function createDatabase(address: string): Promise<void> {
	const server = new pg.Client({ connectionString: address });
	await server.connect();
	const { rows } = await server.query("select 1 from pg_database where datname = $1", [DATABASE]);
	if (rows.length === 0) await server.query(`create database ${DATABASE}`);
	await server.end();
}

type Ask = (path: string, method?: string, body?: unknown) => Promise<void>;

async function signIn(url: string, username: string): Promise<Ask> {
	const send = (path: string, method: string, body: unknown, token: string) =>
		fetch(url + path, {
			method,
			headers: { "content-type": "application/json", authorization: token },
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
	const answer = await send("/api/auth/login/", "POST", { username, password: PASSWORD }, "");
	const { access } = (await answer.json()) as { access: string };
	return async (path, method = "GET", body = undefined) => {
		const response = await send(path, method, body, `Bearer ${access}`);
		const text = await response.text();
		if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 200)}`);
	};
}

async function measureAddress(name: string, ask: Ask, path: Address): Promise<void> {
	const times: number[] = [];
	for (let n = 0, spent = 0; n < REQUESTS && spent < LONG_MS; n++) {
		const { ms } = await measureTime(() => ask(path(n)));
		times.push(ms);
		spent += ms;
	}
	const [first = Number.NaN] = times;
	const sorted = times.toSorted((a, b) => a - b);
	const worst = sorted.at(-1) ?? Number.NaN;
	const middle = sorted[sorted.length >> 1] ?? Number.NaN;
	printFigure(name, `${middle.toFixed(0)} (first ${first.toFixed(0)}, worst ${worst.toFixed(0)}) ms`, {
		met: worst <= GOAL_MS,
		text: `≤ ${GOAL_MS} ms`,
	});
}

async function printTableSizes(client: pg.Client): Promise<void> {
	const { rows } = await client.query<{ name: string; rows: number; heap: number; indexes: number }>(
		`select relname as name, reltuples::float8 as rows, pg_table_size(oid)::float8 as heap, pg_indexes_size(oid)::float8 as indexes
			from pg_class where relname = any($1) and relnamespace = 'public'::regnamespace order by pg_total_relation_size(oid) desc`,
		[[...BIG_TABLES.map(({ name }) => name), "audit_blocks"]],
	);
	const gb = (bytes: number) => (bytes / 2 ** 30).toFixed(2);
	for (const table of rows)
		printFigure(
			`${table.name}: ${(table.rows / 1e6).toFixed(2)} million rows`,
			`${gb(table.heap)} + ${gb(table.indexes)} GB`,
		);
}

/**
 * Lets a worker index the frequent terms of the audit log; in the service this happens as entries
 * arrive.
 */
async function indexTerms(client: pg.Client, start: () => ReturnType<typeof startService>): Promise<void> {
	const isComplete = async (): Promise<boolean> =>
		(await client.query<{ complete: boolean }>("select complete from audit_index")).rows[0]?.complete === true;
	if (await isComplete()) return;
	const kept = Object.fromEntries(AUDIT_GROUPS.map((group) => [`${group}_retention_days`, 3_650]));
	await client.query("update audit_settings set settings = settings || $1::jsonb", [JSON.stringify(kept)]);
	const service = await start();
	const { ms } = await measureTime(async () => {
		while (!(await isComplete())) await new Promise((resolve) => setTimeout(resolve, 2_000));
	});
	await service.stop({ keep: true });
	await client.query("update audit_settings set settings = settings - $1::text[]", [Object.keys(kept)]);
	printFigure("frequent terms of the audit log indexed", `${(ms / 60_000).toFixed(1)} min`);
	await client.query("vacuum analyze audit_bits");
}

/** Lets a worker remove expired rows, such as audit entries past their retention. */
async function cleanUp(client: pg.Client, start: () => ReturnType<typeof startService>): Promise<void> {
	const count = async (from: string): Promise<number> => {
		const { rows } = await client.query<{ n: number }>(`select count(*)::int as n from ${from}`);
		return rows[0]?.n ?? 0;
	};
	const before = await count("audit_log");
	const service = await start();
	const { ms } = await measureTime(async () => {
		for (let last = -1; ; ) {
			await new Promise((resolve) => setTimeout(resolve, 2_000));
			const now = await count(
				"audit_days where day < now() - interval '182 days' and category in ('query_execution', 'mim_explorer')",
			);
			if (now === 0 && last === 0) return;
			last = now;
		}
	});
	const removed = before - (await count("audit_log"));
	printFigure(`audit log: ${removed.toLocaleString("en")} entries removed`, `${(ms / 1000).toFixed(0)} s`);
	await service.stop({ keep: true });
}

const address = process.env.WEFT_BENCH_DATABASE_URL;
if (address) await main(address);
else printFigure("scale", "skipped: set WEFT_BENCH_DATABASE_URL");
