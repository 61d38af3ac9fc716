/** The OpenAPI document is what linters and generators of clients expect of version 3.0.3. */
import { allRoutes } from "@weft/contracts";
import { describe, expect, it } from "vitest";
import { openApiDocument } from "../../src/core/http/openapi.ts";
import { TAG_DESCRIPTIONS } from "../../src/core/http/openapi-tags.ts";

type Json = Record<string, unknown>;
interface Operation {
	readonly description?: string;
	readonly requestBody?: { readonly content: Record<string, { readonly schema: Json }> };
	readonly responses: Record<string, unknown>;
}

const document = openApiDocument(allRoutes, "0.0.0");
const paths = document.paths as Record<string, Record<string, Operation>>;
const operations = Object.entries(paths).flatMap(([path, methods]) =>
	Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
);

/** Every object of the document, with its place. */
function* listObjects(value: unknown, place = ""): Generator<[place: string, object: Json]> {
	if (typeof value !== "object" || value === null) return;
	if (!Array.isArray(value)) yield [place, value as Json];
	for (const [key, inner] of Object.entries(value)) yield* listObjects(inner, `${place}/${key}`);
}

const placesWhere = (isWrong: (object: Json) => boolean): string[] =>
	[...listObjects(document)].filter(([, object]) => isWrong(object)).map(([place]) => place);

describe("the OpenAPI document", () => {
	it("describes every operation and every tag, and no tag without operations", () => {
		expect(operations.filter(({ operation }) => !operation.description).map(({ name }) => name)).toEqual([]);
		const tags = document.tags as { name: string; description?: string }[];
		expect(tags.filter(({ description }) => !description)).toEqual([]);
		expect(tags.map(({ name }) => name).sort()).toEqual(Object.keys(TAG_DESCRIPTIONS).sort());
	});

	it("allows null only beside a type, and in the values of an enumeration", () => {
		expect(placesWhere(({ nullable, type }) => nullable === true && type === undefined)).toEqual([]);
		expect(
			placesWhere((schema) => schema.nullable === true && Array.isArray(schema.enum) && !schema.enum.includes(null)),
		).toEqual([]);
	});

	it("bounds the nodes and edges of every canvas, in requests and in answers", () => {
		const canvases = [...listObjects(document)].filter(([place]) => place.endsWith("/properties/flow_data/properties"));
		expect(canvases.length).toBeGreaterThan(5);
		for (const [place, { nodes, edges }] of canvases) {
			expect([place, (nodes as Json).maxItems, (edges as Json).maxItems]).toEqual([place, 2_000, 5_000]);
		}
	});

	it("has patterns that mean the same with and without the flag u", () => {
		const patterns = new Set(
			[...listObjects(document)].flatMap(([, { pattern }]) => (pattern ? [String(pattern)] : [])),
		);
		expect(patterns.size).toBeGreaterThan(10);
		for (const pattern of patterns) {
			expect(() => [new RegExp(pattern), new RegExp(pattern, "u")], pattern).not.toThrow();
			expect(pattern).not.toMatch(/\\[pP]\{|\\u\{/);
		}
		const line = new RegExp([...patterns].find((pattern) => pattern.includes("\\u007f-\\u009f")) ?? "missing");
		expect(["", "Ada Löve 🎉", "a\nb", "\u0085"].map((text) => line.test(text))).toEqual([true, true, false, false]);
	});

	it("leaves objects without listed properties open, nodes and edges of a canvas too", () => {
		const isClosed = ({ type, properties, additionalProperties }: Json) =>
			type === "object" && properties === undefined && additionalProperties === undefined;
		expect(placesWhere(isClosed)).toEqual([]);
		const canvases = [...listObjects(document)].filter(([place]) => place.endsWith("/properties/flow_data/properties"));
		expect(canvases.length).toBeGreaterThan(5);
		for (const [place, { nodes, edges }] of canvases) {
			for (const list of [nodes, edges]) expect((list as Json).items, place).toMatchObject({ type: "object" });
		}
	});

	it("refers only to components that are there, and uses each", () => {
		const components = document.components as Record<string, Json>;
		const used = new Set([...listObjects(document)].flatMap(([, { $ref }]) => ($ref ? [String($ref)] : [])));
		const offered = ["schemas", "responses"].flatMap((kind) =>
			Object.keys(components[kind] ?? {}).map((name) => `#/components/${kind}/${name}`),
		);
		expect([...used].sort()).toEqual(offered.sort());
	});

	it("declares what the platform answers before and beside a route's own answers", () => {
		const getStatuses = (name: string) =>
			Object.keys(operations.find((operation) => operation.name === name)?.operation.responses ?? {}).map(Number);
		const platform = [400, 401, 408, 413, 415, 417, 429, 431, 500, 503];
		expect(getStatuses("POST /api/auth/login/")).toEqual([200, 202, ...platform, 404].sort());
		expect(getStatuses("POST /api/queries/pipeline-executions/")).toEqual([201, ...platform, 403, 404, 409].sort());
		expect(getStatuses("GET /api/health/")).toEqual(expect.arrayContaining([200, 415, 417, 431, 500, 503]));
		for (const { name, operation } of operations) {
			const statuses = Object.keys(operation.responses);
			expect(
				statuses.some((status) => /^[23]/.test(status)),
				name,
			).toBe(true);
			expect(statuses, name).toEqual(expect.arrayContaining(["417", "431", "500", "503"]));
		}
	});
});
