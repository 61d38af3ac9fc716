/**
 * Arranges a canvas from left to right along its edges, without overlaps. Columns beyond the room
 * continue in a row below, like text.
 */
import { Graph, layout } from "@dagrejs/dagre";
import type { Drawing } from "./chips.ts";

const GAP = { nodesep: 28, ranksep: 64 };
/** Pixels between rows of columns. Wires from one row to the next run there. */
const ROW_GAP = 48;
/** Offset of a filter from the class that shows it, for programs that draw it as a node. */
const CHIP = { x: 24, y: 24 };

interface Size {
	readonly width: number;
	readonly height: number;
}

interface Placed extends Size {
	readonly id: string;
	x: number;
	y: number;
}

/**
 * Computes the places of all nodes.
 * @param getSize size of a node as it is drawn, in pixels
 * @param room width in pixels that a row may take
 */
export function computeLayout(
	{ nodes, edges, owners }: Drawing,
	getSize: (id: string) => Size,
	room = Number.POSITIVE_INFINITY,
): Map<string, { x: number; y: number }> {
	const graph = new Graph();
	graph.setGraph({ rankdir: "LR", ...GAP });
	graph.setDefaultEdgeLabel(() => ({}));
	for (const { id } of nodes) graph.setNode(id, { ...getSize(id) });
	for (const { source, target } of edges) graph.setEdge(source, target);
	layout(graph);
	const placed = nodes.map(({ id }): Placed & { center: number } => {
		const { x = 0, y = 0 } = graph.node(id);
		const { width, height } = getSize(id);
		return { id, width, height, center: x, x: x - width / 2, y: y - height / 2 };
	});
	const columns = new Map<number, Placed[]>();
	for (const node of placed) {
		const at = Math.round(node.center);
		columns.set(at, [...(columns.get(at) ?? []), node]);
	}
	const sorted = [...columns].sort(([a], [b]) => a - b).map(([, column]) => column);
	foldColumns(sorted, room);
	const places = new Map(placed.map(({ id, x, y }) => [id, { x: Math.round(x), y: Math.round(y) }]));
	for (const [id, owner] of owners) {
		const { x, y } = places.get(owner) ?? { x: 0, y: 0 };
		places.set(id, { x: x + CHIP.x, y: y + getSize(owner).height + CHIP.y });
	}
	return places;
}

/** Moves columns that do not fit into the room to rows below. */
function foldColumns(columns: readonly (readonly Placed[])[], room: number): void {
	const widths = columns.map((column) => Math.max(...column.map(({ width }) => width)));
	const whole = widths.reduce((sum, width) => sum + width, 0) + GAP.ranksep * (columns.length - 1);
	if (whole <= room) return;
	let left = 0;
	let top = 0;
	let row: Placed[] = [];
	const endRow = () => {
		const highest = Math.min(...row.map(({ y }) => y));
		const lowest = Math.max(...row.map(({ y, height }) => y + height));
		for (const node of row) node.y += top - highest;
		top += lowest - highest + ROW_GAP;
		left = 0;
		row = [];
	};
	columns.forEach((column, index) => {
		const width = widths[index] ?? 0;
		if (row.length > 0 && left + width > room) endRow();
		for (const node of column) node.x = left + (width - node.width) / 2;
		row.push(...column);
		left += width + GAP.ranksep;
	});
	if (row.length > 0) endRow();
}
