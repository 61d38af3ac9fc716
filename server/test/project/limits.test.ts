/** Everything that a request may contain has a maximum in its contract. */
import { allChannels, allRoutes, canvasSchema, findMaximum, flowSchema, isBounded } from "@weft/contracts";
import { describe, expect, it } from "vitest";
import type * as z from "zod";

type Schema = z.core.$ZodType;
type Def = z.core.$ZodTypeDef & Record<string, unknown>;

/** Paths of the strings, lists and dictionaries without a maximum in a schema of input. */
function listUnbounded(schema: Schema, path: string, visited = new Set<Schema>()): string[] {
	if (visited.has(schema)) return [];
	visited.add(schema);
	const def = schema._zod.def as Def;
	const inner = (one: unknown, name = ""): string[] => listUnbounded(one as Schema, `${path}${name}`, visited);
	switch (def.type) {
		case "string":
			return findMaximum(schema) !== null ? [] : [`${path}: string`];
		case "array":
			return [...(isBounded(schema) ? [] : [`${path}: list`]), ...inner(def.element, "[]")];
		case "record":
			return [...(isBounded(schema) ? [] : [`${path}: dictionary`]), ...inner(def.valueType, ".*")];
		case "map":
		case "set":
			return [`${path}: ${def.type}`];
		case "object":
			return Object.entries(def.shape as Record<string, Schema>).flatMap(([key, value]) => inner(value, `.${key}`));
		case "union":
			return (def.options as Schema[]).flatMap((option) => inner(option));
		case "intersection":
			return [...inner(def.left), ...inner(def.right)];
		case "tuple":
			return (def.items as Schema[]).flatMap((item, index) => inner(item, `.${index}`));
		case "pipe":
			return [...inner(def.in), ...((def.in as Schema)._zod.def.type === "transform" ? inner(def.out) : [])];
		case "lazy":
			return inner((def.getter as () => Schema)());
		default:
			return def.innerType === undefined ? [] : inner(def.innerType);
	}
}

describe("requests", () => {
	it("have a maximum for every text, list and dictionary that their contracts describe", () => {
		const found = allRoutes.flatMap(({ id, params, query, body }) =>
			Object.entries({ params, query, body }).flatMap(([part, schema]) =>
				schema === undefined ? [] : listUnbounded(schema, `${id} ${part}`),
			),
		);
		expect(found.join("\n")).toBe("");
	});

	it("have a maximum for everything in a canvas", () => {
		expect([...listUnbounded(canvasSchema, "canvas"), ...listUnbounded(flowSchema, "flow")]).toEqual([]);
	});

	it("have a maximum for every parameter of a channel", () => {
		expect(allChannels.flatMap(({ path, params }) => listUnbounded(params, path))).toEqual([]);
	});
});
