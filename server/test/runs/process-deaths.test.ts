/** Runs whose processes die, stop or lose their lease: the worker with a scripted controller. */
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { ControllerObject, ControllerQuery } from "../../src/integrations/apic/port.ts";
import { createGate, createObjects, iteratePages, LEASE_MS, PAUSE_MS, RENEW_MS, useEngine } from "../support/engine.ts";
import { type TestApp, waitUntil, waitUntilAfter } from "../support/harness.ts";
import type { PipelineProcess } from "../support/pipeline-process.ts";

const engine = useEngine();
const { asked, runQueueTask, startRun, getDetail, createFeature } = engine;
let t: TestApp;
beforeAll(() => {
	({ t } = engine);
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
		engine.answer = async function* (query) {
			for (; read < pages; read++) yield createObjects("fvTenant", read, 1);
			read++;
			yield* slowly()(query);
		};
		void dying.handle(id);
		await waitUntil("the pages are read", () => read > pages);
		const before = await getLease(id);
		await waitUntilAfter(t.clock, RENEW_MS, "the lease is renewed", async () => (await getLease(id)) > before);
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
		engine.answer = slowly();
		for (let i = 0; i < 6; i++) await killWorker([id]);
		engine.answer = () => iteratePages(createObjects("fvTenant", 0, 2));
		await runQueueTask(id);
		await runQueueTask(id);
		await expectCompletion(id, 2);
	});

	it("eight deaths without progress fail the run", async () => {
		const id = await startRun();
		engine.answer = slowly();
		for (let i = 0; i < 8; i++) await killWorker([id]);
		await runQueueTask(id);
		expect(asked).toHaveLength(8);
		expect((await getDetail(id)).errors[0].message).toContain("stopped 8 times without progress");
	});

	it("the third death makes a run wait, the second does not", async () => {
		const id = await startRun();
		engine.answer = slowly();
		for (let i = 0; i < 3; i++) await killWorker([id], LEASE_MS);
		await runQueueTask(id);
		expect(asked).toHaveLength(3);
		await t.clock.advance(PAUSE_MS);
		engine.answer = () => iteratePages(createObjects("fvTenant", 0, 2));
		await runQueueTask(id);
		await expectCompletion(id, 2);
	});

	it("one suspected run at a time goes on, also when many workers take them at once", async () => {
		const ids = await Promise.all(Array.from({ length: 5 }, () => startRun()));
		engine.answer = slowly();
		for (let i = 0; i < 3; i++) await killWorker(ids);
		const slow = createGate();
		engine.answer = async function* () {
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
		engine.total = 100_000;
		for (let i = 1; i <= 10; i++) await dieWithPages(id, i);
		engine.answer = () => iteratePages(createObjects("fvTenant", 0, 2));
		await runQueueTask(id);
		await expectCompletion(id, 2);
	});

	it("a death after progress is not one of the three", async () => {
		const id = await startRun();
		await dieWithPages(id, 1);
		engine.answer = slowly();
		for (let i = 0; i < 2; i++) await killWorker([id], LEASE_MS);
		engine.answer = () => iteratePages(createObjects("fvTenant", 0, 2));
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
			engine.answer = (query) =>
				query.path.includes(`fvStage${i + 1}`) ? slowly()(query) : iteratePages(createObjects(`fvStage${i}`, 0, 1));
			void dying.handle(id);
			await waitUntil("the next stage is asked for", () => asked.some((path) => path.includes(`fvStage${i + 1}`)));
			expect(await getDetail(id)).toMatchObject({ completed_stages: i + 1 });
			dying.kill();
			await t.clock.advance(LEASE_MS);
		}
		engine.answer = () => iteratePages(createObjects("fvStage10", 0, 2));
		await runQueueTask(id);
		await expectCompletion(id, 2);
	});

	it("a graceful stop neither counts nor delays the run", async () => {
		const id = await startRun();
		engine.answer = slowly();
		for (let i = 0; i < 10; i++) {
			const stopping = new AbortController();
			const running = startProcess().handle(id, stopping.signal);
			await waitUntil("the controller is asked", () => asked.length === i + 1);
			stopping.abort(new Error("stopping"));
			await expect(running).rejects.toThrow("stopping");
		}
		engine.answer = () => iteratePages(createObjects("fvTenant", 0, 2));
		await runQueueTask(id);
		await expectCompletion(id, 2);
	});

	it("a lease that a living process loses to another one does not count", async () => {
		const id = await startRun();
		engine.answer = slowly();
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
		engine.answer = () => iteratePages(createObjects("fvTenant", 0, 2));
		await runQueueTask(id);
		await expectCompletion(id, 2);
	});

	it("a lease that a living process loses because the store cannot be reached does not count", async () => {
		const id = await startRun();
		engine.answer = slowly();
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
			await waitUntilAfter(t.clock, RENEW_MS, "the loss is stored", () => isOver);
			await holding;
		}
		engine.answer = () => iteratePages(createObjects("fvTenant", 0, 2));
		await runQueueTask(id);
		await expectCompletion(id, 2);
	});
});
