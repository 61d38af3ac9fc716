/** Ways of edges: around nodes, with right angles, in every canvas that is tidied up. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Doc } from "./canvas.ts";
import { buildDrawing } from "./chips.ts";
import { computeLayout } from "./layout.ts";
import { type Box, findRoute, getPath, isFree, placeLabels } from "./route.ts";

const from = { x: 100, y: 50 };
const createBox = (x: number, y: number): Box => ({ x, y, width: 100, height: 40 });

describe("the way of an edge", () => {
	it.each<[string, { x: number; y: number }, Box[], [number, number][]]>([
		[
			"turns in the middle where nothing is in the way",
			{ x: 300, y: 150 },
			[],
			[
				[200, 50],
				[200, 150],
			],
		],
		[
			"turns at once where a node is beside the source",
			{ x: 500, y: 150 },
			[createBox(200, 30)],
			[
				[120, 50],
				[120, 150],
			],
		],
		[
			"turns late where a node is beside the target",
			{ x: 500, y: 150 },
			[createBox(200, 130)],
			[
				[300, 50],
				[300, 150],
			],
		],
		[
			"goes over what stands between",
			{ x: 500, y: 50 },
			[createBox(250, 30)],
			[
				[120, 50],
				[120, 20],
				[480, 20],
				[480, 50],
			],
		],
		[
			"goes back around a node",
			{ x: 0, y: 50 },
			[createBox(0, 30)],
			[
				[120, 50],
				[120, 20],
				[-20, 20],
				[-20, 50],
			],
		],
	])("%s", (_name, to, boxes, turns) => {
		const way = findRoute(from, to, boxes);
		expect(way).toEqual([from, ...turns.map(([x, y]) => ({ x, y })), to]);
		expect(isFree(way, boxes)).toBe(true);
	});

	it("crosses no node of a canvas that was tidied up", () => {
		const canvas = fc.integer({ min: 2, max: 20 }).chain((count) =>
			fc.record({
				heights: fc.array(fc.integer({ min: 34, max: 140 }), { minLength: count, maxLength: count }),
				edges: fc.uniqueArray(fc.tuple(fc.nat(count - 2), fc.nat(count - 1)), {
					maxLength: 30,
					selector: ([a, b]) => `${a} ${b}`,
				}),
			}),
		);
		fc.assert(
			fc.property(canvas, ({ heights, edges }) => {
				const doc = {
					nodes: heights.map((_, index) => ({ id: `${index}` })),
					edges: edges.filter(([a, b]) => a < b).map(([a, b]) => ({ source: `${a}`, target: `${b}`, data: {} })),
				} as unknown as Doc;
				const getSize = (id: string) => ({ width: 180, height: heights[Number(id)] ?? 34 });
				const places = computeLayout(buildDrawing(doc), getSize);
				const boxes = [...places].map(([id, place]) => ({ ...place, ...getSize(id) }));
				for (const { source, target } of doc.edges) {
					const [a, b] = [boxes[Number(source)] as Box, boxes[Number(target)] as Box];
					const way = findRoute({ x: a.x + a.width, y: a.y + 16 }, { x: b.x, y: b.y + 16 }, boxes);
					expect(isFree(way, boxes)).toBe(true);
					for (const [index, { x, y }] of way.slice(1).entries())
						expect(x === way[index]?.x || y === way[index]?.y).toBe(true);
				}
			}),
		);
	});

	it("draws an edge with round corners", () => {
		const way = findRoute(from, { x: 300, y: 150 }, []);
		expect(getPath(way)).toBe("M100 50L194 50Q200 50 200 56L200 144Q200 150 206 150L300 150");
	});
});

describe("the labels of an edge", () => {
	it("places the labels of an edge above its beginning and below its end", () => {
		const { rows, field } = placeLabels(findRoute(from, { x: 300, y: 350 }, []), "tDn →");
		expect(rows).toEqual({ x: 102, y: 44 });
		expect(field).toEqual({ x: 298, y: 367, text: "tDn →" });
	});

	it("shortens the label of a field that is longer than its edge", () => {
		const { field } = placeLabels(findRoute(from, { x: 149, y: 50 }, []), "baseEpgDn →");
		expect(field.text).toBe("baseEp…");
	});
});
