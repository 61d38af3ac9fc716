/** 200 concurrent small runs against their bare requests at one connection's concurrency. */

import { setTimeout as pause } from "node:timers/promises";
import { pipelineRoutes } from "@weft/contracts";
import { createConnection, runAtOnce, runCanvas, startLab } from "./lab.ts";
import { computeMedian, measureTime, printFigure, startService } from "./tools.ts";

const RUNS = 200;
const CONCURRENCY = 6;
const ROUNDS = 5;
const CLASS = "fvBD";
const flow_data = { nodes: [{ id: "a", type: "classNode", data: { className: CLASS } }], edges: [] };

const lab = await startLab("medium");
const service = await startService({ env: { WEFT_LOG_LEVEL: "error" } });

try {
	const { client } = service;
	const connection = await createConnection(client, lab);
	const first = await runCanvas(client, connection, flow_data);
	const path = first.job.stages[0]?.queries[0] ?? "";
	const bare = () =>
		runAtOnce(CONCURRENCY, RUNS, async () => {
			await lab.ask(`${path}&page=0&page-size=1000`);
		});
	const all = async (): Promise<number> => {
		const body = { flow_data, controller_connection_id: connection };
		const jobs = await Promise.all(Array.from({ length: RUNS }, () => client.call(pipelineRoutes.create, { body })));
		const began = Math.min(...jobs.map(({ created_at }) => Date.parse(created_at)));
		for (;;) {
			await pause(500);
			const { results, count } = await client.call(pipelineRoutes.list, {
				query: { page_size: "200", status: "completed" },
			});
			const mine = results.filter(({ id }) => jobs.some((job) => job.id === id));
			if (mine.length < RUNS) {
				const failed = await client.call(pipelineRoutes.list, { query: { status: "failed" } });
				if (failed.count > 0) throw new Error(`${failed.count} of ${count} runs failed`);
				continue;
			}
			return Math.max(...mine.map(({ completed_at }) => Date.parse(completed_at ?? ""))) - began;
		}
	};
	await bare();
	await all();
	const rounds: { bare: number; runs: number }[] = [];
	for (let i = 0; i < ROUNDS; i++) rounds.push({ bare: (await measureTime(bare)).ms, runs: await all() });
	const ratio = computeMedian(rounds.map((round) => round.bare / round.runs));
	printFigure("rows of a run", String(first.job.total_rows));
	printFigure("bare requests", `${((RUNS / computeMedian(rounds.map((round) => round.bare))) * 1000).toFixed(0)}/s`);
	printFigure("runs", `${((RUNS / computeMedian(rounds.map((round) => round.runs))) * 1000).toFixed(0)}/s`);
	printFigure("runs / bare requests, median of 5", ratio.toFixed(2), { met: ratio >= 0.3, text: "≥ 0.3" });
	if (ratio < 0.3) process.exitCode = 1;
} finally {
	await Promise.all([service.stop(), lab.stop()]);
}
