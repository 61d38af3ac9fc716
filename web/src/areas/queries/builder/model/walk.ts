/** Where an arrow key leads on the canvas: the nearest node in that direction. */
import type { CanvasNode } from "./canvas.ts";

export type Direction = "left" | "right" | "up" | "down";

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
