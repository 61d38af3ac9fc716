/**
 * Compiles a flow into a plan.
 *
 * What a flow means (docs/adr/0003-compiling-a-canvas.md says why):
 * - A stage is a component over plain edges. Its rows are the objects of its answer classes: class
 *   nodes with no class below them, and those wired to an output without another class between.
 *   Each object once.
 * - A plain edge A → B asks for the B that lie below an A, at any depth, that passes A's filters
 *   (and lies below the classes above A). A class with several classes above it takes the objects
 *   below any of them.
 * - A filter belongs to the nearest class above it; several filters of a class must all hold.
 * - Scope, order, limit and supplemental data count on answer classes. With scope `children` or
 *   `subtree` the rows are the children of, or everything from, the objects that pass.
 * - A join (docs/adr/0032-joined-rows.md) makes the classes that it reads the answer classes of one
 *   stage.
 * - A pipeline edge keeps the objects of its target class whose property is one of the values
 *   (`filter_values`), that are at or below one of the DNs (`dn_scope`), or asks for each value by
 *   itself (`iterate`: order and limit hold per value). Several input edges must all hold.
 */
import type { ClassNode, Flow, PostProcessor } from "@weft/contracts";
import type { Graph } from "../../../queries/flow/index.ts";
import { type ClassModel, findBuiltInFacts, withBuiltIns } from "./class-table.ts";
import { getLayout } from "./dn-layout.ts";
import { buildFilter, type FilterExpr, splitConjuncts } from "./filter-expression.ts";
import type { Branch, ChainNode, Plan, PlanWarning, StageOutline } from "./plan.ts";
import { buildOutline, findClassNode } from "./stages.ts";
import { collectWarnings } from "./warnings.ts";

/**
 * The flow must have passed validation and had its variables filled in.
 * @param own facts of the loaded class model; the built-in table covers the classes that it lacks
 * @param postProcessors of the query, whose joins choose the classes that are read
 */
export function compileFlow(flow: Flow, own?: ClassModel, postProcessors: readonly PostProcessor[] = []): Plan {
	const model = own ? withBuiltIns(own) : findBuiltInFacts;
	const { graph, stages, resultStages } = buildOutline(flow, postProcessors);
	const filters = groupFiltersByClass(graph);
	const feeding = new Set<string | undefined>(
		stages.flatMap(({ inputs, innerInputs }) => [
			...inputs.map(({ sourceNode }) => sourceNode),
			...innerInputs.flatMap(({ sourceNodes }) => sourceNodes),
		]),
	);
	return {
		resultStages,
		warnings: [
			...stages.flatMap(({ classes, answers }) => {
				const nodes = classes.flatMap(({ nodeId }) => findClassNode(graph, nodeId) ?? []);
				return collectWarnings(nodes, new Set(answers), filters);
			}),
			...collectLostRows(graph, stages, resultStages),
		],
		stages: stages.map((stage) => ({
			...stage,
			branches: stage.classes
				.filter(({ nodeId }) => stage.answers.includes(nodeId) || feeding.has(nodeId))
				.flatMap(({ nodeId }) => listBranchesTo(nodeId, stage, graph, filters, model)),
			processors: getProcessors(graph, stage.nodeIds),
		})),
	};
}

/**
 * Warns of classes whose rows are lost: their stage has no output and feeds no other stage, and
 * another stage has the output.
 */
function collectLostRows(
	graph: Graph,
	stages: readonly StageOutline[],
	resultStages: readonly number[],
): PlanWarning[] {
	const hasOutput = ({ nodeIds }: StageOutline) => nodeIds.some((id) => graph.node(id)?.type === "outputNode");
	if (!stages.some((stage) => hasOutput(stage) && resultStages.includes(stage.index))) return [];
	const fed = new Set(stages.flatMap(({ inputs }) => inputs.map(({ sourceStage }) => sourceStage)));
	const lost = stages.filter(
		(stage) => !hasOutput(stage) && !fed.has(stage.index) && !resultStages.includes(stage.index),
	);
	return lost.flatMap(({ classes, answers }) =>
		classes
			.filter(({ nodeId }) => answers.includes(nodeId))
			.map(({ nodeId, className }) => ({
				nodeId,
				message: `The rows of ${className} are not in the result, because no wire leads from it to the output.`,
			})),
	);
}

/** One branch for each path down the plain edges to this class; validation bounds their number. */
function listBranchesTo(
	nodeId: string,
	{ answers, joins }: StageOutline,
	graph: Graph,
	filters: ReadonlyMap<string, FilterExpr[]>,
	model: ClassModel,
): Branch[] {
	const data = findClassNode(graph, nodeId)?.data;
	if (data === undefined) return [];
	const options = joins.length > 0 ? withoutCount(data) : data;
	const facts = model(options.className);
	return listPathsTo(graph, nodeId).map((path): Branch => {
		const chain = path.map((id): ChainNode => {
			const { className = "", allowEmpty } = findClassNode(graph, id)?.data ?? {};
			return { nodeId: id, className, filters: filters.get(id) ?? [], mayBeEmpty: allowEmpty === true };
		});
		const layout = getLayout(
			chain.map(({ className }) => className),
			model,
		);
		return {
			nodeId,
			answer: answers.includes(nodeId),
			chain,
			layout,
			concrete: (facts?.rnFormat ?? "") !== "" && facts?.hasSubclasses !== true,
			onSwitch: facts?.onSwitch === true,
			options,
		};
	});
}

/** A join needs the objects, not their number. */
const withoutCount = (data: ClassNode["data"]): ClassNode["data"] => ({
	...data,
	supplementalData: { ...data.supplementalData, countOnly: false },
});

function groupFiltersByClass(graph: Graph): Map<string, FilterExpr[]> {
	const filters = new Map<string, FilterExpr[]>();
	for (const id of graph.order) {
		const node = graph.node(id);
		const expr = node?.type === "filterNode" ? buildFilter(node.data) : undefined;
		if (expr === undefined) continue;
		for (const owner of graph.classesAbove(id)) {
			filters.set(owner, [...(filters.get(owner) ?? []), ...splitConjuncts(expr)]);
		}
	}
	return filters;
}

function listPathsTo(graph: Graph, id: string): string[][] {
	const parents = graph.classesAbove(id);
	if (parents.length === 0) return [[id]];
	return parents.flatMap((parent) => listPathsTo(graph, parent).map((path) => [...path, id]));
}

function getProcessors(graph: Graph, nodeIds: readonly string[]): PostProcessor[] {
	const own = new Set(nodeIds);
	return graph.order.flatMap((id) => {
		if (!own.has(id)) return [];
		const node = graph.node(id);
		if (node?.type !== "postProcessorNode" || node.data.isPaused === true) return [];
		return [{ type: node.data.processorType, config: node.data.config } as PostProcessor];
	});
}
