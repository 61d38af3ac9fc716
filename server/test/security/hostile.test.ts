/**
 * Invalid, malformed and hostile input on every route, generated from the contracts. Each answer is
 * a 4xx with a message, or a success for valid input. Never a 5xx or a crash.
 */
import { allRoutes, type RouteContract } from "@weft/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { ALL_ROUTES_TIMEOUT_MS, expectOfEachRoute } from "../support/each-route.ts";
import { pickValues } from "../support/effort.ts";
import { startTestApp, type TestApp } from "../support/harness.ts";

let t: TestApp;
beforeAll(async () => {
	t = await startTestApp();
});
afterAll(() => t.close());

const ID = "01890000-0000-7000-8000-000000000000";
const TEXTS = [
	"",
	" ",
	"\0",
	"a\0b",
	"\ud800",
	"' or 1=1 --",
	"%",
	"_",
	"\\",
	"../../etc/passwd",
	"ℝ𝕖𝕒𝕝 ẗęẍť 🙂",
	"x".repeat(70_000),
	"NaN",
	"1e999",
	"-1",
	"0",
	"99999999999999999999",
	"2147483648",
	"true",
	"null",
	"{}",
	"2026-02-30",
	"9999-12-31T23:59:59+14:00",
	"(".repeat(500),
];
const VALUES: unknown[] = [
	null,
	true,
	0,
	-1,
	1.5,
	2_147_483_648,
	Number.MAX_SAFE_INTEGER + 2,
	1e308,
	[],
	[null],
	[[[]]],
	["x", 1],
	{},
	{ a: { b: { c: [] } } },
	JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": 1}}'),
	...TEXTS,
];

type JsonSchema = {
	properties?: Record<string, JsonSchema>;
	anyOf?: JsonSchema[];
	enum?: unknown[];
	type?: string;
	format?: string;
};
const buildSchema = (schema: z.ZodType): JsonSchema =>
	z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;

/** Something that is right for a field, as far as its schema tells. */
function buildValidValue(schema: JsonSchema): unknown {
	if (schema.enum) return schema.enum[0];
	if (schema.anyOf?.[0]) return buildValidValue(schema.anyOf[0]);
	switch (schema.type) {
		case "integer":
		case "number":
			return 1;
		case "boolean":
			return true;
		case "array":
			return [];
		case "object":
			return Object.fromEntries(
				Object.entries(schema.properties ?? {}).map(([key, value]) => [key, buildValidValue(value)]),
			);
		default:
			return schema.format === "date-time" ? "2026-01-01T00:00:00Z" : ID;
	}
}

const getPath = (route: RouteContract, value: string): string => route.path.replace(/:\w+/g, encodeURIComponent(value));

async function callRoute(route: RouteContract, path: string, payload?: string | Buffer): Promise<string | null> {
	const headers: Record<string, string> = payload === undefined ? {} : { "content-type": "application/json" };
	// A token of its own: the routes that end sessions would end the next call's too.
	const api = route.auth === "bearer" ? t.admin.api : t.anonymous;
	const { status, body, text } = await api.send(route.method, path, payload, headers);
	if (status < 500 && (status < 400 || (typeof body === "object" && body !== null))) return null;
	return `${route.method} ${path.slice(0, 200)} ${String(payload ?? "").slice(0, 200)} answered ${status}: ${text.slice(0, 300)}`;
}

const endsSessions = new Set(["auth.logout"]);
const routes = allRoutes.filter((route) => !endsSessions.has(route.id));

/** The check fails with all answers that are not as they must be. */
function expectNone(failures: readonly (string | null)[]): void {
	expect(failures.filter(Boolean)).toEqual([]);
}

const LONG = { timeout: ALL_ROUTES_TIMEOUT_MS };
/** Increases with each place that is tried. */
let turn = 0;

describe("every route", () => {
	it("withstands hostile paths", LONG, async () => {
		await expectOfEachRoute(
			routes.filter(({ params }) => params),
			async (route) => {
				const failures = [];
				const texts = TEXTS.filter((value) => value.isWellFormed() && value !== "");
				for (const text of pickValues(texts, turn++)) {
					failures.push(await callRoute(route, getPath(route, text), route.body ? "{}" : undefined));
				}
				expectNone(failures);
			},
		);
	});

	it("withstands hostile query parameters", LONG, async () => {
		await expectOfEachRoute(routes, async (route) => {
			const names = route.query ? Object.keys(buildSchema(route.query).properties ?? {}) : ["page", "unknown"];
			const failures = [];
			const payload = route.body ? "{}" : undefined;
			for (const name of names) {
				const texts = TEXTS.filter((value) => value.isWellFormed());
				for (const text of pickValues(texts, turn++)) {
					const search = `?${name}=${encodeURIComponent(text)}`;
					failures.push(await callRoute(route, getPath(route, ID) + search, payload));
				}
				failures.push(await callRoute(route, `${getPath(route, ID)}?${name}=1&${name}=2`, payload));
				failures.push(await callRoute(route, `${getPath(route, ID)}?${name}[a]=1&=&%00=%00`, payload));
			}
			expectNone(failures);
		});
	});

	it("withstands hostile bodies", LONG, async () => {
		const changing = routes.filter(({ method }) => method !== "GET" && method !== "DELETE");
		await expectOfEachRoute(changing, async (route) => {
			const path = getPath(route, ID);
			const fields = route.body ? (buildSchema(route.body).properties ?? {}) : {};
			const right = Object.fromEntries(Object.entries(fields).map(([key, schema]) => [key, buildValidValue(schema)]));
			const failures = [];
			for (const payload of [
				"",
				"{",
				"[]",
				"null",
				"1",
				'"x"',
				'{"a":',
				"\u{feff}{}",
				`{"a":${"[".repeat(200)}${"]".repeat(200)}}`,
			]) {
				failures.push(await callRoute(route, path, payload));
			}
			failures.push(await callRoute(route, path, Buffer.from([0x7b, 0xff, 0x7d])));
			for (const name of Object.keys(fields)) {
				for (const value of pickValues(VALUES, turn++))
					failures.push(await callRoute(route, path, JSON.stringify({ ...right, [name]: value })));
				const { [name]: _left, ...rest } = right;
				failures.push(await callRoute(route, path, JSON.stringify(rest)));
			}
			expectNone(failures);
			expect({}).not.toHaveProperty("polluted");
		});
	});
});
