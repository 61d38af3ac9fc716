/** The target of an arrow key on the canvas: the nearest node in its direction. */
import type { CanvasNode, Doc } from "./canvas.ts";
import { buildDrawing } from "./chips.ts";

export type Direction = "left" | "right" | "up" | "down";

/** Finds the nearest node. Up and down also go through the filters of a class. */
export function findNextNode(
	doc: Pick<Doc, "nodes" | "edges">,
	from: CanvasNode,
	direction: Direction,
): CanvasNode | undefined {
	const { nodes, chips, owners } = buildDrawing(doc);
	const home = nodes.find(({ id }) => id === (owners.get(from.id) ?? from.id)) ?? from;
	const stops = [home, ...(chips.get(home.id) ?? [])];
	const at = stops.findIndex(({ id }) => id === from.id);
	const beside = direction === "down" ? stops[at + 1] : direction === "up" ? stops[at - 1] : undefined;
	return beside ?? findNearestNode(nodes, home, direction);
}

export function findNearestNode(
	nodes: readonly CanvasNode[],
	from: CanvasNode,
	direction: Direction,
): CanvasNode | undefined {
	let best: CanvasNode | undefined;
	let least = Number.POSITIVE_INFINITY;
	for (const node of nodes) {
		if (node.id === from.id) continue;
		const dx = node.position.x - from.position.x;
		const dy = node.position.y - from.position.y;
		const [along, across] = direction === "left" || direction === "right" ? [dx, dy] : [dy, dx];
		const ahead = direction === "left" || direction === "up" ? -along : along;
		if (ahead <= 4) continue;
		// Prefers nodes straight ahead over nearer nodes aside.
		const cost = ahead + Math.abs(across) * 2;
		if (cost < least) {
			least = cost;
			best = node;
		}
	}
	return best;
}
