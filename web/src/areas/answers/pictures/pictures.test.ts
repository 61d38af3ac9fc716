import type { PictureNode } from "@weft/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LayoutEdge, type LayoutNode, layOutTenant, layOutTopology, SIZE } from "./layout.ts";
import { countLooks, describeMarks, findNodes, getLook } from "./looks.ts";
import { findMomentBefore } from "./moment-before.ts";

const createNode = (dn: string, more: Partial<PictureNode> = {}): PictureNode => ({
	dn,
	class_name: "fabricNode",
	kind: "leaf",
	label: dn.split("-").at(-1) ?? dn,
	state: "ok",
	facts: [],
	tenant: null,
	change: null,
	changes_below: 0,
	changed_by: [],
	changed_at: null,
	checks: [],
	...more,
});

describe("layouts", () => {
	const kinds = fc.constantFrom<PictureNode["kind"]>(
		"spine",
		"leaf",
		"controller",
		"vrf",
		"bridge_domain",
		"epg",
		"contract",
	);
	const picture = fc.array(kinds, { maxLength: 40 }).chain((list) => {
		const nodes = list.map((kind, index): LayoutNode => ({ dn: `n${index}`, kind }));
		const end = fc.nat(Math.max(0, nodes.length - 1)).map((index) => `n${index}`);
		const edge = fc.record({
			from: end,
			to: end,
			kind: fc.constantFrom<LayoutEdge["kind"]>("link", "in_vrf", "provides"),
		});
		return fc.record({ nodes: fc.constant(nodes), edges: fc.array(edge, { maxLength: nodes.length === 0 ? 0 : 60 }) });
	});

	it.each([
		["a topology", layOutTopology, ["spine", "leaf", "controller"]],
		["a tenant", layOutTenant, ["vrf", "bridge_domain", "epg", "contract"]],
	] as const)("keeps the nodes of %s apart and inside, with a path for each edge", (_name, layOut, known) => {
		fc.assert(
			fc.property(picture, ({ nodes: all, edges: some }) => {
				const nodes = all.filter(({ kind }) => (known as readonly string[]).includes(kind));
				const dns = new Set(nodes.map(({ dn }) => dn));
				const edges = some.filter(({ from, to }) => dns.has(from) && dns.has(to));
				const { places, paths, width, height } = layOut(nodes, edges);
				expect(places).toHaveLength(nodes.length);
				for (const [index, { x, y }] of places.entries()) {
					expect(x >= 0 && y >= 0 && x + SIZE.width <= width && y + SIZE.height <= height).toBe(true);
					const overlapping = places
						.slice(index + 1)
						.some((other) => Math.abs(other.x - x) < SIZE.width && Math.abs(other.y - y) < SIZE.height);
					expect(overlapping).toBe(false);
				}
				expect(paths).toHaveLength(edges.length);
				expect(paths.every((path) => path.startsWith("M"))).toBe(true);
			}),
		);
	});

	it("gives a switch the same place with any links", () => {
		const nodes: LayoutNode[] = [
			{ dn: "s", kind: "spine" },
			{ dn: "a", kind: "leaf" },
			{ dn: "b", kind: "leaf" },
		];
		const link: LayoutEdge = { from: "b", to: "s", kind: "link" };
		expect(layOutTopology(nodes, [link]).places).toEqual(layOutTopology(nodes, []).places);
	});
});

describe("looks", () => {
	it.each([
		["state", { state: "failed" }, "Failed"],
		["state", { state: null }, "Without a state"],
		["state", { state: null, change: "deleted" }, "Deleted"],
		["changes", { change: "modified", changes_below: 2 }, "Modified"],
		["changes", { changes_below: 2 }, "Changed below it"],
		["changes", {}, "Not changed"],
		["checks", { checks: ["a"] }, "With failing checks"],
		["kind", { kind: "vrf" }, "VRF"],
	] as const)("shows by %s for %j the look %s", (colour, more, name) => {
		expect(getLook(createNode("n", more as Partial<PictureNode>), colour).name).toBe(name);
	});

	it("counts looks, the marked ones first, and describes marks in words", () => {
		const changed = createNode("b", { change: "added", changed_by: ["ada"], checks: ["c"] });
		expect(countLooks([createNode("a"), changed], "changes").map(({ look, count }) => [look.name, count])).toEqual([
			["Added", 1],
			["Not changed", 1],
		]);
		expect(describeMarks(changed)).toEqual(["OK", "added", "by ada", "1 failing check"]);
	});

	it("finds a node by its DN alone, and others by words of their values", () => {
		const nodes = [createNode("node-10"), createNode("node-101", { facts: [{ name: "serial", value: "FDO1" }] })];
		expect(findNodes(nodes, "node-10")).toEqual([nodes[0]]);
		expect(findNodes(nodes, "fdo1 LEAF")).toEqual([nodes[1]]);
		expect(findNodes(nodes, " ")).toEqual([]);
	});
});

it("finds the moment before the newest snapshot", () => {
	const source = {
		saved_query: { id: "q", name: "q" },
		snapshot_id: "s",
		taken_at: "2026-03-01T08:00:00.000Z",
		seen_at: "",
		objects: 1,
	};
	const known = { class_name: "fabricNode", status: "complete" as const, reason: null, saved_query: null, source };
	expect(findMomentBefore([known, { ...known, status: "missing", source: null }])).toBe("2026-03-01T07:59:59.999Z");
	expect(findMomentBefore([])).toBeNull();
});
