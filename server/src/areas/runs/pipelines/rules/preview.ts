/** The part of a flow that decides the rows of one node, as a flow whose result these rows are. */
import type { Flow, FlowEdge, FlowNode } from "@weft/contracts";
import { buildGraph, findJoins, mergeJoinedStages } from "../../../queries/flow/index.ts";

/** `nodeId`: a node of the stage that has the rows. */
export type PreviewFlow =
	| { readonly ok: true; readonly flow: Flow; readonly nodeId: string }
	| { readonly ok: false; readonly message: string };

/**
 * Returns the part of the flow that a node's rows depend on. A class or filter has the class's
 * objects that pass all of its filters, a post-processor the stage's rows after it, an output the
 * stage's rows. The part keeps upstream stages whole and omits everything downstream of the node.
 * @param flow has passed validation
 */
export function previewFlow(flow: Flow, nodeId: string): PreviewFlow {
	const graph = buildGraph(flow);
	const node = graph.node(nodeId);
	if (node === undefined) return { ok: false, message: "The canvas has no such node." };
	if (node.type === "startNode") return { ok: false, message: "A start has no rows. Choose a node after it." };
	const joined = mergeJoinedStages(graph, findJoins(flow, [])).map((parts) =>
		parts.flatMap((part) => graph.stages[part] ?? []),
	);
	const whole = joined.find((ids) => ids.includes(nodeId));
	if (whole === undefined) return { ok: false, message: "This node is connected to no class." };
	const isClass = node.type === "classNode" || node.type === "filterNode";
	const stages = isClass ? graph.stages : joined;
	const stage = stages.find((ids) => ids.includes(nodeId)) ?? whole;

	const { plain } = graph;
	const own = new Map<string, FlowNode>();
	const wires: FlowEdge[] = [];
	if (isClass) {
		const wanted = node.type === "classNode" ? [nodeId] : graph.classesAbove(nodeId);
		for (const id of [...wanted, ...graph.ancestors(wanted)]) keepNode(own, graph.node(id), () => true);
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
		for (const id of stage) keepNode(own, graph.node(id), () => graph.order.indexOf(id) > last);
		wires.push(...plain.filter(({ source }) => own.has(source)));
	}

	const stageByNode = new Map(stages.flatMap((ids) => ids.map((id) => [id, ids] as const)));
	const nodes = new Map(own);
	const pending = [...own.keys()];
	for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
		for (const edge of graph.pipelines) {
			if (edge.target !== id) continue;
			wires.push(edge);
			if (nodes.has(edge.source)) continue;
			const ids = stageByNode.get(edge.source) ?? [];
			// A join of these stages reads the class, too: its rows are not those of the class.
			for (const other of ids) keepNode(nodes, graph.node(other), () => isClass && whole.includes(other));
			wires.push(...plain.filter(({ source }) => ids.includes(source)));
			pending.push(...ids);
		}
	}
	// In the order of the canvas, which decides between nodes that are equal otherwise.
	const kept = flow.nodes.flatMap(({ id }) => nodes.get(id) ?? []);
	return { ok: true, flow: { ...flow, nodes: kept, edges: wires }, nodeId: [...own.keys()][0] ?? nodeId };
}

function keepNode(into: Map<string, FlowNode>, node: FlowNode | undefined, paused: () => boolean): void {
	if (node === undefined) return;
	const skips = node.type === "postProcessorNode" && paused();
	into.set(node.id, skips ? { ...node, data: { ...node.data, isPaused: true } } : node);
}
