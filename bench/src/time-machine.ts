/**
 * The Time Machine against one JSONB document per snapshot with plain code, in the same run and
 * store: snapshots of 20,000 objects of about 500 bytes, 1 % changed each time. Both are server
 * processes called over HTTP by a client that only receives bytes. No two comparisons use the same
 * snapshots. Besides clock time it prints the CPU time of all processes of a side.
 *
 * DN autocomplete takes a fraction of an HTTP request. The line with a goal therefore runs each
 * side's code in this process; the next line measures it over HTTP with session and rights.
 *
 * `npm run bench -- time-machine`, or `node bench/dist/time-machine.js [snapshots] [objects]`.
 */
import { Agent, request } from "node:http";
import pg from "pg";
import { attachEmbeddedPostgres } from "../../server/dist/storage/embedded-postgres/index.js";
import { startProgram } from "./child.ts";
import { createDrifting } from "./time-machine-data.js";
import { createDnsReads } from "./time-machine-dns.js";
import { createPlainStore } from "./time-machine-plain-store.js";
import { computeMedian, measureTime, PASSWORD, printFigure, readTreeCpu, startService } from "./tools.js";

const SNAPSHOTS = Number(process.argv[2] ?? 200);
const OBJECTS = Number(process.argv[3] ?? 20_000);
const ROUNDS = 7;
const TM = "/api/time-machine";

const { document, watched, drift } = createDrifting(OBJECTS);
const service = await startService();
const baseline = await startProgram("time-machine-plain.js", { env: { WEFT_DATA_DIR: service.dataDir } });
const store = await attachEmbeddedPostgres({ dataDir: service.dataDir, log: () => {} });
const pool = new pg.Pool({ ...store.connection, ssl: false, max: 2 });

const signedIn = await fetch(`${service.url}/api/auth/login/`, {
	method: "POST",
	headers: { "content-type": "application/json" },
	body: JSON.stringify({ username: "admin", password: PASSWORD }),
});
const { access } = (await signedIn.json()) as { access: string };

type Call = (path: string, body?: unknown) => Promise<string>;
const agent = new Agent({ keepAlive: true });
/** Returns the beginning of the answer. Large bodies are built outside of `timed`. */
function createCaller(base: string): Call {
	return (path, body) =>
		new Promise((resolve, reject) => {
			const options = {
				agent,
				method: body === undefined ? "GET" : "POST",
				headers: { authorization: `Bearer ${access}`, "content-type": "application/json" },
			};
			const sent = request(base + path, options, (answer) => {
				let beginning = "";
				answer.on("data", (piece: Buffer) => {
					if (beginning.length < 1000) beginning += piece.toString("latin1", 0, 1000);
				});
				answer.once("error", reject);
				answer.once("end", () => {
					if (answer.statusCode === 200) resolve(beginning);
					else reject(new Error(`${path}: ${answer.statusCode} ${beginning.slice(0, 300)}`));
				});
			});
			sent.once("error", reject);
			sent.end(body === undefined || body instanceof Uint8Array ? body : JSON.stringify(body));
		});
}
const ours = createCaller(service.url + TM);
const theirs = createCaller(baseline.line);

type Work = (round: number) => Promise<unknown>;

interface Cost {
	ms: number;
	/** Of all processes, the store's included. */
	cpu: number;
}

async function measureCost(work: () => Promise<unknown>): Promise<Cost> {
	const pids = [service.process.pid ?? 0, baseline.process.pid ?? 0];
	const before = readTreeCpu(...pids);
	const { ms } = await measureTime(work);
	return { ms, cpu: readTreeCpu(...pids) - before };
}
const computeMedianCost = (costs: Cost[]): Cost => ({
	ms: computeMedian(costs.map(({ ms }) => ms)),
	cpu: computeMedian(costs.map(({ cpu }) => cpu)),
});

/** Medians after one warm-up round; both sides in turns, under the same conditions. */
async function measureMedians(own: Work, other: Work, rounds = ROUNDS): Promise<[Cost, Cost]> {
	const costs: [Cost[], Cost[]] = [[], []];
	for (let round = 0; round <= rounds; round++) {
		const first = await measureCost(() => own(round));
		const second = await measureCost(() => other(round));
		if (round === 0) continue;
		costs[0].push(first);
		costs[1].push(second);
	}
	return [computeMedianCost(costs[0]), computeMedianCost(costs[1])];
}
function printRatio(name: string, [own, other]: [Cost | number, Cost | number], most: number, unit = "ms"): void {
	const [first, second] = [typeof own === "number" ? own : own.ms, typeof other === "number" ? other : other.ms];
	const part = (a: number, b: number) => `${(a / b).toFixed(3)} = 1/${(b / a).toFixed(1)}`;
	const cpu =
		typeof own === "number" || typeof other === "number"
			? ""
			: `; computing ${own.cpu.toFixed(1)} / ${other.cpu.toFixed(1)} ms, ${part(own.cpu, other.cpu)}`;
	printFigure(name, `${first.toFixed(first < 1 ? 2 : 1)} / ${second.toFixed(1)} ${unit}`, {
		met: first <= second * most,
		text: `at most ${most < 0.1 ? `1/${(1 / most).toFixed(0)}` : most}; is ${part(first, second)}${cpu}`,
	});
}
const getSize = async (tables: string[]): Promise<number> => {
	const { rows } = await pool.query(
		"select sum(pg_total_relation_size(t::regclass))::float8 as n from unnest($1::text[]) t",
		[tables],
	);
	return rows[0].n;
};
async function makeQuery(name: string): Promise<string> {
	const body = JSON.stringify({ name, flow_data: { nodes: [], edges: [] }, enable_time_machine: true });
	const response = await fetch(`${service.url}/api/queries/saved-queries/`, {
		method: "POST",
		headers: { authorization: `Bearer ${access}`, "content-type": "application/json" },
		body,
	});
	return ((await response.json()) as { id: string }).id;
}
const TABLES = (
	await pool.query("select tablename from pg_tables where tablename like 'snapshot%' and schemaname = 'public'")
).rows.map(({ tablename }) => tablename as string);

async function measureStorage(query: string): Promise<{ ours: string; theirs: string }[]> {
	const empty = await getSize(TABLES);
	const ids: { ours: string; theirs: string }[] = [];
	const captures = { ours: [] as Cost[], theirs: [] as Cost[] };
	for (let left = SNAPSHOTS; left > 0; left--) {
		const body = Buffer.from(JSON.stringify({ saved_query_id: query, result_data: document }));
		const made = { ours: "", theirs: "" };
		captures.ours.push(await measureCost(async () => (made.ours = await ours("/capture/", body))));
		captures.theirs.push(await measureCost(async () => (made.theirs = await theirs("/capture/", body))));
		ids.push({ ours: JSON.parse(made.ours).snapshot_id, theirs: JSON.parse(made.theirs).snapshot_id });
		drift();
	}
	const bytes = (await getSize(TABLES)) - empty;
	const plain = await getSize(["plain_snapshots"]);
	printRatio("KB stored per snapshot", [bytes / SNAPSHOTS / 1024, plain / SNAPSHOTS / 1024], 1 / 38, "KB");
	printRatio("capture, median", [computeMedianCost(captures.ours), computeMedianCost(captures.theirs)], 0.35);
	return ids;
}

async function measureReads(query: string, ids: { ours: string; theirs: string }[]): Promise<void> {
	const at = (back: number) => ids[Math.max(0, ids.length - 1 - back)] as { ours: string; theirs: string };
	printRatio(
		"full read-back",
		await measureMedians(
			(round) => ours(`/snapshots/${at(round).ours}/`),
			(round) => theirs(`/snapshots/${at(round).theirs}/`),
		),
		0.5,
	);
	for (const [name, back, most] of [
		["compare of neighbours", 1, 0.1],
		["compare across 100 snapshots", 100, 0.5],
	] as const) {
		const pair = (side: "ours" | "theirs", round: number) => ({
			snapshot_from_id: at(back + round)[side],
			snapshot_to_id: at(round)[side],
		});
		printRatio(
			name,
			await measureMedians(
				(round) => ours("/compare/", pair("ours", round)),
				(round) => theirs("/compare/", pair("theirs", round)),
			),
			most,
		);
	}
	const dn = encodeURIComponent(watched);
	printRatio(
		"timeline of one DN over 100 snapshots",
		await measureMedians(
			() => ours(`/timeline/?saved_query_id=${query}&limit=100&dn=${dn}`),
			() => theirs(`/timeline/?dn=${dn}`),
		),
		1 / 60,
	);
	await measureAutocomplete(query);
}

async function measureAutocomplete(query: string): Promise<void> {
	const part = (round: number) => `web-00${String(10 + round)}`;
	const own = createDnsReads({ ...store.connection, ssl: false });
	const plain = createPlainStore(pool);
	// One after the other: in one process each would clear away what the other leaves.
	const alone = async (work: Work, rounds: number): Promise<number> => {
		const times: number[] = [];
		for (let round = 0; round < rounds; round++) times.push((await measureTime(() => work(round % 40))).ms);
		return computeMedian(times);
	};
	const here = await alone((round) => own.dns(query, part(round)), 1000);
	const there = await alone((round) => plain.dns(part(round)), 21);
	printRatio("DN autocomplete", [here, there], 1 / 300);
	const inSql = await alone((round) => plain.dnsInSql(part(round)), 5);
	printFigure("  of the latest snapshot alone, in SQL", `${inSql.toFixed(1)} ms`);
	const [first, second] = await measureMedians(
		(round) => ours(`/saved-queries/${query}/dns/?q=${part(round)}`),
		(round) => theirs(`/dns/?q=${part(round)}`),
		41,
	);
	printFigure("  over HTTP", `${first.ms.toFixed(1)} / ${second.ms.toFixed(1)} ms`);
	await own.close();
}

async function measureLists(query: string): Promise<void> {
	const small = await makeQuery("small");
	for (let i = 0; i < 100; i++)
		await ours("/capture/", { saved_query_id: small, result_data: [{ dn: "a", i, pad: "x".repeat(900) }] });
	const list = (id: string) => () => ours(`/snapshots/?saved_query_id=${id}&limit=100`);
	printRatio("list of 100: big snapshots / 1 KB ones", await measureMedians(list(query), list(small), 101), 1.2);
	await pool.query(
		`insert into snapshots select (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(), 'position', 1000 + n,
			'executed_at', date_trunc('year', s.executed_at) + n * interval '50 minutes'))).*
		from snapshots s, generate_series(1, 10000) n where s.id = (select id from snapshots where saved_query_id = $1 limit 1)`,
		[small],
	);
	await pool.query("vacuum analyze snapshots");
	const heatmap = (year: number) => ours(`/heatmap/?saved_query_id=${small}&year=${year}`);
	const year = new Date().getUTCFullYear();
	printRatio(
		"heatmap of a year with 10,000 snapshots / list",
		await measureMedians(() => heatmap(year), list(small), 101),
		1.2,
	);
	// As after a capture: nothing that was kept fits any more.
	const counted: number[] = [];
	for (let round = 0; round < 41; round++) {
		await pool.query("update snapshot_histories set revision = revision + 1 where saved_query_id = $1", [small]);
		counted.push((await measureTime(() => heatmap(year))).ms);
	}
	printFigure("  after each capture", `${computeMedian(counted).toFixed(1)} ms`);
}

/** Medians of several rounds, because a busy machine changes single values several times over. */
async function measureLatencyUnderLoad(query: string): Promise<void> {
	const cheap = async (goesOn: (asked: number) => boolean): Promise<number> => {
		const times: number[] = [];
		while (goesOn(times.length)) times.push((await measureTime(() => ours("/settings/"))).ms);
		return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
	};
	const idly = (asked: number) => asked < 2000;
	const round = async (): Promise<{ idle: number; loaded: number }> => {
		const args = [service.url, access, query, String(OBJECTS)];
		const { process: load } = await startProgram("time-machine-load.js", { args });
		const idle = await cheap(idly);
		let busy = true;
		const ended = new Promise<void>((resolve, reject) =>
			load.once("exit", (code) => {
				busy = false;
				if (code === 0) resolve();
				else reject(new Error(`the load ended with ${code}`));
			}),
		);
		load.stdin?.end("go\n");
		const loaded = await cheap(() => busy);
		await ended;
		return { idle, loaded };
	};
	// What the baseline has left to clean up and to write is no part of this.
	await pool.query("drop table plain_snapshots");
	await pool.query("checkpoint");
	await cheap(idly);
	const rounds: { idle: number; loaded: number }[] = [];
	while (rounds.length < ROUNDS) rounds.push(await round());
	const [loaded, idle] = [computeMedian(rounds.map((one) => one.loaded)), computeMedian(rounds.map((one) => one.idle))];
	printFigure(
		"p99 of a cheap request, 10 MB captures beside it / idle",
		`${loaded.toFixed(1)} / ${idle.toFixed(1)} ms`,
		{
			met: loaded <= 10 || loaded <= 5 * idle,
			text: `at most 10 ms or 5 times; is ${(loaded / idle).toFixed(2)} times`,
		},
	);
}

try {
	const query = await makeQuery("big");
	const ids = await measureStorage(query);
	await measureReads(query, ids);
	await measureLists(query);
	await measureLatencyUnderLoad(query);
} finally {
	agent.destroy();
	await pool.end();
	await baseline.stop();
	await service.stop();
}
