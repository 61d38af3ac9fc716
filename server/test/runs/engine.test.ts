/** Lease, take-over, cancellation and limits of runs: the worker with a scripted controller. */
import { parseExact } from "@weft/contracts/exact-json";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readProgram } from "../../src/areas/queries/flow/index.ts";
import type { StagePlan } from "../../src/areas/runs/pipelines/rules/plan.ts";
import { nodeRows } from "../../src/areas/runs/pipelines/rules/stage-rows.ts";
import { startAllRuns } from "../../src/areas/runs/pipelines/start-runs.ts";
import { WorkerPoolError } from "../../src/core/workers/pool.ts";
import type {
	ControllerObject,
	ControllerPage,
	ControllerQuery,
	ControllerTarget,
} from "../../src/integrations/apic/port.ts";
import { ControllerError } from "../../src/integrations/apic/port-error.ts";
import { startTestApp, type TestApp, type TestUser, untilAfter, waitUntil } from "../support/harness.ts";
import { addUnusedConnection, createPipelineProcess, type PipelineProcess } from "../support/pipeline-process.ts";

const PATH = "/api/queries/pipeline-executions/";
const never = new AbortController().signal;
/** Of a run that is suspected of the deaths of processes. */
const PAUSE_MS = 30_000;
const LEASE_MS = 12_000;
const RENEW_MS = 3_000;

let t: TestApp;
let ada: TestUser;
let connection: { id: string; name: string };
/** Paths that were asked for. */
const asked: string[] = [];
/** Objects of which the controller speaks; null where it does not. */
let total: number | null = null;
/** What the controller gives. */
let answer: (query: ControllerQuery) => AsyncIterable<ControllerObject[]>;

const driver = {
	async *pages(_target: ControllerTarget, query: ControllerQuery): AsyncGenerator<ControllerPage> {
		asked.push(query.path);
		let index = 0;
		const page = (rows: ControllerObject[], totalCount: number | null): ControllerPage => ({
			index: index++,
			rowCount: rows.length,
			rows,
			className: null,
			totalCount,
			raw: null,
			late: false,
			first: (count) => rows.slice(0, count),
		});
		for await (const rows of answer(query)) yield page(rows, total);
		if (index === 0) yield page([], 0);
	},
	count: async () => 1,
};
const createObjects = (className: string, from: number, count: number): ControllerObject[] =>
	Array.from({ length: count }, (_, i) => ({
		[className]: { attributes: { dn: `uni/${className}-${from + i}`, name: String(from + i) } },
	}));
async function* iteratePages(...pages: ControllerObject[][]): AsyncGenerator<ControllerObject[]> {
	yield* pages;
}

const createFeature = (more: Partial<PipelineProcess> = {}) => createPipelineProcess(t, { driver, ...more });
const runQueueTask = (jobId: string, signal = never, process = createFeature()): Promise<void> =>
	process.execute(jobId, signal);

const one = { nodes: [{ id: "a", type: "classNode", data: { className: "fvTenant" } }], edges: [] };
/** Two stages: names of tenants go into a condition on bridge domains. */
const two = {
	nodes: [...one.nodes, { id: "b", type: "classNode", data: { className: "fvBD" } }],
	edges: [
		{ id: "e", source: "a", target: "b", data: { edgeType: "pipeline", extractField: "name", injectProperty: "name" } },
	],
};

async function startRun(flow_data: unknown = one, post_processors: unknown = [], on = connection): Promise<string> {
	const program = readProgram({ flow_data, post_processors, variables: [], variable_values: null });
	const owner = { userId: ada.id, isAdmin: false };
	const [job] = await t.deps.store.transaction((tx) =>
		startAllRuns(t.app.context, tx, [{ owner, program, connection: on, query: null }]),
	);
	return job?.id ?? "";
}
const getDetail = async (id: string) => (await ada.api.get(`${PATH}${id}/`)).body;
const getRows = async (id: string) => (await ada.api.get(`${PATH}${id}/results/?page_size=200`)).body.results;

/** A gate that the controller waits at. */
function createGate() {
	let open: () => void = () => undefined;
	const opened = new Promise<void>((resolve) => {
		open = resolve;
	});
	return { open, opened };
}

beforeAll(async () => {
	t = await startTestApp();
	ada = await t.user("ada");
	connection = await addUnusedConnection(ada);
});
afterAll(() => t.close());
beforeEach(() => {
	asked.length = 0;
	total = null;
	answer = ({ path }) => iteratePages(createObjects(path.includes("fvBD") ? "fvBD" : "fvTenant", 0, 3));
});

describe("one run, one worker", () => {
	it("of two workers that take the same run one carries it out", async () => {
		const id = await startRun();
		await Promise.all([runQueueTask(id), runQueueTask(id), runQueueTask(id)]);
		expect(asked).toHaveLength(1);
		expect(await getDetail(id)).toMatchObject({ status: "completed", total_rows: 3 });
		await runQueueTask(id);
		expect(asked).toHaveLength(1);
	});

	it.each([
		["stores rows", () => createObjects("fvTenant", 102, 2)],
		["has read everything", () => []],
		[
			"is refused",
			() => {
				throw new ControllerError("busy", "The controller is busy.");
			},
		],
	])(
		"a run whose lease is over goes to another worker; the first one changes nothing when it %s",
		async (_what, then) => {
			const id = await startRun();
			const [one, other] = [createGate(), createGate()];
			answer = async function* () {
				yield createObjects("fvTenant", 100, 2);
				await one.opened;
				yield then();
			};
			const first = runQueueTask(id);
			await waitUntil("the first one reads", () => asked.length === 1);
			// As if the first one's process stood still: no renewal comes through.
			await t.pool.query("update pipeline_jobs set lease_expires_at = $2 where id = $1", [id, new Date(t.clock.now())]);
			answer = async function* () {
				yield createObjects("fvTenant", 0, 3);
				await other.opened;
				yield createObjects("fvTenant", 3, 3);
			};
			const second = runQueueTask(id);
			await waitUntil("the second one reads", () => asked.length === 2);
			one.open();
			await first;
			expect(await getDetail(id)).toMatchObject({ status: "running" });
			other.open();
			await second;
			expect(await getDetail(id)).toMatchObject({ status: "completed", total_rows: 6 });
			expect(await getRows(id)).toEqual(createObjects("fvTenant", 0, 6));
		},
	);

	it("keeps its lease while it works, and loses it when it can be renewed no more", async () => {
		const id = await startRun();
		const held = createGate();
		answer = async function* () {
			await held.opened;
			yield createObjects("fvTenant", 0, 1);
		};
		const running = runQueueTask(id);
		await waitUntil("it reads", () => asked.length === 1);
		const lease = async () =>
			(await t.pool.query("select lease_expires_at from pipeline_jobs where id = $1", [id])).rows[0].lease_expires_at;
		const before = await lease();
		await t.clock.advance(4_000);
		await waitUntil("the lease was renewed", async () => (await lease()) > before);
		await runQueueTask(id);
		expect(asked).toHaveLength(1);
		held.open();
		await running;
		expect(await getDetail(id)).toMatchObject({ status: "completed" });
	});

	it("goes on from the last complete stage, and leaves nothing of the interrupted one", async () => {
		const id = await startRun(two);
		const stopping = new AbortController();
		answer = async function* ({ path, signal }) {
			if (path.includes("fvTenant")) return yield createObjects("fvTenant", 0, 3);
			yield createObjects("fvBD", 0, 2);
			stopping.abort(new Error("stopping"));
			signal?.throwIfAborted();
		};
		await expect(runQueueTask(id, stopping.signal)).rejects.toThrow("stopping");
		expect(await getDetail(id)).toMatchObject({ status: "running", completed_stages: 1, current_stage_index: 1 });
		answer = () => iteratePages(createObjects("fvBD", 0, 3));
		asked.length = 0;
		await runQueueTask(id);
		expect(asked.every((path) => path.includes("fvBD"))).toBe(true);
		expect(await getDetail(id)).toMatchObject({ status: "completed", completed_stages: 2, total_rows: 3 });
		expect(await getRows(id)).toEqual(createObjects("fvBD", 0, 3));
	});

	it("finds stranded runs and puts them into the queue again", async () => {
		const id = await startRun();
		await t.pool.query(
			"update pipeline_jobs set status = 'running', lease_token = gen_random_uuid(), lease_expires_at = $2 where id = $1",
			[id, new Date(t.clock.now() + 1_000)],
		);
		await runQueueTask(id);
		expect(await getDetail(id)).toMatchObject({ status: "running" });
		const queued = async () =>
			(await t.pool.query("select count(*) from pgboss.job where name = 'pipeline' and data->>'jobId' = $1", [id]))
				.rows[0].count;
		const timers = createFeature().work();
		expect(await queued()).toBe(1);
		await t.clock.advance(12_000);
		await waitUntil("it is in the queue again", async () => (await queued()) === 2);
		timers.stop();
		await runQueueTask(id);
		expect(await getDetail(id)).toMatchObject({ status: "completed" });
	});

	it.each([
		["has waited for minutes", -120_000],
		["was put there while the clock was an hour ahead", 3_600_000],
	])("puts a pending run that %s into the queue again, in case its place was lost", async (_, offset) => {
		const [lost, waiting] = [await startRun(), await startRun()];
		await t.pool.query("delete from pgboss.job where data->>'jobId' = any($1)", [[lost, waiting]]);
		await t.pool.query("update pipeline_jobs set enqueued_at = $2 where id = $1", [
			lost,
			new Date(t.clock.now() + offset),
		]);
		const queued = async () =>
			(
				await t.pool.query("select data->>'jobId' as id from pgboss.job where data->>'jobId' = any($1)", [
					[lost, waiting],
				])
			).rows.map(({ id }) => id);
		const timers = createFeature().work();
		await t.clock.advance(5_000);
		await waitUntil("it is in the queue again", async () => (await queued()).length > 0);
		timers.stop();
		expect(await queued()).toEqual([lost]);
		await runQueueTask(lost);
		expect(await getDetail(lost)).toMatchObject({ status: "completed" });
	});
});

describe("ending a run", () => {
	it("that is pending keeps it from ever starting", async () => {
		const id = await startRun();
		const { status, body } = await ada.api.post(`${PATH}${id}/cancel/`);
		expect([status, body.status]).toEqual([200, "cancelled"]);
		await runQueueTask(id);
		expect(asked).toEqual([]);
		expect(await getDetail(id)).toMatchObject({
			status: "cancelled",
			started_at: null,
			stages: [{ status: "cancelled" }],
		});
	});

	it("while it reads stops it: nothing new begins, nothing more is written", async () => {
		const id = await startRun(two);
		let aborted = false;
		answer = async function* ({ signal }) {
			yield createObjects("fvTenant", 0, 3);
			await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
			aborted = true;
			signal?.throwIfAborted();
		};
		const running = runQueueTask(id);
		await waitUntil("it reads", () => asked.length === 1);
		expect((await ada.api.post(`${PATH}${id}/cancel/`)).status).toBe(200);
		await running;
		expect(aborted).toBe(true);
		expect(asked).toHaveLength(1);
		const job = await getDetail(id);
		expect(job).toMatchObject({ status: "cancelled", completed_stages: 0, total_rows: null });
		expect(job.stages.map((stage: { status: string }) => stage.status)).toEqual(["cancelled", "cancelled"]);
		expect((await ada.api.post(`${PATH}${id}/cancel/`)).status).toBe(400);
	});

	it("twice at once is done once", async () => {
		const id = await startRun();
		const answers = await Promise.all([1, 2, 3].map(() => ada.api.post(`${PATH}${id}/cancel/`)));
		expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
		const { rows } = await t.pool.query("select type from pipeline_frames where job_id = $1", [id]);
		expect(rows).toEqual([{ type: "execution_failed" }]);
	});
});

describe("what goes wrong", () => {
	it("a connection that is gone fails the run", async () => {
		const id = await startRun(one, [], { id: "01890000-0000-7000-8000-0000000000c0", name: "Gone" });
		await runQueueTask(id);
		const message = "The controller connection does not exist any more.";
		expect(await getDetail(id)).toMatchObject({
			status: "failed",
			errors: [{ stage_index: null, node_id: null, message }],
			stages: [{ status: "skipped" }],
		});
	});

	it("an unexpected error is tried again, with pauses, and the run is given up after eight times, with that reason", async () => {
		const id = await startRun();
		answer = () => {
			throw new TypeError("a defect with a secret in it");
		};
		for (let i = 1; i <= 8; i++) {
			await expect(runQueueTask(id)).rejects.toThrow(TypeError);
			expect(await getDetail(id)).toMatchObject({ status: "running" });
			if (i < 3) continue;
			const tried = asked.length;
			await runQueueTask(id);
			expect(asked.length).toBe(tried);
			await t.clock.advance(PAUSE_MS);
		}
		await runQueueTask(id);
		const job = await getDetail(id);
		expect(job).toMatchObject({
			status: "failed",
			errors: [{ message: expect.stringContaining("stopped 8 times without progress") }],
		});
		expect(JSON.stringify(job)).not.toContain("secret");
	});

	it("a failed stage leaves those that wait for it undone", async () => {
		const id = await startRun(two);
		answer = () => {
			throw new ControllerError("busy", "The controller is busy.");
		};
		await runQueueTask(id);
		const job = await getDetail(id);
		expect(job).toMatchObject({ status: "failed", failed_stages: 1 });
		expect(job.errors).toEqual([{ stage_index: 0, node_id: "a", message: "The controller is busy." }]);
		expect(job.stages.map((stage: { status: string }) => stage.status)).toEqual(["failed", "skipped"]);
	});

	it("of stages that do not depend on one another, those under way end before the run fails", async () => {
		const nodes = ["a", "b", "c"].map((id, i) => ({
			id,
			type: "classNode",
			data: { className: ["fvTenant", "fvBD", "fvCtx"][i] },
		}));
		const id = await startRun({
			nodes,
			edges: [{ id: "e", source: "b", target: "c", data: { edgeType: "pipeline" } }],
		});
		const [failing, going] = [createGate(), createGate()];
		answer = async function* ({ path }) {
			await (path.includes("fvBD") ? going.opened : failing.opened);
			if (path.includes("fvTenant")) throw new ControllerError("busy", "The controller is busy.");
			yield createObjects("fvBD", 0, 2);
		};
		const running = runQueueTask(id);
		await waitUntil("both are under way", () => asked.length === 2);
		failing.open();
		await waitUntil("one has failed", async () => (await getDetail(id)).failed_stages === 1);
		expect((await getDetail(id)).status).toBe("running");
		going.open();
		await running;
		const job = await getDetail(id);
		expect(job).toMatchObject({ status: "failed", completed_stages: 1, failed_stages: 1 });
		const shown = job.stages.map(({ status, outputs }: { status: string; outputs: { sample: unknown[] } }) => [
			status,
			outputs.sample.length,
		]);
		expect(shown).toEqual([
			["failed", 0],
			["completed", 2],
			["skipped", 0],
		]);
	});

	it("no values mean an empty stage and no request", async () => {
		const id = await startRun(two);
		answer = () => iteratePages();
		await runQueueTask(id);
		expect(asked).toHaveLength(1);
		expect(await getDetail(id)).toMatchObject({ status: "completed", completed_stages: 2, total_rows: 0 });
	});
});

describe("deaths of processes", () => {
	/** A process that takes runs. Its timers stand still while it is stalled or killed. */
	function startProcess(more: PipelineProcess["parts"] = {}) {
		let isGoing = true;
		const every = (ms: number, tick: () => void) => t.clock.every(ms, () => isGoing && tick());
		const pipelines = createFeature({ parts: { clock: { ...t.clock, now: t.clock.now, every }, ...more } });
		return {
			handle: (id: string, signal = new AbortController().signal) => runQueueTask(id, signal, pipelines),
			kill() {
				isGoing = false;
			},
			stall() {
				isGoing = false;
			},
			wake() {
				isGoing = true;
			},
		};
	}
	/** A controller that gives these pages, and then nothing until the reader gives up. */
	const slowly = (...pages: ControllerObject[][]) =>
		async function* ({ signal }: ControllerQuery): AsyncGenerator<ControllerObject[]> {
			yield* pages;
			await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
		};
	const getLease = async (id: string): Promise<Date> =>
		(await t.pool.query("select lease_expires_at from pipeline_jobs where id = $1", [id])).rows[0].lease_expires_at;

	/** Runs in a process that is killed while the controller is slow. */
	async function killWorker(ids: readonly string[], afterMs = LEASE_MS + PAUSE_MS): Promise<void> {
		const dying = startProcess();
		const before = asked.length;
		for (const id of ids) void dying.handle(id);
		await waitUntil("the controller is asked", () => asked.length === before + ids.length);
		dying.kill();
		await t.clock.advance(afterMs);
	}

	/** Lets the process store the progress of the run, and kills it. */
	async function dieWithPages(id: string, pages: number): Promise<void> {
		const dying = startProcess();
		let read = 0;
		answer = async function* (query) {
			for (; read < pages; read++) yield createObjects("fvTenant", read, 1);
			read++;
			yield* slowly()(query);
		};
		void dying.handle(id);
		await waitUntil("the pages are read", () => read > pages);
		const before = await getLease(id);
		await untilAfter(t.clock, RENEW_MS, "the lease is renewed", async () => (await getLease(id)) > before);
		dying.kill();
		await t.clock.advance(LEASE_MS);
	}

	// A suspect that another test left open would keep those of the next one waiting.
	afterEach(() => t.pool.query("delete from pipeline_jobs where status in ('pending', 'running')"));

	async function expectCompletion(id: string, rows: number): Promise<void> {
		const job = await getDetail(id);
		expect(job, JSON.stringify(job.errors)).toMatchObject({ status: "completed", total_rows: rows });
		const { rows: ends } = await t.pool.query(
			"select type from pipeline_frames where job_id = $1 and type = 'execution_complete'",
			[id],
		);
		expect(ends).toHaveLength(1);
	}

	it("a run whose process is killed six times in a row ends completed, once", async () => {
		const id = await startRun();
		answer = slowly();
		for (let i = 0; i < 6; i++) await killWorker([id]);
		answer = () => iteratePages(createObjects("fvTenant", 0, 2));
		await runQueueTask(id);
		await runQueueTask(id);
		await expectCompletion(id, 2);
	});

	it("eight deaths without progress fail the run", async () => {
		const id = await startRun();
		answer = slowly();
		for (let i = 0; i < 8; i++) await killWorker([id]);
		await runQueueTask(id);
		expect(asked).toHaveLength(8);
		expect((await getDetail(id)).errors[0].message).toContain("stopped 8 times without progress");
	});

	it("the third death makes a run wait, the second does not", async () => {
		const id = await startRun();
		answer = slowly();
		for (let i = 0; i < 3; i++) await killWorker([id], LEASE_MS);
		await runQueueTask(id);
		expect(asked).toHaveLength(3);
		await t.clock.advance(PAUSE_MS);
		answer = () => iteratePages(createObjects("fvTenant", 0, 2));
		await runQueueTask(id);
		await expectCompletion(id, 2);
	});

	it("one suspected run at a time goes on, also when many workers take them at once", async () => {
		const ids = await Promise.all(Array.from({ length: 5 }, () => startRun()));
		answer = slowly();
		for (let i = 0; i < 3; i++) await killWorker(ids);
		const slow = createGate();
		answer = async function* () {
			await slow.opened;
			yield createObjects("fvTenant", 0, 1);
		};
		asked.length = 0;
		let left = 0;
		const taken = ids.map(async (id) => {
			await runQueueTask(id);
			left++;
		});
		await waitUntil("each of them is taken or left", () => asked.length + left === ids.length);
		expect(asked).toHaveLength(1);
		slow.open();
		await Promise.all(taken);
		for (const id of ids) await runQueueTask(id);
		for (const id of ids) await expectCompletion(id, 1);
	});

	it("one page more than ever before is progress, also of thousands", async () => {
		const id = await startRun();
		total = 100_000;
		for (let i = 1; i <= 10; i++) await dieWithPages(id, i);
		answer = () => iteratePages(createObjects("fvTenant", 0, 2));
		await runQueueTask(id);
		await expectCompletion(id, 2);
	});

	it("a death after progress is not one of the three", async () => {
		const id = await startRun();
		await dieWithPages(id, 1);
		answer = slowly();
		for (let i = 0; i < 2; i++) await killWorker([id], LEASE_MS);
		answer = () => iteratePages(createObjects("fvTenant", 0, 2));
		await runQueueTask(id);
		await expectCompletion(id, 2);
	});

	it("the same pages each time are no progress", async () => {
		const id = await startRun();
		for (let i = 0; i < 9; i++) {
			await dieWithPages(id, 3);
			await t.clock.advance(PAUSE_MS);
		}
		await runQueueTask(id);
		expect((await getDetail(id)).errors[0].message).toContain("stopped 8 times without progress");
	});

	it("a stage that ended is progress", async () => {
		const classes = Array.from({ length: 11 }, (_, i) => `fvStage${i}`);
		const data = { edgeType: "pipeline", extractField: "name", injectProperty: "name" };
		const id = await startRun({
			nodes: classes.map((className, i) => ({ id: `n${i}`, type: "classNode", data: { className } })),
			edges: classes.slice(1).map((_, i) => ({ id: `e${i}`, source: `n${i}`, target: `n${i + 1}`, data })),
		});
		for (let i = 0; i < 10; i++) {
			const dying = startProcess();
			answer = (query) =>
				query.path.includes(`fvStage${i + 1}`) ? slowly()(query) : iteratePages(createObjects(`fvStage${i}`, 0, 1));
			void dying.handle(id);
			await waitUntil("the next stage is asked for", () => asked.some((path) => path.includes(`fvStage${i + 1}`)));
			expect(await getDetail(id)).toMatchObject({ completed_stages: i + 1 });
			dying.kill();
			await t.clock.advance(LEASE_MS);
		}
		answer = () => iteratePages(createObjects("fvStage10", 0, 2));
		await runQueueTask(id);
		await expectCompletion(id, 2);
	});

	it("a graceful stop neither counts nor delays the run", async () => {
		const id = await startRun();
		answer = slowly();
		for (let i = 0; i < 10; i++) {
			const stopping = new AbortController();
			const running = startProcess().handle(id, stopping.signal);
			await waitUntil("the controller is asked", () => asked.length === i + 1);
			stopping.abort(new Error("stopping"));
			await expect(running).rejects.toThrow("stopping");
		}
		answer = () => iteratePages(createObjects("fvTenant", 0, 2));
		await runQueueTask(id);
		await expectCompletion(id, 2);
	});

	it("a lease that a living process loses to another one does not count", async () => {
		const id = await startRun();
		answer = slowly();
		let holder = startProcess();
		let held = holder.handle(id);
		for (let i = 1; i <= 10; i++) {
			await waitUntil("the controller is asked", () => asked.length === i);
			holder.stall();
			await t.clock.advance(LEASE_MS);
			const next = startProcess();
			const taken = next.handle(id);
			await waitUntil("the other process asks", () => asked.length === i + 1);
			holder.wake();
			await t.clock.advance(RENEW_MS);
			await held;
			[holder, held] = [next, taken];
		}
		holder.kill();
		await t.clock.advance(LEASE_MS);
		answer = () => iteratePages(createObjects("fvTenant", 0, 2));
		await runQueueTask(id);
		await expectCompletion(id, 2);
	});

	it("a lease that a living process loses because the store cannot be reached does not count", async () => {
		const id = await startRun();
		answer = slowly();
		for (let i = 1; i <= 10; i++) {
			let isDown = false;
			const { store } = t.deps;
			const failing = {
				...store,
				get db() {
					if (isDown) throw new Error("The store cannot be reached.");
					return store.db;
				},
			};
			let isOver = false;
			const holding = startProcess({ store: failing })
				.handle(id)
				.finally(() => {
					isOver = true;
				});
			await waitUntil("the controller is asked", () => asked.length === i);
			isDown = true;
			await t.clock.advance(LEASE_MS + RENEW_MS);
			isDown = false;
			await untilAfter(t.clock, RENEW_MS, "the loss is stored", () => isOver);
			await holding;
		}
		answer = () => iteratePages(createObjects("fvTenant", 0, 2));
		await runQueueTask(id);
		await expectCompletion(id, 2);
	});
});

describe("limits fail the stage and cut nothing off", () => {
	const sorted = [{ type: "array-sort", config: { field: "name" } }];
	it.each([
		["rows", { rows: 4 }, [], /more than 4 rows/],
		["bytes", { bytes: 200 }, [], /MB, which is the limit/],
		["bytes of the run", { runBytes: 200 }, [], /run's rows take more than/],
		["memory", { memoryBytes: 200 }, sorted, /together/],
	])("%s", async (_what, limits, processors, message) => {
		const id = await startRun(one, processors);
		answer = () => iteratePages(createObjects("fvTenant", 0, 3), createObjects("fvTenant", 3, 3));
		await runQueueTask(id, never, createFeature({ limits }));
		expect(await getDetail(id)).toMatchObject({
			status: "failed",
			errors: [{ message: expect.stringMatching(message) }],
		});
		expect((await ada.api.get(`${PATH}${id}/results/`)).status).toBe(409);
	});

	it("values", async () => {
		const id = await startRun(two);
		await runQueueTask(id, never, createFeature({ limits: { values: 2 } }));
		expect(await getDetail(id)).toMatchObject({
			status: "failed",
			errors: [{ message: expect.stringMatching(/2 values/) }],
		});
	});
});

describe("numbers above 2^53", () => {
	const row = (n: string) => `{"fvTenant":{"attributes":{"dn":"uni/tn-${n}","n":${n},\n"txId":"${n}"}}}`;
	const numbers = ["12345678901234567891", "12345678901234567890"];
	const text = `{"totalCount":"2","imdata":[${numbers.map(row).join(",")}]}`;
	const exact = {
		...driver,
		async *pages(): AsyncGenerator<ControllerPage> {
			const rows = (parseExact(text) as { imdata: ControllerObject[] }).imdata;
			const first = (count: number) => rows.slice(0, count);
			const raw = Buffer.from(text);
			yield { index: 0, rowCount: 2, rows, first, className: "fvTenant", totalCount: 2, raw, late: false };
		},
	};
	const get = async (id: string, query = "") => (await ada.api.get(`${PATH}${id}/results/${query}`)).text;

	it("keep every digit in pages and in files", async () => {
		const id = await startRun();
		await runQueueTask(id, never, createFeature({ driver: exact }));
		for (const query of ["", "?export=json", "?export=ndjson"]) {
			expect(await get(id, query), query).toMatch(/"n":"?12345678901234567891"?,\n?"txId"/);
		}
		expect(await get(id)).toContain('"n":12345678901234567890,');
		expect(JSON.parse(await get(id))).toMatchObject({ count: 2, next: null, previous: null });
		expect((await get(id, "?export=ndjson")).trimEnd().split("\n")).toHaveLength(2);
		expect(await get(id, "?export=csv")).toContain("12345678901234567891,12345678901234567891");
		expect(JSON.stringify((await getDetail(id)).stages)).toContain("12345678901234567891");
		const second = JSON.parse(await get(id, "?page_size=1&page=2"));
		expect(second.results[0].fvTenant.attributes.dn).toBe(`uni/tn-${numbers[1]}`);
		expect(second.previous).toContain("page=1");
	});

	it("keep every digit after a processor, and are sorted by them", async () => {
		const id = await startRun(one, [{ type: "array-sort", config: { field: "n" } }]);
		await runQueueTask(id, never, createFeature({ driver: exact }));
		const { results } = JSON.parse(await get(id));
		expect(results.map((one: ControllerObject) => one.fvTenant?.attributes.n)).toEqual(numbers.toReversed());
	});

	it("are in order where several requests are merged", () => {
		const fetches = numbers.map((n, group) => ({
			fetch: { path: "", className: "fvTenant", paged: false, group: 0 },
			n,
			group,
		}));
		const fetched = fetches.map(({ fetch, n }) => ({
			fetch,
			rows: [{ fvTenant: { attributes: { dn: n, txId: n } } }],
		}));
		const options = { className: "fvTenant", orderBy: "fvTenant.txId|asc" };
		const branch = {
			nodeId: "a",
			answer: true,
			chain: [],
			layout: { levels: [], implied: [] },
			concrete: true,
			onSwitch: false,
			options,
		};
		const merged = nodeRows({ branches: [branch] } as unknown as StagePlan, "a", fetched);
		expect(merged.map((each) => (each as ControllerObject).fvTenant?.attributes.txId)).toEqual(numbers.toReversed());
	});
});

describe("post-processors", () => {
	const grow = { operation: "replace", search: "a", text: "a".repeat(4_000) };
	const growing = { type: "text-operations", config: { field: "name", operations: [grow, grow] } };
	const named = (count: number) =>
		Array.from({ length: count }, (_, i) => ({ fvTenant: { attributes: { dn: `uni/tn-${i}`, name: "aaaa" } } }));
	const failed = async (id: string) => {
		const job = await getDetail(id);
		expect(job.status).toBe("failed");
		return job.errors[0].message;
	};

	it("that make values grow without bound fail the run, at once and in all runs", async () => {
		answer = () => iteratePages(named(120));
		const ids = await Promise.all(Array.from({ length: 4 }, () => startRun(one, [growing])));
		await Promise.all(ids.map((id) => runQueueTask(id)));
		for (const id of ids) expect(await failed(id)).toMatch(/value of more than 1 MB/);
	});

	it("whose rows together exceed the bytes of a stage fail it, and what was stored is not shown", async () => {
		const once = { type: "text-operations", config: { field: "name", operations: [grow] } };
		answer = () => iteratePages(named(120));
		const id = await startRun(one, [once]);
		await runQueueTask(id, never, createFeature({ limits: { bytes: 1024 ** 2 } }));
		expect(await failed(id)).toMatch(/more than 1 MB, which is the limit/);
		expect((await ada.api.get(`${PATH}${id}/results/`)).status).toBe(409);
	});

	it("go on where an answer of a thread is long, and keep all rows in order", async () => {
		const rows = Array.from({ length: 100 }, (_, i) => ({
			fvTenant: { attributes: { dn: `uni/tn-${i}`, name: "a".repeat(200) } },
		}));
		answer = () => iteratePages(rows);
		const id = await startRun(one, [
			{ type: "text-operations", config: { field: "name", operations: [grow], target: "long" } },
			{ type: "field-extract", config: { fields: ["dn", "long"] } },
		]);
		await runQueueTask(id);
		expect(await getDetail(id)).toMatchObject({ status: "completed", total_rows: 100 });
		const page = (await ada.api.get(`${PATH}${id}/results/?page_size=1&page=100`)).body.results;
		expect(page[0].dn).toBe("uni/tn-99");
		expect(page[0].long).toHaveLength(800_000);
	});

	it("that need all rows wait for the memory that earlier runs hold", async () => {
		const sorted = [{ type: "array-sort", config: { field: "name", order: "desc" } }];
		const held = createGate();
		const pipelines = createFeature({ totalMemoryBytes: 250 });
		const order: string[] = [];
		answer = (): AsyncGenerator<ControllerObject[]> =>
			(async function* () {
				const run = order.includes("first") ? "second" : "first";
				order.push(run);
				yield createObjects("fvTenant", 0, 3);
				if (run === "first") await held.opened;
				yield createObjects("fvTenant", 3, 3);
				order.push(`${run} read`);
			})();
		const [first, second] = [await startRun(one, sorted), await startRun(one, sorted)];
		const runs = [runQueueTask(first, never, pipelines)];
		await waitUntil("the first run holds rows", () => order.includes("first"));
		runs.push(runQueueTask(second, never, pipelines));
		await waitUntil("the second run has begun", () => order.includes("second"));
		held.open();
		await Promise.all(runs);
		expect(order).toEqual(["first", "second", "first read", "second read"]);
		for (const id of [first, second]) expect(await getDetail(id)).toMatchObject({ status: "completed", total_rows: 6 });
	});

	it("that take too long fail the run", async () => {
		const pool = {
			run: () => Promise.reject(new WorkerPoolError("timeout", "process took longer than 20000 ms")),
		};
		answer = () => iteratePages(named(3));
		const id = await startRun(one, [growing]);
		await runQueueTask(id, never, createFeature({ parts: { pipelinePool: { ...t.deps.pipelinePool, ...pool } } }));
		expect(await failed(id)).toMatch(/took longer than 20 seconds for one page/);
	});

	it("that bring their thread down fail the run", async () => {
		const pool = { run: () => Promise.reject(new WorkerPoolError("stopped", "A worker thread came down")) };
		answer = () => iteratePages(named(3));
		const id = await startRun(one, [growing]);
		await runQueueTask(id, never, createFeature({ parts: { pipelinePool: { ...t.deps.pipelinePool, ...pool } } }));
		expect(await failed(id)).toMatch(/more memory than a run may use/);
	});

	it("pass on the values that they made", async () => {
		const upper = {
			id: "p",
			type: "postProcessorNode",
			data: {
				processorType: "text-operations",
				config: { field: "name", operations: [{ operation: "prefix", text: "x" }] },
			},
		};
		const data = { edgeType: "pipeline", extractField: "name", injectProperty: "name" };
		const flow = {
			nodes: [...one.nodes, upper, { id: "b", type: "classNode", data: { className: "fvBD" } }],
			edges: [
				{ id: "ap", source: "a", target: "p" },
				{ id: "e", source: "p", target: "b", data },
			],
		};
		answer = ({ path }) =>
			path.includes("fvTenant")
				? iteratePages(createObjects("fvTenant", 0, 2))
				: iteratePages(createObjects("fvBD", 0, 1));
		const id = await startRun(flow);
		await runQueueTask(id);
		const job = await getDetail(id);
		expect(job, JSON.stringify(job.errors)).toMatchObject({ status: "completed" });
		expect(job.stages[1].inputs).toMatchObject({ value_count: 2, sample: ["x0", "x1"] });
		expect(job.stages[0].outputs.sample).toHaveLength(2);
	});
});

describe("a small limit", () => {
	const limited = (more: unknown[] = []) => ({
		nodes: [{ id: "a", type: "classNode", data: { className: "fvTenant", limit: 4 } }, ...more],
		edges: more.map((node) => ({ id: "e", source: "a", target: (node as { id: string }).id })),
	});

	it("requests exactly as many objects as its limit", async () => {
		const id = await startRun(limited());
		const limits: unknown[] = [];
		answer = ({ limit }) => {
			limits.push(limit);
			return iteratePages(createObjects("fvTenant", 0, limit ?? 9));
		};
		await runQueueTask(id);
		expect(limits).toEqual([4]);
		expect(await getRows(id)).toEqual(createObjects("fvTenant", 0, 4));
	});

	it("asks for all when too few of those were kept", async () => {
		const filter = { filterType: "property", property: "name", operator: "contains", value: "5" };
		const id = await startRun(limited([{ id: "f", type: "filterNode", data: filter }]));
		const limits: unknown[] = [];
		answer = ({ limit }) => {
			limits.push(limit);
			return iteratePages(
				...[0, 10, 20, 30, 40, 50].map((from) => createObjects("fvTenant", from, 10)).slice(0, limit ? 1 : 6),
			);
		};
		await runQueueTask(id);
		const names = (await getRows(id)).map((row: ControllerObject) => row.fvTenant?.attributes.name);
		expect(names).toEqual(["5", "15", "25", "35"]);
	});
});

describe("rows", () => {
	it("of many pages come back as they were given", async () => {
		const id = await startRun();
		const pages = Array.from({ length: 30 }, (_, i) => createObjects("fvTenant", i * 101, 101));
		answer = () => iteratePages(...pages);
		await runQueueTask(id);
		const job = await getDetail(id);
		expect(job.total_rows).toBe(30 * 101);
		const all = JSON.parse((await ada.api.get(`${job.results_url}?export=json`)).text);
		expect(all).toEqual(pages.flat());
		expect((await ada.api.get(`${job.results_url}?page=7&page_size=200`)).body.results).toEqual(
			all.slice(1_200, 1_400),
		);
	});

	it("are removed when their time is over, and the run stays", async () => {
		const id = await startRun(two);
		await runQueueTask(id);
		await t.clock.advance(6 * 86_400_000);
		let timers = createFeature().work();
		await t.clock.advance(3_700_000);
		timers.stop();
		expect(await getRows(id)).toHaveLength(3);
		await t.clock.advance(86_400_000);
		timers = createFeature().work();
		await waitUntil("they are gone", async () => (await ada.api.get(`${PATH}${id}/results/`)).status === 409);
		timers.stop();
		expect(await getDetail(id)).toMatchObject({ status: "completed", total_rows: 3 });
		const { rows } = await t.pool.query("select count(*) from pipeline_result_chunks where job_id = $1", [id]);
		expect(rows).toEqual([{ count: 0 }]);
		const socket = await ada.api.open(`/ws/chain-execution/${id}/`);
		expect((await socket.closed).code).toBe(1000);
		expect(socket.frames.map(({ type }) => type)).toEqual(["execution_complete"]);
	});
});
