/**
 * From a canvas to a plan.
 *
 * What a canvas means (docs/adr/0003-compiling-a-canvas.md says why):
 * - A stage is a component over plain edges. Its rows are the objects of its answer classes: class nodes with no class
 *   below them, and those wired to an output without another class between. Each object once.
 * - A plain edge A → B asks for the B that lie below an A, at any depth, that passes A's filters (and lies below what
 *   is above A). A class with several classes above it takes the objects below any of them.
 * - A filter belongs to the nearest class above it; several filters of a class must all hold.
 * - Scope, order, limit and supplemental data count on answer classes. With scope `children` or `subtree` the rows are
 *   the children of, or everything from, the objects that pass.
 * - A pipeline edge keeps the objects of its target class whose property is one of the values (`filter_values`), that
 *   are at or below one of the DNs (`dn_scope`), or asks for each value by itself (`iterate`: order and limit hold per
 *   value). Several input edges must all hold.
 */
import type { ClassNode, Flow, PostProcessor } from "@weft/contracts";
import { builtInModel, type ClassModel, withBuiltIns } from "./class-table.ts";
import { conjuncts, type FilterExpr, filterOf } from "./filter-expression.ts";
import { type Graph, graphOf } from "./graph.ts";
import { layoutOf } from "./layout.ts";
import type { Branch, ChainNode, Plan, PlanWarning, StageInput, StagePlan } from "./plan.ts";
import { warningsOf } from "./warnings.ts";

export interface CompileOptions {
	/** Facts of the loaded class model; the built-in table stands in for what it does not know. */
	model?: ClassModel | undefined;
}

/** The canvas must have passed validation and had its variables filled in. */
export function compile(flow: Flow, options: CompileOptions = {}): Plan {
	const model = options.model ? withBuiltIns(options.model) : builtInModel;
	const graph = graphOf(flow);
	const stageOf = new Map(graph.stages.flatMap((ids, index) => ids.map((id) => [id, index] as const)));
	const filters = filtersByClass(graph);
	const warnings: PlanWarning[] = [];
	const inputs = inputsOf(graph, stageOf);
	const into = groupBy(inputs, ({ stage }) => stage);
	const outOf = groupBy(inputs, ({ input }) => input.sourceStage);
	const inOrder = groupBy(graph.order, (id) => stageOf.get(id) ?? -1);
	const stages = graph.stages.map((ids, index): StagePlan => {
		const classes = (inOrder.get(index) ?? []).flatMap((id) => classNode(graph, id) ?? []);
		const answers = new Set(classes.filter(({ id }) => isAnswer(graph, id)).map(({ id }) => id));
		const feeding = (outOf.get(index) ?? []).flatMap(({ input }) => input.sourceNode ?? []);
		const wanted = classes.filter(({ id }) => answers.has(id) || feeding.includes(id));
		warnings.push(...warningsOf(classes, answers, filters));
		const branches = wanted.flatMap((node) =>
			waysTo(graph, node.id).map((way): Branch => {
				const chain = way.map((id): ChainNode => {
					const className = classNode(graph, id)?.data.className ?? "";
					return { nodeId: id, className, filters: filters.get(id) ?? [] };
				});
				const layout = layoutOf(
					chain.map(({ className }) => className),
					model,
				);
				const facts = model(node.data.className);
				const concrete = (facts?.rnFormat ?? "") !== "" && facts?.hasSubclasses !== true;
				return {
					nodeId: node.id,
					answer: answers.has(node.id),
					chain,
					layout,
					concrete,
					onSwitch: facts?.onSwitch === true,
					options: node.data,
				};
			}),
		);
		return {
			index,
			nodeIds: ids,
			classes: classes.map(({ id, data }) => ({ nodeId: id, className: data.className })),
			className: wanted.find(({ id }) => answers.has(id))?.data.className ?? "",
			inputs: (into.get(index) ?? []).map(({ input }) => input),
			branches,
			processors: processorsOf(graph, inOrder.get(index) ?? []),
			output: outputOf(graph, ids),
		};
	});
	return { stages, resultStages: resultStagesOf(stages), warnings };
}

function groupBy<T>(items: readonly T[], key: (item: T) => number): Map<number, T[]> {
	const groups = new Map<number, T[]>();
	for (const item of items) {
		const group = groups.get(key(item));
		if (group) group.push(item);
		else groups.set(key(item), [item]);
	}
	return groups;
}

function classNode(graph: Graph, id: string): ClassNode | undefined {
	const node = graph.node(id);
	return node?.type === "classNode" ? node : undefined;
}

const isAnswer = (graph: Graph, id: string): boolean =>
	graph.classesBelow(id).length === 0 || graph.leadsTo(id, "outputNode");

function filtersByClass(graph: Graph): Map<string, FilterExpr[]> {
	const filters = new Map<string, FilterExpr[]>();
	for (const id of graph.order) {
		const node = graph.node(id);
		const expr = node?.type === "filterNode" ? filterOf(node.data) : undefined;
		if (expr === undefined) continue;
		for (const owner of graph.classesAbove(id)) {
			filters.set(owner, [...(filters.get(owner) ?? []), ...conjuncts(expr)]);
		}
	}
	return filters;
}

/** Every way down the containment edges that ends at this class; validation keeps their number small. */
function waysTo(graph: Graph, id: string): string[][] {
	const parents = graph.classesAbove(id);
	if (parents.length === 0) return [[id]];
	return parents.flatMap((parent) => waysTo(graph, parent).map((way) => [...way, id]));
}

function inputsOf(graph: Graph, stageOf: ReadonlyMap<string, number>): { stage: number; input: StageInput }[] {
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
			targetNodes: targetsOf(graph, target),
			extractField,
			injectAs,
			injectProperty: injectProperty.slice(injectProperty.indexOf(".") + 1),
		};
		return [{ stage, input }];
	});
}

/** The class that an edge into this node is about: itself, the one it belongs to, or the ones that it leads to. */
function targetsOf(graph: Graph, id: string): string[] {
	if (graph.node(id)?.type === "classNode") return [id];
	const above = graph.classesAbove(id);
	return above.length > 0 ? above : graph.classesBelow(id);
}

function processorsOf(graph: Graph, ids: readonly string[]): PostProcessor[] {
	return ids.flatMap((id) => {
		const node = graph.node(id);
		if (node?.type !== "postProcessorNode" || node.data.isPaused === true) return [];
		return [{ type: node.data.processorType, config: node.data.config } as PostProcessor];
	});
}

function outputOf(graph: Graph, ids: readonly string[]): StagePlan["output"] {
	const outputs = ids.flatMap((id) => {
		const node = graph.node(id);
		return node?.type === "outputNode" ? [node] : [];
	});
	const [first] = outputs;
	if (first === undefined) return undefined;
	const enableTimeMachine = outputs.some(({ data }) => data.enableTimeMachine === true);
	return { nodeId: first.id, pageSize: first.data.pageSize, enableTimeMachine };
}

function resultStagesOf(stages: readonly StagePlan[]): number[] {
	const fed = new Set(stages.flatMap(({ inputs }) => inputs.map(({ sourceStage }) => sourceStage)));
	const withOutput = stages.filter(({ output }) => output !== undefined);
	const chosen = withOutput.length > 0 ? withOutput : stages.filter(({ index }) => !fed.has(index));
	return chosen.map(({ index }) => index);
}
