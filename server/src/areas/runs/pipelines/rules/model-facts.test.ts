import { describe, expect, it } from "vitest";
import { sketchModel } from "../../../../../test/support/flows/sketch-model.ts";
import { readFlow } from "../../../queries/flow/rules/validation.ts";
import { findBuiltInFacts, withBuiltIns } from "./class-table.ts";
import { compileFlow } from "./compile.ts";
import { explainPlan } from "./explain.ts";
import { readModelFacts } from "./model-facts.ts";

const graph = sketchModel([
	{ name: "topRoot" },
	{ name: "polUni", rn: "uni", containers: ["topRoot"] },
	{ name: "fvTenant", rn: "tenant-{name}", containers: ["polUni"] },
	{ name: "xxBase", abstract: true, containers: ["fvTenant"], properties: ["name"] },
	{ name: "xxThing", rn: "thing-{key}-[{addr}]", naming: ["id", "ip"], supers: ["xxBase"], properties: ["id", "ip"] },
	{ name: "xxDerived", rn: "d-{name}", supers: ["xxThing", "xxBase"] },
	{ name: "xxPart", rn: "part-{name}", containers: ["xxBase"] },
	{ name: "xxNowhere", rn: "n-{name}" },
	...Array.from({ length: 80 }, (_, i) => ({ name: `xxMany${i}`, rn: `m${i}`, containers: ["fvTenant"] })),
	{ name: "xxTag", rn: "tag-{key}", containers: Array.from({ length: 80 }, (_, i) => `xxMany${i}`) },
]);
const { model } = readModelFacts(graph);

const createClassNode = (id: string, className: string, data = {}) => ({
	id,
	type: "classNode",
	data: { className, ...data },
});
const createFilterNode = (id: string, property: string, value: string, operator = "eq") => ({
	id,
	type: "filterNode",
	data: { filterType: "property", property, operator, value },
});
const createEdge = (source: string, target: string, data = {}) => ({ id: `${source}${target}`, source, target, data });
function explainCanvas(nodes: unknown[], edges: unknown[], counts = {}) {
	const read = readFlow({ nodes, edges });
	if (!read.ok) throw new Error(JSON.stringify(read.errors));
	const told = explainPlan(compileFlow(read.value, model), { graph, counts });
	if (!told.ok) throw new Error(JSON.stringify(told.errors));
	return {
		stages: told.stages,
		warnings: told.warnings,
		query: decodeURIComponent(told.stages[0]?.preview_query ?? ""),
	};
}

describe("facts of a loaded model", () => {
	it("have rn formats with the naming properties, inherited containers, and subclasses", () => {
		expect(model("fvTenant")).toEqual({ rnFormat: "tenant-{name}", parents: ["polUni"], hasSubclasses: false });
		expect(model("polUni")?.parents).toEqual([]);
		expect(model("xxThing")).toEqual({ rnFormat: "thing-{id}-[{ip}]", parents: ["fvTenant"], hasSubclasses: true });
		expect(model("xxBase")).toMatchObject({ rnFormat: "", hasSubclasses: true });
		expect([...(model("xxPart")?.parents ?? [])].sort()).toEqual(["xxDerived", "xxThing"]);
	});

	it("leave open what nobody says, or what stands nearly everywhere", () => {
		expect(model("xxNowhere")?.parents).toBeUndefined();
		expect(model("xxTag")?.parents).toBeUndefined();
		expect(model("fvBD")).toBeUndefined();
		const both = withBuiltIns(model);
		expect(both("fvBD")).toEqual(findBuiltInFacts("fvBD"));
		expect(both("fvTenant")?.rnFormat).toBe("tenant-{name}");
	});

	it("decide strategy and query", () => {
		const one = [createClassNode("t", "fvTenant"), createFilterNode("f", "name", "a")];
		expect(explainCanvas(one, [createEdge("t", "f")]).query).toBe("/api/mo/uni/tenant-a.json");
		const named = [
			...one,
			createClassNode("x", "xxThing"),
			createFilterNode("i", "id", "7"),
			createFilterNode("p", "ip", "10.0.0.0/8"),
		];
		const wires = [createEdge("t", "f"), createEdge("t", "x"), createEdge("x", "i"), createEdge("x", "p")];
		expect(explainCanvas(named, wires)).toMatchObject({
			query: "/api/mo/uni/tenant-a/thing-7-[10.0.0.0/8].json",
			stages: [{ strategy: "mo" }],
			warnings: [],
		});
		const inherited = explainCanvas(
			[...one, createClassNode("d", "xxDerived")],
			[createEdge("t", "f"), createEdge("t", "d")],
		);
		expect(inherited.query).toContain("/api/mo/uni/tenant-a.json?query-target=subtree&target-subtree-class=xxDerived");
	});

	it("warn of classes and properties that there are not, wherever the canvas names them, each once", () => {
		const { warnings } = explainCanvas(
			[
				createClassNode("t", "fvTenant", { orderBy: "-colour" }),
				createFilterNode("f", "shape", "a"),
				createFilterNode("g", "shape", "b", "ne"),
				createClassNode("x", "xxThing"),
				createClassNode("n", "fvNope"),
			],
			[
				...[createEdge("t", "f"), createEdge("t", "g")],
				createEdge("t", "x", { edgeType: "pipeline", extractField: "fvTenant.taste", injectProperty: "weight" }),
				createEdge("t", "n", { edgeType: "pipeline", extractField: "dn", injectAs: "dn_scope" }),
			],
		);
		expect(warnings.sort()).toEqual([
			"The class model has no class fvNope.",
			"fvTenant has no property colour in the class model.",
			"fvTenant has no property shape in the class model.",
			"fvTenant has no property taste in the class model.",
			"xxThing has no property weight in the class model.",
		]);
	});

	it("know the attributes of every object, and fields elsewhere in a row", () => {
		const { warnings } = explainCanvas(
			[createClassNode("t", "fvTenant", { orderBy: "dn" }), createClassNode("x", "xxThing", { orderBy: "id" })],
			[createEdge("t", "x", { edgeType: "pipeline", extractField: "children.fvRsX.tDn", injectAs: "dn_scope" })],
		);
		expect(warnings).toEqual([]);
	});
});

describe("what takes long", () => {
	it("is a search inside the values of a class that is known or counted to be large", () => {
		const search = (className: string, counts = {}) =>
			explainCanvas(
				[createClassNode("a", className), createFilterNode("f", "name", "x", "contains")],
				[createEdge("a", "f")],
				counts,
			).warnings;
		const warning = (name: string) => `${name} is a large class, and a search inside values reads all of it.`;
		expect(search("xxPart")).toEqual([]);
		expect(search("xxPart", { xxPart: 20_000 })).toEqual([warning("xxPart")]);
		expect(search("fvTenant", { fvTenant: 19_999 })).toEqual([]);
	});

	it("is a class of records without a time range, whatever else narrows it", () => {
		const read = (data: object) => {
			const flow = readFlow({
				nodes: [createClassNode("a", "faultRecord", data), createFilterNode("f", "code", "F0103")],
				edges: [createEdge("a", "f")],
			});
			return flow.ok ? compileFlow(flow.value).warnings.map(({ message }) => message) : [];
		};
		expect(read({})).toEqual([expect.stringMatching(/^faultRecord has very many records/)]);
		expect(read({ limit: 5 })).toHaveLength(1);
		expect(read({ timeRange: "24h" })).toEqual([]);
	});
});
