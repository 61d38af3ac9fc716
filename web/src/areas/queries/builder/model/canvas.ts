/** The canvas in the builder. Unknown fields of nodes and edges are kept and saved unchanged. */
import { NODE_TYPES } from "@weft/contracts/browser";

export type Kind = (typeof NODE_TYPES)[number];
export type Data = Readonly<Record<string, unknown>>;

export interface CanvasNode {
	readonly id: string;
	readonly type: Kind;
	readonly position: { readonly x: number; readonly y: number };
	readonly data: Data;
	/** Other fields of a drawing tool. */
	readonly rest: Data;
}

export interface CanvasEdge {
	readonly id: string;
	readonly source: string;
	readonly target: string;
	readonly data: Data;
	readonly rest: Data;
}

/** Everything that undo goes back over, and that a save takes along. */
export interface Doc {
	readonly nodes: readonly CanvasNode[];
	readonly edges: readonly CanvasEdge[];
	readonly postProcessors: readonly unknown[];
	readonly variables: readonly unknown[];
	/** Members of the canvas besides nodes and edges. */
	readonly rest: Data;
}

const LEGACY: Readonly<Record<string, Kind>> = {
	start: "startNode",
	class: "classNode",
	filter: "filterNode",
	postProcessor: "postProcessorNode",
	output: "outputNode",
};
/** Width of a class on the canvas, in pixels. */
export const NODE_WIDTH = 176;
/** Width of the start and of an output, in pixels. */
const END_WIDTH = 112;

export const getNodeWidth = (type: Kind): number =>
	type === "startNode" || type === "outputNode" ? END_WIDTH : NODE_WIDTH;

const GRID = { x: 240, y: 120 };

export const isPipeline = (edge: Pick<CanvasEdge, "data">): boolean => edge.data.edgeType === "pipeline";

const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === "object" && value !== null && !Array.isArray(value);

/** Reads a stored canvas: expands short node types, and places nodes without a position. */
export function readDoc(
	canvas: unknown,
	postProcessors: readonly unknown[] = [],
	variables: readonly unknown[] = [],
): Doc {
	const { nodes, edges, ...rest } = isRecord(canvas) ? canvas : {};
	return {
		nodes: (Array.isArray(nodes) ? nodes : []).filter(isRecord).map(readNode),
		edges: (Array.isArray(edges) ? edges : []).filter(isRecord).map(readEdge),
		postProcessors,
		variables,
		rest,
	};
}

function readNode(raw: Record<string, unknown>, index: number): CanvasNode {
	const { id, type, position, data, ...rest } = raw;
	const known = NODE_TYPES.find((kind) => kind === type) ?? LEGACY[String(type)] ?? "classNode";
	const { x, y } = isRecord(position) ? position : {};
	const place = { x: Number.isFinite(x) ? Number(x) : index * GRID.x, y: Number.isFinite(y) ? Number(y) : GRID.y };
	return { id: String(id), type: known, position: place, data: isRecord(data) ? data : {}, rest };
}

function readEdge(raw: Record<string, unknown>, index: number): CanvasEdge {
	const { id, source, target, data, ...rest } = raw;
	return {
		id: id === undefined ? `edge-${index}` : String(id),
		source: String(source),
		target: String(target),
		data: isRecord(data) ? data : {},
		rest,
	};
}

/** What a run or a version of the query consists of. */
export const getContent = (doc: Doc) => ({
	flow_data: writeCanvas(doc),
	post_processors: [...doc.postProcessors],
	variables: [...doc.variables],
});

/** As it is saved and run. */
export function writeCanvas({ nodes, edges, rest }: Pick<Doc, "nodes" | "edges" | "rest">) {
	return {
		...rest,
		nodes: nodes.map(({ id, type, position, data, rest: more }) => ({ ...more, id, type, position, data })),
		edges: edges.map(({ id, source, target, data, rest: more }) => ({
			...more,
			id,
			source,
			target,
			...(Object.keys(data).length === 0 ? {} : { data }),
		})),
	};
}

/** The body of a save as text; equal texts are equal to the service. */
export const getText = (doc: Doc): string => JSON.stringify([writeCanvas(doc), doc.postProcessors, doc.variables]);

/** A new query: where it starts and where its rows come out. */
export const EMPTY: Doc = readDoc({
	nodes: [
		{ id: "start", type: "startNode", position: { x: 0, y: 120 }, data: {} },
		{ id: "output", type: "outputNode", position: { x: 440, y: 120 }, data: {} },
	],
	edges: [],
});

export const getNode = (doc: Pick<Doc, "nodes">, id: string | null | undefined): CanvasNode | undefined =>
	doc.nodes.find((node) => node.id === id);

/** An id that nothing on the canvas has: `fvBD`, `fvBD-2`, … */
export function freeId(doc: Pick<Doc, "nodes" | "edges">, wish: string): string {
	const taken = new Set([...doc.nodes, ...doc.edges].map(({ id }) => id));
	if (!taken.has(wish)) return wish;
	let number = 2;
	while (taken.has(`${wish}-${number}`)) number++;
	return `${wish}-${number}`;
}

/** Whether plain edges lead from a node to another one, without a class between. */
export function isLeadingTo({ nodes, edges }: Pick<Doc, "nodes" | "edges">, from: string, to: string): boolean {
	const seen = new Set([from]);
	for (const at of seen) {
		if (at === to) return true;
		if (at !== from && nodes.find(({ id }) => id === at)?.type === "classNode") continue;
		for (const edge of edges) if (edge.source === at && !isPipeline(edge)) seen.add(edge.target);
	}
	return false;
}
