import { describe, expect, it } from "vitest";
import { sketchModel } from "../../../../../test/support/flows/sketch-model.ts";
import { readFlow } from "../../../queries/flow/rules/validation.ts";
import { compileFlow } from "./compile.ts";
import { type ExplainOptions, explainPlan, listClassesToCount } from "./explain.ts";

const createClassNode = (id: string, className: string) => ({ id, type: "classNode", data: { className } });
const createNameFilter = (id: string, value: string) => ({ id, type: "filterNode", data: { property: "name", value } });
const createEdge = (source: string, target: string, data = {}) => ({ id: `${source}${target}`, source, target, data });
const compileCanvas = (nodes: unknown[], edges: unknown[]) => {
	const read = readFlow({ nodes, edges });
	if (!read.ok) throw new Error(JSON.stringify(read.errors));
	return compileFlow(read.value);
};
const twoStages = compileCanvas(
	[createClassNode("a", "fvAEPg"), createClassNode("r", "fvRsBd"), createClassNode("b", "fvBD")],
	[createEdge("a", "r"), createEdge("r", "b", { edgeType: "pipeline", extractField: "tDn" })],
);
const explainStages = (plan: ReturnType<typeof compileFlow>, options?: ExplainOptions) => {
	const told = explainPlan(plan, options);
	return told.ok
		? told.stages.map((s) => [s.strategy, s.request_count_estimate, decodeURIComponent(s.preview_query)])
		: told.errors;
};

const summarizeStages = (...given: Parameters<typeof explainStages>) => {
	const stages = explainStages(...given);
	return Array.isArray(stages) ? stages.map(([strategy, requests]) => `${strategy} ${requests}`) : stages;
};

describe("an explanation", () => {
	it("shows stages, strategies and sample queries", () => {
		expect(explainStages(twoStages)).toEqual([
			["class", 1, "/api/class/fvRsBd.json?order-by=fvRsBd.dn"],
			[
				"class",
				2,
				'/api/class/fvBD.json?query-target-filter=or(eq(fvBD.dn,"{fvRsBd.tDn}"),eq(fvBD.dn,"…"))&order-by=fvBD.dn',
			],
		]);
		expect(listClassesToCount(twoStages)).toEqual(["fvAEPg", "fvRsBd", "fvBD"]);
	});

	it("chooses by counts", () => {
		const many = explainStages(twoStages, { counts: { fvRsBd: 5_000, fvBD: 1_000 } });
		expect(many).toEqual([
			["class", 5, "/api/class/fvRsBd.json?order-by=fvRsBd.dn"],
			["join", 1, "/api/class/fvBD.json?order-by=fvBD.dn"],
		]);
		expect(summarizeStages(twoStages, { counts: { fvRsBd: 10, fvBD: 1_000_000 } })).toEqual(["class 1", "class 1"]);
	});

	it("forces a strategy or says why not", () => {
		const one = compileCanvas([createClassNode("t", "fvTenant"), createNameFilter("f", "x")], [createEdge("t", "f")]);
		expect(summarizeStages(one)).toEqual(["mo 1"]);
		expect(summarizeStages(one, { force: "class" })).toEqual(["class 1"]);
		expect(explainStages(one, { force: "join" })).toEqual({
			force_strategy: [expect.stringContaining("Stage 1 cannot use join.")],
		});
		const chain = compileCanvas(
			[createClassNode("t", "fvTenant"), createNameFilter("f", "x"), createClassNode("b", "fvBD")],
			[createEdge("t", "f"), createEdge("f", "b")],
		);
		expect(summarizeStages(chain, { force: "join" })).toEqual(["join 2"]);
	});

	it("says in words of the network how many requests a stage takes, and shows one of each kind", () => {
		const explainOne = (...given: Parameters<typeof compileCanvas>) => {
			const explained = explainPlan(compileCanvas(...given));
			return explained.ok ? explained.stages[0] : undefined;
		};
		expect(explainOne([createClassNode("t", "fvTenant")], [])?.reason).toBe("Asks for all tenants in one request.");
		const below = [createEdge("t", "f"), createEdge("t", "b"), createEdge("b", "s"), createEdge("b", "e")];
		const classes = [
			createClassNode("t", "fvTenant"),
			createClassNode("b", "fvBD"),
			createClassNode("s", "fvSubnet"),
			createClassNode("e", "fvRsCtx"),
		];
		const name = { id: "f", type: "filterNode", data: { property: "name", operator: "ne", value: "common" } };
		expect(explainOne([...classes, name], below)?.reason).toBe(
			"The tenant filter is applied by name, without an extra request.",
		);
		expect(explainOne(classes, below.slice(1))?.reason).not.toContain("filter");
		const text = { id: "f", type: "filterNode", data: { property: "descr", operator: "contains", value: "shop" } };
		const found = explainOne([createClassNode("t", "fvTenant"), createClassNode("b", "fvBD"), text], below.slice(0, 2));
		expect(found?.reason).toBe("First finds the tenants, then their bridge domains (1 + 1 requests).");
		expect(found?.preview_queries.map((path) => path.split("?")[0])).toEqual([
			"/api/class/fvTenant.json",
			"/api/class/fvBD.json",
		]);
	});

	it("warns of names that the class model does not have", () => {
		const filter = { id: "f", type: "filterNode", data: { property: "shape", value: "x" } };
		const plan = compileCanvas(
			[createClassNode("a", "fvFoo"), createClassNode("t", "fvTenant"), filter],
			[createEdge("t", "f")],
		);
		const graph = sketchModel([{ name: "fvTenant", rn: "tenant-{name}" }]);
		const told = explainPlan(plan, { graph });
		expect(told.ok && told.warnings).toEqual([
			"The class model has no class fvFoo.",
			"fvTenant has no property shape in the class model.",
		]);
	});
});
