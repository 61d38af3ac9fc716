/** Explains the plan of a flow before it runs, and previews the rows of one node. */
import { setImmediate } from "node:timers/promises";
import { type PlanAnswer, type PlanInput, PREVIEW_ROWS, type PreviewAnswer, type PreviewInput } from "@weft/contracts";
import { parseExact } from "@weft/contracts/exact-json";
import type { Context } from "../../../context.ts";
import type { Identity } from "../../../core/caller.ts";
import {
	buildFieldError,
	buildInvalidError,
	buildRefusedError,
	buildUnavailableError,
	buildUpstreamError,
} from "../../../core/errors.ts";
import { getAttribute, type Row } from "../../../core/rows/rows.ts";
import type { ControllerTarget } from "../../../integrations/apic/port.ts";
import { ControllerError } from "../../../integrations/apic/port-error.ts";
import { requireTarget } from "../../fabrics/manage-connections.ts";
import { findJoinProblems, readPostProcessors, readProgram, readTemplate } from "../../queries/flow/index.ts";
import { compileFlow } from "./rules/compile.ts";
import { explainPlan, listClassesToCount } from "./rules/explain.ts";
import { type PipelineLimits, StageFailure } from "./rules/limits.ts";
import type { Plan, StagePlan } from "./rules/plan.ts";
import { previewFlow } from "./rules/preview.ts";
import { type Feeds, listEdgesFrom, listValuesInto } from "./rules/stages.ts";
import { runStage, type StageOutcome } from "./run-stage.ts";
import type { Writer } from "./stage-writer.ts";
import type { NameFacts } from "./workers/work.ts";

/** Lower than those of runs: a request waits for the preview. */
const PREVIEW_LIMITS: PipelineLimits & { readonly deadlineMs: number } = {
	rows: 200_000,
	bytes: 256 * 1024 ** 2,
	runBytes: 256 * 1024 ** 2,
	memoryBytes: 64 * 1024 ** 2,
	requests: 200,
	values: 50_000,
	deadlineMs: 30_000,
};

/** Executes the stages of a plan one after another, and previews the last one. */
async function previewStage(
	ctx: Context,
	plan: Plan,
	stage: StagePlan,
	{ target, facts, signal }: { target: ControllerTarget; facts: NameFacts; signal: AbortSignal },
) {
	const feeds = new Map<number, Feeds>();
	let requests = 0;
	async function runPreviewStage(next: StagePlan, writer: Writer): Promise<StageOutcome> {
		const memory = ctx.areas.pipelines.memory.open();
		const outcome = await runStage(
			ctx,
			{
				target,
				signal,
				limits: { ...PREVIEW_LIMITS, requests: PREVIEW_LIMITS.requests - requests },
				memory,
				facts,
				progress: null,
			},
			{
				stage: next,
				processors: next.processors,
				values: listValuesInto(next, feeds),
				feeding: listEdgesFrom(plan, next.index),
				writer,
			},
		).finally(memory.release);
		requests += outcome.requests;
		return outcome;
	}
	for (const before of plan.stages) {
		if (before.index !== stage.index) feeds.set(before.index, (await runPreviewStage(before, keepFirst(0))).feeds);
	}
	return { ...(await takeFirstRows(stage, runPreviewStage)), request_count: requests };
}

/** 400 under the field for a canvas that cannot be run, or a strategy that cannot be used. */
export async function planFlow(
	ctx: Context,
	caller: Identity,
	input: PlanInput,
	signal: AbortSignal,
): Promise<PlanAnswer> {
	const flow = readTemplate(input);
	// Invalid ones are refused when the query is saved.
	const read = readPostProcessors(input.post_processors ?? []);
	const postProcessors = read.ok ? read.value : [];
	const joinProblems = Object.values(findJoinProblems(flow, postProcessors)).flat();
	const connection = input.connection_id
		? await requireTarget(ctx, caller, input.connection_id, "connection_id")
		: null;
	const { facts, problem } = await ctx.areas.pipelines.loadFacts();
	// Other requests get a turn between the steps, which take long with a large canvas.
	await setImmediate();
	const plan = compileFlow(flow, facts?.model, postProcessors);
	await setImmediate();
	const counted =
		connection && (await ctx.areas.pipelines.countClasses(connection.target, listClassesToCount(plan), signal));
	const explained = explainPlan(plan, {
		counts: counted?.counts,
		force: input.force_strategy ?? undefined,
		graph: facts?.graph,
		postProcessors,
	});
	if (!explained.ok) throw buildInvalidError(explained.errors);
	const problems = [...(problem === null ? [] : [problem]), ...(counted?.problems ?? [])];
	return {
		stages: explained.stages,
		warnings: [...joinProblems, ...explained.warnings, ...problems],
		counts: { ...counted?.counts },
	};
}

/**
 * 400 for a flow that cannot be run or exceeds a limit; 502 or 504 for a controller that fails.
 */
export async function previewNode(
	ctx: Context,
	caller: Identity,
	input: PreviewInput,
	requestSignal: AbortSignal,
): Promise<PreviewAnswer> {
	const { variables, variable_values, flow_data } = input;
	const program = readProgram({ flow_data, post_processors: [], variables: variables ?? [], variable_values });
	const { target } = await requireTarget(ctx, caller, input.connection_id, "connection_id");
	const part = previewFlow(program.flow, input.node_id);
	if (!part.ok) throw buildFieldError("node_id", part.message);
	const { facts } = await ctx.areas.pipelines.loadFacts();
	const plan = compileFlow(part.flow, facts?.model);
	const stage = plan.stages.find(({ nodeIds }) => nodeIds.includes(part.nodeId));
	if (stage === undefined) throw buildFieldError("node_id", "This node is connected to no class.");
	const deadline = AbortSignal.timeout(PREVIEW_LIMITS.deadlineMs);
	try {
		const found = await previewStage(ctx, plan, stage, {
			target,
			facts,
			signal: AbortSignal.any([requestSignal, deadline]),
		});
		return { node_id: input.node_id, class_name: stage.className, ...found };
	} catch (error) {
		if (deadline.aborted) {
			const seconds = Math.round(PREVIEW_LIMITS.deadlineMs / 1000);
			throw buildUpstreamError(`The preview was not ready within ${seconds} seconds. Run the query instead.`, {
				timeout: true,
			});
		}
		if (requestSignal.aborted) throw buildUnavailableError("The client closed the request.");
		if (!(error instanceof StageFailure)) throw error;
		const { cause } = error;
		if (!(cause instanceof ControllerError)) throw buildRefusedError(error.message);
		throw buildUpstreamError(cause.message, { timeout: cause.kind === "timeout", status: cause.status ?? null });
	}
}

/**
 * The first rows of a stage and the count of all. Where a limit gives the same first rows, the
 * stage is queried with it, and the other rows are only counted.
 */
async function takeFirstRows(stage: StagePlan, run: (stage: StagePlan, writer: Writer) => Promise<StageOutcome>) {
	const first = keepFirst(PREVIEW_ROWS);
	const [branch] = stage.branches;
	const { scope = "self", supplementalData, limit } = branch?.options ?? {};
	const separable =
		stage.answers.length === 1 &&
		stage.processors.length === 0 &&
		scope === "self" &&
		supplementalData?.countOnly !== true &&
		(limit ?? Number.POSITIVE_INFINITY) > PREVIEW_ROWS;
	const shown = await run(separable ? withOptions(stage, { limit: PREVIEW_ROWS }) : stage, first);
	if (!separable || shown.rows < PREVIEW_ROWS) return { rows: first.rows, count: shown.rows, queries: shown.queries };
	const counting = keepFirst(1);
	await run(withOptions(stage, { supplementalData: { ...supplementalData, countOnly: true } }), counting);
	const [row] = counting.rows;
	return { rows: first.rows, count: Number(row ? getAttribute(row)("count") : shown.rows), queries: shown.queries };
}

const withOptions = (stage: StagePlan, more: Partial<StagePlan["branches"][number]["options"]>): StagePlan => ({
	...stage,
	branches: stage.branches.map((branch) => ({ ...branch, options: { ...branch.options, ...more } })),
});

/** A writer that counts rows, and keeps the first `wanted`. */
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
			if (rows.length < wanted) await addRows(parseExact(`[${Buffer.from(json).toString("utf8")}]`) as Row[]);
			else count += more;
		},
		async restart() {
			rows.length = 0;
			count = 0;
		},
		finish: async () => ({ rows: count, rest: null }),
	};
}
