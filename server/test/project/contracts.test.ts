/** Contracts match the interface's endpoints one to one, each other, and docs/openapi.json. */
import { readFileSync } from "node:fs";
import { AUDIT_CATEGORIES, allChannels, allRoutes } from "@weft/contracts";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { openApiDocument } from "../../src/core/http/openapi.ts";
import { ADDITIVE } from "../support/additive.ts";
import {
	ADDITIVE_CHANNELS,
	MISSING,
	MISSING_CHANNELS,
	MISSING_COUNT,
	SPECIFIED,
	SPECIFIED_CHANNELS,
} from "../support/interface.ts";

const getEndpoint = (route: { method: string; path: string }): string =>
	`${route.method} ${route.path.replace(/:\w+/g, ":id")}`;
const offered = allRoutes.map(getEndpoint);
const isMissing = (endpoint: string): boolean =>
	MISSING.some((entry) => (typeof entry === "string" ? entry === endpoint : entry.test(endpoint)));

/** The fields of a body, through what only transforms or refines it. */
function listFields(schema: unknown): { readonly name: string; readonly schema: z.ZodType }[] {
	if (schema instanceof z.ZodPipe) return listFields(schema.in);
	if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return listFields(schema.unwrap());
	if (schema instanceof z.ZodUnion) return schema.options.flatMap(listFields);
	if (!(schema instanceof z.ZodObject)) return [];
	return Object.entries(schema.shape).map(([name, field]) => ({ name, schema: field as z.ZodType }));
}

describe("contracts", () => {
	it("cover the specification, but for what is listed as missing", () => {
		expect(SPECIFIED.filter((endpoint) => !offered.includes(endpoint) && !isMissing(endpoint))).toEqual([]);
	});

	it("are not listed as missing once they are there", () => {
		expect(offered.filter((endpoint) => isMissing(endpoint) && SPECIFIED.includes(endpoint))).toEqual([]);
		expect(SPECIFIED.filter(isMissing)).toHaveLength(MISSING_COUNT);
	});

	it("offer nothing that is neither specified nor listed as additive", () => {
		expect(offered.filter((endpoint) => !SPECIFIED.includes(endpoint) && !ADDITIVE.includes(endpoint))).toEqual([]);
		expect(ADDITIVE.filter((endpoint) => !offered.includes(endpoint))).toEqual([]);
	});

	it("have the specification's channels, but for what is listed as missing", () => {
		const channels = allChannels.map(({ path }) => path.replace(/:\w+/g, ":id"));
		expect([...channels, ...MISSING_CHANNELS].sort()).toEqual([...SPECIFIED_CHANNELS, ...ADDITIVE_CHANNELS].sort());
		for (const { path, final, frames } of allChannels) {
			expect(path).toMatch(/^\/ws\/.*\/$/);
			expect(Object.keys(frames)).toEqual(expect.arrayContaining([...final]));
		}
	});

	it("have one endpoint and one id each, a trailing slash or the name of a file, and at least one answer", () => {
		expect(new Set(offered).size).toBe(offered.length);
		expect(new Set(allRoutes.map((route) => route.id)).size).toBe(allRoutes.length);
		for (const route of allRoutes) {
			expect(route.path, route.id).toMatch(/^\/api\/.*(\/|\.json)$/);
			expect(Object.keys(route.answers), route.id).not.toEqual([]);
		}
	});

	it("refuse names and texts that turn the direction of the page around them", () => {
		const texts = new Set(["name", "title", "label", "description", "comment", "reason", "first_name", "last_name"]);
		const fields = allRoutes
			.filter(({ method }) => method !== "GET")
			.flatMap(({ id, body }) => listFields(body).map(({ name, schema }) => ({ place: `${id} ${name}`, name, schema })))
			.filter(({ name }) => texts.has(name));
		expect(fields.length).toBeGreaterThan(60);
		for (const turning of ["\u202e", "\u2066"]) {
			const passed = fields.filter(({ schema }) => schema.safeParse(`fab${turning}ric-1`).success);
			expect(passed.map(({ place }) => place)).toEqual([]);
		}
		const refused = fields.filter(({ schema }) => !schema.safeParse("fabric-1").success);
		expect(refused.map(({ place }) => place)).toEqual([]);
	});

	it("say what every change leaves in the audit log, and record no read", () => {
		for (const route of allRoutes) {
			// An export of the audit log is the one read that is recorded.
			if (route.method === "GET" && route.id !== "audit.export") expect(route.audit, route.id).toHaveProperty("none");
			if ("none" in route.audit) expect(route.audit.none.length, route.id).toBeGreaterThan(3);
		}
		const written = allRoutes.flatMap(({ audit }) => ("none" in audit ? [] : [audit.category]));
		// Calls are recorded by themselves, whatever their route.
		expect(new Set([...written, "api_access"])).toEqual(new Set(AUDIT_CATEGORIES));
	});

	it("ask for a permission or say that none is needed; anonymous routes are the specification's", () => {
		const anonymous = allRoutes.filter((route) => route.auth === "anonymous").map(getEndpoint);
		expect(anonymous.sort()).toEqual(
			[
				"GET /api/auth/email/verify/",
				"GET /api/auth/health/",
				"GET /api/auth/oidc/callback/",
				"GET /api/auth/oidc/start/",
				"POST /api/auth/oidc/exchange/",
				"GET /api/auth/invitations/:id/",
				"POST /api/auth/invitations/:id/",
				"POST /api/auth/oidc/terminal/",
				"POST /api/auth/oidc/terminal/decide/",
				"GET /api/automation/webhooks/health/",
				"GET /api/calendar/feed/:id/",
				"POST /api/auth/password-reset/",
				"POST /api/auth/password-reset/confirm/",
				"GET /api/docs/",
				"GET /api/health/",
				"GET /api/redoc/",
				"GET /api/schema/",
				"GET /api/schema/change-report-v1.json",
				"POST /api/auth/ldap-login/",
				"POST /api/auth/login/",
				"POST /api/auth/mfa-login/",
				"POST /api/auth/token/refresh/",
			].sort(),
		);
	});

	it("are what docs/openapi.json says (npm run openapi writes it)", () => {
		const committed = JSON.parse(readFileSync(new URL("../../../docs/openapi.json", import.meta.url), "utf8"));
		const document = openApiDocument(allRoutes, committed.info.version);
		expect(JSON.parse(JSON.stringify(document))).toEqual(committed);
		expect(committed.openapi).toBe("3.0.3");
		expect(JSON.stringify(committed)).not.toMatch(/"type":"null"|"const":|"\$defs"/);
	});
});
