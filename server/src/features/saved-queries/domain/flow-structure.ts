/** What only the whole canvas can tell: edges that lead nowhere, cycles, filters and stages without a class. */
import type { Flow, FlowEdge, FlowNode } from "@weft/contracts";
import { addError, type FieldErrors } from "./field-errors.ts";

const MAX_WAYS = 200;
/** Classes from the top of a chain to its end. */
const MAX_CHAIN = 64;
/** Classes of all ways to all classes: what compiling a canvas takes grows with them. */
const MAX_CHAINED = 20_000;

/** A node or edge that may have failed its own checks: only what the structure needs. */
export interface Outline {
	nodes: readonly { index: number; id: string; node: FlowNode | undefined; type: string }[];
	edges: readonly { index: number; edge: FlowEdge }[];
}

export const isPipeline = (edge: FlowEdge): boolean => edge.data.edgeType === "pipeline";

/** Class nodes that a node belongs to, walking up plain edges through filters, starts and post-processors. */
export function upstreamClasses(flow: Pick<Flow, "nodes" | "edges">): (nodeId: string) => string[] {
	const types = new Map(flow.nodes.map((node) => [node.id, node.type as string]));
	const parents = groupBy(
		flow.edges.filter((edge) => !isPipeline(edge)),
		(edge) => edge.target,
	);
	return (nodeId) => {
		const found = new Set<string>();
		const seen = new Set<string>();
		const stack = [nodeId];
		for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
			for (const { source } of parents.get(id) ?? []) {
				if (seen.has(source)) continue;
				seen.add(source);
				if (types.get(source) === "classNode") found.add(source);
				else stack.push(source);
			}
		}
		return [...found].sort();
	};
}

export function checkStructure(outline: Outline, prefix: string, errors: FieldErrors): void {
	const sound = checkIdsAndEnds(outline, prefix, errors);
	const sources = sound.map(({ edge }) => edge.source);
	const targets = sound.map(({ edge }) => edge.target);
	const closing = closingEdge(
		outline.nodes.map(({ id }) => id),
		sources,
		targets,
	);
	if (closing !== undefined) {
		const edge = sound[closing];
		if (edge) addError(errors, `${prefix}.edges.${edge.index}`, "This edge closes a cycle.");
		return;
	}
	checkStages(outline, sound, prefix, errors);
	checkFilters(outline, sound, prefix, errors);
	checkWays(outline, sound, prefix, errors);
}

function checkIdsAndEnds(outline: Outline, prefix: string, errors: FieldErrors): Outline["edges"] {
	const known = new Set<string>();
	for (const { index, id } of outline.nodes) {
		if (known.has(id)) addError(errors, `${prefix}.nodes.${index}.id`, `Another node has the id ${show(id)}.`);
		known.add(id);
	}
	const edgeIds = new Set<string>();
	return outline.edges.filter(({ index, edge }) => {
		const at = `${prefix}.edges.${index}`;
		if (edgeIds.has(edge.id)) addError(errors, `${at}.id`, `Another edge has the id ${show(edge.id)}.`);
		edgeIds.add(edge.id);
		for (const end of ["source", "target"] as const) {
			if (!known.has(edge[end])) addError(errors, `${at}.${end}`, `There is no node ${show(edge[end])}.`);
		}
		if (edge.source === edge.target) addError(errors, `${at}.target`, "An edge cannot join a node to itself.");
		return known.has(edge.source) && known.has(edge.target) && edge.source !== edge.target;
	});
}

/** Stages are the components over plain edges; pipeline edges must not make them wait for each other. */
function checkStages(outline: Outline, edges: Outline["edges"], prefix: string, errors: FieldErrors): void {
	const stageOf = components(
		outline.nodes.map(({ id }) => id),
		edges.filter(({ edge }) => !isPipeline(edge)).map(({ edge }) => edge),
	);
	const withClass = new Set(outline.nodes.filter(({ type }) => type === "classNode").map(({ id }) => stageOf.get(id)));
	const between: Outline["edges"][number][] = [];
	for (const entry of edges) {
		if (!isPipeline(entry.edge)) continue;
		const from = stageOf.get(entry.edge.source);
		const to = stageOf.get(entry.edge.target);
		const at = `${prefix}.edges.${entry.index}`;
		if (from === to) addError(errors, at, "A pipeline edge must lead to another stage.");
		else between.push(entry);
		if (!withClass.has(from)) addError(errors, `${at}.source`, "A pipeline edge must come from a stage with a class.");
		if (!withClass.has(to)) addError(errors, `${at}.target`, "A pipeline edge must lead to a stage with a class.");
	}
	const closing = closingEdge(
		[...new Set(stageOf.values())],
		between.map(({ edge }) => stageOf.get(edge.source) ?? ""),
		between.map(({ edge }) => stageOf.get(edge.target) ?? ""),
	);
	const entry = closing === undefined ? undefined : between[closing];
	if (entry) addError(errors, `${prefix}.edges.${entry.index}`, "This edge makes two stages wait for each other.");
}

function checkFilters(outline: Outline, edges: Outline["edges"], prefix: string, errors: FieldErrors): void {
	const asNodes = outline.nodes.map(({ id, type }) => ({ id, type }) as FlowNode);
	const above = upstreamClasses({ nodes: asNodes, edges: edges.map(({ edge }) => edge) });
	const classNames = new Map<string, string>();
	for (const { id, node } of outline.nodes) if (node?.type === "classNode") classNames.set(id, node.data.className);
	for (const { index, id, node, type } of outline.nodes) {
		if (type !== "filterNode") continue;
		const classes = above(id);
		if (classes.length === 0) {
			addError(errors, `${prefix}.nodes.${index}`, "A filter needs a class upstream of it.");
		}
		if (node?.type !== "filterNode") continue;
		for (const { path, property } of propertiesOf(node)) {
			const [qualifier, rest] = property.split(".");
			const wrong = rest === undefined ? undefined : classes.find((c) => classNames.get(c) !== qualifier);
			if (wrong === undefined) continue;
			const message = `The property is of ${qualifier}, but the filter belongs to ${classNames.get(wrong) ?? "another class"}.`;
			addError(errors, `${prefix}.nodes.${index}.data.${path}`, message);
		}
	}
}

function propertiesOf(node: Extract<FlowNode, { type: "filterNode" }>): { path: string; property: string }[] {
	if (node.data.filterType === "property") return [{ path: "property", property: node.data.property }];
	return node.data.patternGroups.flatMap((group, g) =>
		group.patterns.map(({ property }, p) => ({ path: `patternGroups.${g}.patterns.${p}.property`, property })),
	);
}

/**
 * Each way from a top class down to a class is a query of its own, so ladders of diamonds must end somewhere; and a chain
 * that is deeper than any tree of objects asks for nothing.
 */
function checkWays(outline: Outline, edges: Outline["edges"], prefix: string, errors: FieldErrors): void {
	const asNodes = outline.nodes.map(({ id, type }) => ({ id, type }) as FlowNode);
	const above = upstreamClasses({ nodes: asNodes, edges: edges.map(({ edge }) => edge) });
	const found = new Map<string, { ways: number; depth: number }>();
	const order = topological(
		outline.nodes.map(({ id }) => id),
		edges.map(({ edge }) => edge),
	);
	const byId = new Map(outline.nodes.map((node) => [node.id, node]));
	let classes = 0;
	for (const id of order) {
		const node = byId.get(id);
		if (node?.type !== "classNode") continue;
		const parents = above(id).flatMap((parent) => found.get(parent) ?? []);
		const ways = parents.reduce((sum, parent) => sum + parent.ways, 0) || 1;
		const depth = 1 + parents.reduce((most, parent) => Math.max(most, parent.depth), 0);
		classes += ways * depth;
		const message =
			ways > MAX_WAYS
				? `This class is reached in more than ${MAX_WAYS} different ways.`
				: depth > MAX_CHAIN
					? `A chain may have at most ${MAX_CHAIN} classes; this one is further down.`
					: classes > MAX_CHAINED
						? `The chains of this canvas have more than ${MAX_CHAINED.toLocaleString("en")} classes together, counted up to here.`
						: undefined;
		if (message !== undefined) {
			addError(errors, `${prefix}.nodes.${node.index}`, message);
			return;
		}
		found.set(id, { ways, depth });
	}
}

// --- graph arithmetic ------------------------------------------------------------------------------------------------

const show = (id: string) => JSON.stringify(id.length > 60 ? `${id.slice(0, 60)}…` : id);

function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
	const groups = new Map<string, T[]>();
	for (const item of items) {
		const group = groups.get(key(item));
		if (group) group.push(item);
		else groups.set(key(item), [item]);
	}
	return groups;
}

/** Nodes with every edge leading forward; nodes on or behind a cycle are left out. */
function topological(ids: readonly string[], edges: readonly { source: string; target: string }[]): string[] {
	const waiting = new Map(ids.map((id) => [id, 0]));
	for (const { target } of edges) waiting.set(target, (waiting.get(target) ?? 0) + 1);
	const next = groupBy(edges, (edge) => edge.source);
	const order = [...waiting].filter(([, count]) => count === 0).map(([id]) => id);
	for (let i = 0; i < order.length; i += 1) {
		for (const { target } of next.get(order[i] ?? "") ?? []) {
			const left = (waiting.get(target) ?? 0) - 1;
			waiting.set(target, left);
			if (left === 0) order.push(target);
		}
	}
	return order;
}

/** Index of the first edge, in the order given, that completes a cycle among those before it; undefined without one. */
function closingEdge(
	ids: readonly string[],
	sources: readonly string[],
	targets: readonly string[],
): number | undefined {
	const edges = sources.map((source, i) => ({ source, target: targets[i] ?? "" }));
	const acyclic = (count: number) => topological(ids, edges.slice(0, count)).length === new Set(ids).size;
	if (acyclic(edges.length)) return undefined;
	let good = 0;
	let bad = edges.length;
	while (bad - good > 1) {
		const middle = (good + bad) >> 1;
		if (acyclic(middle)) good = middle;
		else bad = middle;
	}
	return bad - 1;
}

/** Node id → a name of its component over the edges given. */
function components(ids: readonly string[], edges: readonly FlowEdge[]): Map<string, string> {
	const parent = new Map(ids.map((id) => [id, id]));
	const find = (id: string): string => {
		let root = id;
		for (let up = parent.get(root); up !== undefined && up !== root; up = parent.get(root)) root = up;
		parent.set(id, root);
		return root;
	};
	for (const { source, target } of edges) parent.set(find(source), find(target));
	return new Map(ids.map((id) => [id, find(id)]));
}
