/**
 * Reading an audit log of a million entries through the service: filtered lists, search,
 * statistics, export. Baseline: the plain statements of a list (count all, take a page).
 */
import { readFileSync } from "node:fs";
import pg from "pg";
import { attachEmbeddedPostgres } from "../../server/dist/storage/embedded-postgres/index.js";
import { measureTime, PASSWORD, printFigure, startService } from "./tools.ts";

const ENTRIES = 1_000_000;
const REQUESTS = 60;
const GOAL_MS = 50;
const LOGS = "/api/audit/logs/";
const APART_MS = 2_500;
const CATEGORIES = [
	"authentication",
	"user_management",
	"query_execution",
	"query_management",
	"time_machine",
	"settings_change",
	"admin_action",
	"task_management",
];
const ACTIONS = [
	"login",
	"login_failed",
	"query_run",
	"query_update",
	"snapshot_capture",
	"preferences_update",
	"user_update",
	"task_update",
	"query_create",
	"logout",
];

/** Folder to keep the entries, because writing them takes minutes; a new one by default. */
const kept = process.env.WEFT_BENCH_DATA_DIR;
const service = await startService(kept === undefined ? {} : { dataDir: kept });
const attached = await attachEmbeddedPostgres({ dataDir: service.dataDir, log: () => {} });
const client = new pg.Client({ ...attached.connection });
await client.connect();
try {
	await fillAuditLog();
	const { rows: first } = await client.query("select min(created_at) as start from audit_log");
	const start = Number(first[0].start);
	/** Half-hours since the first entry. */
	const at = (halfHours: number): string => new Date(start + halfHours * 1_800_000).toISOString();
	const get = await createGetter();
	const filters: Record<string, (i: number) => string> = {
		"without a filter": (i) => `page=${1 + (i % 20)}`,
		category: (i) => `category=${CATEGORIES[i % CATEGORIES.length]}&page=${1 + (i % 3)}`,
		action: (i) => `action=${ACTIONS[i % ACTIONS.length]}`,
		user: (i) => `user=${1 + ((i * 37) % 2000)}`,
		username: (i) => `username=USER${1 + ((i * 41) % 2000)}`,
		ip: (i) => `ip=10.0.${i % 200}.${(i * 7) % 250}`,
		created_after: (i) => `created_after=${at(i * 11)}`,
		"created_after and created_before": (i) => `created_after=${at(i * 3)}&created_before=${at(i * 3 + 200)}`,
		"category, action and time": (i) =>
			`category=${CATEGORIES[i % CATEGORIES.length]}&action=${ACTIONS[i % 3]}&created_after=${at(i * 5)}`,
		"user and category": (i) => `user=${1 + ((i * 37) % 2000)}&category=authentication`,
		"the last pages": (i) => `page=${20_000 - i}`,
		"pages in the middle": (i) => `page=${9_000 + i * 10}`,
		"search, one entry": (i) => `search=${1 + ((i * 15_485_863) % ENTRIES)}`,
		"search, a user's entries": (i) => `search=user${1 + ((i * 43) % 2000)}+ran`,
		"search, words that never meet": (i) => `search=signed+captured+${i}`,
		"search, words of every fourth entry": (i) => `search=${["signed", "changed", "captured", "ran the"][i % 4]}`,
		"search, pages far behind": (i) => `search=${["signed", "fabric"][i % 2]}&page=${1_000 + i * 20}`,
		"search within a category": (i) => `search=fabric+${i * 16}&category=query_execution`,
	};
	for (const [name, query] of Object.entries(filters)) {
		const times: number[] = [];
		for (let i = 0; i < REQUESTS; i++) times.push((await measureTime(() => get(`${LOGS}?${query(i)}`))).ms);
		const first = Math.max(...times.slice(0, 8));
		printTime(
			`list ${name}: p95 (slowest of the first eight)`,
			computePercentile(times, 95),
			GOAL_MS,
			`, ${first.toFixed(0)}`,
		);
	}
	const windows = [];
	for (let i = 0; i < 15; i++) {
		for (const window of ["24h", "7d", "30d"]) {
			windows.push((await measureTime(() => get(`${LOGS}stats/?window=${window}`))).ms);
		}
	}
	printTime("statistics: p95", computePercentile(windows, 95));
	await measureBaseline(at(300));
	await measureExports(get);
} finally {
	await client.end();
	await attached.stop();
	await service.stop({ keep: kept !== undefined });
}

async function measureBaseline(half: string): Promise<void> {
	for (const [name, where] of [
		["without a filter", "true"],
		["of a category", "category = 'authentication'"],
		["of half the time", `created_at >= '${half}'`],
		["search of every fourth entry", "words @@ 'signed'"],
	]) {
		const times: number[] = [];
		for (let i = 0; i < 10; i++) {
			const { ms } = await measureTime(async () => {
				await client.query(`select count(*) from audit_log where ${where}`);
				await client.query(`select * from audit_log where ${where} order by created_at desc, id desc limit 50`);
			});
			times.push(ms);
		}
		printTime(`baseline, plain statements ${name}: p95`, computePercentile(times, 95));
	}
}

async function measureExports(get: (path: string) => Promise<Response>): Promise<void> {
	const firsts: number[] = [];
	const memory = () =>
		Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${service.process.pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
	let grown = 0;
	for (let i = 0; i < 8; i++) {
		const before = memory();
		let most = before;
		const began = performance.now();
		const response = await get(`${LOGS}export/?${i % 2 === 0 ? "" : "search=fabric"}`);
		if (response.body === null) throw new Error("the export has no body");
		let lines = 0;
		let first = Number.NaN;
		for await (const piece of response.body) {
			if (Number.isNaN(first)) first = performance.now() - began;
			lines += Buffer.from(piece).filter((byte) => byte === 10).length;
			most = Math.max(most, memory());
		}
		if (lines !== 10_001) throw new Error(`the export has ${lines} lines`);
		firsts.push(first);
		// The first two warm the process up.
		if (i >= 2) grown = Math.max(grown, most - before);
	}
	printTime("export of 10,000 rows: first byte, slowest of eight", Math.max(...firsts), 100);
	printFigure("export of 10,000 rows: growth of memory", `${grown.toFixed(1)} MB`, {
		met: grown <= 20,
		text: "≤ 20 MB",
	});
}

function printTime(name: string, ms: number, goal?: number, more = ""): void {
	printFigure(
		name,
		`${ms.toFixed(1)} ms${more}`,
		goal === undefined ? undefined : { met: ms <= goal, text: `≤ ${goal} ms` },
	);
}

function computePercentile(values: readonly number[], percent: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}

async function createGetter() {
	const login = await fetch(`${service.url}/api/auth/login/`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ username: "admin", password: PASSWORD }),
	});
	const { access } = (await login.json()) as { access: string };
	return async (path: string): Promise<Response> => {
		const response = await fetch(service.url + path, { headers: { authorization: `Bearer ${access}` } });
		if (!response.ok) throw new Error(`${path} answered ${response.status}`);
		// Times include the body, except for files, which the caller reads.
		return response.headers.has("content-disposition") ? response : new Response(await response.arrayBuffer());
	};
}

/** Writes a month of sealed entries and gathers the store's statistics. */
async function fillAuditLog(): Promise<void> {
	const { rows } = await client.query("select count(*)::int as n from audit_log where action <> 'login'");
	if (rows[0].n > ENTRIES / 2) return;
	// The month ends now: the service removes older entries.
	const start = new Date(Date.now() - ENTRIES * APART_MS);
	const { ms } = await measureTime(async () => {
		await client.query("set synchronous_commit = off");
		for (let from = 1; from <= ENTRIES; from += 50_000) {
			await client.query(
				`insert into audit_log (category, action, user_id, username, ip_address, user_agent, description, target_type,
						target_id, metadata, request_id, created_at)
					select ($3::text[])[1 + floor(power(random(), 2) * $4)], ($5::text[])[1 + floor(power(random(), 2) * $6)], u,
						'user' || u, '10.0.' || (r % 200) || '.' || (r % 250), 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
						'user' || u || ' ' || (array['signed in', 'changed the saved query', 'ran the query', 'captured a snapshot of'])
							[1 + floor(random() * 4)::int] || ' Tenants of fabric ' || (r % 1000) || ' number ' || g,
						'saved_query', gen_random_uuid()::text, '{"fields": ["name", "description"]}', gen_random_uuid()::text,
						$7::timestamptz + g * $8::float8 * interval '1 ms'
					from (select g, (random() * 2000)::int u, (random() * 1e6)::int r from generate_series($1::int, $2::int) g) x`,
				[from, from + 49_999, CATEGORIES, CATEGORIES.length, ACTIONS, ACTIONS.length, start, APART_MS],
			);
		}
	});
	printFigure("a million entries written", `${(ms / 1000).toFixed(0)} s`);
	const sealing = await measureTime(async () => {
		for (;;) {
			const { rows } = await client.query("select count(*)::int as n from audit_pending");
			if (rows[0].n === 0) return;
			await new Promise((done) => setTimeout(done, 500));
		}
	});
	printFigure("and sealed", `${(sealing.ms / 1000).toFixed(0)} s`);
	const indexing = await measureTime(async () => {
		for (;;) {
			const { rows } = await client.query("select entries::int from audit_index");
			if (rows[0].entries > ENTRIES - 5_000) return;
			await new Promise((done) => setTimeout(done, 500));
		}
	});
	printFigure("and its frequent terms indexed", `${(indexing.ms / 1000).toFixed(0)} s`);
	await client.query("vacuum analyze audit_log");
	await client.query("vacuum analyze audit_pending");
	await client.query("analyze audit_days");
}
