/**
 * Whole runs - worker, store, frames - of random canvases against random fabrics give what a naive
 * evaluation in memory gives.
 */
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readFlow, readProgram } from "../../src/areas/queries/flow/index.ts";
import { startAllRuns } from "../../src/areas/runs/pipelines/start-runs.ts";
import type { ControllerPage, ControllerQuery, ControllerTarget } from "../../src/integrations/apic/port.ts";
import { listDns } from "../support/canvases.ts";
import { scaleCases } from "../support/effort.ts";
import { answerQuery } from "../support/flows/fabric-controller.ts";
import { evaluateCanvas } from "../support/flows/naive-evaluation.ts";
import { canvases } from "../support/flows/random-canvas.ts";
import { fabrics, type Mo } from "../support/flows/random-fabric.ts";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import { addUnusedConnection, createPipelineProcess } from "../support/pipeline-process.ts";

const PAGE = 2;

let t: TestApp;
let ada: TestUser;
let connection: { id: string; name: string };
beforeAll(async () => {
	t = await startTestApp();
	ada = await t.user("ada");
	connection = await addUnusedConnection(ada);
});
afterAll(() => t.close());

/** The evaluator as a driver: pages of two, with the bytes that they came in. */
const getDriver = (fabric: readonly Mo[]) => ({
	async *pages(_target: ControllerTarget, { path, limit }: ControllerQuery): AsyncGenerator<ControllerPage> {
		let delivered = 0;
		for (let index = 0; ; index++) {
			const { rows: all, total } = answerQuery(
				fabric,
				path,
				path.includes("order-by") ? { index, size: PAGE } : undefined,
			);
			const rows = all.slice(0, (limit ?? Number.POSITIVE_INFINITY) - delivered) as ControllerPage["rows"];
			delivered += rows.length;
			const raw = Buffer.from(JSON.stringify({ totalCount: String(total), imdata: rows }));
			const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
			const className = names.length === 1 ? (names[0] ?? null) : null;
			const first = (count: number) => rows.slice(0, count);
			yield { index, rowCount: rows.length, rows, first, className, totalCount: total, raw, late: false };
			if (rows.length === 0 || delivered >= Math.min(total, limit ?? total)) return;
		}
	},
	count: async (_target: ControllerTarget, { path }: { path: string }) => answerQuery(fabric, path).total,
});

it("a run's rows are those of a naive evaluation", { timeout: 120_000 }, async () => {
	let kept = 0;
	await fc.assert(
		fc.asyncProperty(fabrics, canvases, async (fabric, canvas) => {
			const read = readFlow(canvas);
			fc.pre(read.ok);
			const process = createPipelineProcess(t, { driver: getDriver(fabric) });
			const program = readProgram({
				flow_data: canvas,
				post_processors: [],
				variables: [],
				variable_values: null,
			});
			const owner = { userId: ada.id, isAdmin: false };
			const [started] = await t.deps.store.transaction((tx) =>
				startAllRuns(t.app.context, tx, [{ owner, program, connection, query: null }]),
			);
			const id = started?.id ?? "";
			await process.execute(id, new AbortController().signal);
			const { body: job } = await ada.api.get(`/api/queries/pipeline-executions/${id}/`);
			expect(job, JSON.stringify(job.errors)).toMatchObject({ status: "completed", progress_percentage: 100 });

			const getRows = evaluateCanvas(canvas, fabric);
			const frames = await t.pool.query(
				"select data from pipeline_frames where job_id = $1 and type = 'node_result' order by seq",
				[id],
			);
			for (const { data } of frames.rows) {
				expect(data).toEqual({ node_id: data.node_id, row_count: getRows(data.node_id).length });
			}
			for (const stage of job.stages) {
				const { body } = await ada.api.get(`${job.results_url}?stage=${stage.index}&page_size=200`);
				const answers = canvas.nodes.filter(
					(node) => stage.node_ids.includes(node.id) && node.type === "classNode" && !isLeadingToClass(canvas, node.id),
				);
				const expected = [...new Set(answers.flatMap((node) => getRows(node.id)))].sort();
				expect({ stage: stage.index, dns: listDns(body.results) }).toEqual({ stage: stage.index, dns: expected });
				expect(stage.outputs.result_count).toBe(expected.length);
				kept += expected.length;
			}
		}),
		{ numRuns: scaleCases(25) },
	);
	expect(kept, "rows compared over all runs: canvases that match nothing would prove nothing").toBeGreaterThan(30);
});

type Canvas = Parameters<typeof evaluateCanvas>[0];
function isLeadingToClass(canvas: Canvas, id: string): boolean {
	const below = canvas.edges.filter(({ source, data }) => source === id && data?.edgeType !== "pipeline");
	return below.some(
		({ target: to }) =>
			canvas.nodes.find((node) => node.id === to)?.type === "classNode" || isLeadingToClass(canvas, to),
	);
}
