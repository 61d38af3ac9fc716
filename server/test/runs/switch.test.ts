/** Queries of one switch through the controller. */
import { describe, expect, it } from "vitest";
import { buildClassNode, connectNodes, createCanvas, listDns, RUNS, waitForRun } from "../support/canvases.ts";
import { useRuns } from "../support/runs.ts";

const runs = useRuns();
const NODE = "topology/pod-1/node-101";
const readOnSwitch = (className: string, more: object = {}) => buildClassNode(className, { node: NODE, ...more });

describe("a class node with a switch", () => {
	it("has the objects that the switch has, in the canvas's order", async () => {
		const { rows, job } = await runs.run(createCanvas([readOnSwitch("l1PhysIf", { orderBy: "-id" })]));
		const own = listDns(await runs.ask(`/api/node/class/${NODE}/l1PhysIf.json`));
		expect(own.length).toBeGreaterThan(5);
		expect(listDns(rows).sort()).toEqual(own.sort());
		const all = listDns(await runs.ask("/api/class/l1PhysIf.json"));
		expect(all.length).toBeGreaterThan(own.length);
		expect(job.stages[0].queries[0]).toMatch(/^\/api\/node\/class\/topology\/pod-1\/node-101\/l1PhysIf\.json\?/);
	});

	it("fails with the controller's reason where the controller does not offer it", async () => {
		const text = "This class is not supported on the node";
		runs.lab.setFaults({ error: { match: "node-101/faultInst", status: 400, code: 400, text } });
		const job = await waitForRun(runs.ada.api, await runs.start(createCanvas([readOnSwitch("faultInst")])));
		expect(job).toMatchObject({ status: "failed", errors: [{ message: expect.stringContaining(text) }] });
	});

	it.each([
		"node-101",
		"topology/pod-1/node-101/sys",
		"topology/pod-1/node-0",
		"topology/pod-1/node-101/../node-102",
		`topology/pod-1/node-${"1".repeat(100)}`,
		101,
		["topology/pod-1/node-101"],
	])("is refused with %j", async (node) => {
		const flow_data = createCanvas([buildClassNode("l1PhysIf", { node })]);
		const answer = await runs.ada.api.post(RUNS, { flow_data, controller_connection_id: runs.connection });
		expect([answer.status, answer.body]).toEqual([
			400,
			{ "flow_data.nodes.0.data.node": [expect.stringContaining("topology/pod-1/node-101")] },
		]);
	});

	it("is refused beside classes above and below it, and with a wider scope", async () => {
		const flow_data = connectNodes(buildClassNode("topSystem"), readOnSwitch("l1PhysIf", { scope: "subtree" }));
		const answer = await runs.ada.api.post(RUNS, { flow_data, controller_connection_id: runs.connection });
		expect(answer.status).toBe(400);
		expect(Object.values(answer.body)[0]).toEqual([
			"A class that one switch is asked for has no class above or below it.",
			"A switch is asked for the objects themselves: the scope must be self.",
		]);
	});
});
