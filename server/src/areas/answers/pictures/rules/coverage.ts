/** Finds the classes that a query reads as whole objects, and those that it reads in part. */
import type { ClassNode, Flow, PicturePartialReason, PostProcessor } from "@weft/contracts";
import { buildGraph, type Graph } from "../../../queries/flow/index.ts";
import { buildOutline } from "../../../runs/pipelines/rules/stages.ts";

/** Reasons by class name. Null if all objects of the class are among the rows. */
export type Coverage = ReadonlyMap<string, PicturePartialReason | null>;

/** Post-processors that do not change rows. */
const HARMLESS: ReadonlySet<string> = new Set(["array-sort"]);
/** For each class the classes that contain all of its objects. */
const WHOLE: Readonly<Record<string, readonly string[]>> = {
	fvCtx: ["fvTenant"],
	fvBD: ["fvTenant"],
	fvAEPg: ["fvTenant", "fvAp"],
	vzBrCP: ["fvTenant"],
	fvRsCtx: ["fvTenant", "fvBD"],
	fvRsBd: ["fvTenant", "fvAp", "fvAEPg"],
	fvRsProv: ["fvTenant"],
	fvRsCons: ["fvTenant"],
	l3extInstP: ["fvTenant", "l3extOut"],
	l3extRsEctx: ["fvTenant", "l3extOut"],
	vzRsAnyToProv: ["fvTenant", "fvCtx", "vzAny"],
	vzRsAnyToCons: ["fvTenant", "fvCtx", "vzAny"],
	fabricNode: ["fabricTopology", "fabricPod"],
	fabricLink: ["fabricTopology", "fabricPod", "fabricLinkCont"],
	topSystem: ["fabricTopology", "fabricPod", "fabricNode"],
};

/** Returns an empty coverage if post-processors change the rows. */
export function findCoverage(flow: Flow, postProcessors: readonly PostProcessor[]): Coverage {
	const coverage = new Map<string, PicturePartialReason | null>();
	const changesRows =
		postProcessors.some(({ type, enabled }) => enabled !== false && !HARMLESS.has(type)) ||
		flow.nodes.some(
			({ type, data }) => type === "postProcessorNode" && data.isPaused !== true && !HARMLESS.has(data.processorType),
		);
	if (changesRows) return coverage;
	const { stages, resultStages } = buildOutline(flow);
	const answers = new Set(resultStages.flatMap((index) => stages[index]?.answers ?? []));
	const graph = buildGraph(flow);
	for (const node of flow.nodes) {
		if (node.type !== "classNode" || !answers.has(node.id)) continue;
		const { className } = node.data;
		const reason = findReason(graph, flow, node);
		// One complete reading is enough if a class is read twice.
		if (coverage.get(className) !== null) coverage.set(className, reason);
	}
	return coverage;
}

function findReason(graph: Graph, flow: Flow, node: ClassNode): PicturePartialReason | null {
	const above = listClassesAbove(graph, node.id);
	const chain = new Set([node.id, ...above.map(({ id }) => id)]);
	const isFiltered = flow.nodes.some(
		({ id, type }) => type === "filterNode" && graph.classesAbove(id).some((owner) => chain.has(owner)),
	);
	if (isFiltered) return "filter";
	if (graph.pipelines.some(({ target }) => graph.getStage(target) === graph.getStage(node.id))) return "values";
	if ([node, ...above].some(hasOptions)) return "option";
	const whole = WHOLE[node.data.className] ?? [];
	return above.every(({ data }) => whole.includes(data.className)) ? null : "parent";
}

function listClassesAbove(graph: Graph, id: string): ClassNode[] {
	const found = new Map<string, ClassNode>();
	const waiting = [id];
	for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
		for (const above of graph.classesAbove(next)) {
			const node = graph.node(above);
			if (node?.type !== "classNode" || found.has(above)) continue;
			found.set(above, node);
			waiting.push(above);
		}
	return [...found.values()];
}

/** Whether the class is read with options that leave objects or attributes out. */
function hasOptions({ data }: ClassNode): boolean {
	const { node, limit, timeRange, propertyInclude = "all", scope = "self", supplementalData = {} } = data;
	return (
		node !== undefined ||
		limit !== undefined ||
		timeRange !== undefined ||
		propertyInclude !== "all" ||
		scope !== "self" ||
		Object.values(supplementalData).some((flag) => flag === true)
	);
}
