/** The canvas as a graph: stages, what is above what, and the order of things. Takes canvases that passed validation. */
import type { Flow, FlowEdge, FlowNode } from "@weft/contracts";

export interface Graph {
	node: (id: string) => FlowNode | undefined;
	/** Node ids of each stage that has a class, stages before those that they feed. */
	stages: string[][];
	/** Ids, every plain edge leading forward. */
	order: string[];
	pipelines: FlowEdge[];
	/** The nearest class nodes up (or down) the plain edges, through nodes of other kinds. */
	classesAbove: (id: string) => string[];
	classesBelow: (id: string) => string[];
	/** Whether a node of this type is reached from the node before another class is. */
	leadsTo: (id: string, type: FlowNode["type"]) => boolean;
}

export function graphOf(flow: Flow): Graph {
	const nodes = new Map(flow.nodes.map((node) => [node.id, node]));
	const plain = flow.edges.filter((edge) => edge.data.edgeType !== "pipeline");
	const pipelines = flow.edges.filter((edge) => edge.data.edgeType === "pipeline");
	const up = neighbours(plain, "target", "source");
	const down = neighbours(plain, "source", "target");
	const isClass = (id: string) => nodes.get(id)?.type === "classNode";

	const walk = (from: string, next: Map<string, string[]>, visit: (id: string) => boolean) => {
		const seen = new Set([from]);
		const stack = [from];
		for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
			for (const other of next.get(id) ?? []) {
				if (seen.has(other)) continue;
				seen.add(other);
				if (visit(other)) stack.push(other);
			}
		}
	};
	const nearest = (next: Map<string, string[]>) => (from: string) => {
		const found: string[] = [];
		walk(from, next, (id) => {
			if (isClass(id)) found.push(id);
			return !isClass(id);
		});
		return found.sort(byCodeUnits);
	};
	const ids = flow.nodes.map(({ id }) => id);
	return {
		node: (id) => nodes.get(id),
		stages: stagesOf(ids, plain, pipelines, isClass),
		order: topological(ids, plain),
		pipelines,
		classesAbove: nearest(up),
		classesBelow: nearest(down),
		leadsTo: (from, type) => {
			let found = false;
			walk(from, down, (id) => {
				found ||= nodes.get(id)?.type === type;
				return !isClass(id);
			});
			return found;
		},
	};
}

const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function stagesOf(
	ids: readonly string[],
	plain: readonly FlowEdge[],
	pipelines: readonly FlowEdge[],
	isClass: (id: string) => boolean,
): string[][] {
	const next = new Map<string, string[]>();
	for (const { source, target } of plain) {
		next.set(source, [...(next.get(source) ?? []), target]);
		next.set(target, [...(next.get(target) ?? []), source]);
	}
	const stageOf = new Map<string, string>();
	for (const start of ids) {
		if (stageOf.has(start)) continue;
		const stack = [start];
		stageOf.set(start, start);
		for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
			for (const other of next.get(id) ?? []) {
				if (stageOf.has(other)) continue;
				stageOf.set(other, start);
				stack.push(other);
			}
		}
	}
	const members = new Map<string, string[]>();
	for (const id of ids) {
		const stage = stageOf.get(id) ?? id;
		members.set(stage, [...(members.get(stage) ?? []), id]);
	}
	const between = pipelines.map(({ source, target }) => ({
		source: stageOf.get(source) ?? source,
		target: stageOf.get(target) ?? target,
	}));
	return topological([...members.keys()], between)
		.map((stage) => members.get(stage) ?? [])
		.filter((stage) => stage.some(isClass));
}

function neighbours(edges: readonly FlowEdge[], from: "source" | "target", to: "source" | "target") {
	const next = new Map<string, string[]>();
	for (const edge of edges) next.set(edge[from], [...(next.get(edge[from]) ?? []), edge[to]]);
	return next;
}

/** Among nodes that are free to go, the one that comes first on the canvas goes first. */
function topological(ids: readonly string[], edges: readonly { source: string; target: string }[]): string[] {
	const waiting = new Map(ids.map((id) => [id, 0]));
	const next = new Map<string, string[]>();
	for (const { source, target } of edges) {
		waiting.set(target, (waiting.get(target) ?? 0) + 1);
		const targets = next.get(source);
		if (targets) targets.push(target);
		else next.set(source, [target]);
	}
	const order = ids.filter((id) => waiting.get(id) === 0);
	for (let i = 0; i < order.length; i += 1) {
		for (const target of next.get(order[i] ?? "") ?? []) {
			const left = (waiting.get(target) ?? 0) - 1;
			waiting.set(target, left);
			if (left === 0) order.push(target);
		}
	}
	return order;
}
