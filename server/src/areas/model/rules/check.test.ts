import { describe, expect, it } from "vitest";
import { checkFlow } from "./check.ts";
import type { ModelFacts } from "./facts.ts";

/** A model that has the class fvBD with the property name. */
const facts: ModelFacts = {
	version: "6.1(1)",
	knows: (name) => name === "fvBD",
	knowsProperty: (name, property) => (name === "fvBD" ? property === "name" : null),
	rnFormat: () => null,
	namingProperties: () => [],
	isAbstract: () => false,
	hasSubclasses: () => false,
	containers: () => [],
	containment: () => null,
	similar: () => [],
};
const NOT_TEXT: readonly unknown[] = [{ toString: 1 }, { valueOf: 1, toString: null }, ["a"], null, { length: 1e9 }];
const buildClass = (className: unknown, more: object = {}) => ({
	id: "a",
	type: "classNode",
	data: { className, ...more },
});
const buildFlow = (data: unknown, edge: object = { source: "a", target: "f" }) => ({
	nodes: [buildClass("fvBD"), { id: "f", type: "filterNode", data }],
	edges: [edge],
});
const listMessages = (flow: unknown) => checkFlow(flow, facts).map(({ message }) => message);
const NO_PROPERTY = ["fvBD has no property nope in the model 6.1(1)."];

describe("checking a canvas against a model", () => {
	it("warns of a class and of properties that the model does not have", () => {
		expect(listMessages({ nodes: [buildClass("fvNope")] })).toEqual(["The model 6.1(1) has no class fvNope."]);
		expect(listMessages({ nodes: [buildClass("fvBD", { orderBy: "-fvBD.nope" })] })).toEqual(NO_PROPERTY);
		expect(listMessages(buildFlow({ property: "nope" }))).toEqual(NO_PROPERTY);
		expect(listMessages(buildFlow({ patternGroups: [{ patterns: [{ property: "nope" }] }] }))).toEqual(NO_PROPERTY);
		expect(listMessages(buildFlow({ property: "name" }))).toEqual([]);
	});

	it.each(NOT_TEXT)("ignores %j at each place of the canvas", (value) => {
		const flows = [
			value,
			{ nodes: value, edges: value },
			{ nodes: [value], edges: [value] },
			{ nodes: [{ ...buildClass("fvNope"), type: value }] },
			{ nodes: [{ ...buildClass("fvBD"), id: value, data: value }] },
			{ nodes: [buildClass(value)] },
			{ nodes: [buildClass("fvBD", { orderBy: value })] },
			buildFlow({ property: value }),
			buildFlow({ patternGroups: [value] }),
			buildFlow({ patternGroups: [{ patterns: value }] }),
			buildFlow({ patternGroups: [{ patterns: [value, { property: value }] }] }),
			buildFlow({ property: "nope" }, { source: value, target: "f" }),
			buildFlow({ property: "nope" }, { source: "a", target: value }),
		];
		expect(flows.map(listMessages)).toEqual(flows.map(() => []));
		expect(listMessages({ nodes: [value, buildClass(value), buildClass("fvNope")], edges: [value] })).toHaveLength(1);
	});

	it.each([7, true])("reads %j as a name", (value) => {
		expect(listMessages({ nodes: [buildClass(value)] })).toEqual([`The model 6.1(1) has no class ${value}.`]);
	});
});
