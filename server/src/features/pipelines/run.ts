/**
 * Carries out one run that is held by a lease. What happens is an event of the state machine; each transition is stored
 * in one transaction with the frames that tell of it, and told to whoever watches after the commit.
 */
import type { Flow, PostProcessor } from "@weft/contracts";
import type { Events } from "../../platform/events.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ControllerDriver, ControllerTarget } from "../../ports/controller.ts";
import type { Log } from "../../ports/log.ts";
import type { PubSub } from "../../ports/pubsub.ts";
import type { Store } from "../../ports/store.ts";
import type { ClassModel } from "./domain/class-table.ts";
import { compile } from "./domain/compile.ts";
import type { Plan, StagePlan } from "./domain/plan.ts";
import {
	type Frame,
	initialState,
	isOver,
	next,
	progressOf,
	type RunEvent,
	type RunState,
	readyStages,
	readyToFinish,
} from "./domain/state.ts";
import { tellEnd } from "./ended.ts";
import { pipelineTopic } from "./lease.ts";
import { type PipelineLimits, STAGES_AT_ONCE, StageFailure } from "./limits.ts";
import { resultsUrl } from "./present.ts";
import { processingOf } from "./processing.ts";
import type { JobRow } from "./repo.ts";
import type { ResultRepo } from "./repo-results.ts";
import type { Chunk, Claimed, Hold, RunRepo, StageChange, StageRecord } from "./repo-run.ts";
import { sampleValues } from "./sample.ts";
import { runStage } from "./stage.ts";
import { createWriter } from "./writer.ts";

/** What is stored of a run's question. */
export interface Program {
	readonly flow: Flow;
	readonly post_processors: PostProcessor[];
}

/** A connection as the driver needs it, or why it cannot be used any more. */
export type TargetAnswer = { readonly target: ControllerTarget } | { readonly message: string };

export interface RunnerDeps {
	readonly store: Store;
	readonly runs: RunRepo;
	readonly results: ResultRepo;
	readonly driver: Pick<ControllerDriver, "pages" | "count">;
	readonly clock: Pick<Clock, "now">;
	readonly pubsub: Pick<PubSub, "publish">;
	readonly events: Pick<Events, "emit">;
	readonly limits: PipelineLimits;
	readonly log: Pick<Log, "warn">;
	target(connectionId: string): Promise<TargetAnswer>;
}

export interface Runner {
	/**
	 * Resolves when the run has ended, well or not. Rejects with the signal's reason, with `LeaseLost`, and with whatever
	 * is neither the caller's nor the controller's fault.
	 */
	run(signal: AbortSignal): Promise<void>;
	/** Percent. */
	progress(): number;
}

type Feeds = Readonly<Record<string, readonly string[]>>;
type Unstamped<E> = E extends { now: number } ? Omit<E, "now"> : never;
type Happening = Unstamped<RunEvent>;

const INTERNAL = "The run failed because of an internal error.";

/** `model`: facts of the loaded class model. Which stages there are does not depend on it, only how they ask. */
export function createRunner(deps: RunnerDeps, job: Claimed, hold: Hold, model?: ClassModel): Runner {
	const { store, runs, results, limits, clock } = deps;
	const program = job.program as Program;
	const plan = compile(program.flow, { model });
	let state = next(initialState(plan), { type: "started", now: clock.now() }).state;
	const feeds = new Map<number, Feeds>();
	/** How far each stage is that is under way, 0 to 1. */
	const fractions = new Map<number, number>();
	/** One step after another. */
	let taken: Promise<void> = Promise.resolve();

	/** Takes events, each seeing the state that the one before left, and stores what comes of them in one transaction. */
	function happen(
		events: readonly (Happening | ((state: RunState) => Happening | null))[],
		more: { stage: number; change: StageChange; chunk?: Chunk | null } | null = null,
	): Promise<void> {
		const step = taken.then(async () => {
			const frames: Frame[] = [];
			let after = state;
			for (const given of events) {
				const event = typeof given === "function" ? given(after) : given;
				if (event === null) continue;
				const result = next(after, { ...event, now: clock.now() } as RunEvent);
				after = result.state;
				frames.push(...result.frames);
			}
			if (after === state && frames.length === 0) return;
			const stages = after.stages
				.filter((stage, i) => stage !== state.stages[i])
				.map((stage) => ({ ...stage, change: more?.stage === stage.index ? more.change : {} }));
			const chunks = more?.chunk ? [{ stage: more.stage, ...more.chunk }] : [];
			const change = { values: jobValues(after), stages, frames, chunks };
			if (isOver(after) && job.awaited) {
				await store.transaction(async (tx) => {
					await runs.advance(tx.db, hold, new Date(clock.now()), change);
					await tellEnd(deps.events, tx, job);
				});
			} else await runs.advance(store.db, hold, new Date(clock.now()), change);
			state = after;
			if (frames.length > 0) tell();
		});
		taken = step.catch(() => undefined);
		return step;
	}

	/** Wakes whoever watches; they would look by themselves, only later. */
	function tell(): void {
		deps.pubsub
			.publish(pipelineTopic(hold.jobId), "")
			.catch((error: unknown) => deps.log.warn({ err: error }, "the watchers of a run could not be woken"));
	}

	/** The end of the run, once all stages are complete. */
	function finished(after: RunState): Happening | null {
		if (!readyToFinish(after)) return null;
		const rows = after.stages.map(({ resultCount }) => resultCount ?? 0);
		const totalRows = plan.resultStages.reduce((sum, index) => sum + (rows[index] ?? 0), 0);
		return { type: "finished", totalRows, resultsUrl: resultsUrl(hold.jobId) };
	}

	function valuesFor({ inputs }: StagePlan): ReadonlyMap<string, readonly string[]> {
		return new Map(inputs.map(({ edgeId, sourceStage }) => [edgeId, feeds.get(sourceStage)?.[edgeId] ?? []]));
	}

	async function carryOut(stage: StagePlan, target: ControllerTarget, signal: AbortSignal): Promise<void> {
		const values = valuesFor(stage);
		try {
			await happen([{ type: "stage_started", stage: stage.index }], {
				stage: stage.index,
				change: {
					value_count: [...values.values()].reduce((sum, list) => sum + list.length, 0),
					value_sample: JSON.stringify(sampleValues(values.values())),
				},
			});
			const outcome = await runStage(
				{ driver: deps.driver, target, limits, signal },
				{
					stage,
					processing: processingOf(processorsOf(plan, stage, program)),
					values,
					feeding: plan.stages.flatMap(({ inputs }) => inputs.filter(({ sourceStage }) => sourceStage === stage.index)),
					writer: createWriter({ store, results, limits }, hold, stage.index),
					progress: (fraction) => fractions.set(stage.index, Math.min(1, fraction)),
					nodeDone: (node) => happen([{ type: "node_result", stage: stage.index, ...node }]),
				},
			);
			signal.throwIfAborted();
			feeds.set(stage.index, outcome.feeds);
			await happen(
				[
					{ type: "node_result", stage: stage.index, ...outcome.last },
					{ type: "stage_completed", stage: stage.index, rowCount: outcome.rows },
					finished,
				],
				{
					stage: stage.index,
					chunk: outcome.rest,
					change: {
						result_sample: JSON.stringify(outcome.sample),
						request_count: outcome.requests,
						queries: JSON.stringify(outcome.queries),
						feeds: JSON.stringify(outcome.feeds),
					},
				},
			);
		} catch (error) {
			if (signal.aborted || !(error instanceof StageFailure)) throw error;
			const nodeId = error.nodeId ?? stage.classes[0]?.nodeId ?? null;
			await happen([{ type: "stage_failed", stage: stage.index, error: error.message, nodeId }]);
		} finally {
			fractions.delete(stage.index);
		}
	}

	async function carryOutAll(target: ControllerTarget, signal: AbortSignal): Promise<void> {
		const broken = new AbortController();
		const stop = AbortSignal.any([signal, broken.signal]);
		const active = new Map<number, Promise<void>>();

		async function begin(stage: StagePlan): Promise<void> {
			try {
				await carryOut(stage, target, stop);
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
					if (!active.has(index)) active.set(index, begin(stage));
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
			if (plan.stages.length !== job.total_stages) return happen([{ type: "failed", error: INTERNAL }]);
			const answer = await deps.target(job.controller_connection_id);
			if (!("target" in answer)) return happen([{ type: "failed", error: answer.message }]);
			// A run without a frame has not begun anything.
			const records = job.last_frame === 0 ? [] : await runs.stageRecords(store.db, hold.jobId);
			state = resume(state, records);
			for (const record of records) if (record.feeds !== null) feeds.set(record.index, record.feeds);
			await carryOutAll(answer.target, signal);
			await happen([finished]);
			if (!isOver(state)) throw new Error("a run came to a standstill");
		},
		progress() {
			const completed = state.stages.filter(({ status }) => status === "completed").length;
			const done = [...fractions.values()].reduce((sum, fraction) => sum + fraction, completed);
			return Math.min(99, Math.floor((100 * done) / Math.max(1, state.stages.length)));
		},
	};
}

/** What was completed before a worker was lost stays so. */
function resume(state: RunState, records: readonly StageRecord[]): RunState {
	return {
		...state,
		stages: state.stages.map((stage) => {
			const record = records.find(({ index }) => index === stage.index);
			if (record?.status !== "completed") return stage;
			return { ...stage, status: "completed", resultCount: record.result_count };
		}),
	};
}

function jobValues(state: RunState) {
	const { completed_stages, failed_stages, current_stage_index, progress_percentage } = progressOf(state);
	const values = { completed_stages, failed_stages, current_stage_index, progress: progress_percentage };
	if (!isOver(state)) return values;
	const errors: JobRow["errors"] = state.stages.flatMap(({ index, status, error, classes }) => {
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

/** The canvas's own processors, and after those of the final stages the query's. */
function processorsOf(plan: Plan, stage: StagePlan, program: Program): PostProcessor[] {
	return plan.resultStages.includes(stage.index) ? [...stage.processors, ...program.post_processors] : stage.processors;
}
