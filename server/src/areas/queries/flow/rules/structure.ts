/**
 * Checks what only the whole canvas can show: edges without ends, cycles, filters and stages
 * without a class.
 */
import type { FlowEdge, FlowNode } from "@weft/contracts";
import { addError, type FieldErrors } from "./checked.ts";
import { buildGraph, type Graph, isPipeline, sortTopologically } from "./graph.ts";

/** Paths of plain edges from the topmost classes to one class. */
const MAX_PATHS = 200;
/** Classes on one path. */
const MAX_DEPTH = 64;
/** Classes of all paths to all classes; the time to compile a canvas grows with them. */
const MAX_CLASSES = 20_000;

/** A node, which may have failed its own checks. */
interface OutlineNode {
	/** Its place in the list that was sent. */
	readonly index: number;
	readonly id: string;
	readonly type: string;
	/** Undefined for a node that failed its own checks. */
	readonly node: FlowNode | undefined;
}
export interface Outline {
	readonly nodes: readonly OutlineNode[];
	readonly edges: readonly { readonly index: number; readonly edge: FlowEdge }[];
}
type OutlineGraph = Graph<OutlineNode>;

export function checkStructure(outline: Outline, errors: FieldErrors): void {
	const sound = checkIdsAndEnds(outline, errors);
	const edges = sound.map(({ edge }) => edge);
	const ids = outline.nodes.map(({ id }) => id);
	const closing = sound[findClosingEdge(ids, edges)];
	if (closing) {
		addError(errors, `flow_data.edges.${closing.index}`, "This edge closes a cycle.");
		return;
	}
	const graph = buildGraph({ nodes: outline.nodes, edges });
	checkStages(outline, graph, sound, errors);
	checkFilters(outline, graph, errors);
	checkPaths(graph, errors);
	checkSwitches(outline, graph, errors);
}

/** A query of one switch has its own path, which knows no other classes and no wider scope. */
function checkSwitches(outline: Outline, graph: OutlineGraph, errors: FieldErrors): void {
	for (const { index, id, node } of outline.nodes) {
		if (node?.type !== "classNode" || node.data.node === undefined) continue;
		const at = `flow_data.nodes.${index}.data.node`;
		if (graph.classesAbove(id).length + graph.classesBelow(id).length > 0) {
			addError(errors, at, "A class that one switch is asked for has no class above or below it.");
		}
		if ((node.data.scope ?? "self") !== "self") {
			addError(errors, at, "A switch is asked for the objects themselves: the scope must be self.");
		}
	}
}

/** Returns the edges that join two nodes. */
function checkIdsAndEnds(outline: Outline, errors: FieldErrors): Outline["edges"] {
	const known = new Set<string>();
	for (const { index, id } of outline.nodes) {
		if (known.has(id)) addError(errors, `flow_data.nodes.${index}.id`, `Another node has the id ${quoteId(id)}.`);
		known.add(id);
	}
	const edgeIds = new Set<string>();
	return outline.edges.filter(({ index, edge }) => {
		const at = `flow_data.edges.${index}`;
		if (edgeIds.has(edge.id)) addError(errors, `${at}.id`, `Another edge has the id ${quoteId(edge.id)}.`);
		edgeIds.add(edge.id);
		for (const end of ["source", "target"] as const) {
			if (!known.has(edge[end])) addError(errors, `${at}.${end}`, `There is no node ${quoteId(edge[end])}.`);
		}
		if (edge.source === edge.target) addError(errors, `${at}.target`, "An edge cannot join a node to itself.");
		return known.has(edge.source) && known.has(edge.target) && edge.source !== edge.target;
	});
}

/**
 * Pipeline edges must join two stages with a class, and must not make stages wait for each other.
 */
function checkStages({ nodes }: Outline, graph: OutlineGraph, edges: Outline["edges"], errors: FieldErrors): void {
	const withClass = new Set(nodes.filter(({ type }) => type === "classNode").map(({ id }) => graph.getStage(id)));
	const between: { at: string; source: string; target: string }[] = [];
	for (const { index, edge } of edges) {
		if (!isPipeline(edge)) continue;
		const at = `flow_data.edges.${index}`;
		const [source, target] = [graph.getStage(edge.source), graph.getStage(edge.target)];
		if (source === target) addError(errors, at, "A pipeline edge must lead to another stage.");
		else between.push({ at, source, target });
		if (!withClass.has(source))
			addError(errors, `${at}.source`, "A pipeline edge must come from a stage with a class.");
		if (!withClass.has(target)) addError(errors, `${at}.target`, "A pipeline edge must lead to a stage with a class.");
	}
	const closing =
		between[
			findClosingEdge(
				nodes.map(({ id }) => graph.getStage(id)),
				between,
			)
		];
	if (closing) addError(errors, closing.at, "This edge makes two stages wait for each other.");
}

function checkFilters({ nodes }: Outline, graph: OutlineGraph, errors: FieldErrors): void {
	const classNames = new Map<string, string>();
	for (const { id, node } of nodes) if (node?.type === "classNode") classNames.set(id, node.data.className);
	for (const { index, id, node, type } of nodes) {
		if (type !== "filterNode") continue;
		const classes = graph.classesAbove(id);
		if (classes.length === 0) {
			addError(errors, `flow_data.nodes.${index}`, "A filter needs a class upstream of it.");
		}
		if (node?.type !== "filterNode") continue;
		for (const { path, property } of getProperties(node)) {
			const [qualifier, rest] = property.split(".");
			const wrong = rest === undefined ? undefined : classes.find((c) => classNames.get(c) !== qualifier);
			if (wrong === undefined) continue;
			const message = `The property is of ${qualifier}, but the filter belongs to ${classNames.get(wrong) ?? "another class"}.`;
			addError(errors, `flow_data.nodes.${index}.data.${path}`, message);
		}
	}
}

function getProperties(node: Extract<FlowNode, { type: "filterNode" }>): { path: string; property: string }[] {
	if (node.data.filterType === "property") return [{ path: "property", property: node.data.property }];
	return node.data.patternGroups.flatMap((group, g) =>
		group.patterns.map(({ property }, p) => ({ path: `patternGroups.${g}.patterns.${p}.property`, property })),
	);
}

/**
 * Each path from a topmost class down to a class is queried by itself, so their number and length
 * are bounded.
 */
function checkPaths(graph: OutlineGraph, errors: FieldErrors): void {
	const found = new Map<string, { paths: number; depth: number }>();
	let classes = 0;
	for (const id of graph.order) {
		const node = graph.node(id);
		if (node?.type !== "classNode") continue;
		const parents = graph.classesAbove(id).flatMap((parent) => found.get(parent) ?? []);
		const paths = parents.reduce((sum, parent) => sum + parent.paths, 0) || 1;
		const depth = 1 + Math.max(0, ...parents.map((parent) => parent.depth));
		classes += paths * depth;
		const problem = findPathProblem(paths, depth, classes);
		if (problem !== undefined) {
			addError(errors, `flow_data.nodes.${node.index}`, problem);
			return;
		}
		found.set(id, { paths, depth });
	}
}

function findPathProblem(paths: number, depth: number, classes: number): string | undefined {
	if (paths > MAX_PATHS) return `This class is reached in more than ${MAX_PATHS} different ways.`;
	if (depth > MAX_DEPTH) return `A chain may have at most ${MAX_DEPTH} classes; this one is further down.`;
	if (classes <= MAX_CLASSES) return undefined;
	return `The chains of this canvas have more than ${MAX_CLASSES.toLocaleString("en")} classes together, counted up to here.`;
}

const quoteId = (id: string) => JSON.stringify(id.length > 60 ? `${id.slice(0, 60)}…` : id);

/** Index of the first edge that completes a cycle with those before it; -1 without a cycle. */
function findClosingEdge(ids: readonly string[], edges: readonly { source: string; target: string }[]): number {
	const size = new Set(ids).size;
	const isAcyclic = (count: number) => sortTopologically(ids, edges.slice(0, count)).length === size;
	if (isAcyclic(edges.length)) return -1;
	let good = 0;
	let bad = edges.length;
	while (bad - good > 1) {
		const middle = (good + bad) >> 1;
		if (isAcyclic(middle)) good = middle;
		else bad = middle;
	}
	return bad - 1;
}
