/** The way of an edge from node to node: straight lines with right angles around others. Pure. */

interface Point {
	readonly x: number;
	readonly y: number;
}

export interface Box extends Point {
	readonly width: number;
	readonly height: number;
}

/** Before the first and behind the last turn. */
const STUB = 20;
/** Between an edge and a node that it goes around. */
const CLEAR = 10;
const RADIUS = 6;
/** Distances of labels from the ends of a wire, and of their baselines from the wire. */
const LABEL = { gap: 2, above: 6, below: 17 };
/** Width of a letter of a label. */
const LETTER = 6.5;
const MIN_LETTERS = 6;
const ORIGIN: Point = { x: 0, y: 0 };

/**
 * From the right side of a node to the left side of another one: with two turns where that is free,
 * else above or below the nodes that are in the way.
 */
export function findRoute(from: Point, to: Point, boxes: readonly Box[]): Point[] {
	const [out, into] = [from.x + STUB, to.x - STUB];
	const middle = (from.x + to.x) / 2;
	const twoTurns = (x: number): Point[] => [from, { x, y: from.y }, { x, y: to.y }, to];
	// Close neighbours have no room for stubs, but a wire between them is straight.
	const direct = into >= out ? [middle, out, into].map(twoTurns) : to.x > from.x ? [twoTurns(middle)] : [];
	const rows = boxes
		.filter(({ x, width }) => x < Math.max(out, into) && x + width > Math.min(out, into))
		.flatMap(({ y, height }) => [y - CLEAR, y + height + CLEAR])
		.sort((a, b) => computeDetour(a) - computeDetour(b));
	function computeDetour(y: number): number {
		return Math.abs(y - from.y) + Math.abs(y - to.y);
	}
	for (const way of direct) if (isFree(way, boxes)) return way;
	for (const y of rows) {
		const way = [from, { x: out, y: from.y }, { x: out, y }, { x: into, y }, { x: into, y: to.y }, to];
		if (isFree(way, boxes)) return way;
	}
	return twoTurns(middle);
}

/** Whether no line crosses a node. */
export function isFree(way: readonly Point[], boxes: readonly Box[]): boolean {
	return way.every((end, index) => {
		const start = way[index - 1];
		return start === undefined || !boxes.some((box) => isCrossing(start, end, box));
	});
}

/** Of a line with the inner part of a box; lines are horizontal or vertical. */
const isCrossing = (a: Point, b: Point, { x, y, width, height }: Box): boolean =>
	Math.max(a.x, b.x) > x && Math.min(a.x, b.x) < x + width && Math.max(a.y, b.y) > y && Math.min(a.y, b.y) < y + height;

/** The way as a path of SVG with round corners. */
export function getPath(way: readonly Point[]): string {
	return way
		.map((point, index) => {
			const [before, after] = [way[index - 1], way[index + 1]];
			if (before === undefined) return `M${point.x} ${point.y}`;
			if (after === undefined) return `L${point.x} ${point.y}`;
			const [a, b] = [stepTowards(point, before), stepTowards(point, after)];
			return `L${a.x} ${a.y}Q${point.x} ${point.y} ${b.x} ${b.y}`;
		})
		.join("");
}

/** A point a little way from `from`, at most half the way to `to`. */
function stepTowards(from: Point, to: Point): Point {
	const length = Math.abs(to.x - from.x) + Math.abs(to.y - from.y);
	const part = length === 0 ? 0 : Math.min(RADIUS, length / 2) / length;
	return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}

interface Labels {
	/** Beginning of the number of rows: above the wire, at the plus of its source. */
	readonly rows: Point;
	/** End of the field: below the wire, at its target. */
	readonly field: Point & { readonly text: string };
}

/**
 * Places the labels beside the first and the last line of a way, which are horizontal, so that they
 * cover neither a node nor the wire. A field that is longer than the way between the nodes is cut.
 */
export function placeLabels(way: readonly Point[], field: string): Labels {
	const [from = ORIGIN, to = ORIGIN] = [way[0], way.at(-1)];
	const most = Math.max(MIN_LETTERS, Math.floor(Math.abs(to.x - from.x) / LETTER));
	return {
		rows: { x: from.x + LABEL.gap, y: from.y - LABEL.above },
		field: {
			x: to.x - LABEL.gap,
			y: to.y + LABEL.below,
			text: field.length > most ? `${field.slice(0, most - 1)}…` : field,
		},
	};
}
