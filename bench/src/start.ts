/**
 * Time to the first healthy answer on an empty folder and again, also against an empty Fastify app
 * beside the same embedded store, and idle memory.
 */
import { rm } from "node:fs/promises";
import { startProgram } from "./child.ts";
import { computeMedian, printFigure, readTreeMemory, startService } from "./tools.ts";

/** Milliseconds from the start of the baseline's process to its first answer. */
async function measureBareStart(dataDir: string): Promise<number> {
	const began = performance.now();
	const bare = await startProgram("bare-start.js", { env: { WEFT_DATA_DIR: dataDir } });
	const answer = await fetch(`${bare.line}/api/health/`);
	if (!answer.ok) throw new Error(`the baseline is not healthy: ${answer.status}`);
	const startedIn = performance.now() - began;
	await bare.stop();
	return startedIn;
}

const first = await startService();
printFigure("first start, empty folder", `${first.startedIn.toFixed(0)} ms`, {
	met: first.startedIn <= 6_000,
	text: "≤ 6 s",
});
await first.stop({ keep: true });

const later: number[] = [];
const bare: number[] = [];
for (let i = 0; i < 5; i++) {
	const service = await startService({ dataDir: first.dataDir });
	later.push(service.startedIn);
	if (i === 4) {
		// Idle means after what the start left behind has settled.
		await new Promise((done) => setTimeout(done, 10_000));
		const memory = readTreeMemory(service.process.pid ?? 0);
		printFigure("idle memory, all processes together (PSS)", `${memory.toFixed(0)} MB`, {
			met: memory <= 350,
			text: "≤ 350 MB",
		});
	}
	await service.stop({ keep: true });
	bare.push(await measureBareStart(first.dataDir));
}
await rm(first.dataDir, { recursive: true, force: true });
printFigure("later starts, median of 5", `${computeMedian(later).toFixed(0)} ms`, {
	met: computeMedian(later) <= 2_000,
	text: "≤ 2 s",
});
const ratio = computeMedian(later) / computeMedian(bare);
printFigure("the same against an empty Fastify app and the same store", ratio.toFixed(2), {
	met: ratio <= 2,
	text: "≤ 2.0",
});
