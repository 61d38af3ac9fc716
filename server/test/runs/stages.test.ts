/**
 * Runs of several stages through the API, against the simulated controller: order, frames,
 * cancellation and take-over.
 */
import type { RunningController } from "@weft/lab";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import {
	buildClassNode,
	createCanvas,
	createEdge,
	createPipelineEdge,
	listDns,
	output,
	type Row,
	RUNS,
	waitForRun,
} from "../support/canvases.ts";
import { type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { createHeldController } from "../support/held-controller.ts";
import { useRuns } from "../support/runs.ts";

const held = createHeldController();
const runs = useRuns({ driver: held.driver });
const { start, detail } = runs;
let t: TestApp;
let lab: RunningController;
let ada: TestUser;
beforeAll(() => {
	({ t, lab, ada } = runs);
});
const releases: (() => void)[] = [];
afterEach(() => {
	for (const release of releases.splice(0)) release();
});

/** Answers to queries that match wait until the function is called, or the test has ended. */
function holdQueries(match: RegExp): () => void {
	const release = held.hold(match);
	releases.push(release);
	return release;
}

const listStatuses = async (id: string): Promise<string[]> =>
	(await detail(id)).stages.map((stage: { status: string }) => stage.status);
const readStage = async (id: string, index: number): Promise<Row[]> =>
	(await ada.api.get(`${RUNS}${id}/results/?stage=${index}&page_size=200`)).body.results;

/** The dns of all objects that the controller itself has of a class. */
const listAllDns = async (className: string) => listDns(await runs.ask(`/api/class/${className}.json`));

/** Six stages that wait for nobody. */
const CLASSES = ["fvTenant", "fvBD", "fvCtx", "fvAp", "fvSubnet", "fvRsBd"];
const apart = createCanvas(CLASSES.map((name) => buildClassNode(name)));

describe("the order of stages", () => {
	it("runs those that do not wait for one another at the same time, four at most", async () => {
		const before = held.asked.length;
		const first = holdQueries(/class\/fvTenant\./);
		const others = holdQueries(/class\/(?!fvTenant)/);
		const id = await start(apart);
		const four = ["running", "running", "running", "running", "pending", "pending"];
		await waitUntil("four are under way", () => held.asked.length === before + 4);
		expect(await listStatuses(id)).toEqual(four);
		first();
		await waitUntil("the next one took the place", async () => held.asked.length === before + 5);
		expect(await listStatuses(id)).toEqual(["completed", "running", "running", "running", "running", "pending"]);
		others();
		expect(await waitForRun(ada.api, id)).toMatchObject({ status: "completed", completed_stages: 6 });
		for (const [index, name] of CLASSES.entries()) {
			expect(listDns(await readStage(id, index))).toEqual(await listAllDns(name));
		}
	});

	it("starts a stage as soon as those it waits for are complete, whatever else still runs", async () => {
		const slow = holdQueries(/class\/fvCtx\./);
		const id = await start(
			createCanvas(
				[buildClassNode("fvCtx"), buildClassNode("fvTenant"), buildClassNode("fvBD"), output],
				...[createPipelineEdge("fvTenant", "fvBD", { injectAs: "dn_scope" }), createEdge("fvBD", "out")],
			),
		);
		await waitUntil("the later stage is complete", async () => (await listStatuses(id))[2] === "completed");
		expect(await detail(id)).toMatchObject({ status: "running", completed_stages: 2 });
		slow();
		expect(await waitForRun(ada.api, id)).toMatchObject({ status: "completed" });
	});
});

/** Bridge domains of all tenants and all relations to them: two stages into one. */
const join = createCanvas(
	[buildClassNode("fvTenant"), buildClassNode("fvBD"), buildClassNode("fvRsBd"), output],
	...[
		createPipelineEdge("fvTenant", "fvRsBd", { injectAs: "dn_scope" }),
		createPipelineEdge("fvBD", "fvRsBd", { injectProperty: "tDn" }),
	],
	createEdge("fvRsBd", "out"),
);
const LAST = /class\/fvRsBd\./;
const summarizeFrames = (frames: readonly { type: string; data: Record<string, unknown> }[]) =>
	frames.map(({ type, data }) => [type, data.node_id ?? data.failed_node ?? data.status]);

describe("who comes late", () => {
	it("sees every frame from the first to the last, as who was there from the start does", async () => {
		const firstStage = holdQueries(/class\/fvTenant\./);
		const lastStage = holdQueries(LAST);
		const id = await start(join);
		const early = await ada.api.open(`/ws/chain-execution/${id}/`);
		await waitUntil("it has begun", () => early.frames.length > 0);
		firstStage();
		await waitUntil("the first stages are complete", async () => (await detail(id)).completed_stages === 2);
		const late = await ada.api.open(`/ws/chain-execution/${id}/`);
		await waitUntil("it has seen what was", () => late.frames.length === 7);
		lastStage();
		for (const socket of [early, late]) expect((await socket.closed).code).toBe(1000);
		expect(late.frames).toEqual(early.frames);
		const [begun, results] = [summarizeFrames(late.frames.slice(0, 2)), summarizeFrames(late.frames.slice(2, 6))];
		expect(begun).toEqual([
			["node_start", "fvTenant"],
			["node_start", "fvBD"],
		]);
		expect(results.sort()).toEqual([
			["node_complete", "fvBD"],
			["node_complete", "fvTenant"],
			["node_result", "fvBD"],
			["node_result", "fvTenant"],
		]);
		expect(summarizeFrames(late.frames.slice(6))).toEqual([
			["node_start", "fvRsBd"],
			["node_result", "fvRsBd"],
			["node_complete", "fvRsBd"],
			["execution_complete", "completed"],
		]);
		const job = await detail(id);
		expect(late.frames.at(-1)?.data).toEqual({
			status: "completed",
			total_rows: job.total_rows,
			results_url: job.results_url,
		});
		const ended = await ada.api.open(`/ws/chain-execution/${id}/`);
		expect((await ended.closed).code).toBe(1000);
		expect(ended.frames).toEqual(late.frames.slice(-1));
	});

	it("sees the failure of a later stage after all that went well", async () => {
		const release = holdQueries(LAST);
		lab.setFaults({ error: { match: "fvRsBd", text: "no such thing" } });
		const id = await start(join);
		await waitUntil("the first stages are complete", async () => (await detail(id)).completed_stages === 2);
		const late = await ada.api.open(`/ws/chain-execution/${id}/`);
		release();
		expect((await late.closed).code).toBe(1000);
		expect(late.frames).toHaveLength(8);
		expect(late.frames.at(-1)).toMatchObject({
			type: "execution_failed",
			data: { error: expect.stringContaining("no such thing"), failed_node: "fvRsBd" },
		});
	});
});

describe("what ends a run between its stages", () => {
	it("a failing stage: those under way end, the others are skipped, and there is no result", async () => {
		lab.setFaults({ error: { match: "fvTenant", text: "no such thing" } });
		const id = await start(join);
		const job = await waitForRun(ada.api, id);
		expect(job).toMatchObject({ status: "failed", failed_stages: 1, completed_stages: 1, total_rows: null });
		expect(job.errors).toEqual([
			{ stage_index: 0, node_id: "fvTenant", message: expect.stringContaining("no such thing") },
		]);
		expect(await listStatuses(id)).toEqual(["failed", "completed", "skipped"]);
		expect((await ada.api.get(job.results_url)).status).toBe(409);
		expect((await ada.api.get(`${job.results_url}?stage=1`)).status).toBe(409);
	});

	it("cancelling: calls under way end at the controller, and nothing new starts", async () => {
		lab.resetStats();
		lab.setFaults({ latency: { ms: 400, match: "fvTenant|fvBD" } });
		const before = held.asked.length;
		const id = await start(join);
		await waitUntil("both are under way at the controller", () => lab.stats().concurrent === 2);
		const { status, body } = await ada.api.post(`${RUNS}${id}/cancel/`);
		expect([status, body.status]).toEqual([200, "cancelled"]);
		await waitUntil("they have ended", () => lab.stats().concurrent === 0);
		const ends = lab.stats().last.filter(({ target }) => /fvTenant|fvBD/.test(target));
		expect(ends.map((one) => one.status)).toEqual([200, 200]);
		// A worker that went on would do so before a run that starts now has ended.
		await runs.run(createCanvas([buildClassNode("fvCtx"), output], createEdge("fvCtx", "out")));
		expect(held.asked.slice(before).filter((path) => LAST.test(path))).toEqual([]);
		expect(await listStatuses(id)).toEqual(["cancelled", "cancelled", "cancelled"]);
		expect(await detail(id)).toMatchObject({ status: "cancelled", total_rows: null });
	});

	it("cancelling, again and again, runs whose calls hang: others on the same controller go on all the same", async () => {
		lab.setFaults({ hang: { match: "fvRsBd" } });
		for (let hung = 1; hung <= 8; hung++) {
			const id = await start(join);
			await waitUntil("its last stage hangs", () => lab.stats().faults.hang === hung);
			expect((await detail(id)).completed_stages).toBe(2);
			expect((await ada.api.post(`${RUNS}${id}/cancel/`)).status).toBe(200);
		}
		await runs.run(createCanvas([buildClassNode("fvCtx"), output], createEdge("fvCtx", "out")));
	});

	it("cancelling after a stage: it stays complete, the later ones never start", async () => {
		holdQueries(LAST);
		const id = await start(join);
		await waitUntil("the first stages are complete", async () => (await detail(id)).completed_stages === 2);
		expect((await ada.api.post(`${RUNS}${id}/cancel/`)).status).toBe(200);
		expect(await listStatuses(id)).toEqual(["completed", "completed", "cancelled"]);
		expect((await ada.api.post(`${RUNS}${id}/cancel/`)).status).toBe(400);
	});
});

describe("a worker that stands still", () => {
	it("loses the run to another one, which goes on from the last complete stage; the first one changes nothing more", async () => {
		const before = held.asked.length;
		const release = holdQueries(LAST);
		const id = await start(join);
		await waitUntil("the first stages are complete", async () => (await detail(id)).completed_stages === 2);
		const lasts = () => held.asked.slice(before).filter((path) => LAST.test(path)).length;
		await waitUntil("the last one is under way", () => lasts() === 1);
		// As if its process had been stopped: the lease runs out while no renewal comes through.
		await t.pool.query(
			"update pipeline_jobs set lease_token = gen_random_uuid(), lease_expires_at = $2 where id = $1",
			[id, new Date(t.clock.now())],
		);
		await t.clock.advance(12_000);
		await waitUntil("another one has taken it", () => lasts() === 2);
		release();
		const job = await waitForRun(ada.api, id);
		expect(job).toMatchObject({ status: "completed", completed_stages: 3 });
		expect(listDns(await readStage(id, 2))).toEqual(await listAllDns("fvRsBd"));
		const first = held.asked.slice(before).filter((path) => /class\/fv(Tenant|BD)\./.test(path));
		expect(first).toHaveLength(2);
		const { rows } = await t.pool.query("select type from pipeline_frames where job_id = $1 order by seq", [id]);
		expect(rows.filter(({ type }) => type === "execution_complete")).toHaveLength(1);
	});
});
