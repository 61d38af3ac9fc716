/** Jobs of a workflow that the token's user may not read: the workflow ends, and names them. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { AutomationError, type ServerNode } from "../../src/integrations/awx/port.ts";
import { type Body, EXECUTIONS, type Rig, startRig } from "../support/automation.ts";

type ReadNodes = (id: number) => Promise<readonly ServerNode[]>;

let rig: Rig;
/** Changes the nodes that the server returns. */
let changeNodes: (id: number, read: ReadNodes) => Promise<readonly ServerNode[]> = (id, read) => read(id);
beforeAll(async () => {
	rig = await startRig({
		changeDriver: (driver) => ({
			nodes: (target, job, limit) => changeNodes(job, (id) => driver.nodes(target, id, limit)),
			output: async () => {
				throw new AutomationError("too_big", "One answer of the automation server is above 2 MB.");
			},
		}),
	});
});
afterAll(() => rig.close());
afterEach(() => {
	changeNodes = (id, read) => read(id);
	rig.lab.clearFaults();
});

const listNodes = async (id: string): Promise<Body[]> =>
	(await rig.alice.api.get(`${EXECUTIONS}${id}/workflow-nodes/`)).body.nodes;
const readOutput = async (id: string, node: Body): Promise<Body> =>
	(await rig.alice.api.get(`${EXECUTIONS}${id}/node-output/${node.job_id}/`)).body;

async function runWorkflow(templateId: number) {
	const template = await rig.template({ kind: "workflow", automation_job_template_id: templateId });
	const request = await rig.request(template);
	const { id } = await rig.execute(request);
	expect((await rig.over(request, 2_000)).status).toBe("successful");
	return { id, execution: await rig.execution(id), nodes: await listNodes(id) };
}

describe("a workflow whose output is incomplete", () => {
	it("ends with a warning when the server refuses the events of its jobs", async () => {
		rig.lab.setFaults({
			answer: { match: "/job_events/", status: 403, body: { detail: "No." } },
			html_error: { match: "/job_host_summaries/", status: 403 },
		});
		const { id, execution, nodes } = await runWorkflow(17);
		expect(nodes.map(({ status }) => status)).toEqual(["successful", "successful", "skipped", "successful"]);
		expect(execution).toMatchObject({ output_complete: false, lost_events: 0 });
		expect(execution.warnings).toEqual([
			{ code: "output_unread", message: expect.stringContaining(`could not be read: "${nodes[0].name}", `) },
		]);
		expect(await readOutput(id, nodes[0])).toMatchObject({
			stdout: expect.stringMatching(/^\[Weft: the output of this job could not be read\. .*No\.\]\n$/),
			complete: true,
		});
	});

	it("ends with a warning when the server refuses the nodes of a nested workflow", async () => {
		const plain = { success: [], failure: [], always: [], extra: {} };
		for (const [id, template] of [
			[71, 22],
			[70, 71],
		]) {
			const nodes = [{ id, identifier: `n${id}`, template, ...plain }];
			await rig.lab.control("template", { id, kind: "workflow", name: `Nest ${id}`, nodes, asks: ["variables"] });
		}
		const tops = new Set<number>();
		changeNodes = async (id, read) => {
			if (tops.size === 0) tops.add(id);
			if (!tops.has(id)) throw new AutomationError("not_found", "The automation server has no such object.");
			return read(id);
		};
		const { execution, nodes } = await runWorkflow(70);
		expect(nodes.map(({ identifier, status }) => [identifier, status])).toEqual([["n70", "successful"]]);
		expect(execution).toMatchObject({ output_complete: false, warnings: [{ code: "output_unread" }] });
		expect(execution.warnings[0].message).toContain('"Nest 71"');
	});

	it("ends with a warning when the output of a job without events is too large", async () => {
		changeNodes = async (id, read) =>
			(await read(id)).map((node) => (node.identifier === "a" ? { ...node, jobType: "inventory_update" } : node));
		const { id, execution, nodes } = await runWorkflow(17);
		expect(execution).toMatchObject({ output_complete: false });
		expect(execution.warnings[0].message).toContain(`could not be read: "${nodes[0].name}". `);
		expect((await readOutput(id, nodes[0])).stdout).toBe(
			"[Weft: the output of this job could not be read. One answer of the automation server is above 2 MB.]\n",
		);
	});
});
