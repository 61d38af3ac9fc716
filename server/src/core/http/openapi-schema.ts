/** JSON schemas as OpenAPI 3.0.3 defines them, from Zod schemas. */
import * as z from "zod";

export type Json = Record<string, unknown>;

/** The schema of a request (`input`) or of an answer (`output`). */
export function buildSchema(schema: z.ZodType, io: "input" | "output"): Json {
	const json = z.toJSONSchema(schema, { target: "openapi-3.0", io, unrepresentable: "any", reused: "inline" }) as Json;
	delete json.$schema;
	return correctSchema(json) as Json;
}

/** Keywords that hold one schema, a list of schemas, and schemas by name. */
const ONE = ["items", "additionalProperties", "not"];
const LISTS = ["anyOf", "oneOf", "allOf"];
const DICTIONARIES = ["properties"];

/** Corrects a schema and all schemas in it, in place of Zod's export. */
function correctSchema(schema: unknown): unknown {
	if (typeof schema !== "object" || schema === null) return schema;
	const result: Json = { ...(schema as Json) };
	for (const key of ONE) if (key in result) result[key] = correctSchema(result[key]);
	for (const key of LISTS) if (Array.isArray(result[key])) result[key] = result[key].map(correctSchema);
	for (const key of DICTIONARIES) {
		if (key in result) result[key] = Object.fromEntries(Object.entries(result[key] as Json).map(correctEntry));
	}
	if (typeof result.pattern === "string") result.pattern = withoutUnicodeFlag(result.pattern);
	if (result.type === "object" && !result.properties) result.additionalProperties ??= {};
	return result.nullable === true ? correctNullable(result) : result;
}

const correctEntry = ([name, schema]: [string, unknown]): [string, unknown] => [name, correctSchema(schema)];

/**
 * `nullable` only extends a `type` beside it, and an `enum` beside it must list null. A schema
 * without a type accepts null by itself, unless its alternatives do not: then the first accepts it.
 */
function correctNullable(schema: Json): Json {
	if (schema.type !== undefined) {
		const values = schema.enum;
		return Array.isArray(values) && !values.includes(null) ? { ...schema, enum: [...values, null] } : schema;
	}
	const { nullable: _, ...rest } = schema;
	for (const key of ["anyOf", "oneOf"]) {
		const [first, ...others] = (rest[key] as Json[] | undefined) ?? [];
		if (first !== undefined) return { ...rest, [key]: [correctNullable({ ...first, nullable: true }), ...others] };
	}
	return rest;
}

/** A pattern with the same meaning without the flag `u`: no property escapes. */
function withoutUnicodeFlag(pattern: string): string {
	return pattern.replaceAll("\\P{Cc}", "[^\\u0000-\\u001f\\u007f-\\u009f]");
}
