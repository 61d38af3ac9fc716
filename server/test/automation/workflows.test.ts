/**
 * Workflows, the slices of a job and workflows in workflows: nodes, their output one after another,
 * counts and results by row.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Body, EXECUTIONS, type Rig, startRig } from "../support/automation.ts";

let rig: Rig;
beforeAll(async () => {
	rig = await startRig();
});
afterAll(() => rig.close());
afterEach(async () => {
	await rig.lab.control("behaviour", { store_ms: 10, batch_ms: 0 });
});

const listNodes = async (id: string): Promise<Body[]> =>
	(await rig.alice.api.get(`${EXECUTIONS}${id}/workflow-nodes/`)).body.nodes;
const findOutput = async (id: string, jobId: number): Promise<string> =>
	(await rig.alice.api.get(`${EXECUTIONS}${id}/node-output/${jobId}/`)).body.stdout;

describe("a workflow", () => {
	it("has nodes with their output, and the counts of all its jobs", async () => {
		const template = await rig.template({ kind: "workflow", automation_job_template_id: 17 });
		const request = await rig.request(template);
		const { id } = await rig.execute(request);
		expect((await rig.over(request)).status).toBe("successful");
		const execution = await rig.execution(id);
		expect(execution).toMatchObject({
			kind: "workflow",
			automation_job_url: expect.stringMatching(/#\/jobs\/workflow\/\d+\/output$/),
			output_complete: true,
		});
		expect(execution.playbook_counts.ok).toBeGreaterThan(3);
		const { body } = await rig.alice.api.get(`${EXECUTIONS}${id}/workflow-nodes/`);
		const [a, b, c, d] = body.nodes;
		expect(body.nodes.map((node: { identifier: string; status: string }) => [node.identifier, node.status])).toEqual([
			["a", "successful"],
			["b", "successful"],
			["c", "skipped"],
			["d", "successful"],
		]);
		expect([b.depends_on, c.depends_on, d.depends_on]).toEqual([[a.id], [a.id], [b.id]]);
		const output = await rig.alice.api.get(`${EXECUTIONS}${id}/node-output/${a.job_id}/`);
		expect(output.body).toMatchObject({ complete: true, automation_job_id: a.job_id, status: "successful" });
		expect(output.body.stdout).toContain("PLAY [Bulk rows]");
		const other = (await rig.lab.jobs())[0]?.id;
		expect((await rig.alice.api.get(`${EXECUTIONS}${id}/node-output/${other}/`)).status).toBe(404);
		expect((await rig.alice.api.get(`${EXECUTIONS}${id}/output/`)).body).toMatchObject({ stdout: "", complete: true });
	});

	it("of slices comes from a job template, and tells rows and counts too", async () => {
		const request = await rig.request(await rig.template({ automation_job_template_id: 23 }));
		const { id } = await rig.execute(request);
		expect((await rig.over(request)).status).toBe("successful");
		expect((await rig.alice.api.get(`${EXECUTIONS}${id}/workflow-nodes/`)).body.nodes).toHaveLength(2);
		expect(await rig.execution(id)).toMatchObject({
			kind: "job",
			output_complete: true,
			rows_unknown: 0,
			playbook_counts: { ok: 6, changed: 2, failed: 0 },
		});
		const { body } = await rig.alice.api.get(`${EXECUTIONS}${id}/row-results/`);
		expect(body.rows.map((row: { host: string; status: string }) => [row.host, row.status])).toEqual([
			["leaf101", "changed"],
			["leaf102", "changed"],
			["leaf101", "changed"],
			["leaf102", "changed"],
		]);
	});

	it("is cancelled with its jobs", async () => {
		const template = await rig.template({ kind: "workflow", automation_job_template_id: 19 });
		const request = await rig.request(template);
		const { id } = await rig.execute(request);
		await rig.settle("it waits for approval", async () => {
			const { body } = await rig.alice.api.get(`${EXECUTIONS}${id}/workflow-nodes/`);
			return body.nodes[0]?.status === "pending" && body.nodes[0]?.job_id;
		});
		await rig.alice.api.post(`${EXECUTIONS}${id}/cancel/`);
		expect((await rig.over(request)).status).toBe("cancelled");
		const { body } = await rig.alice.api.get(`${EXECUTIONS}${id}/workflow-nodes/`);
		expect(body.nodes.map((node: { status: string }) => node.status)).toEqual(["cancelled", "skipped"]);
	});
});

describe("slices of a job", () => {
	it("have one output, one slice after the other, which only grows", async () => {
		await rig.lab.control("behaviour", { store_ms: 300, batch_ms: 100 });
		const request = await rig.request(
			await rig.template({ automation_job_template_id: 23, variable_mappings: { secs: 1 } }),
		);
		const { id } = await rig.execute(request);
		const socket = await rig.alice.api.open(`/ws/automation/execution/${id}/`);
		const seen: string[] = [];
		await rig.settle("it is over", async () => {
			const { body: output } = await rig.alice.api.get(`${EXECUTIONS}${id}/output/`);
			const { status } = await rig.execution(id);
			seen.push(output.stdout);
			if (status !== "successful") expect(output.complete).toBe(false);
			return status === "successful";
		});
		const [first, second] = await listNodes(id);
		const texts = [await findOutput(id, first?.job_id), await findOutput(id, second?.job_id)];
		expect(texts[0]).toMatch(/changed: \[leaf101\]/);
		expect(texts[1]).toMatch(/changed: \[leaf102\]/);
		const { body: output } = await rig.alice.api.get(`${EXECUTIONS}${id}/output/`);
		expect(output).toMatchObject({ stdout: texts.join(""), complete: true, next_offset: texts.join("").length });
		for (const text of seen) expect(output.stdout.startsWith(text)).toBe(true);
		const border = texts[0]?.length ?? 0;
		const across = await rig.alice.api.get(`${EXECUTIONS}${id}/output/?offset=${border - 5}&limit=10`);
		expect(across.body).toMatchObject({
			stdout: output.stdout.slice(border - 5, border + 5),
			next_offset: border + 5,
			complete: false,
		});
		expect((await rig.alice.api.get(`${EXECUTIONS}${id}/download-output/`)).text).toBe(output.stdout);
		expect((await rig.settle("the socket is closed", () => Promise.race([socket.closed, null]))).code).toBe(1000);
		let text = "";
		for (const { data } of socket.frames.filter(({ type }) => type === "stdout_chunk")) {
			expect(data.offset).toBe(text.length);
			text += data.text;
		}
		expect(text).toBe(output.stdout);
	});

	it("publish results together: the worst of a row wins", async () => {
		const published = [
			{ row: 0, status: "failed" },
			{ row: 1, status: "ok" },
		];
		const template = await rig.template({
			automation_job_template_id: 23,
			variable_mappings: { row_results: published },
		});
		const request = await rig.request(template);
		const { id } = await rig.execute(request);
		await rig.over(request);
		const { body } = await rig.alice.api.get(`${EXECUTIONS}${id}/row-results/`);
		expect(body.rows.map(({ status }: Body) => status)).toEqual(["failed", "ok"]);
	});
});

describe("a workflow in a workflow", () => {
	const node = (id: number, template: number, success: number[] = []) => ({
		id,
		identifier: `n${id}`,
		template,
		success,
		failure: [],
		always: [],
		extra: {},
	});
	const workflow = (id: number, nodes: Body[]) =>
		rig.lab.control("template", { id, kind: "workflow", name: `Nest ${id}`, nodes, asks: ["variables"] });
	async function runWorkflow(id: number) {
		const request = await rig.request(await rig.template({ kind: "workflow", automation_job_template_id: id }));
		const execution = await rig.execute(request);
		return { request: await rig.over(request, 2_000), execution: await rig.execution(execution.id) };
	}

	it("is followed: its nodes with their output, its counts and rows; slices too", async () => {
		await workflow(71, [node(1, 22), node(2, 23)]);
		await workflow(70, [node(3, 12, [4]), node(4, 71)]);
		const { execution } = await runWorkflow(70);
		expect(execution).toMatchObject({ status: "successful", output_complete: true, rows_unknown: 0, warnings: [] });
		// Two tasks and the published results of the job, and those of each slice.
		expect(execution.playbook_counts).toMatchObject({ changed: 3, failed: 0 });
		const nodes = await listNodes(execution.id);
		const [first, nested] = nodes;
		expect(nodes.map(({ identifier, type, parent_id }) => [identifier, type, parent_id])).toEqual([
			["n3", "job", null],
			["n4", "workflow_job", null],
			["n1", "job", nested?.id],
			["n2", "workflow_job", nested?.id],
			["slice-1", "job", nodes[3]?.id],
			["slice-2", "job", nodes[3]?.id],
		]);
		expect(nested?.depends_on).toEqual([first?.id]);
		expect(await findOutput(execution.id, nodes[2]?.job_id)).toContain("PLAY [Bulk rows]");
		expect(await findOutput(execution.id, nodes[5]?.job_id)).toContain("changed: [leaf102]");
		const { body } = await rig.alice.api.get(`${EXECUTIONS}${execution.id}/row-results/`);
		expect(body.summary).toMatchObject({ changed: 2, unknown: 0 });
	});

	it("is followed up to a depth; beyond it the execution says so", async () => {
		for (let id = 80; id < 87; id++) await workflow(id, [node(id, id === 86 ? 22 : id + 1)]);
		const { execution } = await runWorkflow(80);
		expect(execution).toMatchObject({
			status: "successful",
			output_complete: false,
			warnings: [{ code: "nodes_not_followed", message: expect.stringMatching(/incomplete/) }],
		});
		expect(await listNodes(execution.id)).toHaveLength(6);
	});
});

it("a workflow of more nodes than are followed says so, and shows the first ones", async () => {
	const nodes = Array.from({ length: 2_001 }, (_, at) => ({
		id: 10_000 + at,
		identifier: `n${at}`,
		template: 22,
		success: at === 0 ? [] : [10_000 + at + 1].filter((id) => id <= 12_000),
		failure: at === 0 ? Array.from({ length: 2_000 }, (_none, next) => 10_001 + next) : [],
		always: [],
		extra: {},
	}));
	await rig.lab.control("template", { id: 90, kind: "workflow", name: "Wide", nodes, asks: ["variables"] });
	const template = await rig.template({ kind: "workflow", automation_job_template_id: 90 });
	const request = await rig.request(template);
	const { id } = await rig.execute(request);
	await rig.over(request, 2_000);
	expect(await rig.execution(id)).toMatchObject({
		status: "successful",
		output_complete: false,
		warnings: [{ code: "nodes_not_followed", message: expect.stringContaining("more nodes or nested workflows") }],
	});
	expect(await listNodes(id)).toHaveLength(2_000);
});
