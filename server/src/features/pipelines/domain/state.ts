/**
 * The state machine of a run. Pure: `next(state, event)` gives the next state and the frames that subscribers are due;
 * an event that no longer applies (a repeat, a late answer after the end) changes nothing and sends nothing.
 *
 * A failing stage, or a request to cancel, lets running stages end and starts no new one; what was still waiting becomes
 * `skipped` or `cancelled`. After the last stage the runner combines the results and reports `finished`.
 */
import { answerNodes } from "./finish.ts";
import type { Plan } from "./plan.ts";

export type RunStatus = "pending" | "running" | "completed" | "failed" | "cancelled";
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
	cancelRequested: boolean;
	stages: StageState[];
	startedAt: number | null;
	completedAt: number | null;
	totalRows: number | null;
	failure: { error: string; node: string | null } | null;
}

export type RunEvent = { now: number } & (
	| { type: "started" }
	| { type: "stage_started"; stage: number }
	| { type: "node_result"; stage: number; nodeId: string; rowCount: number }
	| { type: "stage_completed"; stage: number; rowCount: number }
	| { type: "stage_failed"; stage: number; error: string; nodeId: string | null }
	/** After the last stage: the results are stored, or could not be made. */
	| { type: "finished"; totalRows: number; resultsUrl: string }
	| { type: "failed"; error: string }
	| { type: "cancel_requested" }
	/** Another worker takes over: stages that were running start again. */
	| { type: "resumed" }
);

export interface Frame {
	type: "node_start" | "node_result" | "node_complete" | "execution_complete" | "execution_failed";
	timestamp: string;
	data: Record<string, string | number | null>;
}
export interface Transition {
	state: RunState;
	frames: Frame[];
}

export function initialState(plan: Plan): RunState {
	return {
		status: "pending",
		cancelRequested: false,
		stages: plan.stages.map((stage) => ({
			index: stage.index,
			dependsOn: [...new Set(stage.inputs.map(({ sourceStage }) => sourceStage))],
			classes: stage.classes,
			answers: answerNodes(stage),
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
export function readyStages(state: RunState): number[] {
	if (state.status !== "running" || state.cancelRequested || state.failure) return [];
	const done = new Set(state.stages.filter(({ status }) => status === "completed").map(({ index }) => index));
	return state.stages
		.filter(({ status, dependsOn }) => status === "pending" && dependsOn.every((index) => done.has(index)))
		.map(({ index }) => index);
}

/** All stages are completed and the results wait to be combined. */
export const readyToFinish = (state: RunState): boolean =>
	state.status === "running" &&
	!state.cancelRequested &&
	!state.failure &&
	state.stages.every(({ status }) => status === "completed");

export const isOver = ({ status }: RunState): boolean => status !== "pending" && status !== "running";

export function next(state: RunState, event: RunEvent): Transition {
	const same: Transition = { state, frames: [] };
	if (isOver(state)) return same;
	switch (event.type) {
		case "started":
			return state.status === "pending"
				? { state: { ...state, status: "running", startedAt: event.now }, frames: [] }
				: same;
		case "resumed":
			return {
				state: withStages(state, (stage) =>
					stage.status === "running" ? { ...stage, status: "pending", startedAt: null } : stage,
				),
				frames: [],
			};
		case "cancel_requested":
			return settle({ ...state, cancelRequested: true }, [], event.now);
		case "finished":
			return readyToFinish(state) ? finish(state, event) : same;
		case "failed":
			return settle({ ...state, failure: state.failure ?? { error: event.error, node: null } }, [], event.now);
		default:
			return onStage(state, event) ?? same;
	}
}

type StageEvent = Extract<RunEvent, { stage: number }>;

function onStage(state: RunState, event: StageEvent): Transition | undefined {
	const stage = state.stages[event.stage];
	if (stage === undefined) return undefined;
	if (event.type === "stage_started") {
		if (!readyStages(state).includes(event.stage)) return undefined;
		const started = replace(state, { ...stage, status: "running", startedAt: event.now });
		const data = (node: StageState["classes"][number]) => ({ node_id: node.nodeId, class_name: node.className });
		return { state: started, frames: stage.classes.map((node) => frame("node_start", event.now, data(node))) };
	}
	if (stage.status !== "running") return undefined;
	if (event.type === "node_result") {
		const data = { node_id: event.nodeId, row_count: event.rowCount };
		return stage.answers.includes(event.nodeId)
			? { state, frames: [frame("node_result", event.now, data)] }
			: undefined;
	}
	const ended = { completedAt: event.now };
	if (event.type === "stage_failed") {
		const failed = replace(state, { ...stage, ...ended, status: "failed", error: event.error });
		return settle({ ...failed, failure: state.failure ?? { error: event.error, node: event.nodeId } }, [], event.now);
	}
	const duration = event.now - (stage.startedAt ?? event.now);
	const frames = stage.classes.map(({ nodeId }) =>
		frame("node_complete", event.now, { node_id: nodeId, duration_ms: duration }),
	);
	return settle(
		replace(state, { ...stage, ...ended, status: "completed", resultCount: event.rowCount }),
		frames,
		event.now,
	);
}

/** Once nothing runs any more, a failure or a request to cancel ends the run. */
function settle(state: RunState, frames: Frame[], now: number): Transition {
	const stopping = state.cancelRequested || state.failure !== null;
	if (!stopping || state.stages.some(({ status }) => status === "running")) return { state, frames };
	const status = state.failure ? "failed" : "cancelled";
	const left: StageStatus = state.failure ? "skipped" : "cancelled";
	const stopped = withStages(state, (stage) => (stage.status === "pending" ? { ...stage, status: left } : stage));
	const data = { error: state.failure?.error ?? "The run was cancelled.", failed_node: state.failure?.node ?? null };
	return { state: { ...stopped, status, completedAt: now }, frames: [...frames, frame("execution_failed", now, data)] };
}

function finish(state: RunState, { totalRows, resultsUrl, now }: Extract<RunEvent, { type: "finished" }>): Transition {
	const data = { status: "completed", total_rows: totalRows, results_url: resultsUrl };
	return {
		state: { ...state, status: "completed", completedAt: now, totalRows },
		frames: [frame("execution_complete", now, data)],
	};
}

/** The counters of a job. `current_stage_index` is the first stage that is not over, or the last. */
export function progressOf({ stages, status }: RunState) {
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

const frame = (type: Frame["type"], now: number, data: Frame["data"]): Frame => ({
	type,
	timestamp: new Date(now).toISOString(),
	data,
});

const withStages = (state: RunState, change: (stage: StageState) => StageState): RunState => ({
	...state,
	stages: state.stages.map(change),
});

const replace = (state: RunState, changed: StageState): RunState =>
	withStages(state, (stage) => (stage.index === changed.index ? changed : stage));
