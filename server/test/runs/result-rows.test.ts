/**
 * The rows of runs: limits, exact numbers, post-processors, pages and their removal, with a
 * scripted controller.
 */
import { parseExact } from "@weft/contracts/exact-json";
import { beforeAll, describe, expect, it } from "vitest";
import type { StagePlan } from "../../src/areas/runs/pipelines/rules/plan.ts";
import { readNodeRows } from "../../src/areas/runs/pipelines/rules/stage-rows.ts";
import { WorkerPoolError } from "../../src/core/workers/pool.ts";
import type { ControllerObject, ControllerPage } from "../../src/integrations/apic/port.ts";
import { createGate, createObjects, iteratePages, one, RUN_PATH, two, useEngine } from "../support/engine.ts";
import { type TestApp, type TestUser, waitUntil } from "../support/harness.ts";

const engine = useEngine();
const { runQueueTask, startRun, getDetail, getRows, createFeature, driver } = engine;
let t: TestApp;
let ada: TestUser;
beforeAll(() => {
	({ t, ada } = engine);
});

describe("a limit", () => {
	const sorted = [{ type: "array-sort", config: { field: "name" } }];
	it.each([
		["rows", { rows: 4 }, [], /more than 4 rows/],
		["bytes", { bytes: 200 }, [], /MB, which is the limit/],
		["bytes of the run", { runBytes: 200 }, [], /run's rows take more than/],
		["memory", { memoryBytes: 200 }, sorted, /together/],
	])("of %s fails the stage, which shows no rows", async (_what, limits, processors, message) => {
		const id = await startRun(one, processors);
		engine.answer = () => iteratePages(createObjects("fvTenant", 0, 3), createObjects("fvTenant", 3, 3));
		await runQueueTask(id, undefined, createFeature({ limits }));
		expect(await getDetail(id)).toMatchObject({
			status: "failed",
			errors: [{ message: expect.stringMatching(message) }],
		});
		expect((await ada.api.get(`${RUN_PATH}${id}/results/`)).status).toBe(409);
	});

	it("of values fails the stage", async () => {
		const id = await startRun(two);
		await runQueueTask(id, undefined, createFeature({ limits: { values: 2 } }));
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
	const get = async (id: string, query = "") => (await ada.api.get(`${RUN_PATH}${id}/results/${query}`)).text;

	it("keep every digit in pages and in files", async () => {
		const id = await startRun();
		await runQueueTask(id, undefined, createFeature({ driver: exact }));
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
		await runQueueTask(id, undefined, createFeature({ driver: exact }));
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
		const merged = readNodeRows({ branches: [branch] } as unknown as StagePlan, "a", fetched);
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
		engine.answer = () => iteratePages(named(120));
		const ids = await Promise.all(Array.from({ length: 4 }, () => startRun(one, [growing])));
		await Promise.all(ids.map((id) => runQueueTask(id)));
		for (const id of ids) expect(await failed(id)).toMatch(/value of more than 1 MB/);
	});

	it("whose rows together exceed the bytes of a stage fail it, and what was stored is not shown", async () => {
		const once = { type: "text-operations", config: { field: "name", operations: [grow] } };
		engine.answer = () => iteratePages(named(120));
		const id = await startRun(one, [once]);
		await runQueueTask(id, undefined, createFeature({ limits: { bytes: 1024 ** 2 } }));
		expect(await failed(id)).toMatch(/more than 1 MB, which is the limit/);
		expect((await ada.api.get(`${RUN_PATH}${id}/results/`)).status).toBe(409);
	});

	it("go on where an answer of a thread is long, and keep all rows in order", async () => {
		const rows = Array.from({ length: 100 }, (_, i) => ({
			fvTenant: { attributes: { dn: `uni/tn-${i}`, name: "a".repeat(200) } },
		}));
		engine.answer = () => iteratePages(rows);
		const id = await startRun(one, [
			{ type: "text-operations", config: { field: "name", operations: [grow], target: "long" } },
			{ type: "field-extract", config: { fields: ["dn", "long"] } },
		]);
		await runQueueTask(id);
		expect(await getDetail(id)).toMatchObject({ status: "completed", total_rows: 100 });
		const page = (await ada.api.get(`${RUN_PATH}${id}/results/?page_size=1&page=100`)).body.results;
		expect(page[0].dn).toBe("uni/tn-99");
		expect(page[0].long).toHaveLength(800_000);
	});

	it("that need all rows wait for the memory that earlier runs hold", async () => {
		const sorted = [{ type: "array-sort", config: { field: "name", order: "desc" } }];
		const held = createGate();
		const pipelines = createFeature({ totalMemoryBytes: 250 });
		const order: string[] = [];
		engine.answer = (): AsyncGenerator<ControllerObject[]> =>
			(async function* () {
				const run = order.includes("first") ? "second" : "first";
				order.push(run);
				yield createObjects("fvTenant", 0, 3);
				if (run === "first") await held.opened;
				yield createObjects("fvTenant", 3, 3);
				order.push(`${run} read`);
			})();
		const [first, second] = [await startRun(one, sorted), await startRun(one, sorted)];
		const runs = [runQueueTask(first, undefined, pipelines)];
		await waitUntil("the first run holds rows", () => order.includes("first"));
		runs.push(runQueueTask(second, undefined, pipelines));
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
		engine.answer = () => iteratePages(named(3));
		const id = await startRun(one, [growing]);
		await runQueueTask(id, undefined, createFeature({ parts: { pipelinePool: { ...t.deps.pipelinePool, ...pool } } }));
		expect(await failed(id)).toMatch(/took longer than 20 seconds for one page/);
	});

	it("that bring their thread down fail the run", async () => {
		const pool = { run: () => Promise.reject(new WorkerPoolError("stopped", "A worker thread came down")) };
		engine.answer = () => iteratePages(named(3));
		const id = await startRun(one, [growing]);
		await runQueueTask(id, undefined, createFeature({ parts: { pipelinePool: { ...t.deps.pipelinePool, ...pool } } }));
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
		engine.answer = ({ path }) =>
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
		engine.answer = ({ limit }) => {
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
		engine.answer = ({ limit }) => {
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
		engine.answer = () => iteratePages(...pages);
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
		await waitUntil("they are gone", async () => (await ada.api.get(`${RUN_PATH}${id}/results/`)).status === 409);
		timers.stop();
		expect(await getDetail(id)).toMatchObject({ status: "completed", total_rows: 3 });
		const { rows } = await t.pool.query("select count(*) from pipeline_result_chunks where job_id = $1", [id]);
		expect(rows).toEqual([{ count: 0 }]);
		const socket = await ada.api.open(`/ws/chain-execution/${id}/`);
		expect((await socket.closed).code).toBe(1000);
		expect(socket.frames.map(({ type }) => type)).toEqual(["execution_complete"]);
	});
});
