/** Routes of API tokens. */
import * as z from "zod";
import { defineEnvelope, intParams, paging, uuid } from "../../core/common.ts";
import { defineCrudRoutes } from "../../core/crud.ts";
import { defineRawAnswer, defineRoute, type RouteContract } from "../../core/route.ts";
import { apiTokenPaths } from "./paths.ts";
import { apiToken, apiTokenCreate, apiTokenList, apiTokenOptions, createdApiToken } from "./shapes.ts";

const common = { throttle: "user", permission: "any" } as const;
const admin = { ...common, permission: "admin" } as const;
const defineAudit = <const Action extends string>(action: Action) => ({ category: "authentication", action }) as const;

const tokens = defineCrudRoutes({
	paths: apiTokenPaths,
	noun: "token",
	permission: { read: "any", write: "any" },
	audit: { category: "authentication", action: "api_token" },
	shapes: { item: apiToken, query: apiTokenList, create: apiTokenCreate },
	summary: {
		list: "The caller's API tokens, newest first; of other users for administrators",
		create: "A new API token; its secret is in this answer only",
		detail: "One API token",
		remove: "Revoke an API token at once, on every node",
	},
	removed: "The token is revoked",
});

export const apiTokenRoutes = {
	list: tokens.list,
	create: { ...tokens.create, throttle: "sensitive", answers: { 201: createdApiToken } },
	options: defineRoute({
		...apiTokenPaths.options,
		...common,
		summary: "What a token of the caller may be given: permissions, and the longest life",
		audit: { none: "read" },
		answers: { 200: apiTokenOptions },
	}),
	detail: tokens.detail,
	remove: { ...tokens.remove, audit: defineAudit("api_token_revoke") },
	managedList: defineRoute({
		...apiTokenPaths.managedList,
		...admin,
		summary: "The API tokens of a user or service account",
		audit: { none: "read" },
		params: intParams,
		query: z.object(paging),
		answers: { 200: defineEnvelope(apiToken) },
	}),
	managedCreate: defineRoute({
		...apiTokenPaths.managedCreate,
		...admin,
		summary: "A new API token of a service account; its secret is in this answer only",
		audit: defineAudit("api_token_create"),
		params: intParams,
		body: apiTokenCreate,
		answers: { 201: createdApiToken },
	}),
	managedRemove: defineRoute({
		...apiTokenPaths.managedRemove,
		...admin,
		summary: "Revoke an API token of a user or service account",
		audit: defineAudit("api_token_revoke"),
		params: intParams.extend({ token_id: uuid }),
		answers: { 204: defineRawAnswer("", "The token is revoked") },
	}),
} as const;

/** Routes of the account itself, by method and beginning of the path. */
const ACCOUNT_ROUTES: readonly (readonly [method: RegExp, path: RegExp])[] = [
	[/./, /^\/api\/auth\/(password\/change|mfa|oidc|reauthenticate|sessions|tokens)\//],
	[/./, /^\/api\/auth\/(invitations|management\/invitations)\//],
	[/./, /^\/api\/auth\/management\/:id\/tokens\//],
	[/./, /^\/api\/auth\/(session-timeout|logout)\//],
	[/^PATCH$/, /^\/api\/auth\/profile\//],
];

/** Whether a route concerns the account itself, which no API token may reach. */
export const isAccountRoute = ({ method, path }: Pick<RouteContract, "method" | "path">): boolean =>
	ACCOUNT_ROUTES.some(([methods, paths]) => methods.test(method) && paths.test(path));

/** Actions on how a user signs in. */
const AUTHENTICATION =
	/^\/api\/auth\/management\/:id\/(disable_mfa|generate_reset_code|reset_password|verify_email)\/$/;
/** Actions on an account that would let a token work on its own owner's authentication. */
const OWN_ACCOUNT = /^\/api\/auth\/management\/:id\/((activate|deactivate)\/)?$/;

/** Whether a route changes how the user of `id` signs in. Tokens need a chosen right for it. */
export const isAuthenticationRoute = ({ path }: Pick<RouteContract, "path">): boolean => AUTHENTICATION.test(path);

/** Whether a route changes the account of `id`, and is closed to tokens of that user. */
export const isClosedToOwnTokens = ({ method, path }: Pick<RouteContract, "method" | "path">): boolean =>
	method !== "GET" && (AUTHENTICATION.test(path) || OWN_ACCOUNT.test(path));

/** Whether a route changes nothing and starts nothing: a read-only token may call it. */
export const isReadOnlyRoute = ({ method, audit }: Pick<RouteContract, "method" | "audit">): boolean =>
	method === "GET" || (method === "POST" && "none" in audit);
