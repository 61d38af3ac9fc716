/** Arranges the nodes of a workflow from left to right along their dependencies. Pure. */
import { Graph, layout } from "@dagrejs/dagre";
import type { AutomationNode } from "@weft/contracts";

export const NODE_PX = { width: 190, height: 52 } as const;
const GAP = { nodesep: 20, ranksep: 48, marginx: 12, marginy: 12 };

interface WorkflowDrawing {
	readonly width: number;
	readonly height: number;
	/** Upper left corners, in pixels. */
	readonly nodes: readonly { readonly node: AutomationNode; readonly x: number; readonly y: number }[];
	/** Paths of SVG. */
	readonly edges: readonly { readonly key: string; readonly path: string }[];
}

/** Splits nodes into workflows: the execution's, then the nested ones with their parent nodes. */
export function splitWorkflows(nodes: readonly AutomationNode[]): {
	readonly parent: AutomationNode | null;
	readonly nodes: readonly AutomationNode[];
}[] {
	const parents = [...new Set(nodes.map(({ parent_id }) => parent_id))].sort((a, b) => (a ?? -1) - (b ?? -1));
	return parents.map((id) => ({
		parent: nodes.find((node) => node.id === id) ?? null,
		nodes: nodes.filter(({ parent_id }) => parent_id === id),
	}));
}

export function drawWorkflow(nodes: readonly AutomationNode[]): WorkflowDrawing {
	const graph = new Graph();
	graph.setGraph({ rankdir: "LR", ...GAP });
	graph.setDefaultEdgeLabel(() => ({}));
	const known = new Set(nodes.map(({ id }) => id));
	for (const { id } of nodes) graph.setNode(String(id), { ...NODE_PX });
	for (const { id, depends_on } of nodes)
		for (const from of depends_on) if (known.has(from)) graph.setEdge(String(from), String(id));
	layout(graph);
	const getCentre = (id: string) => {
		const { x = 0, y = 0 } = graph.node(id);
		return { x, y };
	};
	const { width = 0, height = 0 } = graph.graph();
	return {
		width,
		height,
		nodes: nodes.map((node) => {
			const { x, y } = getCentre(String(node.id));
			return { node, x: Math.round(x - NODE_PX.width / 2), y: Math.round(y - NODE_PX.height / 2) };
		}),
		edges: graph.edges().map(({ v, w }) => {
			const [from, to] = [getCentre(v), getCentre(w)];
			const [x1, x2] = [from.x + NODE_PX.width / 2, to.x - NODE_PX.width / 2];
			const middle = (x1 + x2) / 2;
			return { key: `${v} ${w}`, path: `M${x1},${from.y} C${middle},${from.y} ${middle},${to.y} ${x2},${to.y}` };
		}),
	};
}
