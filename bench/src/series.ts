/**
 * A number over 8,760 snapshots, one for each hour of a year: the time to compute it at first, and
 * to read it afterwards. The process takes no queue tasks: what a request leaves to the task is
 * computed here. Baseline: reading as many rows of the store as the series has points.
 */

import type pg from "pg";
import { createLocalUser } from "../../server/dist/areas/accounts/sign-in/create-local-users.js";
import { listSeriesQueues } from "../../server/dist/areas/history/series/compute-numbers.js";
import { openApp } from "./app.ts";
import { measureRequests, measureTime, PASSWORD, printFigure, signInByName } from "./tools.ts";

const SNAPSHOTS = 8_760;
const OBJECTS = 200;
const GROUPS = 20;
const ROUNDS = 15;
const READ_GOAL_MS = 200;
const COMPUTE_GOAL_MS = 60_000;

/** Objects of which one in a hundred changes with each snapshot. */
function* listDocuments(): Generator<object> {
	const rows = Array.from({ length: OBJECTS }, (_, n) => ({
		fvBD: {
			attributes: { dn: `uni/tn-t${n % GROUPS}/BD-${n}`, name: `bd-${n}`, tenant: `t${n % GROUPS}`, mtu: "1500" },
		},
	}));
	for (let at = 0; at < SNAPSHOTS; at++) {
		for (let i = 0; i < OBJECTS / 100; i++) {
			const row = rows[(at * 7 + i * 101) % OBJECTS];
			if (row !== undefined) row.fvBD.attributes.mtu = String(1_500 + ((at + i) % 7_000));
		}
		yield { totalCount: String(OBJECTS), imdata: rows };
	}
}

const opened = await openApp("error");
const { app, pool, dataDir } = opened;
await createLocalUser(app.context, { username: "root", password: PASSWORD, superuser: true });
const service = await app.server.listen({ host: "127.0.0.1", port: 0 });
const headers = { ...(await signInByName(service, "root", PASSWORD)), "content-type": "application/json" };

async function callService(path: string, body?: object): Promise<Record<string, unknown>> {
	const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
	const response = await fetch(service + path, init);
	const text = await response.text();
	if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
	return JSON.parse(text) as Record<string, unknown>;
}

interface Series {
	readonly computing: boolean;
	readonly snapshots: number;
	readonly missing: number;
	readonly groups: readonly { readonly points: readonly unknown[] }[];
}

try {
	const query = await callService("/api/queries/saved-queries/", {
		name: "Series",
		flow_data: { nodes: [], edges: [] },
		enable_time_machine: true,
	});
	const captured = await measureTime(async () => {
		for (const result_data of listDocuments())
			await callService("/api/time-machine/capture/", { saved_query_id: query.id, result_data });
	});
	printFigure("captures", `${SNAPSHOTS} in ${(captured.ms / 1000).toFixed(0)} s`);
	// One snapshot for each hour of the last year.
	await pool.query(
		`update snapshots set executed_at = date_trunc('hour', now()) - interval '1 hour' * ($1::integer - position)`,
		[SNAPSHOTS],
	);
	const rows = await printMedian("baseline: all numbers of one series as rows of the store", () =>
		pool.query("select s.id, s.executed_at from snapshots s order by position"),
	);
	printFigure("rows of the baseline", String(rows));
	for (const [name, parameters] of [
		["count", "value=count&step=snapshot"],
		["mean by hour", "value=avg&field=fvBD.mtu&step=hour"],
		[`sum in ${GROUPS} groups by day`, `value=sum&field=fvBD.mtu&group_by=fvBD.tenant&groups=${GROUPS}&step=day`],
	] as const) {
		const path = `/api/time-machine/series/?saved_query_id=${query.id}&${parameters}`;
		const computed = await measureTime(() => readWhole(path));
		const { groups, snapshots } = computed.result;
		if (snapshots !== SNAPSHOTS) throw new Error(`${snapshots} snapshots in the series ${name}`);
		const points = groups.reduce((sum, group) => sum + group.points.length, 0);
		printFigure(`${name}: computed, ${points} points`, `${(computed.ms / 1000).toFixed(1)} s`, {
			met: computed.ms <= COMPUTE_GOAL_MS,
			text: `≤ ${COMPUTE_GOAL_MS / 1000} s`,
		});
		await printMedian(`${name}: read afterwards`, () => callService(path), READ_GOAL_MS);
		if (computed.ms > COMPUTE_GOAL_MS) process.exitCode = 1;
	}
} finally {
	await opened.close();
}

/** Reads a series: what the request leaves to its task is computed here, and read again. */
async function readWhole(path: string): Promise<Series> {
	const first = (await callService(path)) as unknown as Series;
	if (!first.computing) return first;
	const { rows } = await pool.query<{ id: string }>(
		"select id from snapshot_series_definitions where computing_until is not null",
	);
	const [queue] = listSeriesQueues(app.context);
	for (const { id } of rows) await queue?.handler({ definitionId: id }, new AbortController().signal);
	const whole = (await callService(path)) as unknown as Series;
	if (whole.computing) throw new Error(`${path} is still being computed.`);
	return whole;
}

/** Prints median and p95. Returns the rows of an answer of the store. */
async function printMedian(name: string, work: () => Promise<unknown>, goal?: number): Promise<number> {
	let answer: unknown;
	const keepAnswer = async () => {
		answer = await work();
	};
	const { median, p95, cpu } = await measureRequests(dataDir, keepAnswer, (round) => round < ROUNDS);
	printFigure(`${name}: median, p95`, `${median.toFixed(0)}, ${p95.toFixed(0)} ms`, {
		met: p95 <= (goal ?? p95),
		text: `${goal === undefined ? "none" : `≤ ${goal} ms`}; processor time: ${cpu.toFixed(1)} ms`,
	});
	if (goal !== undefined && p95 > goal) process.exitCode = 1;
	return (answer as pg.QueryResult).rowCount ?? 0;
}
