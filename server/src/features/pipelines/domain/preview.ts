/** The part of a canvas that decides the rows of one node, as a canvas whose answer they are. */
import type { Flow, FlowEdge, FlowNode } from "@weft/contracts";
import { graphOf } from "./graph.ts";

export type PreviewFlow =
	| {
			readonly ok: true;
			readonly flow: Flow /** A node of the stage whose rows are wanted. */;
			readonly nodeId: string;
	  }
	| { readonly ok: false; readonly message: string };

/**
 * Rows of a class or a filter: the class's objects that pass all of its filters. Of a post-processor: the stage's rows
 * after it. Of an output: the stage's rows. Stages that feed it stay whole; what comes after it is left out.
 * @param flow has passed validation
 */
export function previewFlow(flow: Flow, nodeId: string): PreviewFlow {
	const graph = graphOf(flow);
	const node = graph.node(nodeId);
	if (node === undefined) return { ok: false, message: "The canvas has no such node." };
	if (node.type === "startNode") return { ok: false, message: "A start has no rows. Choose a node after it." };
	const stage = graph.stages.find((ids) => ids.includes(nodeId));
	if (stage === undefined) return { ok: false, message: "This node is connected to no class." };

	const plain = flow.edges.filter(({ data }) => data.edgeType !== "pipeline");
	const own = new Map<string, FlowNode>();
	const wires: FlowEdge[] = [];
	if (node.type === "classNode" || node.type === "filterNode") {
		const wanted = node.type === "classNode" ? [nodeId] : graph.classesAbove(nodeId);
		for (const id of withAncestors(wanted, plain)) keep(own, graph.node(id), () => true);
		wires.push(...plain.filter(({ source, target }) => own.has(source) && own.has(target)));
		const classes = new Set(own.keys());
		for (const id of stage) {
			const filter = graph.node(id);
			if (filter?.type !== "filterNode" || own.has(id)) continue;
			const owners = graph.classesAbove(id).filter((owner) => classes.has(owner));
			if (owners.length === 0) continue;
			own.set(id, filter);
			wires.push(...owners.map((source) => ({ id: `${source} ${id}`, source, target: id, data: {} }) as FlowEdge));
		}
	} else {
		const last = node.type === "outputNode" ? graph.order.length : graph.order.indexOf(nodeId);
		for (const id of stage) keep(own, graph.node(id), () => graph.order.indexOf(id) > last);
		wires.push(...plain.filter(({ source }) => own.has(source)));
	}

	const stageOf = new Map(graph.stages.flatMap((ids) => ids.map((id) => [id, ids] as const)));
	const nodes = new Map(own);
	const pending = [...own.keys()];
	for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
		for (const edge of graph.pipelines) {
			if (edge.target !== id) continue;
			wires.push(edge);
			if (nodes.has(edge.source)) continue;
			const ids = stageOf.get(edge.source) ?? [];
			for (const other of ids) keep(nodes, graph.node(other), () => false);
			wires.push(...plain.filter(({ source }) => ids.includes(source)));
			pending.push(...ids);
		}
	}
	// In the order of the canvas, which decides between nodes that are equal otherwise.
	const kept = flow.nodes.flatMap(({ id }) => nodes.get(id) ?? []);
	return { ok: true, flow: { ...flow, nodes: kept, edges: wires }, nodeId: [...own.keys()][0] ?? nodeId };
}

function keep(into: Map<string, FlowNode>, node: FlowNode | undefined, paused: () => boolean): void {
	if (node === undefined) return;
	const skips = node.type === "postProcessorNode" && paused();
	into.set(node.id, skips ? { ...node, data: { ...node.data, isPaused: true } } : node);
}

function withAncestors(ids: readonly string[], edges: readonly FlowEdge[]): Set<string> {
	const above = new Map<string, string[]>();
	for (const { source, target } of edges) above.set(target, [...(above.get(target) ?? []), source]);
	const found = new Set(ids);
	const stack = [...ids];
	for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
		for (const other of above.get(id) ?? []) {
			if (found.has(other)) continue;
			found.add(other);
			stack.push(other);
		}
	}
	return found;
}
