/** A canvas for tests: a class with a filter, and a class below it. */
import { type Doc, readDoc } from "./canvas.ts";

export const createNode = (id: string, type = "classNode", data: object = { className: id }) => ({
	id,
	type,
	position: { x: 0, y: 0 },
	data,
});
export const createEdge = (source: string, target: string, data?: object) => ({
	id: `${source}-${target}`,
	source,
	target,
	...(data ? { data } : {}),
});
export const chain: Doc = readDoc({
	nodes: [
		createNode("s", "startNode", {}),
		createNode("a"),
		createNode("f", "filterNode", { property: "name", operator: "eq", value: "x" }),
		createNode("b"),
		createNode("o", "outputNode", {}),
	],
	edges: [createEdge("s", "a"), createEdge("a", "f"), createEdge("f", "b"), createEdge("b", "o")],
});
