/** Time to the first healthy answer on an empty folder and again, and idle memory. */
import { computeMedian, printFigure, startService, treeMemory } from "./tools.ts";

const first = await startService();
printFigure("first start, empty folder", `${first.startedIn.toFixed(0)} ms`, {
	met: first.startedIn <= 6_000,
	text: "≤ 6 s",
});
await first.stop({ keep: true });

const later: number[] = [];
for (let i = 0; i < 5; i++) {
	const service = await startService({ dataDir: first.dataDir });
	later.push(service.startedIn);
	if (i === 4) {
		// Idle means after what the start left behind has settled.
		await new Promise((done) => setTimeout(done, 10_000));
		const memory = treeMemory(service.process.pid ?? 0);
		printFigure("idle memory, all processes together (PSS)", `${memory.toFixed(0)} MB`, {
			met: memory <= 350,
			text: "≤ 350 MB",
		});
	}
	await service.stop({ keep: i < 4 });
}
printFigure("later starts, median of 5", `${computeMedian(later).toFixed(0)} ms`, {
	met: computeMedian(later) <= 2_000,
	text: "≤ 2 s",
});
