import { describe, expect, it } from "vitest";
import { readFlow } from "../../flow/domain/validation.ts";
import { compile } from "./compile.ts";
import { classesToCount, type ExplainOptions, explain } from "./explain.ts";

const cls = (id: string, className: string) => ({ id, type: "classNode", data: { className } });
const named = (id: string, value: string) => ({ id, type: "filterNode", data: { property: "name", value } });
const edge = (source: string, target: string, data = {}) => ({ id: `${source}${target}`, source, target, data });
const piped = (nodes: unknown[], edges: unknown[]) => {
	const read = readFlow({ nodes, edges });
	if (!read.ok) throw new Error(JSON.stringify(read.errors));
	return compile(read.value);
};
const twoStages = piped(
	[cls("a", "fvAEPg"), cls("r", "fvRsBd"), cls("b", "fvBD")],
	[edge("a", "r"), edge("r", "b", { edgeType: "pipeline", extractField: "tDn" })],
);
const told = (plan: ReturnType<typeof compile>, options?: ExplainOptions) => {
	const told = explain(plan, options);
	return told.ok
		? told.stages.map((s) => [s.strategy, s.request_count_estimate, decodeURIComponent(s.preview_query)])
		: told.errors;
};

const summary = (...given: Parameters<typeof told>) => {
	const stages = told(...given);
	return Array.isArray(stages) ? stages.map(([strategy, requests]) => `${strategy} ${requests}`) : stages;
};

describe("an explanation", () => {
	it("shows stages, strategies and sample queries", () => {
		expect(told(twoStages)).toEqual([
			["class", 1, "/api/class/fvRsBd.json?order-by=fvRsBd.dn"],
			[
				"class",
				2,
				'/api/class/fvBD.json?query-target-filter=or(eq(fvBD.dn,"{fvRsBd.tDn}"),eq(fvBD.dn,"…"))&order-by=fvBD.dn',
			],
		]);
		expect(classesToCount(twoStages)).toEqual(["fvAEPg", "fvRsBd", "fvBD"]);
	});

	it("chooses by counts", () => {
		const many = told(twoStages, { counts: { fvRsBd: 5_000, fvBD: 1_000 } });
		expect(many).toEqual([
			["class", 5, "/api/class/fvRsBd.json?order-by=fvRsBd.dn"],
			["join", 1, "/api/class/fvBD.json?order-by=fvBD.dn"],
		]);
		expect(summary(twoStages, { counts: { fvRsBd: 10, fvBD: 1_000_000 } })).toEqual(["class 1", "class 1"]);
	});

	it("forces a strategy or says why not", () => {
		const one = piped([cls("t", "fvTenant"), named("f", "x")], [edge("t", "f")]);
		expect(summary(one)).toEqual(["mo 1"]);
		expect(summary(one, { force: "class" })).toEqual(["class 1"]);
		expect(told(one, { force: "join" })).toEqual({
			force_strategy: [expect.stringContaining("Stage 1 cannot use join.")],
		});
		const chain = piped([cls("t", "fvTenant"), named("f", "x"), cls("b", "fvBD")], [edge("t", "f"), edge("f", "b")]);
		expect(summary(chain, { force: "join" })).toEqual(["join 2"]);
	});

	it("warns of names that the class model does not have", () => {
		const plan = piped([cls("a", "fvFoo"), cls("t", "fvTenant"), named("f", "x")], [edge("t", "f")]);
		const catalog = {
			hasClass: (name: string) => name === "fvTenant",
			hasSubclasses: () => false,
			hasProperty: () => false,
		};
		const told = explain(plan, { catalog });
		expect(told.ok && told.warnings).toEqual([
			"The class model has no class fvFoo.",
			"fvTenant has no property name in the class model.",
		]);
	});
});
