/**
 * The canvas as it is drawn: a filter of one class is a chip in that class, and wires that pass
 * through it start at the class. The document keeps the filter as a node of its own.
 */
import { type CanvasEdge, type CanvasNode, type Doc, isPipeline } from "./canvas.ts";

export interface Drawing {
	readonly nodes: readonly CanvasNode[];
	/** Edges between drawn nodes, with their ids in the document. */
	readonly edges: readonly CanvasEdge[];
	/** Filters by the id of the class that shows them. */
	readonly chips: ReadonlyMap<string, readonly CanvasNode[]>;
	/** The class that shows a filter, by the id of the filter. */
	readonly owners: ReadonlyMap<string, string>;
}

export function buildDrawing(doc: Pick<Doc, "nodes" | "edges">): Drawing {
	const owners = findOwners(doc);
	const chips = new Map<string, CanvasNode[]>();
	for (const node of doc.nodes) {
		const owner = owners.get(node.id);
		if (owner !== undefined) chips.set(owner, [...(chips.get(owner) ?? []), node]);
	}
	const drawn = new Map<string, CanvasEdge>();
	for (const edge of doc.edges) {
		if (owners.has(edge.target)) continue;
		const source = owners.get(edge.source) ?? edge.source;
		const key = `${source} ${edge.target} ${isPipeline(edge)}`;
		if (!drawn.has(key)) drawn.set(key, source === edge.source ? edge : { ...edge, source });
	}
	return { nodes: doc.nodes.filter(({ id }) => !owners.has(id)), edges: [...drawn.values()], chips, owners };
}

/** Finds the class of each filter that has exactly one. Other filters are drawn as nodes. */
function findOwners({ nodes, edges }: Pick<Doc, "nodes" | "edges">): Map<string, string> {
	const byId = new Map(nodes.map((node) => [node.id, node]));
	const inputs = new Map<string, CanvasEdge[]>();
	for (const edge of edges) inputs.set(edge.target, [...(inputs.get(edge.target) ?? []), edge]);
	const owners = new Map<string, string>();
	const findOwner = (id: string, seen: ReadonlySet<string>): string | undefined => {
		const node = byId.get(id);
		if (node?.type === "classNode") return id;
		if (node?.type !== "filterNode" || seen.has(id)) return undefined;
		const into = inputs.get(id) ?? [];
		const found = new Set(
			into.map((edge) => (isPipeline(edge) ? undefined : findOwner(edge.source, new Set([...seen, id])))),
		);
		return found.size === 1 ? [...found][0] : undefined;
	};
	for (const { id, type } of nodes) {
		const owner = type === "filterNode" ? findOwner(id, new Set()) : undefined;
		if (owner !== undefined) owners.set(id, owner);
	}
	return owners;
}
