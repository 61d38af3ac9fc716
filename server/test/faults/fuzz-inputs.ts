/**
 * Requests generated from the contracts: mostly valid ones in which a value or two is replaced by
 * one that no client would send.
 */
import type { RouteContract } from "@weft/contracts";
import fc from "fast-check";
import * as z from "zod";

export interface FuzzRequest {
	readonly route: RouteContract;
	/** Path and query. */
	readonly path: string;
	readonly contentType: string;
	/** Null: no body. */
	readonly body: string | null;
}

/** Ids that exist, so that requests get beyond a 404: those of one route. */
export interface KnownIds {
	/** By the name of a field; empty where the field names no object. */
	idsFor(field: string): readonly (string | number)[];
	/** For the parameter of a path. @param place the path before it */
	getIds(place: string): readonly (string | number)[];
}

/** Ids of nothing. */
const UNKNOWN_UUID = "01890000-0000-7000-8000-000000000000";
const UNKNOWN_INT = 77;
/** How often a field names an existing object, against one of the values of its type. */
const KNOWN_WEIGHT = 9;

interface JsonSchema {
	readonly type?: string;
	readonly properties?: Readonly<Record<string, JsonSchema>>;
	readonly required?: readonly string[];
	readonly additionalProperties?: JsonSchema | boolean;
	readonly items?: JsonSchema;
	readonly anyOf?: readonly JsonSchema[];
	readonly oneOf?: readonly JsonSchema[];
	readonly allOf?: readonly JsonSchema[];
	readonly enum?: readonly unknown[];
	readonly const?: unknown;
	readonly format?: string;
	readonly pattern?: string;
	readonly minimum?: number;
	readonly maximum?: number;
}

const buildSchema = (schema: z.ZodType): JsonSchema =>
	z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;

const MB = 1024 * 1024;
/** Longest text of an address; longer ones are refused by the HTTP parser. */
const ADDRESS_CHARS = 3_000;
/** Entries of a huge list. */
const MANY = 100_000;

const buildCanvas = (type: unknown, className: unknown) => ({
	nodes: [
		{ id: "a", type, position: { x: 0, y: 0 }, data: { className } },
		{ id: "f", type: "filterNode", data: { property: "name", operator: "eq", value: "x" } },
	],
	edges: [{ id: "e", source: "a", target: "f" }],
});

const ODD_TEXTS = [
	"",
	" ",
	"\0",
	"\ud800",
	"\u202e\u200f\ufeff",
	"e\u0301".repeat(300),
	"👩‍👩‍👧‍👦".repeat(100),
	"' or 1=1 --",
	"%00",
	"../../etc/passwd",
	"$(id)",
	"{{7*7}}",
	"__proto__",
	"constructor",
	"toString",
	"NaN",
	"1e999",
	"99999999999999999999",
	"2026-02-30",
	"(a+)+$",
	"(".repeat(1_000),
	"a".repeat(5_000),
];
const ODD_VALUES: readonly unknown[] = [
	...ODD_TEXTS,
	null,
	true,
	0,
	-1,
	1.5,
	2_147_483_648,
	Number.MAX_SAFE_INTEGER + 2,
	1e308,
	[],
	{},
	[[[]]],
	["x", 1, null, {}],
	{ toString: 1, valueOf: null, toJSON: 2 },
	{ length: 1e9, size: -1 },
	JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}'),
	buildCanvas({ toString: 1 }, "fvBD"),
	buildCanvas("classNode", ["fvBD"]),
];

const repeatValue = (count: number, value: unknown): unknown[] => Array.from({ length: count }, () => value);
const nestValue = (depth: number): unknown => {
	let value: unknown = 1;
	for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
	return value;
};

/** Few, because each costs much. */
const hugeValue: fc.Arbitrary<unknown> = fc
	.constantFrom<(() => unknown)[]>(
		() => "x".repeat(MB - 2_000),
		() => "x".repeat(2 * MB),
		() => "\\".repeat(400_000),
		() => repeatValue(MANY, "x"),
		() => repeatValue(MANY, 1),
		() => repeatValue(MANY, {}),
		() => Object.fromEntries(repeatValue(MANY / 2, 0).map((_, index) => [`k${index}`, index])),
		() => nestValue(90),
		() => nestValue(1_000),
		() => ({
			nodes: repeatValue(2_000, { id: "a", type: "classNode", data: { className: "fvBD" } }),
			edges: repeatValue(5_000, { id: "e", source: "a", target: "b" }),
		}),
		() => repeatValue(200, buildCanvas("classNode", "fvBD")),
	)
	.map((make) => make());

const oddValue: fc.Arbitrary<unknown> = fc.oneof(
	{ arbitrary: fc.constantFrom(...ODD_VALUES), weight: 8 },
	{ arbitrary: fc.string({ unit: "binary", maxLength: 50 }), weight: 1 },
	{ arbitrary: fc.jsonValue({ maxDepth: 4 }), weight: 1 },
	{ arbitrary: hugeValue, weight: 1 },
);

/** What fits a schema, as far as it tells. */
function buildArbitrary(schema: JsonSchema, ids: KnownIds, name = ""): fc.Arbitrary<unknown> {
	if (name === "flow_data") {
		return fc.constantFrom(buildCanvas("classNode", "fvBD"), buildCanvas("class", "fvTenant"), {
			nodes: [],
			edges: [],
		});
	}
	const known = ids.idsFor(name);
	if (known.length > 0 && (schema.type === "string" || schema.type === "integer")) {
		return fc.oneof(
			{ arbitrary: fc.constantFrom(...known), weight: KNOWN_WEIGHT },
			{ arbitrary: createFittingValue(schema, ids, name), weight: 1 },
		);
	}
	return createFittingValue(schema, ids, name);
}

function createFittingValue(schema: JsonSchema, ids: KnownIds, name: string): fc.Arbitrary<unknown> {
	if (schema.const !== undefined) return fc.constant(schema.const);
	if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
	const options = schema.anyOf ?? schema.oneOf ?? schema.allOf;
	if (options !== undefined) return fc.oneof(...options.map((option) => buildArbitrary(option, ids, name)));
	switch (schema.type) {
		case "integer":
		case "number": {
			const { minimum = 0, maximum = minimum + 1_000 } = schema;
			const within = fc.integer({ min: Math.ceil(minimum), max: Math.floor(Math.min(maximum, 2 ** 31 - 1)) });
			return fc.oneof(within, fc.constant(UNKNOWN_INT));
		}
		case "boolean":
			return fc.boolean();
		case "null":
			return fc.constant(null);
		case "array":
			return fc.array(buildArbitrary(schema.items ?? {}, ids, name), { maxLength: 4 });
		case "object":
			return createFittingObject(schema, ids);
		case "string":
			return createFittingText(schema);
		default:
			return fc.constantFrom<unknown[]>({}, [], "x", 1, buildCanvas("classNode", "fvBD"), [{ a: "1", b: 2 }]);
	}
}

function createFittingObject(schema: JsonSchema, ids: KnownIds): fc.Arbitrary<unknown> {
	const { properties = {}, required = [], additionalProperties } = schema;
	const names = Object.keys(properties);
	if (names.length === 0 && typeof additionalProperties === "object") {
		return fc.dictionary(fc.constantFrom("a", "name", "x1"), buildArbitrary(additionalProperties, ids), { maxKeys: 3 });
	}
	const fields = Object.fromEntries(names.map((name) => [name, buildArbitrary(properties[name] ?? {}, ids, name)]));
	return fc.record(fields, { requiredKeys: [...required] });
}

function createFittingText({ format, pattern = "" }: JsonSchema): fc.Arbitrary<string> {
	if (format === "date-time") return fc.constantFrom("2026-01-31T08:00:00Z", "2031-12-31T23:59:59+14:00");
	if (format === "date") return fc.constant("2026-01-31");
	if (format === "email") return fc.constant("a@example.com");
	if (pattern.includes("{8}-")) return fc.constant(UNKNOWN_UUID);
	if (pattern.includes("[0-9]{")) return fc.constantFrom("1", "10", "2026");
	return fc.constantFrom("name", "fvBD", "uni/tn-a", "http://127.0.0.1:9", "08:30", "v1.0", "#1f77b4", "Europe/Paris");
}

/** A value with another one at some place. */
function replacePart(value: unknown, place: number, odd: unknown): unknown {
	const places: (string | number)[][] = [[]];
	const collect = (part: unknown, path: (string | number)[]): void => {
		if (typeof part !== "object" || part === null || places.length > 300) return;
		for (const [key, inner] of Object.entries(part)) {
			places.push([...path, key]);
			collect(inner, [...path, key]);
		}
	};
	collect(value, []);
	const [last, ...before] = (places[place % places.length] ?? []).toReversed();
	if (last === undefined) return odd;
	const copy = structuredClone(value) as Record<string | number, unknown>;
	let target = copy;
	for (const key of before.toReversed()) target = target[key] as Record<string | number, unknown>;
	target[last] = odd;
	return copy;
}

const BROKEN = [
	"",
	"{",
	"[]",
	"null",
	'"x"',
	'{"a":',
	"\ufeff{}",
	`${"[".repeat(50_000)}`,
	`{"a":${"9".repeat(100_000)}}`,
];

function getBody(
	{ body, upload, method }: RouteContract,
	ids: KnownIds,
): fc.Arbitrary<Pick<FuzzRequest, "body" | "contentType">> {
	if (upload !== undefined) {
		const form = (content: string) =>
			`--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${content}\r\n--x--\r\n`;
		return fc.record({
			body: fc.constantFrom(
				form("a,b\n1,2\n"),
				form("\0".repeat(1_000)),
				form('"'.repeat(50_000)),
				form("a,".repeat(200_000)),
				"--x\r\n",
			),
			contentType: fc.constantFrom("multipart/form-data; boundary=x", "multipart/form-data", "application/json"),
		});
	}
	if (body === undefined || method === "GET") {
		return fc.constant({ body: method === "GET" ? null : "{}", contentType: "application/json" });
	}
	const changes = fc.array(fc.tuple(fc.nat(10_000), oddValue), { maxLength: 2 });
	const changed = fc
		.tuple(buildArbitrary(buildSchema(body), ids), changes)
		.map(([value, all]) => all.reduce((now, [place, odd]) => replacePart(now, place, odd), value as unknown))
		// A value of undefined is no JSON.
		.map((value) => JSON.stringify(value) ?? "null");
	return fc.record({
		body: fc.oneof({ arbitrary: changed, weight: 15 }, { arbitrary: fc.constantFrom(...BROKEN), weight: 1 }),
		contentType: fc.constant("application/json"),
	});
}

const getText = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
const isInAddress = (value: unknown): string =>
	encodeURIComponent(
		getText(value)
			.slice(0, ADDRESS_CHARS / 3)
			.toWellFormed(),
	).slice(0, ADDRESS_CHARS);

function getPath({ path, params, query }: RouteContract, ids: KnownIds): fc.Arbitrary<string> {
	const named = params === undefined ? {} : (buildSchema(params).properties ?? {});
	const asked = query === undefined ? {} : (buildSchema(query).properties ?? {});
	const either = (fits: fc.Arbitrary<unknown>, weight: number) =>
		fc.oneof({ arbitrary: fits, weight }, { arbitrary: fc.constantFrom(...ODD_VALUES), weight: 1 });
	const parameter = (name: string, schema: JsonSchema): fc.Arbitrary<unknown> => {
		const existing = ids.getIds(path.slice(0, path.indexOf(`:${name}`)));
		return existing.length > 0 ? fc.constantFrom(...existing) : buildArbitrary(schema, ids, name);
	};
	return fc
		.tuple(
			fc.record(
				Object.fromEntries(
					Object.entries(named).map(([name, schema]) => [name, either(parameter(name, schema), KNOWN_WEIGHT)]),
				),
			),
			fc.record(
				Object.fromEntries(
					Object.entries(asked).map(([name, schema]) => [name, either(buildArbitrary(schema, ids, name), 4)]),
				),
				{
					requiredKeys: [],
				},
			),
		)
		.map(([inPath, inQuery]) => {
			const filled = path.replace(/:(\w+)/g, (_, name: string) => isInAddress(inPath[name]) || "x");
			const search = Object.entries(inQuery).map(([name, value]) => `${name}=${isInAddress(value).slice(0, 1_000)}`);
			return search.length === 0 ? filled : `${filled}?${search.join("&")}`;
		});
}

/** Requests to one route. */
export const requestTo = (route: RouteContract, ids: KnownIds): fc.Arbitrary<FuzzRequest> =>
	fc
		.tuple(getPath(route, ids), getBody(route, ids))
		.map(([path, { body, contentType }]) => ({ route, path, body, contentType }));
