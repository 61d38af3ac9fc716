/** A run over 100,000 objects against a bare loop that fetches and parses the same pages. */
import { connect, readPages, run, startLab } from "./lab.ts";
import { figure, median, readMemory, startService, timed } from "./tools.ts";

const CLASS = "fvRsPathAtt";
const ROUNDS = 7;

const canvas = (className: string) => ({ nodes: [{ id: "a", type: "classNode", data: { className } }], edges: [] });

const lab = await startLab("large");
const service = await startService({ env: { WEFT_LOG_LEVEL: "error" } });

try {
	const { client } = service;
	const connection = await connect(client, lab);
	await run(client, connection, canvas("fvTenant"));
	await readPages(lab, CLASS);
	const before = readMemory(service.process.pid ?? 0);
	const rounds: { loop: number; run: number }[] = [];
	for (let i = 0; i < ROUNDS; i++) {
		const loop = await timed(() => readPages(lab, CLASS));
		const { ms, job } = await run(client, connection, canvas(CLASS));
		if (loop.result !== job.total_rows)
			throw new Error(`${loop.result} objects in the loop, ${job.total_rows} in the run`);
		if (i === 0) figure("objects", String(loop.result));
		rounds.push({ loop: loop.ms, run: ms });
	}
	const growth = readMemory(service.process.pid ?? 0).peak - before.now;
	const ratio = median(rounds.map((round) => round.run)) / median(rounds.map((round) => round.loop));
	figure("bare loop", `${median(rounds.map((round) => round.loop)).toFixed(0)} ms`);
	figure("run", `${median(rounds.map((round) => round.run)).toFixed(0)} ms`);
	figure("run / bare loop, medians of 7", ratio.toFixed(2), { met: ratio <= 1.3, text: "≤ 1.3" });
	figure("more memory at the highest", `${growth.toFixed(0)} MB`, { met: growth <= 300, text: "≤ 300 MB" });
	if (ratio > 1.3 || growth > 300) process.exitCode = 1;
} finally {
	await Promise.all([service.stop(), lab.stop()]);
}
