/**
 * The flow as a graph: its stages, the classes above and below a node, and an order of the nodes.
 */
import type { FlowEdge, FlowNode } from "@weft/contracts";

/** What the graph reads of a node. */
interface GraphNode {
	readonly id: string;
	readonly type: string;
}
interface Arrow {
	readonly source: string;
	readonly target: string;
}

export interface Graph<N extends GraphNode = FlowNode> {
	node: (id: string) => N | undefined;
	/** Node ids of each stage that has a class; a stage comes after those that feed it. */
	stages: string[][];
	/** Names the stage of a node, whether it has a class or not. */
	getStage: (id: string) => string;
	/** Node ids; every plain edge leads forward. Nodes on or behind a cycle are left out. */
	order: string[];
	plain: FlowEdge[];
	pipelines: FlowEdge[];
	/**
	 * Ids of the nearest class nodes up (or down) the plain edges, through nodes of other kinds;
	 * sorted.
	 */
	classesAbove: (id: string) => string[];
	classesBelow: (id: string) => string[];
	/** Ids of all nodes from which plain edges lead to one of these, through any nodes. */
	ancestors: (ids: readonly string[]) => Set<string>;
	/**
	 * Whether the plain edges lead from the node to a node of this type without passing another
	 * class.
	 */
	leadsTo: (id: string, type: FlowNode["type"]) => boolean;
}

export const isPipeline = (edge: FlowEdge): boolean => edge.data.edgeType === "pipeline";

/** Both ends of every edge must be among the nodes. */
export function buildGraph<N extends GraphNode>(flow: {
	readonly nodes: readonly N[];
	readonly edges: readonly FlowEdge[];
}): Graph<N> {
	const nodes = new Map(flow.nodes.map((node) => [node.id, node]));
	const ids = [...nodes.keys()];
	const plain = flow.edges.filter((edge) => !isPipeline(edge));
	const pipelines = flow.edges.filter(isPipeline);
	const incoming = groupBy(plain, ({ target }) => target);
	const outgoing = groupBy(plain, ({ source }) => source);
	const isClass = (id: string) => nodes.get(id)?.type === "classNode";

	/** The nodes that edges lead to; paths end at nodes of which `isEnd` is true. */
	function findReachableNodes(
		from: readonly string[],
		edges: ReadonlyMap<string, FlowEdge[]>,
		end: keyof Arrow,
		isEnd: (id: string) => boolean = isClass,
	): Set<string> {
		const found = new Set<string>();
		const stack = [...from];
		for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
			for (const { [end]: next } of edges.get(id) ?? []) {
				if (found.has(next)) continue;
				found.add(next);
				if (!isEnd(next)) stack.push(next);
			}
		}
		return found;
	}

	const component = labelComponents(ids, plain);
	const getStage = (id: string) => component.get(id) ?? id;
	const members = groupBy(ids, getStage);
	const between = pipelines.map(({ source, target }) => ({ source: getStage(source), target: getStage(target) }));
	return {
		node: (id) => nodes.get(id),
		stages: sortTopologically([...members.keys()], between)
			.map((stage) => members.get(stage) ?? [])
			.filter((stage) => stage.some(isClass)),
		getStage,
		order: sortTopologically(ids, plain),
		plain,
		pipelines,
		classesAbove: (id) => [...findReachableNodes([id], incoming, "source")].filter(isClass).sort(),
		classesBelow: (id) => [...findReachableNodes([id], outgoing, "target")].filter(isClass).sort(),
		ancestors: (ids) => findReachableNodes(ids, incoming, "source", () => false),
		leadsTo: (id, type) =>
			[...findReachableNodes([id], outgoing, "target")].some((other) => nodes.get(other)?.type === type),
	};
}

/** The items by key, in order. */
export function groupBy<T, K>(items: readonly T[], key: (item: T) => K): Map<K, T[]> {
	const groups = new Map<K, T[]>();
	for (const item of items) {
		const group = groups.get(key(item));
		if (group) group.push(item);
		else groups.set(key(item), [item]);
	}
	return groups;
}

/**
 * Ids with every edge leading forward, equal ones in the order given; those on or behind a cycle
 * are left out.
 */
export function sortTopologically(ids: readonly string[], edges: readonly Arrow[]): string[] {
	const waiting = new Map(ids.map((id) => [id, 0]));
	for (const { target } of edges) waiting.set(target, (waiting.get(target) ?? 0) + 1);
	const outgoing = groupBy(edges, ({ source }) => source);
	const order = [...waiting].filter(([, count]) => count === 0).map(([id]) => id);
	for (let i = 0; i < order.length; i += 1) {
		for (const { target } of outgoing.get(order[i] ?? "") ?? []) {
			const left = (waiting.get(target) ?? 0) - 1;
			waiting.set(target, left);
			if (left === 0) order.push(target);
		}
	}
	return order;
}

/** Node id → a name of its connected component. */
function labelComponents(ids: readonly string[], edges: readonly Arrow[]): Map<string, string> {
	const parent = new Map(ids.map((id) => [id, id]));
	const getRoot = (id: string): string => {
		let root = id;
		for (let up = parent.get(root); up !== undefined && up !== root; up = parent.get(root)) root = up;
		parent.set(id, root);
		return root;
	};
	for (const { source, target } of edges) parent.set(getRoot(source), getRoot(target));
	return new Map(ids.map((id) => [id, getRoot(id)]));
}
