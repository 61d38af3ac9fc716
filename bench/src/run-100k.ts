/** A run over 100,000 objects against a bare loop that fetches and parses the same pages. */
import { createConnection, readPages, runCanvas, startLab } from "./lab.ts";
import { computeMedian, measureTime, printFigure, readMemory, startService } from "./tools.ts";

const CLASS = "fvRsPathAtt";
const ROUNDS = 7;

const buildCanvas = (className: string) => ({
	nodes: [{ id: "a", type: "classNode", data: { className } }],
	edges: [],
});

const lab = await startLab("large");
const service = await startService({ env: { WEFT_LOG_LEVEL: "error" } });

try {
	const { client } = service;
	const connection = await createConnection(client, lab);
	await runCanvas(client, connection, buildCanvas("fvTenant"));
	await readPages(lab, CLASS);
	const before = readMemory(service.process.pid ?? 0);
	const rounds: { loop: number; run: number }[] = [];
	for (let i = 0; i < ROUNDS; i++) {
		const loop = await measureTime(() => readPages(lab, CLASS));
		const { ms, job } = await runCanvas(client, connection, buildCanvas(CLASS));
		if (loop.result !== job.total_rows)
			throw new Error(`${loop.result} objects in the loop, ${job.total_rows} in the run`);
		if (i === 0) printFigure("objects", String(loop.result));
		rounds.push({ loop: loop.ms, run: ms });
	}
	const growth = readMemory(service.process.pid ?? 0).peak - before.now;
	const ratio = computeMedian(rounds.map((round) => round.run)) / computeMedian(rounds.map((round) => round.loop));
	printFigure("bare loop", `${computeMedian(rounds.map((round) => round.loop)).toFixed(0)} ms`);
	printFigure("run", `${computeMedian(rounds.map((round) => round.run)).toFixed(0)} ms`);
	printFigure("run / bare loop, medians of 7", ratio.toFixed(2), { met: ratio <= 1.3, text: "≤ 1.3" });
	printFigure("more memory at the highest", `${growth.toFixed(0)} MB`, { met: growth <= 300, text: "≤ 300 MB" });
	if (ratio > 1.3 || growth > 300) process.exitCode = 1;
} finally {
	await Promise.all([service.stop(), lab.stop()]);
}
