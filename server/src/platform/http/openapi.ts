/** OpenAPI 3.0 from the contracts. */
import type { Answers, RouteContract } from "@weft/contracts";
import { errorDetail, errorFields, errorUpstream, isRaw } from "@weft/contracts";
import * as z from "zod";

type Json = Record<string, unknown>;

const COMMON: readonly [
	status: number,
	description: string,
	when: (route: RouteContract) => boolean,
	schema: string,
][] = [
	[400, "Invalid input: messages by field", (r) => Boolean(r.body ?? r.query ?? r.upload), "Invalid"],
	[401, "Credentials are missing or not valid", (r) => r.auth === "bearer", "Detail"],
	[403, "Not allowed", (r) => r.auth === "bearer" && r.permission !== "any", "Detail"],
	[404, "Not found, or not visible to the caller", (r) => Boolean(r.params), "Detail"],
	[413, "The body is too large", (r) => Boolean(r.body ?? r.upload), "Detail"],
	[429, "Too many requests; see Retry-After", (r) => r.throttle !== "none", "Detail"],
	[500, "An error of the service; quote request_id", () => true, "Detail"],
	[503, "The store or the cache cannot be reached; see Retry-After", () => true, "Detail"],
];

/** The document that `/api/schema/` serves. */
export function openApiDocument(routes: readonly RouteContract[], version: string): Json {
	const paths: Record<string, Json> = {};
	for (const route of routes) {
		const path = route.path.replace(/:(\w+)/g, "{$1}");
		paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
	}
	return {
		openapi: "3.0.3",
		info: {
			title: "Weft",
			version,
			description:
				"Query the controllers of a data-centre fabric, keep every answer, see what changed, and turn rows into jobs.",
			license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
		},
		servers: [{ url: "/" }],
		tags: [...new Set(routes.map(tag))].map((name) => ({ name })),
		paths,
		components: {
			securitySchemes: {
				bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
				signature: { type: "apiKey", in: "header", name: "X-Automation-Webhook-Signature" },
			},
			schemas: {
				Detail: schemaOf(errorDetail, "output"),
				Invalid: schemaOf(errorFields, "output"),
				Upstream: schemaOf(errorUpstream, "output"),
			},
		},
	};
}

const UPLOAD = {
	required: true,
	content: {
		"multipart/form-data": {
			schema: {
				type: "object",
				required: ["file"],
				properties: { file: { type: "string", format: "binary" } },
			},
		},
	},
} as const;

const tag = (route: RouteContract): string => route.id.split(".")[0] ?? "system";

function operation(route: RouteContract): Json {
	const security = route.auth === "anonymous" ? [] : [{ [route.auth]: [] }];
	return {
		operationId: route.id.replace(/\W/g, "_"),
		summary: route.summary,
		tags: [tag(route)],
		security,
		...(route.permission === "any" ? {} : { description: `Needs the permission \`${route.permission}\`.` }),
		parameters: [...parameters(route.params, "path"), ...parameters(route.query, "query")],
		...(route.body
			? {
					requestBody: {
						required: !route.bodyOptional,
						content: { "application/json": { schema: schemaOf(route.body, "input") } },
					},
				}
			: {}),
		...(route.upload ? { requestBody: UPLOAD } : {}),
		responses: responses(route),
	};
}

function parameters(schema: z.ZodType | undefined, where: "path" | "query"): Json[] {
	if (schema === undefined) return [];
	const object = schemaOf(schema, "input");
	const required = new Set((object.required as string[] | undefined) ?? []);
	return Object.entries((object.properties as Record<string, Json> | undefined) ?? {}).map(([name, property]) => ({
		name,
		in: where,
		required: where === "path" || required.has(name),
		schema: property,
	}));
}

function responses(route: RouteContract): Json {
	const result: Record<string, Json> = {};
	for (const [status, description, applies, schema] of COMMON) {
		if (!applies(route)) continue;
		result[status] = {
			description,
			content: { "application/json": { schema: { $ref: `#/components/schemas/${schema}` } } },
		};
	}
	return { ...result, ...declared(route.answers) };
}

function declared(answers: Answers): Json {
	const result: Json = {};
	for (const [status, answer] of Object.entries(answers)) {
		if (isRaw(answer)) {
			result[status] = {
				description: answer.description,
				...(answer.raw === "" ? {} : { content: { [answer.raw]: { schema: { type: "string" } } } }),
			};
		} else {
			result[status] = {
				description: Number(status) < 300 ? "Success" : "Refused",
				content: { "application/json": { schema: schemaOf(answer, "output") } },
			};
		}
	}
	return result;
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
	const json = z.toJSONSchema(schema, { target: "openapi-3.0", io, unrepresentable: "any", reused: "inline" }) as Json;
	delete json.$schema;
	return json;
}
