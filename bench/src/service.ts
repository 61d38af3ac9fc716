/**
 * The whole service under the mixed load of 200 users, at rising rates until p95 exceeds 200 ms:
 * embedded store with one process, and PostgreSQL with Redis (WEFT_BENCH_DATABASE_URL,
 * WEFT_BENCH_REDIS_URL) with one, two and four.
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { connectionRoutes, groupRoutes, savedQueryRoutes, scheduleRoutes, userRoutes } from "@weft/contracts";
import { createClient, type WeftClient } from "@weft/sdk";
import pg from "pg";
import { type Lab, runAtOnce, runCanvas, startLab } from "./lab.ts";
import { runLoad, type Step } from "./service/load.ts";
import type { World } from "./service/mix.ts";
import { PASSWORD, printFigure, type RunningService, startService } from "./tools.ts";

const USERS = 200;
const QUERIES_EACH = 5;
const WITH_HISTORY = 20;
const SNAPSHOTS_EACH = 6;
const STEP_SECONDS = 8;
const RATES = [50, 100, 150, 200, 250, 300, 350, 400, 500, 600, 700, 800, 1_000, 1_200, 1_500];
const P95_LIMIT = 200;
const GOAL = 400;

const CANVAS = { nodes: [{ id: "a", type: "classNode", data: { className: "fvTenant" } }], edges: [] };

/** Everything that the load asks for; through the interface, as people would have made it. */
async function createWorld(client: WeftClient, url: string, lab: Lab): Promise<World> {
	const { username, password } = lab;
	const connection = await client.call(connectionRoutes.create, {
		body: { name: "Lab", url: lab.url, username, password, verify_ssl: false, is_public: true },
	});
	const groups = await client.call(groupRoutes.list, { query: {} });
	const editor = groups.results.find(({ name }) => name === "Editor");
	const people: { token: string; client: WeftClient }[] = [];
	await runAtOnce(4, USERS, async (index) => {
		const name = `person-${index}`;
		await client.call(userRoutes.create, {
			body: { username: name, email: `${name}@example.com`, password: PASSWORD, group_ids: editor ? [editor.id] : [] },
		});
		const own = createClient({ baseUrl: url });
		const answer = await own.signIn(name, PASSWORD);
		if (!("access" in answer)) throw new Error("no token");
		people.push({ token: answer.access, client: own });
	});
	const owned: { token: string; id: string }[] = [];
	await runAtOnce(8, USERS * QUERIES_EACH, async (index) => {
		const person = people[index % USERS];
		if (person === undefined) return;
		const query = await person.client.call(savedQueryRoutes.create, {
			body: { name: `query ${index}`, flow_data: CANVAS, is_public: true, enable_time_machine: true },
		});
		owned.push({ token: person.token, id: query.id });
	});
	const jobs: { token: string; id: string }[] = [];
	await runAtOnce(2, 20, async (index) => {
		const person = people[index];
		if (person === undefined) return;
		const { job } = await runCanvas(person.client, connection.id, CANVAS, 100);
		jobs.push({ token: person.token, id: job.id });
	});
	const snapshotIds: string[] = [];
	for (const { id, token } of owned.slice(0, WITH_HISTORY)) {
		for (let n = 0; n < SNAPSHOTS_EACH; n++) {
			const imdata = Array.from({ length: 500 }, (_, index) => ({
				fvTenant: {
					attributes: { dn: `uni/tn-${index}`, name: `t${index}`, descr: index % 50 === n ? `moment ${n}` : "" },
				},
			}));
			const kept = await fetch(`${url}/api/time-machine/capture/`, {
				method: "POST",
				headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
				body: JSON.stringify({ result_data: { imdata }, saved_query_id: id, controller_connection_id: connection.id }),
			});
			snapshotIds.push(((await kept.json()) as { snapshot_id: string }).snapshot_id);
		}
	}
	await runAtOnce(4, 100, async (index) => {
		const person = people[index];
		const query = owned[index];
		if (person === undefined || query === undefined) return;
		await person.client.call(scheduleRoutes.create, {
			body: {
				name: `task ${index}`,
				saved_query: query.id,
				controller_connection_ids: [connection.id],
				frequency: "daily",
				time_of_day: "03:00",
			},
		});
	});
	return { owned, tokens: people.map(({ token }) => token), jobs, snapshotIds, connectionId: connection.id };
}

/** The highest step whose p95 stays within the limit, and the step that passes it. */
async function findHighestStep(name: string, urls: readonly string[], world: World): Promise<Step | null> {
	const random = createRandom(1);
	await runLoad(urls, world, { rate: 50, seconds: 4, random });
	let best: Step | null = null;
	for (const rate of RATES) {
		const step = await runLoad(urls, world, { rate, seconds: STEP_SECONDS, random });
		printFigure(
			`${name}, ${rate}/s`,
			`p50 ${step.p50.toFixed(0)} p95 ${step.p95.toFixed(0)} p99 ${step.p99.toFixed(0)} ms`,
		);
		if (step.failed > 0) printFigure(`${name}, ${rate}/s: failed`, String(step.failed), { met: false, text: "0" });
		if (step.p95 > P95_LIMIT || step.failed > 0) {
			printFigure(
				`${name}: the slowest there`,
				step.slowest.map((kind) => `${kind.name} ${kind.p95.toFixed(0)}`).join(", "),
			);
			break;
		}
		best = step;
	}
	printFigure(`${name}: requests/s at p95 ≤ ${P95_LIMIT} ms`, String(best?.rate ?? 0), {
		met: (best?.rate ?? 0) >= GOAL,
		text: `≥ ${GOAL} on one process`,
	});
	return best;
}

/** Mulberry32: the same load in every run. */
function createRandom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let t = Math.imul(state ^ (state >>> 15), 1 | state);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
	};
}

async function runOnEmbedded(lab: Lab): Promise<void> {
	const service = await startService({ env: { WEFT_LOG_LEVEL: "error" } });
	try {
		const best = await findHighestStep(
			"embedded, 1 process",
			[service.url],
			await createWorld(service.client, service.url, lab),
		);
		if ((best?.rate ?? 0) < GOAL) process.exitCode = 1;
	} finally {
		await service.stop();
	}
}

async function runOnPostgres(lab: Lab, address: string, redis: string, counts: readonly number[]): Promise<void> {
	const database = `weft_bench_${randomBytes(6).toString("hex")}`;
	const server = new pg.Client({ connectionString: address });
	await server.connect();
	await server.query(`create database ${database}`);
	const url = new URL(address);
	url.pathname = `/${database}`;
	const dataDir = await mkdtemp(join(tmpdir(), "weft-bench-"));
	const env = {
		WEFT_DATABASE_URL: url.href,
		WEFT_REDIS_URL: redis,
		WEFT_SECRET_KEY: "a key that only benchmarks use",
		WEFT_DATABASE_POOL: "15",
		WEFT_LOG_LEVEL: "error",
	};
	const nodes: RunningService[] = [];
	try {
		nodes.push(await startService({ dataDir, env }));
		const [first] = nodes;
		if (first === undefined) return;
		const world = await createWorld(first.client, first.url, lab);
		for (const count of counts) {
			while (nodes.length < count) nodes.push(await startService({ dataDir, env }));
			await findHighestStep(
				`PostgreSQL, ${count} process${count === 1 ? "" : "es"}`,
				nodes.map((node) => node.url),
				world,
			);
		}
	} finally {
		for (const node of nodes) await node.stop({ keep: true });
		await server.query(`drop database ${database} with (force)`);
		await server.end();
		await rm(dataDir, { recursive: true, force: true });
	}
}

const lab = await startLab("small");
try {
	printFigure("cores (also for the load, the lab and the store)", String(cpus().length));
	await runOnEmbedded(lab);
	const { WEFT_BENCH_DATABASE_URL: database, WEFT_BENCH_REDIS_URL: redis } = process.env;
	if (database && redis) await runOnPostgres(lab, database, redis, [1, 2, 4]);
	else printFigure("PostgreSQL", "skipped: set WEFT_BENCH_DATABASE_URL and WEFT_BENCH_REDIS_URL");
} finally {
	await lab.stop();
}
