/**
 * The stages of a flow, as far as the flow alone shows them: what a run stores of its stages before
 * it starts.
 */
import type { ClassNode, Flow, PostProcessor } from "@weft/contracts";
import {
	buildGraph,
	findJoins,
	type Graph,
	groupBy,
	listClassNames,
	mergeJoinedStages,
	type PlacedJoin,
} from "../../../queries/flow/index.ts";
import type { InnerInput, InputValues, Plan, StageInput, StageOutline, StagePlan } from "./plan.ts";

export interface FlowOutline {
	graph: Graph;
	stages: StageOutline[];
	/**
	 * Indices of the stages whose rows are the run's result: those with an output node, else those
	 * that feed no other.
	 */
	resultStages: number[];
}

/** Values of a stage's rows by the id of the edge that carries them to a later stage. */
export type Feeds = Readonly<Record<string, readonly string[]>>;

/** The edges that carry values out of a stage. */
export const listEdgesFrom = ({ stages }: Plan, index: number): StageInput[] =>
	stages.flatMap(({ inputs }) => inputs.filter(({ sourceStage }) => sourceStage === index));

/** The values for a stage's inputs; `feeds` by index of the stage that they come from. */
export const listValuesInto = ({ inputs }: StagePlan, feeds: ReadonlyMap<number, Feeds>): InputValues =>
	new Map(inputs.map(({ edgeId, sourceStage }) => [edgeId, feeds.get(sourceStage)?.[edgeId] ?? []]));

/** Every pipeline edge that filters classes of a stage. */
export const listInputs = ({ inputs, innerInputs }: StageOutline): StageInput[] => [...inputs, ...innerInputs];

/**
 * The flow must have passed validation.
 * @param postProcessors of the query; joins among them choose the classes and the result
 */
export function buildOutline(flow: Flow, postProcessors: readonly PostProcessor[] = []): FlowOutline {
	const graph = buildGraph(flow);
	const joins = findJoins(flow, postProcessors);
	const parts = mergeJoinedStages(graph, joins);
	const merged = parts.map((indices) => indices.flatMap((index) => graph.stages[index] ?? []));
	const stageByNode = new Map(merged.flatMap((ids, index) => ids.map((id) => [id, index] as const)));
	const inputs = getInputs(graph, stageByNode);
	const intoStage = groupBy(inputs, ({ stage }) => stage);
	const ownJoins = joins.filter(({ nodeId }) => nodeId === undefined);
	const joined = findResultStages(graph, merged, ownJoins);
	const stages = merged.map((nodeIds, index): StageOutline => {
		const classes = listClasses(graph, parts[index] ?? []);
		const drawn = joins.filter(({ nodeId }) => nodeId !== undefined && nodeIds.includes(nodeId));
		const reading = joined.includes(index) ? [...drawn, ...ownJoins] : drawn;
		const answers = findAnswers(graph, classes, reading);
		const into = intoStage.get(index) ?? [];
		return {
			index,
			nodeIds,
			classes: classes.map(({ id, data }) => ({ nodeId: id, className: data.className })),
			answers: answers.map(({ id }) => id),
			className: reading[0]?.config.base ?? answers[0]?.data.className ?? "",
			inputs: into.filter(({ input }) => input.sourceStage !== index).map(({ input }) => input),
			innerInputs: into
				.filter(({ input }) => input.sourceStage === index)
				.map(({ input, source }) => buildInnerInput(graph, input, source)),
			joins: reading.map(({ config }) => config),
		};
	});
	if (joined.length > 0) return { graph, stages, resultStages: joined };
	const feeding = new Set(inputs.flatMap(({ stage, input }) => (stage === input.sourceStage ? [] : input.sourceStage)));
	const withOutput = stages.filter(({ nodeIds }) => nodeIds.some((id) => graph.node(id)?.type === "outputNode"));
	const results = withOutput.length > 0 ? withOutput : stages.filter(({ index }) => !feeding.has(index));
	return { graph, stages, resultStages: results.map(({ index }) => index) };
}

/** The stages that the joins of the query's own post-processors read; none: the canvas decides. */
function findResultStages(graph: Graph, stages: readonly (readonly string[])[], joins: readonly PlacedJoin[]) {
	const names = new Set(listClassNames(joins));
	return stages.flatMap((ids, index) =>
		ids.some((id) => names.has(findClassNode(graph, id)?.data.className ?? "")) ? [index] : [],
	);
}

/** Class nodes of these parts of a stage; parts before those that take their values. */
function listClasses(graph: Graph, parts: readonly number[]): ClassNode[] {
	const orders = parts.map((part) => new Set(graph.stages[part]));
	return orders.flatMap((ids) =>
		graph.order.filter((id) => ids.has(id)).flatMap((id) => findClassNode(graph, id) ?? []),
	);
}

/** Joins need all objects of their classes, and none of others. */
function findAnswers(graph: Graph, classes: readonly ClassNode[], joins: readonly PlacedJoin[]): ClassNode[] {
	const names = new Set(listClassNames(joins));
	const read = classes.filter(({ data }) => names.has(data.className));
	const wide = joins.length > 0 && classes.some(({ data }) => (data.scope ?? "self") !== "self");
	if (read.length > 0 && !wide) return read;
	return classes.filter(({ id, data }) => names.has(data.className) || isAnswer(graph, id));
}

function buildInnerInput(graph: Graph, input: StageInput, source: string): InnerInput {
	const sourceNodes =
		input.sourceNode === undefined
			? graph.order.filter(
					(id) => graph.getStage(id) === graph.getStage(source) && findClassNode(graph, id) && isAnswer(graph, id),
				)
			: [input.sourceNode];
	return { ...input, sourceNode: sourceNodes[0], sourceNodes };
}

/** Names of the classes whose objects are the rows of a run. The flow must be valid. */
export function getResultClasses(flow: Flow): string[] {
	const { graph, stages, resultStages } = buildOutline(flow);
	const answers = resultStages.flatMap((index) => stages[index]?.answers ?? []);
	return [...new Set(answers.flatMap((id) => findClassNode(graph, id)?.data.className ?? []))];
}

export function findClassNode(graph: Graph, id: string): ClassNode | undefined {
	const node = graph.node(id);
	return node?.type === "classNode" ? node : undefined;
}

const isAnswer = (graph: Graph, id: string): boolean =>
	graph.classesBelow(id).length === 0 || graph.leadsTo(id, "outputNode");

interface PlacedInput {
	readonly stage: number;
	readonly input: StageInput;
	/** The node at which the edge begins. */
	readonly source: string;
}

function getInputs(graph: Graph, stageByNode: ReadonlyMap<string, number>): PlacedInput[] {
	return graph.pipelines.flatMap(({ id, source, target, data }) => {
		const stage = stageByNode.get(target);
		const sourceStage = stageByNode.get(source);
		if (stage === undefined || sourceStage === undefined) return [];
		const sourceType = graph.node(source)?.type;
		const [filtered] = sourceType === "filterNode" ? graph.classesAbove(source) : [];
		const { extractField = "dn", injectAs = "filter_values", injectProperty = "dn" } = data;
		const input: StageInput = {
			edgeId: id,
			sourceStage,
			sourceNode: sourceType === "classNode" ? source : filtered,
			targetNodes: getTargets(graph, target),
			extractField,
			injectAs,
			injectProperty: injectProperty.slice(injectProperty.indexOf(".") + 1),
		};
		return [{ stage, input, source }];
	});
}

/**
 * The classes that an edge into this node filters: itself, those it belongs to, or those that it
 * leads to.
 */
function getTargets(graph: Graph, id: string): string[] {
	if (findClassNode(graph, id)) return [id];
	const above = graph.classesAbove(id);
	return above.length > 0 ? above : graph.classesBelow(id);
}
