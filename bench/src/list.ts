/**
 * Requests per second of a list of 50 of 10,000 saved queries, against a bare route with its SQL.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import autocannon from "autocannon";
import { startProgram } from "./child.ts";
import { computeMedian, printFigure } from "./tools.ts";

const ROUNDS = 5;
const SECONDS = 3;

const dataDir = await mkdtemp(join(tmpdir(), "weft-bench-"));
const server = await startProgram("list-server.js", {
	env: { WEFT_DATA_DIR: dataDir, WEFT_THROTTLE: "off", WEFT_LOG_LEVEL: "warn" },
});
try {
	const { service, baseline, headers, statements, bytes } = JSON.parse(server.line);
	const load = async (url: string): Promise<number> => {
		const { requests, non2xx } = await autocannon({ url, headers, connections: 16, duration: SECONDS });
		if (non2xx > 0) throw new Error(`${non2xx} answers of ${url} were no success`);
		return requests.average;
	};
	await load(baseline);
	await load(service);
	const rates: { service: number; baseline: number }[] = [];
	for (let i = 0; i < ROUNDS; i++) rates.push({ baseline: await load(baseline), service: await load(service) });
	const ratio = computeMedian(rates.map((rate) => rate.service / rate.baseline));
	printFigure("answer", `${bytes} bytes`);
	printFigure("statements", String(statements));
	printFigure("bare route", `${computeMedian(rates.map((rate) => rate.baseline)).toFixed(0)} req/s`);
	printFigure("service", `${computeMedian(rates.map((rate) => rate.service)).toFixed(0)} req/s`);
	printFigure("service / bare route, median of 5", ratio.toFixed(2), { met: ratio >= 0.5, text: "≥ 0.5" });
} finally {
	await server.stop();
	await rm(dataDir, { recursive: true, force: true });
}
