/** Classes around a class: each in its group, none on top of another. */
import type { Relationships } from "@weft/contracts";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { buildSurroundings, drawGraph, GROUPS, SIZE } from "./graph.ts";

const createClass = (name: string) => ({ name, display_name: `${name} label`, package: "fv", inherited_from: null });
const createRelationships = (containers: number, contained: number, to: number, from: number): Relationships => {
	const many = (count: number, prefix: string) =>
		Array.from({ length: count }, (_, index) => createClass(`${prefix}${index}`));
	const associations = [
		...many(to, "t").map((each) => ({ ...each, direction: "to" as const, via: `rs${each.name}` })),
		...many(from, "f").map((each) => ({ ...each, direction: "from" as const, via: `rs${each.name}` })),
	];
	return {
		class_name: "fvBD",
		containers: many(containers, "c"),
		contained_classes: many(contained, "d"),
		associations,
		totals: { containers, contained_classes: contained + 1, associations: to + from },
	};
};
const all = { containers: 99, referrers: 99, contained: 99, referred: 99 };

it("tells what contains, is contained, refers and is referred to, and where there is more", () => {
	const { groups, more } = buildSurroundings(createRelationships(1, 2, 3, 4));
	expect(GROUPS.map((group) => groups[group].length)).toEqual([1, 4, 2, 3]);
	expect(groups.referred[0]).toEqual({ name: "t0", label: "t0 label", via: "rst0" });
	expect(more).toEqual({ containers: false, referrers: false, contained: true, referred: false });
});

it("names a class once that refers twice by the same relation", () => {
	const twice = createRelationships(0, 0, 1, 0);
	const { groups } = buildSurroundings({ ...twice, associations: [...twice.associations, ...twice.associations] });
	expect(groups.referred).toHaveLength(1);
});

it("draws nothing on top of anything, whatever there is", () => {
	const size = fc.nat(40);
	fc.assert(
		fc.property(size, size, size, size, fc.integer({ min: 1, max: 20 }), (a, b, c, d, most) => {
			const { groups, middle, height, width } = drawGraph(buildSurroundings(createRelationships(a, b, c, d)), {
				containers: most,
				referrers: most,
				contained: most,
				referred: most,
			});
			const boxes = [middle, ...groups.flatMap(({ nodes }) => nodes)];
			for (const [index, box] of boxes.entries()) {
				expect(box.y).toBeGreaterThanOrEqual(0);
				expect(box.y + SIZE.height).toBeLessThanOrEqual(height);
				expect(box.x + SIZE.width).toBeLessThanOrEqual(width);
				for (const other of boxes.slice(index + 1))
					expect(Math.abs(box.x - other.x) >= SIZE.width || Math.abs(box.y - other.y) >= SIZE.height).toBe(true);
			}
		}),
	);
});

it("says how many it left out", () => {
	const { groups } = drawGraph(buildSurroundings(createRelationships(15, 3, 0, 0)), { ...all, containers: 12 });
	expect(groups.map(({ group, nodes, hidden }) => [group, nodes.length, hidden])).toEqual([
		["containers", 12, 3],
		["contained", 3, 0],
	]);
});

it("stands alone where nothing is related", () => {
	expect(
		drawGraph(
			buildSurroundings({
				...createRelationships(0, 0, 0, 0),
				totals: { containers: 0, contained_classes: 0, associations: 0 },
			}),
			all,
		),
	).toMatchObject({
		groups: [],
		height: SIZE.height,
	});
});
