/** OpenAPI 3.0 from the contracts. */
import type { RouteContract } from "@weft/contracts";
import { errorDetail, errorFields, errorUpstream, isRaw } from "@weft/contracts";
import type * as z from "zod";
import { COMMON_ANSWERS, type ErrorSchema } from "./common-answers.ts";
import { buildSchema, type Json } from "./openapi-schema.ts";
import { TAG_DESCRIPTIONS } from "./openapi-tags.ts";

/** The document that `/api/schema/` serves. */
export function openApiDocument(routes: readonly RouteContract[], version: string): Json {
	const paths: Record<string, Json> = {};
	for (const route of routes) {
		const path = route.path.replace(/:(\w+)/g, "{$1}");
		paths[path] = { ...paths[path], [route.method.toLowerCase()]: buildOperation(route) };
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
		tags: [...new Set(routes.map(getTag))].map((name) => ({ name, description: TAG_DESCRIPTIONS[name] })),
		paths,
		components: {
			securitySchemes: {
				bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
				signature: { type: "apiKey", in: "header", name: "X-Automation-Webhook-Signature" },
			},
			schemas: {
				Detail: buildSchema(errorDetail, "output"),
				Invalid: buildSchema(errorFields, "output"),
				BadRequest: { anyOf: [referTo("Detail"), referTo("Invalid")] },
				Upstream: buildSchema(errorUpstream, "output"),
			},
			responses: Object.fromEntries(
				Object.values(COMMON_ANSWERS).map((answer) => [answer.name, describeCommonResponse(answer)]),
			),
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

const getTag = (route: RouteContract): string => route.id.split(".")[0] ?? "system";

function buildOperation(route: RouteContract): Json {
	const security = route.auth === "anonymous" ? [] : [{ [route.auth]: [] }];
	return {
		operationId: route.id.replace(/\W/g, "_"),
		summary: route.summary,
		tags: [getTag(route)],
		security,
		description: formatAccess(route),
		parameters: [...buildParameters(route.params, "path"), ...buildParameters(route.query, "query")],
		...(route.body
			? {
					requestBody: {
						required: !route.bodyOptional,
						content: describeJsonContent(buildSchema(route.body, "input")),
					},
				}
			: {}),
		...(route.upload ? { requestBody: UPLOAD } : {}),
		responses: buildResponses(route),
	};
}

function buildParameters(schema: z.ZodType | undefined, where: "path" | "query"): Json[] {
	if (schema === undefined) return [];
	const object = buildSchema(schema, "input");
	const required = new Set((object.required as string[] | undefined) ?? []);
	return Object.entries((object.properties as Record<string, Json> | undefined) ?? {}).map(([name, property]) => ({
		name,
		in: where,
		required: where === "path" || required.has(name),
		schema: property,
	}));
}

/** Who may call an operation, as its description. */
function formatAccess({ auth, permission }: RouteContract): string {
	if (auth === "anonymous") return "Needs no token.";
	if (auth === "signature") return "Needs a signature of the body instead of a token.";
	if (permission === "any") return "Needs a token and no permission.";
	if (permission === "admin") return "For superusers and members of the group `Admin`.";
	return `Needs the permission \`${permission}\`.`;
}

function buildResponses(route: RouteContract): Json {
	const result: Json = {};
	for (const [status, { name, applies }] of Object.entries(COMMON_ANSWERS)) {
		if (applies(route)) result[status] = { $ref: `#/components/responses/${name}` };
	}
	for (const [key, answer] of Object.entries(route.answers)) {
		const status = Number(key);
		if (isRaw(answer)) {
			result[status] = {
				description: answer.description,
				...(answer.raw === "" ? {} : { content: { [answer.raw]: { schema: { type: "string" } } } }),
			};
			continue;
		}
		const common = COMMON_ANSWERS[status]?.applies(route) ? COMMON_ANSWERS[status].schema : null;
		if (common === "Detail" && answer === errorDetail) continue;
		const schema = answerSchema(answer);
		result[status] = {
			description: status < 300 ? "Success" : "Refused",
			content: describeJsonContent(common === null ? schema : { anyOf: [schema, referTo(common)] }),
		};
	}
	return result;
}

function describeCommonResponse({ description, schema }: { description: string; schema: ErrorSchema }): Json {
	return { description, ...(schema === null ? {} : { content: describeJsonContent(referTo(schema)) }) };
}

/** The schema of a declared answer: a reference where it is one of the common error bodies. */
function answerSchema(answer: z.ZodType): Json {
	if (answer === errorDetail) return referTo("Detail");
	if (answer === errorUpstream) return referTo("Upstream");
	return buildSchema(answer, "output");
}

const describeJsonContent = (schema: Json): Json => ({ "application/json": { schema } });

const referTo = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
