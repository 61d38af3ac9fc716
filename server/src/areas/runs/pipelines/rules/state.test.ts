import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Plan } from "./plan.ts";
import {
	applyRunEvent,
	createInitialState,
	getProgress,
	isOver,
	isReadyToFinish,
	listReadyStages,
	type RunEvent,
	type RunState,
	resumeRunState,
} from "./state.ts";

/** A plan of stages that depend on the earlier ones given. */
const getPlan = (...needs: number[][]): Plan => ({
	stages: needs.map((sources, index) => ({
		index,
		nodeIds: [`n${index}`],
		classes: [{ nodeId: `n${index}`, className: "fvBD" }],
		answers: [`n${index}`],
		className: "fvBD",
		innerInputs: [],
		joins: [],
		inputs: sources.map((sourceStage) => ({
			edgeId: `${sourceStage}-${index}`,
			sourceStage,
			sourceNode: undefined,
			targetNodes: [`n${index}`],
			extractField: "dn",
			injectAs: "filter_values",
			injectProperty: "dn",
		})),
		branches: [
			{
				nodeId: `n${index}`,
				answer: true,
				chain: [],
				layout: { levels: [], implied: [] },
				concrete: true,
				onSwitch: false,
				options: { className: "fvBD" },
			},
		],
		processors: [],
	})),
	resultStages: [],
	warnings: [],
});
const playEvents = (plan: Plan, ...events: RunEvent[]) => {
	let state = createInitialState(plan);
	const frames: string[] = [];
	for (const [i, event] of events.entries()) {
		const step = applyRunEvent(state, event, i * 1_000);
		state = step.state;
		frames.push(...step.frames.map(({ type, data }) => `${type} ${data.node_id ?? data.status ?? data.error}`));
	}
	return { state, frames, statuses: state.stages.map(({ status }) => status) };
};
const started = { type: "started" } as const;
const createStageStarted = (stage: number) => ({ type: "stage_started", stage }) as const;
const createStageCompleted = (stage: number) => ({ type: "stage_completed", stage, rowCount: 2 }) as const;
const createStageFailed = (stage: number) =>
	({ type: "stage_failed", stage, error: "no", nodeId: `n${stage}` }) as const;

describe("a run", () => {
	const diamond = getPlan([], [0], [0], [1, 2]);

	it("starts what has all its inputs, side by side", () => {
		expect(listReadyStages(createInitialState(diamond))).toEqual([]);
		expect(listReadyStages(playEvents(diamond, started).state)).toEqual([0]);
		expect(listReadyStages(playEvents(diamond, started, createStageStarted(0), createStageCompleted(0)).state)).toEqual(
			[1, 2],
		);
		expect(
			listReadyStages(
				playEvents(
					diamond,
					started,
					createStageStarted(0),
					createStageCompleted(0),
					createStageStarted(1),
					createStageCompleted(1),
					createStageStarted(2),
				).state,
			),
		).toEqual([]);
		expect(
			listReadyStages(
				playEvents(
					diamond,
					started,
					createStageStarted(0),
					createStageCompleted(0),
					createStageStarted(1),
					createStageCompleted(1),
					createStageStarted(2),
					createStageCompleted(2),
				).state,
			),
		).toEqual([3]);
	});

	it("tells its story and ends", () => {
		const one = playEvents(
			getPlan([]),
			started,
			createStageStarted(0),
			{ type: "node_result", stage: 0, nodeId: "n0", rowCount: 2 },
			createStageCompleted(0),
			{ type: "finished", totalRows: 2, resultsUrl: "/r" },
		);
		expect(one.frames).toEqual(["node_start n0", "node_result n0", "node_complete n0", "execution_complete completed"]);
		expect(one.state).toMatchObject({ status: "completed", totalRows: 2, startedAt: 0, completedAt: 4_000 });
		expect(getProgress(one.state)).toEqual({
			total_stages: 1,
			completed_stages: 1,
			failed_stages: 0,
			current_stage_index: 0,
			progress_percentage: 100,
		});
	});

	it("lets running stages end after a failure, and starts no other", () => {
		const half = playEvents(
			diamond,
			started,
			createStageStarted(0),
			createStageCompleted(0),
			createStageStarted(1),
			createStageStarted(2),
			createStageFailed(1),
		);
		expect(half.state.status).toBe("running");
		expect(listReadyStages(half.state)).toEqual([]);
		const whole = playEvents(
			diamond,
			started,
			createStageStarted(0),
			createStageCompleted(0),
			createStageStarted(1),
			createStageStarted(2),
			createStageFailed(1),
			createStageCompleted(2),
		);
		expect(whole.statuses).toEqual(["completed", "failed", "completed", "skipped"]);
		expect(whole.state).toMatchObject({ status: "failed", failure: { error: "no", node: "n1" } });
		expect(whole.frames.at(-1)).toBe("execution_failed no");
	});

	it("goes on with another worker from its last complete stage", () => {
		const before = playEvents(diamond, started, createStageStarted(0), createStageCompleted(0), createStageStarted(1));
		const records = before.state.stages.map(({ index, status, resultCount }) => ({
			index,
			status,
			result_count: resultCount,
		}));
		const resumed = resumeRunState(playEvents(diamond, started).state, records);
		expect(resumed.stages.map(({ status }) => status)).toEqual(["completed", "pending", "pending", "pending"]);
		expect(listReadyStages(resumed)).toEqual([1, 2]);
	});

	it("fails when its results cannot be combined", () => {
		const failed = playEvents(getPlan([]), started, createStageStarted(0), createStageCompleted(0), {
			type: "failed",
			error: "bad row",
		});
		expect(failed.state).toMatchObject({ status: "failed", failure: { error: "bad row", node: null } });
	});

	it("whatever happens, never starts a stage before its inputs and ends once, with one final frame", () => {
		const events = fc.oneof(
			fc.constantFrom<RunEvent>(
				started,
				{ type: "finished", totalRows: 1, resultsUrl: "/" },
				{ type: "failed", error: "x" },
			),
			fc
				.tuple(
					fc.constantFrom(
						createStageStarted,
						createStageStarted,
						createStageCompleted,
						createStageCompleted,
						createStageFailed,
					),
					fc.nat(4),
				)
				.map(([make, stage]): RunEvent => make(stage)),
		);
		fc.assert(
			fc.property(fc.array(events, { maxLength: 40 }), (list) => {
				let state: RunState = createInitialState(diamond);
				let finals = 0;
				for (const [i, event] of list.entries()) {
					const over = isOver(state);
					const step = applyRunEvent(state, event, i);
					if (over) expect(step).toEqual({ state, frames: [] });
					state = step.state;
					finals += step.frames.filter(({ type }) => type.startsWith("execution_")).length;
					for (const stage of state.stages) {
						if (stage.status !== "running" && stage.status !== "completed") continue;
						expect(stage.dependsOn.every((index) => state.stages[index]?.status === "completed")).toBe(true);
					}
				}
				expect(finals).toBe(isOver(state) ? 1 : 0);
				if (isOver(state))
					expect(state.stages.some(({ status }) => status === "running" || status === "pending")).toBe(false);
				if (isReadyToFinish(state)) expect(state.status).toBe("running");
			}),
			{ numRuns: 300 },
		);
	});
});
