import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readContent } from "../../../queries/flow/index.ts";
import { findCoverage } from "./coverage.ts";
import type { PictureObject } from "./drawing.ts";
import { findDns } from "./evidence.ts";
import { markDrawing } from "./marks.ts";
import { chooseSources } from "./sources.ts";
import { drawTenant, findLargestTenant, listTenants } from "./tenant.ts";
import { drawTopology } from "./topology.ts";

const createObject = (
	className: string,
	dn: string,
	attributes: Record<string, string> = {},
	isGone = false,
): PictureObject => ({
	className,
	dn,
	attributes,
	isGone,
});
const NO_MARKS = { changes: [], checks: [] };

const LEAF = createObject("fabricNode", "topology/pod-1/node-101", {
	id: "101",
	name: "leaf-101",
	role: "leaf",
	fabricSt: "active",
});
const SPINE = createObject("fabricNode", "topology/pod-1/node-201", {
	id: "201",
	name: "spine-201",
	role: "spine",
	fabricSt: "inactive",
});
const APIC = createObject("fabricNode", "topology/pod-1/node-1", {
	id: "1",
	name: "apic-1",
	role: "controller",
	fabricSt: "unknown",
});
const LINK = createObject("fabricLink", "topology/pod-1/lnkcnt-201/lnk-101-1-53-to-201-1-1", {
	n1: "101",
	s1: "1",
	p1: "53",
	n2: "201",
	s2: "1",
	p2: "1",
	linkState: "ok",
});

describe("the topology", () => {
	it("takes the state of a node from the fabric, and that of a controller from its system", () => {
		const systems = [
			createObject("topSystem", `${APIC.dn}/sys`, { state: "in-service" }),
			createObject("topSystem", `${LEAF.dn}/sys`, { state: "out-of-service" }),
		];
		const { nodes } = drawTopology([LEAF, SPINE, APIC, ...systems]);
		expect(nodes.map(({ label, kind, state }) => [label, kind, state])).toEqual([
			["leaf-101", "leaf", "failed"],
			["spine-201", "spine", "failed"],
			["apic-1", "controller", "ok"],
		]);
	});

	it.each([
		[{ linkState: "ok" }, "ok"],
		[{ linkState: "failed" }, "failed"],
		[{ linkState: "ok", operSt: "down" }, "failed"],
		[{ linkState: "ok", degraded: "yes" }, "degraded"],
		[{ linkState: "" }, "unknown"],
	])("reads the state of a link with %j as %s", (attributes, state) => {
		const { edges } = drawTopology([
			LEAF,
			SPINE,
			createObject("fabricLink", LINK.dn, { n1: "101", n2: "201", ...attributes }),
		]);
		expect(edges).toMatchObject([{ from: LEAF.dn, to: SPINE.dn, state }]);
	});

	it("reads the ends of a link from its DN where its attributes are gone", () => {
		const { edges } = drawTopology([LEAF, SPINE, createObject("fabricLink", LINK.dn, {}, true)]);
		expect(edges).toMatchObject([{ from: LEAF.dn, to: SPINE.dn, label: "1/53 – 1/1", state: null, isGone: true }]);
	});

	it("draws an end that no snapshot has as a node without a class", () => {
		const { nodes } = drawTopology([LEAF, LINK]);
		expect(nodes).toMatchObject([
			{ label: "leaf-101" },
			{ dn: "topology/pod-1/node-201", className: null, state: null },
		]);
	});
});

const BD = createObject("fvBD", "uni/tn-a/BD-web", { name: "web" });
const VRF = createObject("fvCtx", "uni/tn-a/ctx-v", { name: "v" });
const EPG = createObject("fvAEPg", "uni/tn-a/ap-p/epg-e", { name: "e" });
const CONTRACT = createObject("vzBrCP", "uni/tn-common/brc-dns", { name: "dns" });

describe("the picture of a tenant", () => {
	it("joins bridge domains with VRFs, EPGs with bridge domains, and contracts with both of their sides", () => {
		const { nodes, edges } = drawTenant(
			[
				VRF,
				BD,
				EPG,
				CONTRACT,
				createObject("fvRsCtx", `${BD.dn}/rsctx`, { tDn: VRF.dn }),
				createObject("fvRsBd", `${EPG.dn}/rsbd`, { tDn: BD.dn }),
				createObject("fvRsProv", `${EPG.dn}/rsprov-dns`, { tDn: CONTRACT.dn }),
				createObject("vzRsAnyToCons", `${VRF.dn}/any/rsanyToCons-dns`, { tDn: CONTRACT.dn }),
			],
			"a",
		);
		expect(edges.map(({ kind, from, to }) => [kind, from, to])).toEqual([
			["in_vrf", BD.dn, VRF.dn],
			["in_bridge_domain", EPG.dn, BD.dn],
			["provides", EPG.dn, CONTRACT.dn],
			["consumes", VRF.dn, CONTRACT.dn],
		]);
		expect(nodes.find(({ dn }) => dn === CONTRACT.dn)).toMatchObject({ kind: "contract", tenant: "common" });
		expect(nodes.find(({ dn }) => dn === VRF.dn)).toMatchObject({ kind: "vrf", tenant: null });
	});

	it("draws the relations of other tenants to a contract of this one", () => {
		const other = createObject("fvRsCons", "uni/tn-b/ap-p/epg-x/rscons-dns", { tDn: CONTRACT.dn });
		const { nodes } = drawTenant([CONTRACT, other, VRF], "common");
		expect(nodes.map(({ dn, className, kind }) => [dn, className, kind])).toEqual([
			[CONTRACT.dn, "vzBrCP", "contract"],
			["uni/tn-b/ap-p/epg-x", null, "epg"],
		]);
	});

	it("marks a relation whose target the controller did not find, and draws no edge without a target", () => {
		const relation = (attributes: Record<string, string>) => createObject("fvRsBd", `${EPG.dn}/rsbd`, attributes);
		const drawn = (attributes: Record<string, string>) => drawTenant([EPG, relation(attributes)], "a").edges;
		expect(drawn({ tDn: "", tnFvBDName: "lost" })).toMatchObject([{ to: "uni/tn-a/BD-lost", state: "failed" }]);
		expect(drawn({ tDn: "uni/tn-a/BD-x", state: "missing-target" })).toMatchObject([{ state: "failed" }]);
		expect(drawn({ tDn: "uni/tn-a/BD-x" })).toMatchObject([{ state: null }]);
		expect(drawn({ tDn: "", tnFvBDName: "" })).toEqual([]);
	});

	it("gives each external network of an L3Out the VRF of the L3Out", () => {
		const networks = ["one", "two"].map((name) =>
			createObject("l3extInstP", `uni/tn-a/out-wan/instP-${name}`, { name }),
		);
		const { edges } = drawTenant(
			[VRF, ...networks, createObject("l3extRsEctx", "uni/tn-a/out-wan/rsectx", { tDn: VRF.dn })],
			"a",
		);
		expect(edges.map(({ from, to }) => [from, to])).toEqual(networks.map(({ dn }) => [dn, VRF.dn]));
	});

	it("lists tenants by name, and finds the one with the most objects that were not deleted", () => {
		const gone = [1, 2, 3].map((one) => createObject("fvBD", `uni/tn-z/BD-${one}`, {}, true));
		expect(listTenants([BD, VRF, CONTRACT, ...gone])).toEqual(["a", "common"]);
		expect(findLargestTenant([BD, VRF, CONTRACT, ...gone])).toBe("a");
		expect(findLargestTenant([])).toBeNull();
	});
});

/** Coverage of a canvas of class nodes and filters that all lead to the output. */
function computeCoverage(nodes: object[], edges: [string, string][], post_processors: object[] = []) {
	const drawn = [...nodes, { id: "out", type: "outputNode", data: {} }];
	const flow_data = {
		nodes: drawn.map((node) => ({ position: { x: 0, y: 0 }, ...node })),
		edges: edges.map(([source, target]) => ({ id: `${source}-${target}`, source, target })),
	};
	const { flow, postProcessors } = readContent({ flow_data, post_processors, variables: [] });
	return Object.fromEntries(findCoverage(flow, postProcessors));
}
const createClassNode = (className: string, data: object = {}) => ({
	id: className,
	type: "classNode",
	data: { className, ...data },
});
const FILTER = {
	id: "f",
	type: "filterNode",
	data: { filterType: "property", property: "name", operator: "ne", value: "common" },
};

describe("the coverage of a query", () => {
	it.each<[string, ReturnType<typeof computeCoverage>, object]>([
		[
			"classes side by side",
			computeCoverage(
				[createClassNode("fvBD"), createClassNode("fvCtx")],
				[
					["fvBD", "out"],
					["fvCtx", "out"],
				],
			),
			{ fvBD: null, fvCtx: null },
		],
		[
			"a class below a container of all of them",
			computeCoverage(
				[createClassNode("fvTenant"), createClassNode("fvBD")],
				[
					["fvTenant", "fvBD"],
					["fvBD", "out"],
				],
			),
			{ fvBD: null },
		],
		[
			"a class below one of its containers",
			computeCoverage(
				[createClassNode("fvAEPg"), createClassNode("fvRsProv")],
				[
					["fvAEPg", "fvRsProv"],
					["fvRsProv", "out"],
				],
			),
			{ fvRsProv: "parent" },
		],
		[
			"a filtered class",
			computeCoverage(
				[createClassNode("fvBD"), FILTER],
				[
					["fvBD", "f"],
					["f", "out"],
				],
			),
			{ fvBD: "filter" },
		],
		[
			"a class below a filtered one",
			computeCoverage(
				[createClassNode("fvTenant"), FILTER, createClassNode("fvBD")],
				[
					["fvTenant", "f"],
					["fvTenant", "fvBD"],
					["fvBD", "out"],
				],
			),
			{ fvBD: "filter" },
		],
		[
			"a class with a limit",
			computeCoverage([createClassNode("fvBD", { limit: 5 })], [["fvBD", "out"]]),
			{ fvBD: "option" },
		],
		[
			"a class of one switch",
			computeCoverage([createClassNode("fabricNode", { node: "topology/pod-1/node-101" })], [["fabricNode", "out"]]),
			{ fabricNode: "option" },
		],
		[
			"sorted rows",
			computeCoverage(
				[createClassNode("fvBD")],
				[["fvBD", "out"]],
				[{ type: "array-sort", config: { keys: [{ field: "name" }] } }],
			),
			{ fvBD: null },
		],
		[
			"rows with chosen fields",
			computeCoverage(
				[createClassNode("fvBD")],
				[["fvBD", "out"]],
				[{ type: "field-extract", config: { fields: ["name"] } }],
			),
			{},
		],
	])("names the classes that it reads from %s", (_source, found, expected) => expect(found).toEqual(expected));
});

it("prefers a whole source to a newer one with filters, and the newest of equals", () => {
	const source = (name: string, seconds: number, reason: "filter" | null) => ({
		name,
		seenAt: new Date(seconds * 1000),
		coverage: new Map([["fvBD", reason] as const]),
	});
	const choose = (...candidates: ReturnType<typeof source>[]) =>
		chooseSources(["fvBD", "fvCtx"], candidates).map(({ source: found, reason }) => [found?.name, reason]);
	expect(choose(source("old", 1, null), source("new", 2, "filter"))).toEqual([
		["old", null],
		[undefined, null],
	]);
	expect(choose(source("old", 1, null), source("new", 2, null))[0]).toEqual(["new", null]);
	expect(choose(source("old", 1, "filter"), source("new", 2, "filter"))[0]).toEqual(["new", "filter"]);
});

describe("marks", () => {
	const at = new Date("2026-03-01T00:00:00Z");
	const changed = (dn: string, first: "added" | "modified" | "deleted") => ({ dn, first, users: ["ada"], at });

	it.each([
		["added", "present", "added"],
		["modified", "present", "modified"],
		["deleted", "present", "modified"],
		["modified", "gone", "deleted"],
	] as const)("joins changes of which the first is %s, on an object that is %s", (first, state, expected) => {
		const drawing = drawTopology([{ ...LEAF, isGone: state === "gone" }]);
		const { nodes } = markDrawing(drawing, { changes: [changed(LEAF.dn, first)], checks: [] });
		expect(nodes).toMatchObject([
			{ change: expected, changes_below: 0, changed_by: ["ada"], changed_at: at.toISOString() },
		]);
	});

	it("counts changes and evidence below an object at the nearest one that is drawn", () => {
		const below = `${LEAF.dn}/sys/phys-[eth1/5]`;
		const marks = {
			changes: [changed(below, "modified"), changed("topology/elsewhere", "added")],
			checks: [{ id: "c", dns: [below] }],
		};
		expect(markDrawing(drawTopology([LEAF, SPINE]), marks).nodes).toMatchObject([
			{ label: "spine-201", changes_below: 0, checks: [] },
			{ label: "leaf-101", change: null, changes_below: 1, checks: ["c"] },
		]);
	});

	it("keeps marked nodes beyond a limit, and no edge without both of its ends", () => {
		const leaves = [1, 2, 3, 4].map((number) =>
			createObject("fabricNode", `topology/pod-1/node-${number}`, { id: String(number), role: "leaf" }),
		);
		const links = [2, 3, 4].map((number) =>
			createObject("fabricLink", `topology/pod-1/lnkcnt-1/lnk-1-1-${number}-to-${number}-1-1`),
		);
		const drawing = drawTopology([...leaves, ...links]);
		const picture = markDrawing(
			drawing,
			{ changes: [changed("topology/pod-1/node-4", "modified")], checks: [] },
			{ nodes: 2, edges: 5 },
		);
		expect(picture.nodes.map(({ dn }) => dn)).toEqual(["topology/pod-1/node-1", "topology/pod-1/node-4"]);
		expect(picture.edges).toHaveLength(1);
		expect(picture).toMatchObject({ nodes_total: 4, edges_total: 3, truncated: ["nodes", "edges"] });
	});

	it("draws every object once and only edges between nodes, whatever the objects are", () => {
		const node = fc
			.nat(6)
			.map((id) => createObject("fabricNode", `topology/pod-1/node-${id}`, { id: String(id), role: "leaf" }));
		const link = fc
			.tuple(fc.nat(6), fc.nat(6), fc.nat(3))
			.map(([a, b, port]) =>
				createObject("fabricLink", `topology/pod-1/lnkcnt-${a}/lnk-${a}-1-${port}-to-${b}-1-${port}`),
			);
		fc.assert(
			fc.property(
				fc.uniqueArray(fc.oneof(node, link), { selector: ({ dn }) => dn }),
				fc.nat(8),
				fc.nat(8),
				(objects, nodes, edges) => {
					const drawing = drawTopology(objects);
					const picture = markDrawing(drawing, NO_MARKS, { nodes, edges });
					const drawn = new Set(picture.nodes.map(({ dn }) => dn));
					expect(drawn.size).toBe(picture.nodes.length);
					expect(picture.nodes.length).toBe(Math.min(nodes, drawing.nodes.length));
					expect(picture.edges.every(({ from, to }) => drawn.has(from) && drawn.has(to))).toBe(true);
					expect(picture.truncated.includes("nodes")).toBe(drawing.nodes.length > nodes);
					expect(picture.truncated.includes("edges")).toBe(picture.edges.length < drawing.edges.length);
				},
			),
		);
	});
});

it("finds the DNs of one connection's evidence in flat rows and in objects", () => {
	const sample = [
		{ connection: null, row: { dn: "a", name: "b" } },
		{ connection: "one", row: { fvBD: { attributes: { dn: "c" } } } },
		{ connection: "two", row: { dn: "d" } },
	];
	expect(findDns(sample, null)).toEqual(["a", "c", "d"]);
	expect(findDns(sample, "one")).toEqual(["c"]);
});
