/** Arranges a canvas from left to right along its edges, without overlaps. */
import { Graph, layout } from "@dagrejs/dagre";
import type { Doc } from "./canvas.ts";

const GAP = { nodesep: 28, ranksep: 52 };

/** @param getSize a node as it is drawn, in pixels */
export function computeLayout(
	doc: Doc,
	getSize: (id: string) => { width: number; height: number },
): Map<string, { x: number; y: number }> {
	const graph = new Graph();
	graph.setGraph({ rankdir: "LR", ...GAP });
	graph.setDefaultEdgeLabel(() => ({}));
	for (const { id } of doc.nodes) graph.setNode(id, getSize(id));
	for (const { source, target } of doc.edges) graph.setEdge(source, target);
	layout(graph);
	return new Map(
		doc.nodes.map(({ id }) => {
			const { x = 0, y = 0 } = graph.node(id);
			const { width, height } = getSize(id);
			return [id, { x: Math.round(x - width / 2), y: Math.round(y - height / 2) }];
		}),
	);
}
