/** The canvas as an indented list: its twin for narrow screens and for those who do not see it. */
import { type CanvasEdge, type CanvasNode, type Doc, isPipeline } from "./canvas.ts";

export interface OutlineRow {
	readonly node: CanvasNode;
	readonly depth: number;
	/** How it is joined to the row above it in the tree; null for a beginning. */
	readonly edge: CanvasEdge | null;
	/** A node that several lead to is written out once; here it is only named. */
	readonly again: boolean;
}

export function buildOutline({ nodes, edges }: Pick<Doc, "nodes" | "edges">): OutlineRow[] {
	const byId = new Map(nodes.map((node) => [node.id, node]));
	const out = new Map<string, CanvasEdge[]>();
	const entered = new Set<string>();
	for (const edge of edges) {
		if (!byId.has(edge.source) || !byId.has(edge.target)) continue;
		out.set(edge.source, [...(out.get(edge.source) ?? []), edge]);
		entered.add(edge.target);
	}
	const rows: OutlineRow[] = [];
	const shown = new Set<string>();
	const visit = (node: CanvasNode, depth: number, edge: CanvasEdge | null): void => {
		const again = shown.has(node.id);
		rows.push({ node, depth, edge, again });
		if (again) return;
		shown.add(node.id);
		const next = [...(out.get(node.id) ?? [])].sort((a, b) => order(a) - order(b));
		for (const each of next) {
			const target = byId.get(each.target);
			if (target) visit(target, depth + 1, each);
		}
	};
	// Filters first, then child classes, the output last.
	const order = ({ target, data }: CanvasEdge): number => {
		const type = byId.get(target)?.type;
		return type === "filterNode" ? 0 : type === "outputNode" ? 3 : isPipeline({ data }) ? 2 : 1;
	};
	for (const node of nodes) if (!entered.has(node.id)) visit(node, 0, null);
	// What only a cycle leads to must not be missing.
	for (const node of nodes) if (!shown.has(node.id)) visit(node, 0, null);
	return rows;
}
