/** Tidies a canvas up: left to right, in the order of the edges, nothing on top of anything else. */
import { Graph, layout } from "@dagrejs/dagre";
import { type Doc, NODE_WIDTH } from "./canvas.ts";

const GAP = { nodesep: 28, ranksep: 52 };

/** @param heightOf of a node as it is drawn, in pixels */
export function tidy(doc: Doc, heightOf: (id: string) => number): Map<string, { x: number; y: number }> {
	const graph = new Graph();
	graph.setGraph({ rankdir: "LR", ...GAP });
	graph.setDefaultEdgeLabel(() => ({}));
	for (const { id } of doc.nodes) graph.setNode(id, { width: NODE_WIDTH, height: heightOf(id) });
	for (const { source, target } of doc.edges) graph.setEdge(source, target);
	layout(graph);
	return new Map(
		doc.nodes.map(({ id }) => {
			const { x = 0, y = 0 } = graph.node(id);
			return [id, { x: Math.round(x - NODE_WIDTH / 2), y: Math.round(y - heightOf(id) / 2) }];
		}),
	);
}
