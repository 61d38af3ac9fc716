/**
 * Checks: what their evaluation adds to runs of 10,000 rows, the list of 8,000 states, and the
 * memory of 100,000 violations. The runs read from a controller that takes its time as real ones
 * do (`LAB_LATENCY`), and once more from one that answers at once, which shows the bare work.
 */
import { setTimeout as pause } from "node:timers/promises";
import { backgroundRunRoutes, checkRoutes, executionLogRoutes, savedQueryRoutes } from "@weft/contracts";
import { createConnection, startLab } from "./lab.ts";
import { computeMedian, computeP95, measureTime, printFigure, readMemory, readTreeCpu, startService } from "./tools.ts";

/** 1,000 checks on 50 queries are 20 of each query. */
const CHECKS_OF_QUERY = 20;
const CONNECTIONS = 8;
const ROUNDS = 5;
const LISTED_CHECKS = 1_000;
const LIST_CALLS = 60;
const CLASS = "fvRsPathAtt";
const ROWS = 10_000;

const lab = await startLab("large");
const realLab = await startLab("large", { LAB_LATENCY: "on" });
const service = await startService({ env: { WEFT_LOG_LEVEL: "error" } });
const { client } = service;
const pid = service.process.pid ?? 0;

const buildCanvas = (limit?: number) => ({
	nodes: [{ id: "a", type: "classNode", data: { className: CLASS, ...(limit === undefined ? {} : { limit }) } }],
	edges: [],
});
const addQuery = async (name: string, limit?: number): Promise<string> => {
	const body = { name, flow_data: buildCanvas(limit) as never };
	return (await client.call(savedQueryRoutes.create, { body })).id;
};

/** Conditions, groups, keys and counts, as a library of checks has them. */
const rules = [
	{
		type: "each_row",
		config: { conditions: [{ field: "tDn", operator: "regex", value: "^topology/pod-\\d+/" }] },
	},
	{ type: "each_row", config: { conditions: [{ field: "encap", operator: "starts", value: "vlan-" }] } },
	{ type: "row_count", config: { operator: "le", value: 50_000 } },
	{ type: "row_count", config: { operator: "le", value: 5_000, group_by: ["instrImedcy"] } },
	{ type: "each_row", config: { conditions: [{ field: "dn", operator: "exists" }] } },
] as const;

/** Runs a query on connections at once, until the ends are recorded. */
async function runAll(query: string, connections: readonly string[]): Promise<{ ms: number; cpu: number }> {
	const count = async () => (await client.call(executionLogRoutes.list, { query: { query } })).count;
	const before = await count();
	const cpu = readTreeCpu(pid);
	const { ms } = await measureTime(async () => {
		for (const controller_connection_id of connections) {
			await client.call(backgroundRunRoutes.start, { params: { id: query }, body: { controller_connection_id } });
		}
		while ((await count()) < before + connections.length) await pause(20);
	});
	return { ms, cpu: readTreeCpu(pid) - cpu };
}

const formatPercent = (part: number): string => `${(part * 100).toFixed(1)} %`;

interface Cost {
	/** Of one run, to its recorded end. */
	readonly plainMs: number;
	readonly checkedMs: number;
	/** What the checks add, as parts of the plain run's. */
	readonly moreTime: number;
	readonly moreProcessorTime: number;
}

/** The same runs with and without checks, in turns, `ROUNDS` times on these connections at once. */
async function measureCostOfChecks(plain: string, checked: string, connections: readonly string[]): Promise<Cost> {
	await runAll(plain, connections);
	await runAll(checked, connections);
	const rounds: { plain: { ms: number; cpu: number }; checked: { ms: number; cpu: number } }[] = [];
	for (let i = 0; i < ROUNDS; i += 1) {
		rounds.push({ plain: await runAll(plain, connections), checked: await runAll(checked, connections) });
	}
	const middle = (pick: (round: (typeof rounds)[number]) => number) => computeMedian(rounds.map(pick));
	return {
		plainMs: middle((round) => round.plain.ms) / connections.length,
		checkedMs: middle((round) => round.checked.ms) / connections.length,
		moreTime: middle((round) => round.checked.ms / round.plain.ms) - 1,
		moreProcessorTime: middle((round) => round.checked.cpu / round.plain.cpu) - 1,
	};
}

try {
	const connections: string[] = [];
	for (let i = 0; i < CONNECTIONS; i += 1) connections.push(await createConnection(client, lab, `Lab ${i}`));
	const real = await createConnection(client, realLab, "Real");
	const [plain, checked] = [await addQuery("plain", ROWS), await addQuery("checked", ROWS)];
	for (let i = 0; i < CHECKS_OF_QUERY; i += 1) {
		const { type, config } = rules[i % rules.length] ?? rules[0];
		await client.call(checkRoutes.create, { body: { name: `Check ${i}`, saved_query: checked, type, config } });
	}
	const paced = await measureCostOfChecks(plain, checked, [real]);
	printFigure("a run of 10,000 rows, to its recorded end", `${paced.plainMs.toFixed(0)} ms`);
	printFigure("the same with 20 checks", `${paced.checkedMs.toFixed(0)} ms`);
	printFigure("more time with checks", formatPercent(paced.moreTime), { met: paced.moreTime <= 0.1, text: "≤ 10 %" });
	const bare = await measureCostOfChecks(plain, checked, connections);
	printFigure(`${CONNECTIONS} at once of a controller that answers at once, for each`, `${bare.plainMs.toFixed(0)} ms`);
	printFigure("the same with 20 checks", `${bare.checkedMs.toFixed(0)} ms`);
	printFigure("more processor time with checks", formatPercent(bare.moreProcessorTime));

	const listed: string[] = [];
	for (let i = 0; i < LISTED_CHECKS / 200; i += 1) listed.push(await addQuery(`listed ${i}`));
	for (let i = 0; i < LISTED_CHECKS; i += 1) {
		const body = {
			name: `Listed ${i}`,
			saved_query: listed[Math.floor(i / 200)] ?? "",
			type: "no_rows" as const,
			controller_connection_ids: connections,
		};
		await client.call(checkRoutes.create, { body });
	}
	const times: number[] = [];
	for (let i = 0; i < LIST_CALLS; i += 1) {
		const query = {
			page: String((i % 20) + 1),
			page_size: "50",
			...(i % 2 === 0 ? {} : { state: "unknown" as const }),
		};
		times.push((await measureTime(() => client.call(checkRoutes.list, { query }))).ms);
	}
	const p95 = computeP95(times);
	printFigure("a page of 50 checks with 400 of 8,000 states, p95", `${p95.toFixed(1)} ms`, {
		met: p95 <= 50,
		text: "≤ 50 ms",
	});

	const violated = await addQuery("violated");
	await runAll(violated, connections.slice(0, 1));
	const base = readMemory(pid).peak;
	const none = await client.call(checkRoutes.create, {
		body: { name: "None", saved_query: violated, type: "no_rows" },
	});
	await runAll(violated, connections.slice(0, 1));
	const { states } = await client.call(checkRoutes.detail, { params: { id: none.id } });
	const growth = readMemory(pid).peak - base;
	printFigure("violations of one check", String(states[0]?.violations));
	printFigure("more memory at the highest than without the check", `${growth.toFixed(0)} MB`, {
		met: growth <= 100,
		text: "≤ 100 MB",
	});
	if (paced.moreTime > 0.1 || p95 > 50 || growth > 100) process.exitCode = 1;
} finally {
	await Promise.all([service.stop(), lab.stop(), realLab.stop()]);
}
