/**
 * Explains a plan before it runs: strategy, estimated requests and a sample query of each stage.
 */
import type { PostProcessor } from "@weft/contracts";
import type { ModelGraph } from "../../../../core/ports/class-model.ts";
import { MAX_CONTROLLER_PATH_BYTES } from "../../../../integrations/apic/port.ts";
import { explainJoin } from "./explain-join.ts";
import { findFieldWarnings } from "./field-warnings.ts";
import { listLeaves } from "./filter-expression.ts";
import { isKnownProperty } from "./model-facts.ts";
import type { Branch, Plan, StageInput, StagePlan, Strategy } from "./plan.ts";
import { buildSteps, type RequestOptions, type Requests } from "./requests.ts";
import { listInputs } from "./stages.ts";
import { explainSteps, formatReason } from "./strategy.ts";
import { isValueSearch, searchWarning } from "./warnings.ts";

export interface ExplainOptions extends RequestOptions {
	/** The loaded class model, whose names are checked. */
	graph?: ModelGraph | undefined;
	/** Of the query, after those of the canvas. */
	postProcessors?: readonly PostProcessor[];
}
interface StageExplanation {
	/** Class nodes whose rows are the stage's rows. */
	answer_node_ids: string[];
	/** Whether its rows are rows of the result. */
	is_result: boolean;
	index: number;
	node_ids: string[];
	class_name: string;
	strategy: Strategy;
	request_count_estimate: number;
	preview_query: string;
	preview_queries: string[];
	reason: string;
}
export type Explanation =
	| { ok: true; stages: StageExplanation[]; warnings: string[] }
	| { ok: false; errors: Record<string, string[]> };

/** Upper bound of the sample requests of one step. */
const MAX_PREVIEWS = 3;
/** Assumed number of values or objects that were not counted. */
const ASSUMED_VALUES = 100;
/** Assumed number of objects that pass a filter. */
const ASSUMED_FILTERED = 10;

export function explainPlan(plan: Plan, options: ExplainOptions = {}): Explanation {
	const stages = plan.stages.map((stage) => explainStage(plan, stage, options));
	const { force } = options;
	const refusals = stages.flatMap(({ index, strategy, reason }) =>
		force === undefined || strategy === force ? [] : [`Stage ${index + 1} cannot use ${force}. ${reason}`],
	);
	if (refusals.length > 0) return { ok: false, errors: { force_strategy: refusals } };
	return {
		ok: true,
		stages,
		warnings: [
			...new Set([
				...plan.warnings.map(({ message }) => message),
				...findLongSearches(plan, options.counts),
				...stages.flatMap(({ index, preview_query }) => buildTooLongNote(index, preview_query)),
				...findUnknownNames(plan, options.graph),
				...(options.graph ? findFieldWarnings(plan, options.postProcessors ?? [], options.graph) : []),
			]),
		],
	};
}

/**
 * Classes whose size decides between strategies or improves the estimate: `counts` of {@link
 * explain}.
 */
export function listClassesToCount(plan: Plan): string[] {
	const names = plan.stages.flatMap((stage) =>
		stage.branches.flatMap(({ chain }) => chain.map(({ className }) => className)),
	);
	return [...new Set(names)];
}

function explainStage(plan: Plan, stage: StagePlan, options: ExplainOptions): StageExplanation {
	const parts = stage.branches.map((branch) => explainBranch(plan, stage, branch, options));
	const shown =
		parts[
			Math.max(
				0,
				stage.branches.findIndex(({ answer }) => answer),
			)
		];
	const strategy = parts.find((part) => part.strategy === "join")?.strategy ?? shown?.strategy ?? "class";
	return {
		index: stage.index,
		node_ids: stage.nodeIds,
		class_name: stage.className,
		strategy,
		request_count_estimate: parts.reduce((sum, { requests }) => sum + requests, 0),
		answer_node_ids: stage.answers,
		is_result: plan.resultStages.includes(stage.index),
		preview_query: shown?.preview ?? "",
		preview_queries: [...new Set(parts.flatMap(({ previews }) => previews))],
		reason: [...new Set([...parts.map(({ reason }) => reason), ...stage.joins.map(explainJoin)])].join(" "),
	};
}

function explainBranch(plan: Plan, stage: StagePlan, branch: Branch, options: ExplainOptions) {
	const sizes = new Map<readonly string[], number>();
	const placeholders = (name: string, count: number): string[] => {
		const values = [`{${name}}`, "…"];
		sizes.set(values, count);
		return values;
	};
	const values = new Map(
		listInputs(stage).map((input) => {
			const { className, filtered } = getSource(plan, input);
			const count = estimateCount(options.counts?.[className], filtered);
			return [input.edgeId, placeholders(`${className}.${input.extractField}`, count)];
		}),
	);
	const steps = buildSteps(branch, stage, values, { ...options, sizes });
	let dns: string[] = [];
	const previews: string[] = [];
	const counted: { className: string; requests: number }[] = [];
	let last: Requests | undefined;
	for (const [i, step] of steps.entries()) {
		last = step.requests(dns);
		const { fetches, times } = last;
		const sum = fetches.reduce(
			(total, { path, className, paged }) => total + estimatePages(path, className, paged, options),
			0,
		);
		counted.push({ className: step.className, requests: Math.ceil(sum * times) });
		previews.push(...fetches.slice(0, MAX_PREVIEWS).map(({ path }) => path));
		const filtered = i > 0 || (branch.chain.find(({ nodeId }) => nodeId === step.nodeId)?.filters.length ?? 0) > 0;
		dns = placeholders(`${step.className}.dn`, estimateCount(options.counts?.[step.className], filtered));
	}
	const requests = counted.reduce((sum, step) => sum + step.requests, 0);
	return {
		strategy: steps.length > 1 ? ("join" as const) : (last?.strategy ?? "class"),
		reason: counted.length > 1 ? explainSteps(counted) : formatReason(last?.reason ?? { sentence: "" }, requests),
		previews,
		requests,
		preview: last?.fetches[0]?.path ?? "",
	};
}

/** Estimates one page for everything but a whole class: a filter usually leaves one page. */
function estimatePages(
	path: string,
	className: string,
	paged: boolean,
	{ counts, pageSize = 1_000 }: RequestOptions,
): number {
	const whole = paged && path.startsWith("/api/class/") && !path.includes("query-target-filter");
	return whole ? Math.max(1, Math.ceil((counts?.[className] ?? 1) / pageSize)) : 1;
}

const estimateCount = (count: number | undefined, filtered: boolean): number =>
	filtered ? Math.min(count ?? ASSUMED_FILTERED, ASSUMED_FILTERED) : (count ?? ASSUMED_VALUES);
function getSource(plan: Plan, { sourceStage, sourceNode }: StageInput): { className: string; filtered: boolean } {
	const stage = plan.stages[sourceStage];
	const nodeId = sourceNode ?? stage?.answers[0];
	const branch = stage?.branches.find((candidate) => candidate.nodeId === nodeId);
	const filtered =
		(stage?.inputs.length ?? 0) > 0 || (branch?.chain.some(({ filters }) => filters.length > 0) ?? false);
	return { className: branch?.chain.at(-1)?.className ?? "", filtered };
}

function buildTooLongNote(index: number, path: string): string[] {
	if (path.length <= MAX_CONTROLLER_PATH_BYTES) return [];
	const [bytes, most] = [path.length, MAX_CONTROLLER_PATH_BYTES].map((count) => count.toLocaleString("en"));
	return [
		`Stage ${index + 1} will fail: its request would be ${bytes} bytes, and controllers take ${most}. Use fewer filters.`,
	];
}

/** From this many objects on, a search inside their values takes long. */
const MANY_OBJECTS = 20_000;

function findLongSearches(plan: Plan, counts: RequestOptions["counts"]): string[] {
	const nodes = plan.stages.flatMap(({ branches }) => branches.flatMap(({ chain }) => chain));
	return nodes
		.filter(({ className, filters }) => (counts?.[className] ?? 0) >= MANY_OBJECTS && filters.some(isValueSearch))
		.map(({ className }) => searchWarning(className));
}

function findUnknownNames(plan: Plan, graph: ModelGraph | undefined): string[] {
	if (!graph) return [];
	return plan.stages.flatMap((stage) =>
		getNames(plan, stage).flatMap(({ className, properties }) => {
			if (graph.find(className) === undefined) return [`The class model has no class ${className}.`];
			return properties
				.filter((property) => !isKnownProperty(graph, className, property))
				.map((property) => `${className} has no property ${property} in the class model.`);
		}),
	);
}

/** The classes of a stage with the properties that its filters, orders and pipeline edges name. */
function getNames(plan: Plan, stage: StagePlan): { className: string; properties: string[] }[] {
	const { index, branches } = stage;
	const inputs = listInputs(stage);
	return branches.flatMap(({ nodeId: last, chain, options }) =>
		chain.map(({ nodeId, className, filters }) => {
			const injected = inputs.filter(
				({ targetNodes, injectAs }) => targetNodes.includes(nodeId) && injectAs !== "dn_scope",
			);
			const taken = plan.stages.flatMap((other) =>
				listInputs(other).filter(({ sourceStage, sourceNode }) => sourceStage === index && sourceNode === nodeId),
			);
			const order = nodeId === last ? options.orderBy?.replace(/^-/, "") : undefined;
			const properties = [
				...filters.flatMap(listLeaves).map(({ property }) => property),
				...injected.map(({ injectProperty }) => injectProperty),
				...taken.flatMap(({ extractField }) => attributeIn(extractField, className) ?? []),
				...(order === undefined ? [] : [order]),
			];
			return { className, properties };
		}),
	);
}

/** The attribute of a class's own objects that a path names; undefined for other paths. */
function attributeIn(path: string, className: string): string | undefined {
	const steps = path.split(".").filter((step, i) => !(i === 0 && step === className) && step !== "attributes");
	return steps.length === 1 && steps[0] !== "class" ? steps[0] : undefined;
}
