/**
 * One query on twenty connections with 50,400 objects each, against bare loops that fetch and parse
 * the same pages. All connections lead to one simulated controller that answers at once: with two
 * cores for the service, the store and the controller, the loops are the best that a group can do.
 */
import { setTimeout as pause } from "node:timers/promises";
import { groupExecutionRoutes } from "@weft/contracts";
import { createConnection, readPages, runAtOnce, runCanvas, startLab } from "./lab.ts";
import { computeMedian, measureTime, printFigure, readMemory, startService } from "./tools.ts";

const CLASS = "fvCEp";
const FABRICS = 20;
const ROUNDS = 3;
const canvas = { nodes: [{ id: "a", type: "classNode", data: { className: CLASS } }], edges: [] };

const lab = await startLab("large");
const service = await startService({ env: { WEFT_LOG_LEVEL: "error" } });
const { client } = service;

/** Runs the canvas on the connections. The service's own clock measures it. */
async function runOnAll(connections: readonly string[]): Promise<{ ms: number; rows: number }> {
	const { id } = await client.call(groupExecutionRoutes.create, {
		body: { flow_data: canvas as never, connection_ids: [...connections] },
	});
	for (;;) {
		await pause(1_000);
		const group = await client.call(groupExecutionRoutes.detail, { params: { id } });
		if (group.status === "running") continue;
		if (group.status !== "completed") throw new Error(JSON.stringify(group.runs.map(({ error }) => error)));
		return { ms: Date.parse(group.completed_at ?? "") - Date.parse(group.created_at), rows: group.total_rows ?? 0 };
	}
}

async function loopOverAll(): Promise<number> {
	let objects = 0;
	await runAtOnce(FABRICS, FABRICS, async () => {
		const found = await readPages(lab, CLASS);
		objects += found;
	});
	return objects;
}

try {
	const connections: string[] = [];
	for (let i = 0; i < FABRICS; i += 1) connections.push(await createConnection(client, lab, `Fabric ${i + 1}`));
	await runOnAll(connections);
	await loopOverAll();
	const before = readMemory(service.process.pid ?? 0);
	const rounds: { single: number; loop: number; group: number }[] = [];
	for (let i = 0; i < ROUNDS; i += 1) {
		const single = await runCanvas(client, connections[0] ?? "", canvas);
		const loop = await measureTime(loopOverAll);
		const group = await runOnAll(connections);
		if (group.rows !== loop.result) throw new Error(`${loop.result} objects in the loops, ${group.rows} in the group`);
		if (i === 0) printFigure("objects of all connections", String(group.rows));
		rounds.push({ single: single.ms, loop: loop.ms, group: group.ms });
	}
	const middle = (pick: (round: (typeof rounds)[number]) => number) => computeMedian(rounds.map(pick));
	const [single, loop, group] = [middle((r) => r.single), middle((r) => r.loop), middle((r) => r.group)];
	const growth = readMemory(service.process.pid ?? 0).peak - before.now;
	printFigure("one run", `${single.toFixed(0)} ms`);
	printFigure("bare loops over all", `${loop.toFixed(0)} ms`);
	printFigure("the group", `${group.toFixed(0)} ms`);
	printFigure("group / bare loops", (group / loop).toFixed(2), { met: group / loop <= 1.3, text: "≤ 1.3" });
	printFigure("more memory at the highest", `${growth.toFixed(0)} MB`, { met: growth <= 400, text: "≤ 400 MB" });
	if (group / loop > 1.3 || growth > 400) process.exitCode = 1;
} finally {
	await Promise.all([service.stop(), lab.stop()]);
}
