/**
 * The stages of a flow, as far as the flow alone shows them: what a run stores of its stages before
 * it starts.
 */
import type { ClassNode, Flow } from "@weft/contracts";
import { buildGraph, type Graph, groupBy } from "../../../queries/flow/index.ts";
import type { InputValues, Plan, StageInput, StageOutline, StagePlan } from "./plan.ts";

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

/** The flow must have passed validation. */
export function buildOutline(flow: Flow): FlowOutline {
	const graph = buildGraph(flow);
	const stageOf = new Map(graph.stages.flatMap((ids, index) => ids.map((id) => [id, index] as const)));
	const inOrder = groupBy(graph.order, (id) => stageOf.get(id));
	const inputs = getInputs(graph, stageOf);
	const intoStage = groupBy(inputs, ({ stage }) => stage);
	const stages = graph.stages.map((nodeIds, index): StageOutline => {
		const classes = (inOrder.get(index) ?? []).flatMap((id) => findClassNode(graph, id) ?? []);
		const answers = classes.filter(({ id }) => isAnswer(graph, id));
		return {
			index,
			nodeIds,
			classes: classes.map(({ id, data }) => ({ nodeId: id, className: data.className })),
			answers: answers.map(({ id }) => id),
			className: answers[0]?.data.className ?? "",
			inputs: (intoStage.get(index) ?? []).map(({ input }) => input),
		};
	});
	const feeding = new Set(inputs.map(({ input }) => input.sourceStage));
	const withOutput = stages.filter(({ nodeIds }) => nodeIds.some((id) => graph.node(id)?.type === "outputNode"));
	const results = withOutput.length > 0 ? withOutput : stages.filter(({ index }) => !feeding.has(index));
	return { graph, stages, resultStages: results.map(({ index }) => index) };
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

function getInputs(graph: Graph, stageOf: ReadonlyMap<string, number>): { stage: number; input: StageInput }[] {
	return graph.pipelines.flatMap(({ id, source, target, data }) => {
		const stage = stageOf.get(target);
		const sourceStage = stageOf.get(source);
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
		return [{ stage, input }];
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
