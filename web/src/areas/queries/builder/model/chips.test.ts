/** The canvas as it is drawn: filters as chips, parents, and variables that filters use. */
import { describe, expect, it } from "vitest";
import { getText, readDoc } from "./canvas.ts";
import { chain, createEdge, createNode } from "./chain.fixture.ts";
import { buildDrawing } from "./chips.ts";
import { addFilter, addParent, findClassAt, findEdgeProblem, setData } from "./edit.ts";
import { findMissingVariables, listVariableUses } from "./variables.ts";

describe("a canvas as it is drawn", () => {
	it("shows a filter of one class in that class, and its wires from there, and saves it as it was", () => {
		const before = getText(chain);
		const { nodes, edges, chips, owners } = buildDrawing(chain);
		expect(nodes.map(({ id }) => id)).toEqual(["s", "a", "b", "o"]);
		expect(chips.get("a")?.map(({ id }) => id)).toEqual(["f"]);
		expect(owners.get("f")).toBe("a");
		expect(edges.map(({ id, source, target }) => [id, source, target])).toEqual([
			["s-a", "s", "a"],
			["f-b", "a", "b"],
			["b-o", "b", "o"],
		]);
		expect(getText(chain)).toBe(before);
		const { doc, id } = addFilter(chain, "a", { property: "descr", operator: "eq", value: "" });
		expect(buildDrawing(doc).chips.get("a")).toHaveLength(2);
		expect(findClassAt(doc, id)?.id).toBe("a");
		expect(findEdgeProblem(chain, "a", "b")).toBe("These nodes are already connected.");
	});

	it("keeps a filter of no class, or of several, as a node", () => {
		const filter = createNode("f", "filterNode", { property: "name", value: "x" });
		const alone = readDoc({ nodes: [createNode("a"), filter], edges: [] });
		expect(buildDrawing(alone).nodes).toHaveLength(2);
		const shared = readDoc({
			nodes: [createNode("a"), createNode("b"), filter],
			edges: [createEdge("a", "f"), createEdge("b", "f")],
		});
		expect(buildDrawing(shared).owners.size).toBe(0);
		expect(buildDrawing(shared).edges).toHaveLength(2);
	});

	it("puts a parent between the start and a class, and finds the variables that are missing", () => {
		const { doc, id } = addParent(chain, "a", "parent");
		expect(doc.edges.map(({ source, target }) => `${source}>${target}`)).toContain(`${id}>a`);
		expect(doc.edges.map(({ source, target }) => `${source}>${target}`)).toContain(`s>${id}`);
		const asking = setData(chain, "f", { value: "$" + "{tenant}" });
		expect(findMissingVariables(asking)).toEqual([{ nodeId: "f", property: "name", variable: "tenant" }]);
		expect(listVariableUses(asking)).toEqual([{ variable: "tenant", className: "a", property: "name" }]);
		expect(findMissingVariables({ ...asking, variables: [{ id: "tenant" }] })).toEqual([]);
	});
});
