import type { Flow, Variable } from "@weft/contracts";
import { describe, expect, it } from "vitest";
import { readFlow } from "./validation.ts";
import { fillVariables, findPlaceholderProblems, readVariables, readVariableValues } from "./variables.ts";

const formatPlaceholder = (id: string) => `\${${id}}`;
const parseVariable = (fields: object): Variable => {
	const read = readVariables([{ id: "v", ...fields }]);
	if (!read.ok) throw new Error(JSON.stringify(read.errors));
	return read.value[0] as Variable;
};
const buildFlow = (data: object): Flow => {
	const read = readFlow({
		nodes: [
			{ id: "a", type: "classNode", data: { className: "fvTenant" } },
			{ id: "f", type: "filterNode", data },
		],
		edges: [{ id: "e", source: "a", target: "f" }],
	});
	if (!read.ok) throw new Error(JSON.stringify(read.errors));
	return read.value;
};

describe("variables", () => {
	const wrong: [string, unknown, Record<string, unknown>][] = [
		["no list", "x", { variables: ["Must be a list."] }],
		["a bad id", [{ id: "a b" }], { "variables.0.id": [expect.any(String)] }],
		["an unknown type", [{ id: "a", type: "date" }], { "variables.0.type": ["Must be one of: text, select, number."] }],
		["one id twice", [{ id: "a" }, { id: "a" }], { "variables.1.id": ["Another variable has the id a."] }],
		[
			"a select without options",
			[{ id: "a", type: "select" }],
			{ "variables.0.options": ["A select needs at least one option."] },
		],
		[
			"a default outside the options",
			[{ id: "a", type: "select", options: ["x"], defaultValue: "y" }],
			{ "variables.0.defaultValue": ["Must be one of: x."] },
		],
		[
			"a default that is no number",
			[{ id: "a", type: "number", defaultValue: "y" }],
			{ "variables.0.defaultValue": ["Must be a number."] },
		],
	];
	it.each(wrong)("are refused: %s", (_, value, errors) => {
		const read = readVariables(value);
		expect(read.ok ? {} : read.errors).toEqual(errors);
	});

	const answers: [string, object, unknown, unknown][] = [
		["text", {}, { v: "x" }, "x"],
		["a number as text", {}, { v: 7 }, "7"],
		["the default", { defaultValue: "d" }, {}, "d"],
		["the default for a blank", { defaultValue: "d" }, { v: "" }, "d"],
		["nothing, when optional", {}, undefined, undefined],
		["a number", { type: "number" }, { v: "-1.5" }, "-1.5"],
		["an option", { type: "select", options: [{ label: "One", value: 1 }] }, { v: 1 }, "1"],
	];
	it.each(answers)("take %s", (_, fields, values, expected) => {
		const read = readVariableValues([parseVariable(fields)], values);
		expect(read.ok && read.value.get("v")).toBe(expected);
	});

	const refused: [string, object, unknown, Record<string, string[]>][] = [
		["no object", {}, [], { variable_values: ["Must be an object of variable id: value."] }],
		["a missing one", { required: true }, {}, { "variable_values.v": ["This variable is required."] }],
		["no number", { type: "number" }, { v: "1; x" }, { "variable_values.v": ["Must be a number."] }],
		[
			"no option",
			{ type: "select", options: ["a", "b"] },
			{ v: "c" },
			{ "variable_values.v": ["Must be one of: a, b."] },
		],
		["an object", {}, { v: {} }, { "variable_values.v": ["Must be a string or a number."] }],
	];
	it.each(refused)("refuse %s", (_, fields, values, errors) => {
		const read = readVariableValues([parseVariable(fields)], values);
		expect(read.ok ? {} : read.errors).toEqual(errors);
	});

	it("are put in once, wherever they stand in a filter", () => {
		const answer = new Map([
			["v", formatPlaceholder("w")],
			["w", "W"],
		]);
		const one = fillVariables(
			buildFlow({
				property: "name",
				value: `a-${formatPlaceholder("v")}-${formatPlaceholder("w")}-${formatPlaceholder("other")}`,
			}),
			answer,
		);
		expect(one.nodes[1]?.data).toMatchObject({ value: `a-${formatPlaceholder("w")}-W-${formatPlaceholder("other")}` });
		const two = fillVariables(
			buildFlow({ property: "id", operator: "bw", value: [formatPlaceholder("w"), "z"] }),
			answer,
		);
		expect(two.nodes[1]?.data).toMatchObject({ value: ["W", "z"] });
	});

	it("leave out what an unanswered optional one would have filtered", () => {
		const answer = new Map([["v", undefined]]);
		const filled = fillVariables(buildFlow({ property: "name", value: formatPlaceholder("v") }), answer);
		expect(filled.nodes[1]?.data).toEqual({ filterType: "query-target-filter", patternGroups: [] });
		const patterns = [
			{ property: "name", pattern: formatPlaceholder("v") },
			{ property: "name", pattern: "b" },
		];
		const groups = fillVariables(
			buildFlow({ filterType: "query-target-filter", patternGroups: [{ patterns }] }),
			answer,
		);
		expect(groups.nodes[1]?.data).toMatchObject({ patternGroups: [{ patterns: [{ pattern: "b" }] }] });
	});

	it("must exist where a filter names them", () => {
		expect(
			findPlaceholderProblems(buildFlow({ property: "name", value: formatPlaceholder("nope") }), [parseVariable({})]),
		).toEqual({
			"flow_data.nodes.1.data.value": [`Filter "name" uses ${formatPlaceholder("nope")}, which does not exist.`],
		});
	});
});
