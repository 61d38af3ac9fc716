/**
 * Executes one run that is held by a lease. Each event of the state machine is stored in one
 * transaction with its frames; viewers are notified after the commit.
 */

import type { Context } from "../../../context.ts";
import type { ControllerTarget } from "../../../ports/controller.ts";
import { findTarget } from "../../fabrics/service.ts";
import type { Program } from "../../queries/flow/index.ts";
import { compileFlow } from "./domain/compile.ts";
import { type PipelineLimits, STAGES_AT_ONCE, StageFailure } from "./domain/limits.ts";
import type { ModelFacts } from "./domain/model-facts.ts";
import type { StagePlan } from "./domain/plan.ts";
import { sampleValues } from "./domain/sample.ts";
import { edgesFrom, type Feeds, valuesInto } from "./domain/stages.ts";
import {
	applyRunEvent,
	type Frame,
	getProgress,
	initialState,
	isOver,
	type RunEvent,
	type RunState,
	readyStages,
	readyToFinish,
	resumeRunState,
} from "./domain/state.ts";
import { isUnknownClass } from "./domain/unknown-class.ts";
import { resultsUrl } from "./present.ts";
import type { RunRow } from "./repo.ts";
import type { Chunk, Claimed, Hold, Progress, StageChange } from "./repo-run.ts";
import { listStageRecords, storeTransition } from "./repo-run.ts";
import { pipelineTopic } from "./service-lease.ts";
import { emitEnd } from "./service-signals.ts";
import { runStage } from "./service-stage.ts";
import { createWriter } from "./service-writer.ts";

/** What one run is executed with. */
export interface RunScope {
	readonly limits: PipelineLimits;
	/** Called after each page and each count that the controller has answered. */
	onPage(): void;
}

export interface Runner {
	/**
	 * Resolves when the run has ended, completed or failed. Rejects with the signal's reason, with
	 * `LeaseLost`, and with errors that are neither the caller's nor the controller's fault; the run
	 * then goes on later.
	 */
	run(signal: AbortSignal): Promise<void>;
	progress(): Progress;
}

const INTERNAL = "The run failed because of an internal error.";

/** Columns of the stage to which the events belong, and its last rows. */
interface StageExtra {
	readonly stage: number;
	readonly change: StageChange;
	readonly chunk?: Chunk | null;
}

/**
 * `facts` of the loaded class model decide how stages query the controller, not which stages there
 * are.
 */
export function createRunner(
	ctx: Context,
	{ limits, onPage }: RunScope,
	job: Claimed,
	hold: Hold,
	facts: ModelFacts | null,
): Runner {
	const { store, clock } = ctx;
	const program = job.program as Program;
	const plan = compileFlow(program.flow, { model: facts?.model });
	let state = applyRunEvent(initialState(plan), { type: "started" }, clock.now()).state;
	/** Values by stage, for the edges that lead out of it. */
	const feeds = new Map<number, Feeds>();
	/** Progress of the running stages, 0 to 1. */
	const fractions = new Map<number, number>();
	/** Pages that this worker has read, by running stage. */
	const pages = new Map<number, number>();
	/** Of completed stages only what this worker has written counts. */
	const written = { bytes: 0 };
	/** Whether the controller refused every stage that failed so far for a class it does not have. */
	let classUnknown: boolean | null = null;
	let lastDispatch: Promise<void> = Promise.resolve();

	/**
	 * Applies events and stores the new state with its frames in one transaction; ends the run with
	 * its last stage. Calls run one after another.
	 */
	function dispatchEvents(events: readonly RunEvent[], extra: StageExtra | null = null): Promise<void> {
		const dispatched = lastDispatch.then(() => applyEvents(events, extra));
		lastDispatch = dispatched.catch(() => undefined);
		return dispatched;
	}

	async function applyEvents(events: readonly RunEvent[], extra: StageExtra | null): Promise<void> {
		const frames: Frame[] = [];
		let after = state;
		function applyEvent(event: RunEvent): void {
			const result = applyRunEvent(after, event, clock.now());
			after = result.state;
			frames.push(...result.frames);
		}
		for (const event of events) applyEvent(event);
		if (readyToFinish(after)) {
			const totalRows = plan.resultStages.reduce((sum, index) => sum + (after.stages[index]?.resultCount ?? 0), 0);
			applyEvent({ type: "finished", totalRows, resultsUrl: resultsUrl(hold.jobId) });
		}
		if (after === state && frames.length === 0) return;
		const stages = after.stages
			.filter((stage, i) => stage !== state.stages[i])
			.map((stage) => ({ ...stage, change: extra?.stage === stage.index ? extra.change : {} }));
		const chunks = extra?.chunk ? [{ stage: extra.stage, ...extra.chunk }] : [];
		const values = { ...runColumns(after), ...(classUnknown === true && isOver(after) ? { class_unknown: true } : {}) };
		const step = { values, stages, frames, chunks };
		if (isOver(after) && job.awaited) {
			await store.transaction(async (tx) => {
				await storeTransition(tx.db, hold, new Date(clock.now()), step);
				await emitEnd(ctx, tx, job);
			});
		} else await storeTransition(store.db, hold, new Date(clock.now()), step);
		state = after;
		if (frames.length > 0) notifyViewers();
	}

	/** Makes viewers read the new frames now instead of at their next poll. */
	function notifyViewers(): void {
		ctx.pubsub
			.publish(pipelineTopic(hold.jobId), "")
			.catch((error: unknown) => ctx.log.warn({ err: error }, "viewers of a run could not be notified"));
	}

	function countPage(stage: number): void {
		pages.set(stage, (pages.get(stage) ?? 0) + 1);
		onPage();
	}

	async function executeStage(stage: StagePlan, target: ControllerTarget, signal: AbortSignal): Promise<void> {
		const { index } = stage;
		const values = valuesInto(stage, feeds);
		const memory = ctx.areas.pipelines.memory.open();
		try {
			await dispatchEvents([{ type: "stage_started", stage: index }], {
				stage: index,
				change: {
					value_count: [...values.values()].reduce((sum, list) => sum + list.length, 0),
					value_sample: JSON.stringify(sampleValues(values.values())),
				},
			});
			const isResult = plan.resultStages.includes(index);
			const outcome = await runStage(
				ctx,
				{
					target,
					limits,
					signal,
					memory,
					facts,
					onPage: () => countPage(index),
				},
				{
					stage,
					processors: isResult ? [...stage.processors, ...program.post_processors] : stage.processors,
					values,
					feeding: edgesFrom(plan, index),
					writer: createWriter(ctx, { limits, run: written }, hold, index),
					progress: (fraction) => fractions.set(index, Math.min(1, fraction)),
					nodeDone: (node) => dispatchEvents([{ type: "node_result", stage: index, ...node }]),
				},
			);
			signal.throwIfAborted();
			feeds.set(index, outcome.feeds);
			await dispatchEvents(
				[
					{ type: "node_result", stage: index, ...outcome.last },
					{ type: "stage_completed", stage: index, rowCount: outcome.rows },
				],
				{
					stage: index,
					chunk: outcome.rest,
					change: {
						result_sample: JSON.stringify(outcome.sample),
						request_count: outcome.requests,
						queries: JSON.stringify(outcome.queries),
						feeds: JSON.stringify(outcome.feeds),
						member_url: outcome.memberUrl,
					},
				},
			);
		} catch (error) {
			if (signal.aborted || !(error instanceof StageFailure)) throw error;
			classUnknown = (classUnknown ?? true) && isUnknownClass(error.cause);
			const nodeId = error.nodeId ?? stage.classes[0]?.nodeId ?? null;
			await dispatchEvents([{ type: "stage_failed", stage: index, error: error.message, nodeId }]);
		} finally {
			memory.release();
			fractions.delete(index);
			pages.delete(index);
		}
	}

	async function executeStages(target: ControllerTarget, signal: AbortSignal): Promise<void> {
		const broken = new AbortController();
		const stop = AbortSignal.any([signal, broken.signal]);
		const active = new Map<number, Promise<void>>();

		async function startStage(stage: StagePlan): Promise<void> {
			try {
				await executeStage(stage, target, stop);
			} catch (error) {
				broken.abort(error);
				throw error;
			} finally {
				active.delete(stage.index);
			}
		}

		try {
			while (!stop.aborted) {
				for (const index of readyStages(state)) {
					const stage = plan.stages[index];
					if (active.size >= STAGES_AT_ONCE || stage === undefined) break;
					if (!active.has(index)) active.set(index, startStage(stage));
				}
				if (active.size === 0) break;
				await Promise.race(active.values());
			}
		} finally {
			await Promise.allSettled(active.values());
		}
		stop.throwIfAborted();
	}

	return {
		async run(signal) {
			if (plan.stages.length !== job.total_stages) return dispatchEvents([{ type: "failed", error: INTERNAL }]);
			const answer = await findTarget(ctx, job.controller_connection_id);
			if (!("target" in answer)) return dispatchEvents([{ type: "failed", error: answer.message }]);
			// A run without a frame has no stage that has begun.
			const records = job.last_frame === 0 ? [] : await listStageRecords(store.db, hold.jobId);
			state = resumeRunState(state, records);
			for (const record of records) if (record.feeds !== null) feeds.set(record.index, record.feeds);
			await executeStages(answer.target, signal);
			await dispatchEvents([]);
			if (!isOver(state)) throw new Error("the run has no stage that can start, and has not ended");
		},
		progress() {
			const completed = state.stages.filter(({ status }) => status === "completed").length;
			const done = [...fractions.values()].reduce((sum, fraction) => sum + fraction, completed);
			return {
				percent: Math.min(99, Math.floor((100 * done) / Math.max(1, state.stages.length))),
				pages: [...pages.values()].reduce((sum, count) => sum + count, 0),
			};
		},
	};
}

function runColumns(state: RunState) {
	const { completed_stages, failed_stages, current_stage_index, progress_percentage } = getProgress(state);
	const values = { completed_stages, failed_stages, current_stage_index, progress: progress_percentage };
	if (!isOver(state)) return values;
	const errors: RunRow["errors"] = state.stages.flatMap(({ index, status, error, classes }) => {
		if (status !== "failed") return [];
		const node_id = (state.failure?.error === error ? state.failure?.node : classes[0]?.nodeId) ?? null;
		return [{ stage_index: index, node_id, message: error ?? "" }];
	});
	if (state.failure && errors.length === 0) {
		errors.push({ stage_index: null, node_id: state.failure.node, message: state.failure.error });
	}
	return {
		...values,
		status: state.status,
		completed_at: new Date(state.completedAt ?? 0),
		total_rows: state.totalRows,
		errors: JSON.stringify(errors),
		lease_token: null,
		lease_expires_at: null,
	};
}
