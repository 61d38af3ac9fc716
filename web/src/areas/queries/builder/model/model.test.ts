/** The canvas document: read and written without loss, edited, undone, listed. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Doc, EMPTY, freeId, getText, readDoc, writeCanvas } from "./canvas.ts";
import { chain, createEdge, createNode } from "./chain.fixture.ts";
import { buildDrawing } from "./chips.ts";
import { findClosestNames } from "./closest.ts";
import { CLASS_NAME, COMMON_CLASSES, suggestClasses } from "./common-classes.ts";
import { formatLines, formatTitle, sayNode } from "./describe.ts";
import {
	addNode,
	connectNodes,
	copyNodes,
	findClassAt,
	findEdgeProblem,
	findSharedOutputs,
	followRelation,
	insertNode,
	moveNodes,
	pasteNodes,
	removeElements,
	replaceName,
	separateOutputs,
	setData,
} from "./edit.ts";
import { beginHistory, recordChange, redoChange, undoChange } from "./history.ts";
import { computeLayout } from "./layout.ts";
import { buildOutline } from "./outline.ts";
import { dropMissingVariables, placeProblems } from "./problems.ts";
import { findNearestNode, findNextNode } from "./walk.ts";

describe("a document", () => {
	it("comes back as it was, with everything that the builder does not know", () => {
		const canvas = {
			nodes: [{ ...createNode("a"), width: 10, style: { color: "red" }, data: { className: "a", odd: [1] } }],
			edges: [{ ...createEdge("a", "a2", { edgeType: "pipeline" }), animated: true }],
			viewport: { x: 1, y: 2, zoom: 3 },
		};
		expect(writeCanvas(readDoc(canvas))).toEqual(canvas);
		fc.assert(
			fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (extra) => {
				const { id: _1, type: _2, position: _3, data: _4, ...rest } = extra as Record<string, unknown>;
				const raw = { nodes: [{ ...rest, ...createNode("n") }], edges: [] };
				expect(writeCanvas(readDoc(raw))).toEqual(raw);
			}),
		);
	});

	it("takes older short types, and nodes without a place", () => {
		const { nodes } = readDoc({
			nodes: [
				{ id: "a", type: "class", data: { className: "fvBD" } },
				{ id: "b", type: "filter" },
			],
			edges: [],
		});
		expect(nodes.map(({ type }) => type)).toEqual(["classNode", "filterNode"]);
		expect(nodes[0]?.position).not.toEqual(nodes[1]?.position);
		expect(readDoc(null).nodes).toEqual([]);
	});

	it("has ids that nothing else has", () => {
		expect(freeId(chain, "a")).toBe("a-2");
		expect(freeId(chain, "new")).toBe("new");
	});
});

describe("editing", () => {
	it("adds a node beside another one and joins them where that makes sense", () => {
		const { doc, id } = addNode(chain, "filterNode", { property: "name" }, "filter", "a");
		expect(doc.edges.at(-1)).toMatchObject({ source: "a", target: id });
		const alone = addNode(chain, "startNode", {}, "s", "a");
		expect(alone.doc.edges).toHaveLength(chain.edges.length);
		const places = addNode(doc, "classNode", {}, "c", "a").doc.nodes.map(
			({ position }) => `${position.x},${position.y}`,
		);
		expect(new Set(places.slice(-2)).size).toBe(2);
	});

	it("keeps a chain joined when a node in its middle goes", () => {
		const { nodes, edges } = removeElements(chain, new Set(["f"]));
		expect(nodes).toHaveLength(4);
		expect(edges.map(({ source, target }) => `${source}>${target}`)).toEqual(["s>a", "b>o", "a>b"]);
		expect(removeElements(chain, new Set(["a-f"])).edges).toHaveLength(3);
	});

	it("pastes under ids of its own, with the edges among what was copied", () => {
		const { doc, ids } = pasteNodes(chain, copyNodes(chain, new Set(["a", "f"])));
		expect(ids).toEqual(["a-2", "f-2"]);
		expect(doc.edges.at(-1)).toMatchObject({ source: "a-2", target: "f-2" });
	});

	it("takes a field away that becomes undefined", () => {
		expect(setData(chain, "a", { scope: "subtree" }).nodes[1]?.data).toEqual({ className: "a", scope: "subtree" });
		expect(setData(chain, "a", { className: undefined }).nodes[1]?.data).toEqual({});
	});

	it("says why an edge cannot be", () => {
		expect(findEdgeProblem(chain, "b", "a")).toMatch(/cycle/);
		expect(findEdgeProblem(chain, "a", "a")).toMatch(/itself/);
		expect(findEdgeProblem(chain, "a", "f")).toMatch(/already/);
		expect(findEdgeProblem(chain, "o", "a")).toMatch(/output/);
		expect(findEdgeProblem(chain, "a", "s")).toMatch(/start/);
		expect(findEdgeProblem(chain, "s", "f")).toMatch(/class/);
		expect(findEdgeProblem(chain, "s", "b")).toBeNull();
	});

	it("separates stages that a shared output makes one, and follows a relation into a stage of its own", () => {
		const begun = readDoc({
			nodes: [createNode("bd"), createNode("out", "outputNode", {})],
			edges: [createEdge("bd", "out")],
		});
		const { doc, id } = followRelation(begun, "bd", { relation: "fvRsCtx", target: "fvCtx" });
		const followed = doc.edges.find(({ target }) => target === id);
		expect(followed).toMatchObject({ source: "fvRsCtx", data: { edgeType: "pipeline", extractField: "tDn" } });
		expect(doc.edges.at(-1)).toMatchObject({ source: id, target: "output" });
		expect(findSharedOutputs(doc, followed?.id ?? "")).toEqual([]);
		const shared = connectNodes(doc, id, "out");
		expect(findSharedOutputs(shared, followed?.id ?? "").map(({ target }) => target)).toEqual(["out"]);
		const parted = separateOutputs(shared, followed?.id ?? "");
		expect(findSharedOutputs(parted, followed?.id ?? "")).toEqual([]);
		expect(parted.edges.filter(({ target }) => target === "out").map(({ source }) => source)).toEqual(["bd"]);
	});

	it("knows the class that a filter belongs to, and renames what is misspelt", () => {
		expect(findClassAt(chain, "f")?.id).toBe("a");
		expect(findClassAt(chain, "s")).toBeNull();
		expect(replaceName(chain, "f", "name", "descr").nodes[2]?.data.property).toBe("descr");
		expect(replaceName(chain, "a", null, "fvBD").nodes[1]?.data.className).toBe("fvBD");
		const patterns = setData(chain, "f", {
			patternGroups: [{ patterns: [{ property: "a.nmae" }, { property: "x" }] }],
		});
		expect(replaceName(patterns, "f", "nmae", "name").nodes[2]?.data.patternGroups).toEqual([
			{ patterns: [{ property: "a.name" }, { property: "x" }] },
		]);
	});

	it("puts a node on an edge, with what the edge passes on, or beside it where it cannot be", () => {
		const doc = setData(chain, "f-b", { edgeType: "pipeline" });
		const on = doc.edges[2] as (typeof doc.edges)[number];
		const put = insertNode(doc, on, "classNode", { className: "fvAp" }, "fvAp");
		const pairs = put.doc.edges.map(({ source, target, data }) => [source, target, data.edgeType]);
		expect(pairs).toEqual([
			["s", "a", undefined],
			["a", "f", undefined],
			["b", "o", undefined],
			["f", "fvAp", undefined],
			["fvAp", "b", "pipeline"],
		]);
		const beside = insertNode(doc, on, "outputNode", {}, "output").doc.edges;
		expect(beside.slice(0, 4)).toEqual(doc.edges);
		expect(beside[4]).toMatchObject({ source: "f", target: "output" });
	});

	it("never draws a cycle, whatever is joined", () => {
		const ids = ["a", "b", "c", "d", "e"];
		fc.assert(
			fc.property(fc.array(fc.tuple(fc.constantFrom(...ids), fc.constantFrom(...ids)), { maxLength: 25 }), (pairs) => {
				let doc = readDoc({ nodes: ids.map((id) => createNode(id)), edges: [] });
				for (const [from, to] of pairs) if (findEdgeProblem(doc, from, to) === null) doc = connectNodes(doc, from, to);
				const waiting = new Map(ids.map((id) => [id, doc.edges.filter(({ target }) => target === id).length]));
				const free = ids.filter((id) => waiting.get(id) === 0);
				for (const id of free) {
					for (const { source, target } of doc.edges) {
						if (source !== id) continue;
						waiting.set(target, (waiting.get(target) ?? 0) - 1);
						if (waiting.get(target) === 0) free.push(target);
					}
				}
				expect(free).toHaveLength(ids.length);
			}),
		);
	});
});

describe("undo", () => {
	const step = (doc: Doc, text: string) => setData(doc, "a", { className: text });

	it("takes strokes of one field as one step, and a pause as a border", () => {
		let history = beginHistory(chain);
		for (const [index, text] of ["f", "fv", "fvB"].entries())
			history = recordChange(history, step(history.now, text), "a:className", 1_000 + index * 100);
		history = recordChange(history, step(history.now, "fvBD"), "a:className", 9_000);
		expect(history.past).toHaveLength(2);
		history = undoChange(history);
		expect(history.now.nodes[1]?.data.className).toBe("fvB");
		history = undoChange(history);
		expect(history.now).toBe(chain);
		expect(redoChange(redoChange(history)).now.nodes[1]?.data.className).toBe("fvBD");
	});

	it("goes all the way back and forth, whatever was done", () => {
		fc.assert(
			fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 30 }), (texts) => {
				let history = beginHistory(chain);
				for (const [at, text] of texts.entries()) history = recordChange(history, step(history.now, text), null, at);
				const end = history.now;
				for (const _ of texts) history = undoChange(history);
				expect(history.now).toBe(chain);
				for (const _ of texts) history = redoChange(history);
				expect(getText(history.now)).toBe(getText(end));
			}),
		);
	});

	it("forgets what was undone when something else is done", () => {
		const history = recordChange(
			undoChange(recordChange(beginHistory(chain), step(chain, "x"), null, 1)),
			step(chain, "y"),
			null,
			2,
		);
		expect(history.future).toEqual([]);
		expect(undoChange(beginHistory(chain)).now).toBe(chain);
	});
});

describe("a canvas in words", () => {
	it("is a list in which everything is, once written out", () => {
		const rows = buildOutline(chain);
		expect(rows.map(({ node: { id }, depth }) => `${depth}${id}`)).toEqual(["0s", "1a", "2f", "3b", "4o"]);
		const diamond = connectNodes(chain, "a", "o");
		expect(
			buildOutline(diamond)
				.filter(({ node: { id } }) => id === "o")
				.map(({ again }) => again),
		).toEqual([false, true]);
		fc.assert(
			fc.property(fc.array(fc.tuple(fc.nat(4), fc.nat(4)), { maxLength: 12 }), (pairs) => {
				const doc = readDoc({
					nodes: [0, 1, 2, 3, 4].map((i) => createNode(`n${i}`)),
					edges: pairs.map(([a, b], i) => ({ id: `e${i}`, source: `n${a}`, target: `n${b}` })),
				});
				const whole = buildOutline(doc).filter(({ again }) => !again);
				expect(whole.map(({ node: { id } }) => id).sort()).toEqual(["n0", "n1", "n2", "n3", "n4"]);
			}),
		);
	});

	it("names nodes by what they ask", () => {
		const filter = {
			type: "filterNode",
			data: { filterType: "property", property: "name", operator: "ne", value: "common" },
		} as const;
		expect([formatTitle(filter), ...formatLines(filter)]).toEqual(["name", 'name ≠ "common"']);
		const patterns = {
			type: "filterNode",
			data: {
				filterType: "query-target-filter",
				patternGroups: [
					{
						logicalOperator: "or",
						patterns: [
							{ property: "name", type: "starts", pattern: "prod" },
							{ property: "name", type: "ends", pattern: "x", negate: true },
						],
					},
				],
			},
		} as const;
		expect(formatLines(patterns)).toEqual(['name starts with "prod" or name not ends with "x"']);
		expect(
			formatLines({
				type: "classNode",
				data: { className: "fvBD", scope: "subtree", limit: 5, orderBy: "-name", supplementalData: { health: true } },
			}),
		).toEqual(["+ whole subtree", "first 5 by name ↓", "with health"]);
		const [start] = chain.nodes;
		if (start) expect(sayNode(chain, start)).toBe("Start start, leads to a");
	});

	it("finds the name that a misspelt one stands for", () => {
		expect(findClosestNames("nmae", ["name", "nameAlias", "mtu", "same"])).toEqual(["name", "same"]);
		expect(findClosestNames("unicastroute", ["unicastRoute", "multicast"])).toEqual(["unicastRoute"]);
		expect(findClosestNames("x", ["ownerKey"])).toEqual([]);
	});

	it("suggests classes whose name or meaning fits, the closest first", () => {
		expect(suggestClasses("fvbd", 3)[0]?.name).toBe("fvBD");
		expect(suggestClasses("bridge", 9).map(({ name }) => name)).toContain("fvBD");
		expect(COMMON_CLASSES.every(({ name, label }) => CLASS_NAME.test(name) && label !== "")).toBe(true);
	});
});

describe("places", () => {
	it("arranges nodes without overlaps, with filters at their classes", () => {
		const places = computeLayout(buildDrawing(chain), () => ({ width: 188, height: 60 }));
		expect(places.size).toBe(chain.nodes.length);
		const xs = ["s", "a", "b", "o"].map((id) => places.get(id)?.x ?? 0);
		expect(xs).toEqual([...xs].sort((a, b) => a - b));
		expect(places.get("f")).toEqual({ x: (places.get("a")?.x ?? 0) + 24, y: (places.get("a")?.y ?? 0) + 84 });
		expect(moveNodes(chain, places).nodes[1]?.position).toEqual(places.get("a"));
	});

	it("continues in a row below where the width ends, in the order of reading", () => {
		const places = computeLayout(buildDrawing(chain), () => ({ width: 100, height: 60 }), 270);
		const rows = ["s", "a", "b", "o"].map((id) => places.get(id)?.y ?? 0);
		expect(rows).toEqual([0, 0, 108, 108]);
		expect(Math.max(...["s", "a", "b", "o"].map((id) => places.get(id)?.x ?? 0)) + 100).toBeLessThanOrEqual(270);
	});

	it("moves up and down through the filters of a class by arrow keys", () => {
		const [, a, f] = chain.nodes;
		if (!a || !f) throw new Error("nodes are missing");
		expect(findNextNode(chain, a, "down")).toBe(f);
		expect(findNextNode(chain, f, "up")).toBe(a);
	});

	it("moves to the nearest node in the direction of an arrow key", () => {
		const doc = moveNodes(
			EMPTY,
			new Map([
				["start", { x: 0, y: 0 }],
				["output", { x: 300, y: 40 }],
			]),
		);
		const [start, output] = doc.nodes;
		if (!start || !output) throw new Error("nodes are missing");
		expect(findNearestNode(doc.nodes, start, "right")).toBe(output);
		expect(findNearestNode(doc.nodes, start, "left")).toBeUndefined();
		expect(findNearestNode(doc.nodes, output, "up")).toBe(start);
	});
});

describe("what the service finds wrong", () => {
	it("is put where it belongs", () => {
		const { byId, general } = placeProblems(chain, {
			"flow_data.nodes.2.data.value": "Must not be empty.",
			"flow_data.nodes.2": "A filter needs a class upstream of it.",
			"flow_data.edges.0": "This edge closes a cycle.",
			"flow_data.nodes": "The canvas has no class to query.",
			"variables.0.id": "Must be a name.",
			"flow_data.nodes.99": "Gone.",
		});
		expect(byId.get("f")).toBe("value: Must not be empty. A filter needs a class upstream of it.");
		expect(byId.get("s-a")).toBe("This edge closes a cycle.");
		expect(general).toEqual([
			"The canvas has no class to query.",
			"variables.0.id: Must be a name.",
			"flow_data.nodes.99: Gone.",
		]);
	});

	it("keeps other problems of a filter whose variable is missing", () => {
		const missing = 'Filter "name" uses $' + "{tenant}, which does not exist.";
		const { byId } = placeProblems(chain, {
			"flow_data.nodes.2": "A filter needs a class upstream of it.",
			"flow_data.nodes.2.data.value": missing,
		});
		expect(byId.get("f")).toBe(`A filter needs a class upstream of it. ${missing}`);
		expect(dropMissingVariables(byId.get("f") ?? "")).toBe("A filter needs a class upstream of it.");
	});
});
