/**
 * Two stages with 5,000 values between them, which the planner sends in chunks or joins locally,
 * against one request per value at the same concurrency.
 */
import { createConnection, runAtOnce, runCanvas, startLab } from "./lab.ts";
import { computeMedian, measureTime, printFigure, startService } from "./tools.ts";

const VALUES = 5_000;
const CONCURRENCY = 6;
const ROUNDS = 3;
const MOST_REQUESTS = 60;

/** IP addresses of 5,000 endpoints. */
const canvas = {
	nodes: [
		{ id: "a", type: "classNode", data: { className: "fvCEp", limit: VALUES } },
		{ id: "b", type: "classNode", data: { className: "fvIp" } },
	],
	edges: [{ id: "e", source: "a", target: "b", data: { edgeType: "pipeline", injectAs: "dn_scope" } }],
};

const lab = await startLab("medium");
const service = await startService({ env: { WEFT_LOG_LEVEL: "error" } });

/** The baseline. Answers the number of objects. */
async function readOneByOne(): Promise<number> {
	const dns: string[] = [];
	for (let page = 0; dns.length < VALUES; page++) {
		const { imdata } = await lab.ask(`/api/class/fvCEp.json?order-by=fvCEp.dn&page=${page}&page-size=1000`);
		for (const row of imdata as { fvCEp: { attributes: { dn: string } } }[]) dns.push(row.fvCEp.attributes.dn);
	}
	let objects = 0;
	await runAtOnce(CONCURRENCY, VALUES, async (index) => {
		const dn = encodeURI(dns[index] ?? "");
		const { imdata } = await lab.ask(`/api/mo/${dn}.json?query-target=subtree&target-subtree-class=fvIp`);
		objects += imdata.length;
	});
	return objects;
}

try {
	const connection = await createConnection(service.client, lab);
	const rounds: { single: number; run: number; requests: number }[] = [];
	for (let i = 0; i < ROUNDS; i++) {
		const single = await measureTime(readOneByOne);
		const { ms, job } = await runCanvas(service.client, connection, canvas);
		if (job.stages[1]?.inputs.value_count !== VALUES || job.total_rows !== single.result) {
			throw new Error(`${single.result} objects one by one, ${job.total_rows} in the run`);
		}
		const requests = job.stages.reduce((sum, stage) => sum + stage.request_count, 0);
		if (i === 0) printFigure("objects", String(single.result));
		rounds.push({ single: single.ms, run: ms, requests });
	}
	const requests = Math.max(...rounds.map((round) => round.requests));
	const ratio = computeMedian(rounds.map((round) => round.run / round.single));
	printFigure("one request for each value", `${computeMedian(rounds.map((round) => round.single)).toFixed(0)} ms`);
	printFigure("run", `${computeMedian(rounds.map((round) => round.run)).toFixed(0)} ms`);
	printFigure("requests", String(requests), { met: requests <= MOST_REQUESTS, text: `≤ ${MOST_REQUESTS}` });
	printFigure("run / one by one, median of 3", ratio.toFixed(3), { met: ratio <= 0.2, text: "≤ 0.2" });
	if (requests > MOST_REQUESTS || ratio > 0.2) process.exitCode = 1;
} finally {
	await Promise.all([service.stop(), lab.stop()]);
}
