/** Places the nodes of a picture on a plane, in pixels, and draws the edges between them. Pure. */
import { Graph, layout } from "@dagrejs/dagre";
import type { PictureEdge, PictureNode, PictureNodeKind } from "@weft/contracts";

export const SIZE = { width: 136, height: 38, gapX: 14, gapY: 14, layer: 84, column: 110, margin: 24 } as const;

interface Placed {
	readonly x: number;
	readonly y: number;
}

export interface Layout {
	readonly width: number;
	readonly height: number;
	/** The upper left corners of the nodes, in their order. */
	readonly places: readonly Placed[];
	/** SVG paths of the edges, in their order. */
	readonly paths: readonly string[];
}

export type LayoutNode = Pick<PictureNode, "dn" | "kind">;
export type LayoutEdge = Pick<PictureEdge, "from" | "to" | "kind">;

/** Layers of a topology from top to bottom. */
const LAYERS: readonly PictureNodeKind[] = ["spine", "leaf", "switch", "controller"];
/** Columns of a tenant from left to right. */
const COLUMNS: readonly (readonly PictureNodeKind[])[] = [
	["vrf"],
	["bridge_domain"],
	["epg", "external"],
	["contract"],
];
/** Least number of nodes that a full row of a layer has. */
const ROW_LEAST = 14;

/**
 * Lays out a topology in layers, each in the order of its nodes: a switch has the same place at
 * every moment. The layout library would take eight seconds for 500 nodes and four spines.
 */
export function layOutTopology(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[]): Layout {
	const layers = LAYERS.map((kind) => nodes.flatMap((node, index) => (node.kind === kind ? [index] : [])));
	const others = nodes.flatMap(({ kind }, index) => (LAYERS.includes(kind) ? [] : [index]));
	const filled = [...layers, others].filter((layer) => layer.length > 0);
	const perRow = Math.max(ROW_LEAST, ...filled.map(({ length }) => Math.ceil(Math.sqrt(length * 3))));
	const widest = Math.min(perRow, Math.max(0, ...filled.map(({ length }) => length)));
	const stepX = SIZE.width + SIZE.gapX;
	const width = 2 * SIZE.margin + Math.max(SIZE.width, widest * stepX - SIZE.gapX);
	const places: Placed[] = nodes.map(() => ({ x: 0, y: 0 }));
	let y: number = SIZE.margin;
	for (const layer of filled) {
		for (let start = 0; start < layer.length; start += perRow) {
			const row = layer.slice(start, start + perRow);
			const left = (width - (row.length * stepX - SIZE.gapX)) / 2;
			for (const [column, index] of row.entries()) places[index] = { x: Math.round(left + column * stepX), y };
			y += SIZE.height + SIZE.gapY;
		}
		y += SIZE.layer - SIZE.gapY;
	}
	const height = Math.max(SIZE.height + 2 * SIZE.margin, y - SIZE.layer + SIZE.margin);
	return { width, height, places, paths: drawPaths(nodes, edges, places, "down") };
}

/** Lays out a tenant in columns by kind. The layout library orders them: few edges cross. */
export function layOutTenant(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[]): Layout {
	const order = orderByLibrary(nodes, edges);
	const columns = COLUMNS.map((kinds) => order.filter((index) => kinds.includes(nodes[index]?.kind ?? "switch")));
	const filled = columns.filter((column) => column.length > 0);
	const stepY = SIZE.height + SIZE.gapY;
	const tallest = Math.max(0, ...filled.map(({ length }) => length));
	const height = 2 * SIZE.margin + Math.max(SIZE.height, tallest * stepY - SIZE.gapY);
	const places: Placed[] = nodes.map(() => ({ x: 0, y: 0 }));
	for (const [column, indices] of filled.entries()) {
		const top = (height - (indices.length * stepY - SIZE.gapY)) / 2;
		const x = SIZE.margin + column * (SIZE.width + SIZE.column);
		for (const [row, index] of indices.entries()) places[index] = { x, y: Math.round(top + row * stepY) };
	}
	const width = 2 * SIZE.margin + Math.max(1, filled.length) * (SIZE.width + SIZE.column) - SIZE.column;
	return { width, height, places, paths: drawPaths(nodes, edges, places, "right") };
}

/** Orders the indices of the nodes from top to bottom, as the library places them. */
function orderByLibrary(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[]): number[] {
	const graph = new Graph();
	graph.setGraph({ rankdir: "LR", nodesep: SIZE.gapY, ranksep: SIZE.column, ranker: "longest-path" });
	graph.setDefaultEdgeLabel(() => ({}));
	for (const { dn } of nodes) graph.setNode(dn, { width: SIZE.width, height: SIZE.height });
	for (const { from, to, kind } of edges) {
		// The container of a relation stands on the left.
		const isUpwards = kind === "in_vrf" || kind === "in_bridge_domain";
		if (from !== to) graph.setEdge(isUpwards ? to : from, isUpwards ? from : to);
	}
	layout(graph);
	const heights = nodes.map(({ dn }) => (graph.node(dn) as { y?: number }).y ?? 0);
	return nodes.map((_, index) => index).sort((a, b) => (heights[a] ?? 0) - (heights[b] ?? 0) || a - b);
}

/** Draws the paths of edges. Those between the same two nodes lie beside one another. */
function drawPaths(
	nodes: readonly LayoutNode[],
	edges: readonly LayoutEdge[],
	places: readonly Placed[],
	direction: "down" | "right",
): string[] {
	const byDn = new Map(nodes.map(({ dn }, index) => [dn, places[index] ?? { x: 0, y: 0 }]));
	const between = new Map<string, number>();
	return edges.map(({ from, to }) => {
		const [a, b] = [byDn.get(from), byDn.get(to)];
		if (a === undefined || b === undefined) return "";
		const pair = [from, to].sort().join(" ");
		const nth = between.get(pair) ?? 0;
		between.set(pair, nth + 1);
		const beside = (nth % 2 === 0 ? 1 : -1) * Math.ceil(nth / 2) * 7;
		return direction === "down" ? drawDown(a, b, beside) : drawRight(a, b, beside);
	});
}

function drawDown(a: Placed, b: Placed, beside: number): string {
	const [upper, lower] = a.y <= b.y ? [a, b] : [b, a];
	const half = SIZE.width / 2;
	const [x1, y1] = [upper.x + half + beside, upper.y + SIZE.height];
	const [x2, y2] = [lower.x + half + beside, lower.y];
	// An edge within a row bends below it.
	if (upper.y === lower.y) {
		const y = upper.y + SIZE.height;
		return `M${x1} ${y}Q${(x1 + x2) / 2} ${y + 40 + Math.abs(beside)} ${x2} ${y}`;
	}
	return `M${x1} ${y1}L${x2} ${y2}`;
}

function drawRight(a: Placed, b: Placed, beside: number): string {
	const isForward = a.x <= b.x;
	const half = SIZE.height / 2 + beside;
	const x1 = isForward ? a.x + SIZE.width : a.x;
	const x2 = isForward ? b.x : b.x + SIZE.width;
	const bend = Math.max(24, Math.abs(x2 - x1) / 2) * (isForward ? 1 : -1);
	return `M${x1} ${a.y + half}C${x1 + bend} ${a.y + half} ${x2 - bend} ${b.y + half} ${x2} ${b.y + half}`;
}
