/**
 * One run whose process is replaced again and again while the controller is slow: killed six times,
 * then stopped three times. It ends completed, with one log entry, one snapshot and one count.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { QUERIES, RUNS } from "../support/canvases.ts";
import { waitUntil } from "../support/harness.ts";
import { type Caller, createCaller } from "./caller.ts";
import { type Node, type Parts, startParts } from "./parts.ts";

const KILLS = 6;
/** With these, a run whose graceful stops counted would be given up. */
const STOPS = 3;
/** Later than the end of a dead process's lease and of the pause before the next attempt. */
const LATER_MS = 45_000;
/** Longer than any process of the test lives. */
const SLOW_MS = 50_000;
const CANVAS = { nodes: [{ id: "a", type: "classNode", data: { className: "fvBD" } }], edges: [] };

let parts: Parts;
let caller: Caller;
beforeAll(async () => {
	parts = await startParts(["web", "worker"]);
	caller = createCaller(parts.addresses);
}, 120_000);
afterAll(() => parts?.close(), 60_000);

async function callService(method: string, path: string, body?: object) {
	const answer = await caller.insist(method, path, body);
	if (answer === null || answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
	return answer.body;
}

async function replaceProcess(worker: Node, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
	worker.process.child.kill(signal);
	await worker.process.ended;
}

it("ends completed once, however often its process is killed and stopped", { timeout: 900_000 }, async () => {
	const { controller } = parts.lab;
	const { url, username, password } = controller;
	const fabric = { name: "fab-dc1", url, username, password, timeout: 120 };
	const connection = (await callService("POST", "/api/controller/connections/", fabric)).id;
	const saved = { name: "Bridge domains", flow_data: CANVAS, enable_time_machine: true };
	const query = (await callService("POST", QUERIES, saved)).id;
	const worker = parts.nodes.find(({ roles }) => roles === "worker");
	if (worker === undefined) throw new Error("There is no worker.");
	let asked = 0;
	/** Resolves when the run waits for the controller in one more process. */
	async function waitForRequest(when: string): Promise<void> {
		await waitUntil(`the controller is asked before ${when}`, () => (controller.stats().faults.latency ?? 0) > asked);
		asked = controller.stats().faults.latency ?? 0;
	}

	controller.setFaults({ latency: { ms: SLOW_MS, match: "fvBD" } });
	const body = { controller_connection_id: connection };
	const run = (await callService("POST", `${QUERIES}${query}/execute_background/`, body)).id;
	for (let kills = 1; kills <= KILLS; kills++) {
		await waitForRequest(`kill ${kills}`);
		await replaceProcess(worker, "SIGKILL");
		await parts.setClock(kills * LATER_MS);
		await parts.again(worker);
	}
	for (let stops = 1; stops <= STOPS; stops++) {
		await waitForRequest(`stop ${stops}`);
		expect(await callService("GET", `${RUNS}${run}/`)).toMatchObject({ status: "running", completed_stages: 0 });
		if (stops === STOPS) controller.clearFaults();
		await replaceProcess(worker, "SIGTERM");
		await parts.again(worker);
	}

	const job = await waitUntil("the run has ended", async () => {
		const found = await callService("GET", `${RUNS}${run}/`);
		return found.status === "running" ? null : found;
	});
	expect(job).toMatchObject({ status: "completed", errors: [], completed_stages: 1 });
	const { data } = await callService("POST", "/api/controller/connections/execute_query/", {
		connection_id: connection,
		method: "GET",
		query_path: "/api/class/fvBD.json",
	});
	expect(job.total_rows).toBe(data.imdata.length);
	const { snapshots } = await callService("GET", `/api/time-machine/snapshots/?saved_query_id=${query}`);
	expect(snapshots.map(({ id }: { id: string }) => id)).toEqual([job.snapshot_id]);
	expect(await callService("GET", `/api/queries/execution-logs/?query=${query}`)).toMatchObject({ count: 1 });
	expect(await callService("GET", `${QUERIES}${query}/`)).toMatchObject({ execution_count: 1 });
});
