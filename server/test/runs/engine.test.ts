/** Leases, take-over, cancellation and failures of runs: the worker with a scripted controller. */
import { beforeAll, describe, expect, it } from "vitest";
import { ControllerError } from "../../src/integrations/apic/port-error.ts";
import { createGate, createObjects, iteratePages, one, PAUSE_MS, RUN_PATH, two, useEngine } from "../support/engine.ts";
import { type TestApp, type TestUser, waitUntil } from "../support/harness.ts";

const engine = useEngine();
const { asked, runQueueTask, startRun, getDetail, getRows, createFeature } = engine;
let t: TestApp;
let ada: TestUser;
beforeAll(() => {
	({ t, ada } = engine);
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
			engine.answer = async function* () {
				yield createObjects("fvTenant", 100, 2);
				await one.opened;
				yield then();
			};
			const first = runQueueTask(id);
			await waitUntil("the first one reads", () => asked.length === 1);
			// As if the first one's process stood still: no renewal comes through.
			await t.pool.query("update pipeline_jobs set lease_expires_at = $2 where id = $1", [id, new Date(t.clock.now())]);
			engine.answer = async function* () {
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
		engine.answer = async function* () {
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
		engine.answer = async function* ({ path, signal }) {
			if (path.includes("fvTenant")) return yield createObjects("fvTenant", 0, 3);
			yield createObjects("fvBD", 0, 2);
			stopping.abort(new Error("stopping"));
			signal?.throwIfAborted();
		};
		await expect(runQueueTask(id, stopping.signal)).rejects.toThrow("stopping");
		expect(await getDetail(id)).toMatchObject({ status: "running", completed_stages: 1, current_stage_index: 1 });
		engine.answer = () => iteratePages(createObjects("fvBD", 0, 3));
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
		const { status, body } = await ada.api.post(`${RUN_PATH}${id}/cancel/`);
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
		engine.answer = async function* ({ signal }) {
			yield createObjects("fvTenant", 0, 3);
			await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
			aborted = true;
			signal?.throwIfAborted();
		};
		const running = runQueueTask(id);
		await waitUntil("it reads", () => asked.length === 1);
		expect((await ada.api.post(`${RUN_PATH}${id}/cancel/`)).status).toBe(200);
		await running;
		expect(aborted).toBe(true);
		expect(asked).toHaveLength(1);
		const job = await getDetail(id);
		expect(job).toMatchObject({ status: "cancelled", completed_stages: 0, total_rows: null });
		expect(job.stages.map((stage: { status: string }) => stage.status)).toEqual(["cancelled", "cancelled"]);
		expect((await ada.api.post(`${RUN_PATH}${id}/cancel/`)).status).toBe(400);
	});

	it("twice at once is done once", async () => {
		const id = await startRun();
		const answers = await Promise.all([1, 2, 3].map(() => ada.api.post(`${RUN_PATH}${id}/cancel/`)));
		expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
		const { rows } = await t.pool.query("select type from pipeline_frames where job_id = $1", [id]);
		expect(rows).toEqual([{ type: "execution_failed" }]);
	});
});

describe("a failure", () => {
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
		engine.answer = () => {
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
		engine.answer = () => {
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
		engine.answer = async function* ({ path }) {
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
		engine.answer = () => iteratePages();
		await runQueueTask(id);
		expect(asked).toHaveLength(1);
		expect(await getDetail(id)).toMatchObject({ status: "completed", completed_stages: 2, total_rows: 0 });
	});
});
