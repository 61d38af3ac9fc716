/**
 * The state machine of a run. `applyRunEvent(state, event, now)` returns the next state and the
 * frames for the run's viewers. An event that no longer applies (a repeat, or one after the end)
 * changes nothing and has no frames.
 *
 * After a stage has failed, running stages end and no other starts; pending ones become `skipped`.
 * After the last stage the runner reports `finished`.
 */
import type { Plan } from "./plan.ts";

type RunStatus = "pending" | "running" | "completed" | "failed" | "cancelled";
export type StageStatus = RunStatus | "skipped";

export interface StageState {
	index: number;
	dependsOn: number[];
	classes: { nodeId: string; className: string }[];
	answers: string[];
	status: StageStatus;
	/** Milliseconds since the epoch. */
	startedAt: number | null;
	completedAt: number | null;
	resultCount: number | null;
	error: string | null;
}
export interface RunState {
	status: RunStatus;
	stages: StageState[];
	startedAt: number | null;
	completedAt: number | null;
	totalRows: number | null;
	failure: { error: string; node: string | null } | null;
}

export type RunEvent =
	| { type: "started" }
	| { type: "stage_started"; stage: number }
	| { type: "node_result"; stage: number; nodeId: string; rowCount: number }
	| { type: "stage_completed"; stage: number; rowCount: number }
	| { type: "stage_failed"; stage: number; error: string; nodeId: string | null }
	/** After the last stage: the results are stored. */
	| { type: "finished"; totalRows: number; resultsUrl: string }
	| { type: "failed"; error: string };

export interface Frame {
	type: "node_start" | "node_result" | "node_complete" | "execution_complete" | "execution_failed";
	timestamp: string;
	data: Record<string, string | number | null>;
}
export interface Transition {
	state: RunState;
	frames: Frame[];
}

export function createInitialState(plan: Plan): RunState {
	return {
		status: "pending",
		stages: plan.stages.map((stage) => ({
			index: stage.index,
			dependsOn: [...new Set(stage.inputs.map(({ sourceStage }) => sourceStage))],
			classes: stage.classes,
			answers: stage.answers,
			status: "pending",
			startedAt: null,
			completedAt: null,
			resultCount: null,
			error: null,
		})),
		startedAt: null,
		completedAt: null,
		totalRows: null,
		failure: null,
	};
}

/** Stages that may start now. */
export function listReadyStages(state: RunState): number[] {
	if (state.status !== "running" || state.failure) return [];
	const done = new Set(state.stages.filter(({ status }) => status === "completed").map(({ index }) => index));
	return state.stages
		.filter(({ status, dependsOn }) => status === "pending" && dependsOn.every((index) => done.has(index)))
		.map(({ index }) => index);
}

/** All stages are completed and the results wait to be combined. */
export const isReadyToFinish = (state: RunState): boolean =>
	state.status === "running" && !state.failure && state.stages.every(({ status }) => status === "completed");

export const isOver = ({ status }: RunState): boolean => status !== "pending" && status !== "running";

/**
 * The state of a run that another worker began: completed stages stay so, all others start again.
 */
export function resumeRunState(
	state: RunState,
	records: readonly { index: number; status: StageStatus; result_count: number | null }[],
): RunState {
	return withStages(state, (stage) => {
		const record = records.find(({ index }) => index === stage.index);
		if (record?.status !== "completed") return stage;
		return { ...stage, status: "completed", resultCount: record.result_count };
	});
}

/** `now`: milliseconds since the epoch. */
export function applyRunEvent(state: RunState, event: RunEvent, now: number): Transition {
	const same: Transition = { state, frames: [] };
	if (isOver(state)) return same;
	switch (event.type) {
		case "started":
			return state.status === "pending" ? { state: { ...state, status: "running", startedAt: now }, frames: [] } : same;
		case "finished":
			return isReadyToFinish(state) ? finishRun(state, event, now) : same;
		case "failed":
			return endAfterFailure({ ...state, failure: state.failure ?? { error: event.error, node: null } }, [], now);
		default:
			return updateStage(state, event, now) ?? same;
	}
}

type StageEvent = Extract<RunEvent, { stage: number }>;

function updateStage(state: RunState, event: StageEvent, now: number): Transition | undefined {
	const stage = state.stages[event.stage];
	if (stage === undefined) return undefined;
	if (event.type === "stage_started") {
		if (!listReadyStages(state).includes(event.stage)) return undefined;
		const frames = stage.classes.map(({ nodeId, className }) =>
			buildFrame("node_start", now, { node_id: nodeId, class_name: className }),
		);
		return { state: withStage(state, { ...stage, status: "running", startedAt: now }), frames };
	}
	if (stage.status !== "running") return undefined;
	switch (event.type) {
		case "node_result": {
			if (!stage.answers.includes(event.nodeId)) return undefined;
			return { state, frames: [buildFrame("node_result", now, { node_id: event.nodeId, row_count: event.rowCount })] };
		}
		case "stage_failed": {
			const failed = withStage(state, { ...stage, completedAt: now, status: "failed", error: event.error });
			const failure = state.failure ?? { error: event.error, node: event.nodeId };
			return endAfterFailure({ ...failed, failure }, [], now);
		}
		case "stage_completed": {
			const duration_ms = now - (stage.startedAt ?? now);
			const frames = stage.classes.map(({ nodeId }) =>
				buildFrame("node_complete", now, { node_id: nodeId, duration_ms }),
			);
			const resultCount = event.rowCount;
			return endAfterFailure(
				withStage(state, { ...stage, completedAt: now, status: "completed", resultCount }),
				frames,
				now,
			);
		}
	}
}

/** Ends a run that has failed, once no stage is running. */
function endAfterFailure(state: RunState, frames: Frame[], now: number): Transition {
	if (state.failure === null || state.stages.some(({ status }) => status === "running")) return { state, frames };
	const stopped = withStages(state, (stage) => (stage.status === "pending" ? { ...stage, status: "skipped" } : stage));
	const data = { error: state.failure.error, failed_node: state.failure.node };
	return {
		state: { ...stopped, status: "failed", completedAt: now },
		frames: [...frames, buildFrame("execution_failed", now, data)],
	};
}

function finishRun(
	state: RunState,
	{ totalRows, resultsUrl }: Extract<RunEvent, { type: "finished" }>,
	now: number,
): Transition {
	const data = { status: "completed", total_rows: totalRows, results_url: resultsUrl };
	return {
		state: { ...state, status: "completed", completedAt: now, totalRows },
		frames: [buildFrame("execution_complete", now, data)],
	};
}

/**
 * The counters of a run. `current_stage_index` is the first stage that is not over, or the last.
 */
export function getProgress({ stages, status }: RunState) {
	const over = stages.filter(({ status: s }) => s !== "pending" && s !== "running").length;
	const current = stages.findIndex(({ status: s }) => s === "pending" || s === "running");
	return {
		total_stages: stages.length,
		completed_stages: stages.filter(({ status: s }) => s === "completed").length,
		failed_stages: stages.filter(({ status: s }) => s === "failed").length,
		current_stage_index: current < 0 ? Math.max(0, stages.length - 1) : current,
		progress_percentage:
			status === "completed" ? 100 : stages.length === 0 ? 0 : Math.floor((over / stages.length) * 100),
	};
}

const buildFrame = (type: Frame["type"], now: number, data: Frame["data"]): Frame => ({
	type,
	timestamp: new Date(now).toISOString(),
	data,
});

const withStages = (state: RunState, change: (stage: StageState) => StageState): RunState => ({
	...state,
	stages: state.stages.map(change),
});

const withStage = (state: RunState, changed: StageState): RunState =>
	withStages(state, (stage) => (stage.index === changed.index ? changed : stage));
