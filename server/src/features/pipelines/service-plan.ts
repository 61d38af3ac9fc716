/** What a canvas will do: the plan in words before anything runs, and a look at the rows of one node. */
import { type PlanAnswer, type PlanInput, PREVIEW_ROWS, type PreviewAnswer, type PreviewInput } from "@weft/contracts";
import type { Identity } from "../../platform/caller.ts";
import { invalid, invalidField, refused, unavailable, upstream } from "../../platform/errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { type ControllerDriver, ControllerError, type ControllerTarget } from "../../ports/controller.ts";
import { readProgram, readTemplate } from "./canvas.ts";
import { compile } from "./domain/compile.ts";
import { explain, probesNeeded } from "./domain/explain.ts";
import { answerNodes } from "./domain/finish.ts";
import type { Plan, StagePlan } from "./domain/plan.ts";
import { previewFlow } from "./domain/preview.ts";
import { attributeOf, type Row } from "./domain/rows.ts";
import { type PipelineLimits, StageFailure } from "./limits.ts";
import type { LoadedFacts } from "./model.ts";
import { createProbes } from "./probes.ts";
import { processingOf } from "./processing.ts";
import { runStage, type StageOutcome } from "./stage.ts";
import type { Writer } from "./writer.ts";

export interface PlannerDeps {
	readonly driver: Pick<ControllerDriver, "pages" | "count">;
	readonly clock: Pick<Clock, "now">;
	/** A connection that the caller sees and that is active. @throws 400 under `field` for every other. */
	usableConnection(identity: Identity, id: string, field: string): Promise<{ readonly target: ControllerTarget }>;
	readonly preview?: Partial<PreviewLimits> | undefined;
	readonly loadedFacts: () => Promise<LoadedFacts>;
}

export interface PreviewLimits extends PipelineLimits {
	readonly deadlineMs: number;
}

/** Somebody waits for the answer, and the controller has other things to do. */
const PREVIEW_LIMITS: PreviewLimits = {
	rows: 200_000,
	bytes: 256 * 1024 ** 2,
	memoryBytes: 64 * 1024 ** 2,
	requests: 200,
	values: 50_000,
	deadlineMs: 30_000,
};

export function createPlanner(deps: PlannerDeps) {
	const probe = createProbes(deps);
	const limits = { ...PREVIEW_LIMITS, ...deps.preview };

	/** Carries out the stages of a plan one after another, the last one as `finish` likes. */
	async function carryOut(plan: Plan, stage: StagePlan, target: ControllerTarget, signal: AbortSignal) {
		const feeds = new Map<number, Record<string, string[]>>();
		let requests = 0;
		async function run(next: StagePlan, writer: Writer): Promise<StageOutcome> {
			const outcome = await runStage(
				{ driver: deps.driver, target, signal, limits: { ...limits, requests: limits.requests - requests } },
				{
					stage: next,
					processing: processingOf(next.processors),
					values: new Map(
						next.inputs.map(({ edgeId, sourceStage }) => [edgeId, feeds.get(sourceStage)?.[edgeId] ?? []]),
					),
					feeding: plan.stages.flatMap(({ inputs }) => inputs.filter(({ sourceStage }) => sourceStage === next.index)),
					writer,
					progress: () => undefined,
					nodeDone: async () => undefined,
				},
			);
			requests += outcome.requests;
			return outcome;
		}
		for (const before of plan.stages) {
			if (before.index !== stage.index) feeds.set(before.index, (await run(before, keepFirst(0))).feeds);
		}
		return { ...(await look(stage, run)), request_count: requests };
	}

	return {
		/** 400 under the field for a canvas that cannot be run and a strategy that cannot be used. */
		async plan(caller: Identity, input: PlanInput, signal: AbortSignal): Promise<PlanAnswer> {
			const flow = readTemplate(input);
			const connection = input.connection_id
				? await deps.usableConnection(caller, input.connection_id, "connection_id")
				: null;
			const { facts, problem } = await deps.loadedFacts();
			const plan = compile(flow, { model: facts?.model });
			const counted = connection && (await probe(connection.target, probesNeeded(plan), signal));
			const told = explain(plan, {
				counts: counted?.counts,
				force: input.force_strategy ?? undefined,
				catalog: facts?.catalog,
			});
			if (!told.ok) throw invalid(told.errors);
			const problems = [...(problem === null ? [] : [problem]), ...(counted?.problems ?? [])];
			return { stages: told.stages, warnings: [...told.warnings, ...problems] };
		},

		/** 400 for what cannot be run or takes too much, 502 and 504 for a controller that fails. */
		async preview(caller: Identity, input: PreviewInput, asked: AbortSignal): Promise<PreviewAnswer> {
			const { variables, variable_values, flow_data } = input;
			const program = readProgram({ flow_data, post_processors: [], variables: variables ?? [], variable_values });
			const { target } = await deps.usableConnection(caller, input.connection_id, "connection_id");
			const part = previewFlow(program.flow, input.node_id);
			if (!part.ok) throw invalidField("node_id", part.message);
			const { facts } = await deps.loadedFacts();
			const plan = compile(part.flow, { model: facts?.model });
			const stage = plan.stages.find(({ nodeIds }) => nodeIds.includes(part.nodeId));
			if (stage === undefined) throw invalidField("node_id", "This node is connected to no class.");
			const deadline = AbortSignal.timeout(limits.deadlineMs);
			try {
				const found = await carryOut(plan, stage, target, AbortSignal.any([asked, deadline]));
				return { node_id: input.node_id, class_name: stage.className, ...found };
			} catch (error) {
				if (deadline.aborted) {
					const seconds = Math.round(limits.deadlineMs / 1000);
					throw upstream(`The preview was not ready within ${seconds} seconds. Run the query instead.`, {
						timeout: true,
					});
				}
				if (asked.aborted) throw unavailable("The request was given up.");
				if (!(error instanceof StageFailure)) throw error;
				const { cause } = error;
				if (!(cause instanceof ControllerError)) throw refused(error.message);
				throw upstream(cause.message, { timeout: cause.kind === "timeout", status: cause.status ?? null });
			}
		},
	};
}
export type Planner = ReturnType<typeof createPlanner>;

/**
 * The first rows of a stage, and how many there are. Where a limit is enough to see the first ones, they are asked for by
 * themselves, and the others are only counted.
 */
async function look(stage: StagePlan, run: (stage: StagePlan, writer: Writer) => Promise<StageOutcome>) {
	const first = keepFirst(PREVIEW_ROWS);
	const [branch] = stage.branches;
	const { scope = "self", supplementalData, limit } = branch?.options ?? {};
	const separable =
		answerNodes(stage).length === 1 &&
		stage.processors.length === 0 &&
		scope === "self" &&
		supplementalData?.countOnly !== true &&
		(limit ?? Number.POSITIVE_INFINITY) > PREVIEW_ROWS;
	const shown = await run(separable ? withOptions(stage, { limit: PREVIEW_ROWS }) : stage, first);
	if (!separable || shown.rows < PREVIEW_ROWS) return { rows: first.rows, count: shown.rows, queries: shown.queries };
	const counting = keepFirst(1);
	await run(withOptions(stage, { supplementalData: { ...supplementalData, countOnly: true } }), counting);
	const [row] = counting.rows;
	return { rows: first.rows, count: Number(row ? attributeOf(row)("count") : shown.rows), queries: shown.queries };
}

const withOptions = (stage: StagePlan, more: Partial<StagePlan["branches"][number]["options"]>): StagePlan => ({
	...stage,
	branches: stage.branches.map((branch) => ({ ...branch, options: { ...branch.options, ...more } })),
});

/** Counts rows, and keeps the first of them. */
function keepFirst(wanted: number): Writer & { readonly rows: Row[] } {
	const rows: Row[] = [];
	let count = 0;
	async function addRows(list: readonly object[]): Promise<void> {
		count += list.length;
		for (const row of list.slice(0, Math.max(0, wanted - rows.length))) rows.push(row as Row);
	}
	return {
		rows,
		addRows,
		async addJson(json, more) {
			if (rows.length < wanted) await addRows(JSON.parse(`[${Buffer.from(json).toString("utf8")}]`));
			else count += more;
		},
		finish: async () => ({ rows: count, rest: null }),
	};
}
