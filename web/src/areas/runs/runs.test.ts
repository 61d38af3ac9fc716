/** The state of a run's nodes, from its frames and from its stages. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type NodeRuns, readRunsOfStages, withFrame } from "./frames.ts";

type Frame = Parameters<typeof withFrame>[1];
const createFrame = (type: string, data: object) => ({ type, timestamp: "", data }) as Frame;
const applyFrames = (frames: readonly Frame[], from: NodeRuns = {}) => frames.reduce(withFrame, from);

describe("frames", () => {
	const frames = [
		createFrame("node_start", { node_id: "a", class_name: "fvBD" }),
		createFrame("node_result", { node_id: "a", row_count: 7 }),
		createFrame("node_complete", { node_id: "a", duration_ms: 12 }),
		createFrame("node_start", { node_id: "b", class_name: "fvSubnet" }),
	];

	it("tell how far each node is", () => {
		expect(applyFrames(frames)).toEqual({
			a: { state: "done", rows: 7, ms: 12 },
			b: { state: "reading", rows: null, ms: null },
		});
		expect(applyFrames([...frames, createFrame("execution_failed", { error: "x", failed_node: "b" })]).b?.state).toBe(
			"failed",
		);
	});

	it("told again from the start change nothing, wherever the socket was lost", () => {
		fc.assert(
			fc.property(fc.nat(frames.length), (lost) => {
				const told = applyFrames(frames);
				expect(applyFrames(frames.slice(0, lost), told)).toEqual(told);
			}),
		);
	});
});

describe("the stages of a run that has ended", () => {
	const classNodes = new Set(["a", "b", "c", "d", "e", "f"]);
	const stage = (status: string, ...node_ids: string[]) => ({ status, node_ids, execution_time_ms: 5 });
	const ended = (stages: object[], more: object = {}) =>
		readRunsOfStages({ stages, errors: [], node_results: [], ...more } as never, classNodes);
	const state = (runs: NodeRuns) => Object.fromEntries(Object.entries(runs).map(([id, run]) => [id, run.state]));

	it("tell rows and time of every node, whatever frames were heard", () => {
		const node_results = [
			{ node_id: "a", row_count: 9 },
			{ node_id: "b", row_count: 4 },
		];
		expect(ended([stage("completed", "start", "a", "b", "out")], { node_results })).toEqual({
			a: { state: "done", rows: 9, ms: 5 },
			b: { state: "done", rows: 4, ms: 5 },
		});
	});

	it("leave no node reading after a failure, and blame only the one that failed", () => {
		const errors = [{ stage_index: 1, node_id: "c", message: "refused" }];
		const runs = ended([stage("completed", "a"), stage("failed", "b", "c"), stage("skipped", "d")], { errors });
		expect(state(runs)).toEqual({ a: "done", b: "stopped", c: "failed" });
		expect(state(ended([stage("failed", "b", "c")]))).toEqual({ b: "failed", c: "failed" });
	});

	it("tell of a cancelled run that it was stopped", () => {
		const runs = ended([stage("completed", "a"), stage("cancelled", "e"), stage("pending", "f")]);
		expect(state(runs)).toEqual({ a: "done", e: "stopped" });
	});
});
