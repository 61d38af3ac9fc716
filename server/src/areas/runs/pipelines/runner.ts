/**
 * Executes one run that is held by a lease. Each event of the state machine is stored in one
 * transaction with its frames; viewers are notified after the commit.
 */

import type { Context } from "../../../context.ts";
import type { Lease } from "../../../core/lease.ts";
import type { ControllerTarget } from "../../../integrations/apic/port.ts";
import { findTarget } from "../../fabrics/manage-connections.ts";
import { recordReach } from "../../fabrics/record-reach.ts";
import { findReach, type Reach } from "../../fabrics/rules/reach.ts";
import type { Program } from "../../queries/flow/index.ts";
import { buildResultsUrl } from "./present.ts";
import { compileFlow } from "./rules/compile.ts";
import { type PipelineLimits, STAGES_AT_ONCE, StageFailure } from "./rules/limits.ts";
import type { ModelFacts } from "./rules/model-facts.ts";
import type { Plan, StagePlan } from "./rules/plan.ts";
import { sampleValues } from "./rules/sample.ts";
import { type Feeds, listEdgesFrom, listValuesInto } from "./rules/stages.ts";
import {
	applyRunEvent,
	createInitialState,
	type Frame,
	getProgress,
	isOver,
	isReadyToFinish,
	listReadyStages,
	type RunEvent,
	type RunState,
	resumeRunState,
} from "./rules/state.ts";
import { isUnknownClass } from "./rules/unknown-class.ts";
import { countPages, type RunProgress, removeStage } from "./run-progress.ts";
import { emitEnd } from "./run-signals.ts";
import { runStage } from "./run-stage.ts";
import type { Chunk, Claimed, Hold, Progress, StageChange } from "./sql/run.ts";
import { listStageRecords, storeTransition } from "./sql/run.ts";
import type { RunRow } from "./sql/runs.ts";
import { createWriter } from "./stage-writer.ts";
import { getPipelineTopic } from "./topics.ts";

/** What one run is executed with. */
export interface RunScope {
	readonly limits: PipelineLimits;
	readonly lease: Lease;
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

/** One run while this process executes it. */
interface RunInProgress {
	readonly ctx: Context;
	readonly limits: PipelineLimits;
	readonly job: Claimed;
	readonly hold: Hold;
	readonly facts: ModelFacts | null;
	readonly program: Program;
	readonly plan: Plan;
	state: RunState;
	/** Values by stage, for the edges that lead out of it. */
	readonly feeds: Map<number, Feeds>;
	readonly progress: RunProgress;
	/** Of completed stages only what this worker has written counts. */
	readonly written: { bytes: number };
	/** Whether the controller refused every stage that failed so far for a class it does not have. */
	classUnknown: boolean | null;
	/** Whether the latest stage reached a controller; null: nothing is known. */
	reach: Reach | null;
	lastDispatch: Promise<void>;
}

/**
 * Applies events and stores the new state with its frames in one transaction; ends the run with
 * its last stage. Calls run one after another.
 */
function dispatchEvents(
	run: RunInProgress,
	events: readonly RunEvent[],
	extra: StageExtra | null = null,
): Promise<void> {
	const dispatched = run.lastDispatch.then(() => applyEvents(run, events, extra));
	run.lastDispatch = dispatched.catch(() => undefined);
	return dispatched;
}

async function applyEvents(run: RunInProgress, events: readonly RunEvent[], extra: StageExtra | null): Promise<void> {
	const { ctx, job, hold, plan } = run;
	const frames: Frame[] = [];
	let after = run.state;
	function applyEvent(event: RunEvent): void {
		const result = applyRunEvent(after, event, ctx.clock.now());
		after = result.state;
		frames.push(...result.frames);
	}
	for (const event of events) applyEvent(event);
	if (isReadyToFinish(after)) {
		const totalRows = plan.resultStages.reduce((sum, index) => sum + (after.stages[index]?.resultCount ?? 0), 0);
		applyEvent({ type: "finished", totalRows, resultsUrl: buildResultsUrl(hold.jobId) });
	}
	if (after === run.state && frames.length === 0) return;
	const stages = after.stages
		.filter((stage, i) => stage !== run.state.stages[i])
		.map((stage) => ({ ...stage, change: extra?.stage === stage.index ? extra.change : {} }));
	const chunks = extra?.chunk ? [{ stage: extra.stage, ...extra.chunk }] : [];
	const values = {
		...runColumns(after),
		...(run.classUnknown === true && isOver(after) ? { class_unknown: true } : {}),
	};
	const step = { values, stages, frames, chunks };
	if (isOver(after) && job.awaited) {
		await ctx.store.transaction(async (tx) => {
			await storeTransition(tx.db, hold, new Date(ctx.clock.now()), step);
			await emitEnd(ctx, tx, run.job);
		});
	} else await storeTransition(ctx.store.db, hold, new Date(ctx.clock.now()), step);
	run.state = after;
	if (frames.length > 0) notifyViewers(run);
}

/** Makes viewers read the new frames now instead of at their next poll. */
function notifyViewers(run: RunInProgress): void {
	run.ctx.pubsub
		.publish(getPipelineTopic(run.hold.jobId), "")
		.catch((error: unknown) => run.ctx.log.warn({ err: error }, "viewers of a run could not be notified"));
}

async function executeStage(
	run: RunInProgress,
	stage: StagePlan,
	target: ControllerTarget,
	signal: AbortSignal,
): Promise<void> {
	const { ctx, limits, facts, plan, hold } = run;
	const { index } = stage;
	const values = listValuesInto(stage, run.feeds);
	const memory = ctx.areas.pipelines.memory.open();
	const progress = { run: run.progress, stage: index };
	try {
		await dispatchEvents(run, [{ type: "stage_started", stage: index }], {
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
				progress,
			},
			{
				stage,
				processors: isResult ? [...stage.processors, ...run.program.post_processors] : stage.processors,
				values,
				feeding: listEdgesFrom(plan, index),
				writer: createWriter(ctx, { limits, run: run.written }, hold, index),
			},
			(node) => dispatchEvents(run, [{ type: "node_result", stage: index, ...node }]),
		);
		signal.throwIfAborted();
		run.feeds.set(index, outcome.feeds);
		if (outcome.requests > 0) run.reach = { isUp: true };
		await dispatchEvents(
			run,
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
		run.classUnknown = (run.classUnknown ?? true) && isUnknownClass(error.cause);
		run.reach = findReach(error.cause) ?? run.reach;
		const nodeId = error.nodeId ?? stage.classes[0]?.nodeId ?? null;
		await dispatchEvents(run, [{ type: "stage_failed", stage: index, error: error.message, nodeId }]);
	} finally {
		memory.release();
		removeStage(progress);
	}
}

async function executeStages(run: RunInProgress, target: ControllerTarget, signal: AbortSignal): Promise<void> {
	const broken = new AbortController();
	const stop = AbortSignal.any([signal, broken.signal]);
	const active = new Map<number, Promise<void>>();

	async function startStage(stage: StagePlan): Promise<void> {
		try {
			await executeStage(run, stage, target, stop);
		} catch (error) {
			broken.abort(error);
			throw error;
		} finally {
			active.delete(stage.index);
		}
	}

	try {
		while (!stop.aborted) {
			for (const index of listReadyStages(run.state)) {
				const stage = run.plan.stages[index];
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

async function executeRun(run: RunInProgress, signal: AbortSignal): Promise<void> {
	const { ctx, job, hold, plan } = run;
	if (plan.stages.length !== job.total_stages) return dispatchEvents(run, [{ type: "failed", error: INTERNAL }]);
	const answer = await findTarget(ctx, job.controller_connection_id);
	if (!("target" in answer)) return dispatchEvents(run, [{ type: "failed", error: answer.message }]);
	// A run without a frame has no stage that has begun.
	const records = job.last_frame === 0 ? [] : await listStageRecords(ctx.store.db, hold.jobId);
	run.state = resumeRunState(run.state, records);
	for (const record of records) if (record.feeds !== null) run.feeds.set(record.index, record.feeds);
	await executeStages(run, answer.target, signal);
	await dispatchEvents(run, []);
	if (run.reach !== null) await recordReach(ctx, answer.target, run.reach);
	if (!isOver(run.state)) throw new Error("the run has no stage that can start, and has not ended");
}

function measureProgress({ state, progress }: RunInProgress): Progress {
	const completed = state.stages.filter(({ status }) => status === "completed").length;
	const done = [...progress.fractions.values()].reduce((sum, fraction) => sum + fraction, completed);
	return {
		percent: Math.min(99, Math.floor((100 * done) / Math.max(1, state.stages.length))),
		pages: countPages(progress),
	};
}

/**
 * `facts` of the loaded class model decide how stages query the controller, not which stages there
 * are.
 */
export function createRunner(
	ctx: Context,
	{ limits, lease }: RunScope,
	job: Claimed,
	hold: Hold,
	facts: ModelFacts | null,
): Runner {
	const program = job.program as Program;
	const plan = compileFlow(program.flow, facts?.model, program.post_processors);
	const run: RunInProgress = {
		ctx,
		limits,
		job,
		hold,
		facts,
		program,
		plan,
		state: applyRunEvent(createInitialState(plan), { type: "started" }, ctx.clock.now()).state,
		feeds: new Map(),
		progress: {
			fractions: new Map(),
			pages: new Map(),
			// The renewals of a first attempt suffice. Another one stores its first progress at once,
			// however soon its process may end.
			storeAbove: job.attempts === 1 ? null : job.best_progress,
			lease,
		},
		written: { bytes: 0 },
		classUnknown: null,
		reach: null,
		lastDispatch: Promise.resolve(),
	};
	return { run: (signal) => executeRun(run, signal), progress: () => measureProgress(run) };
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
