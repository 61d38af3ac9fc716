/** API tokens: secrets with which programs act for a user or a service account. */
import * as z from "zod";
import { listOf } from "./bounded.ts";
import { envelope, intParams, paging, timestamp, timestampInput, uuid, uuidParams } from "./common.ts";
import { idList, permission } from "./groups.ts";
import { type RouteContract, raw, route } from "./route.ts";

/** What every secret begins with, so that scanners of source code can recognise it. */
export const TOKEN_PREFIX = "weft_pat_";
export const TOKEN_ADDRESSES_MAX = 100;

export const apiToken = z.object({
	id: z.string(),
	name: z.string(),
	/** The first 16 characters of the secret. */
	prefix: z.string(),
	/** Null: all permissions that the owner has at the time of use. */
	permission_ids: z.array(z.int()).nullable(),
	/** Only routes that change nothing and start nothing. */
	read_only: z.boolean(),
	/** Networks such as `10.1.0.0/16`; null: from everywhere. */
	allowed_addresses: z.array(z.string()).nullable(),
	/** The bound on every life counts too, also where it was lowered later. Null: never. */
	expires_at: timestamp.nullable(),
	created_at: timestamp,
	/** Up to a minute behind; null before the first use. */
	last_used_at: timestamp.nullable(),
	last_used_ip: z.string().nullable(),
	owner: z.object({ id: z.int(), username: z.string() }),
});
export type ApiToken = z.infer<typeof apiToken>;

const created = apiToken.extend({
	/** The secret. It is in this answer only. */
	token: z.string(),
});
export type CreatedApiToken = z.infer<typeof created>;

const create = z.object({
	name: z.string().trim().min(1, "Must not be empty.").max(150, "Must have at most 150 characters."),
	expires_at: timestampInput.nullish(),
	expires_in_days: z.int("Must be a whole number of days.").min(1, "Must be at least 1.").max(36_500).nullish(),
	permission_ids: idList.nullish(),
	read_only: z.boolean().default(false),
	allowed_addresses: listOf(z.string().max(64, "Must have at most 64 characters."), {
		max: TOKEN_ADDRESSES_MAX,
		error: "Must be a list of networks such as 10.1.0.0/16.",
	}).nullish(),
});
export type ApiTokenCreate = z.output<typeof create>;

const options = z.object({
	/** The caller's own: `permission_ids` takes these. */
	permissions: z.array(permission),
	/** Upper bound of a token's life, which a token without an expiry gets; null: none. */
	max_days: z.int().nullable(),
});
export type ApiTokenOptions = z.infer<typeof options>;

const list = z.object({
	...paging,
	/**
	 * `all`, or the id of a user; for administrators. Absent: the caller's own. Tokens of superusers
	 * are for superusers.
	 */
	owner: z
		.string()
		.max(10, "Must be all, or the id of a user.")
		.regex(/^(all|[1-9][0-9]{0,8})$/, "Must be all, or the id of a user.")
		.optional(),
});
export type ApiTokenList = z.output<typeof list>;

const path = "/api/auth/tokens/";
const managed = "/api/auth/management/:id/tokens/";
const common = { auth: "bearer", throttle: "user", permission: "any" } as const;
const admin = { ...common, permission: "admin" } as const;
const recorded = <const Action extends string>(action: Action) => ({ category: "authentication", action }) as const;

export const apiTokenRoutes = {
	list: route({
		...common,
		id: "api_tokens.list",
		method: "GET",
		path,
		summary: "The caller's API tokens, newest first; of other users for administrators",
		audit: { none: "read" },
		query: list,
		answers: { 200: envelope(apiToken) },
	}),
	create: route({
		...common,
		id: "api_tokens.create",
		method: "POST",
		path,
		summary: "A new API token; its secret is in this answer only",
		throttle: "sensitive",
		audit: recorded("api_token_create"),
		body: create,
		answers: { 201: created },
	}),
	options: route({
		...common,
		id: "api_tokens.options",
		method: "GET",
		path: `${path}options/`,
		summary: "What a token of the caller may be given: permissions, and the longest life",
		audit: { none: "read" },
		answers: { 200: options },
	}),
	detail: route({
		...common,
		id: "api_tokens.detail",
		method: "GET",
		path: `${path}:id/`,
		summary: "One API token",
		audit: { none: "read" },
		params: uuidParams,
		answers: { 200: apiToken },
	}),
	remove: route({
		...common,
		id: "api_tokens.remove",
		method: "DELETE",
		path: `${path}:id/`,
		summary: "Revoke an API token at once, on every node",
		audit: recorded("api_token_revoke"),
		params: uuidParams,
		answers: { 204: raw("", "The token is revoked") },
	}),
	managedList: route({
		...admin,
		id: "api_tokens.managed_list",
		method: "GET",
		path: managed,
		summary: "The API tokens of a user or service account",
		audit: { none: "read" },
		params: intParams,
		query: z.object(paging),
		answers: { 200: envelope(apiToken) },
	}),
	managedCreate: route({
		...admin,
		id: "api_tokens.managed_create",
		method: "POST",
		path: managed,
		summary: "A new API token of a service account; its secret is in this answer only",
		audit: recorded("api_token_create"),
		params: intParams,
		body: create,
		answers: { 201: created },
	}),
	managedRemove: route({
		...admin,
		id: "api_tokens.managed_remove",
		method: "DELETE",
		path: `${managed}:token_id/`,
		summary: "Revoke an API token of a user or service account",
		audit: recorded("api_token_revoke"),
		params: intParams.extend({ token_id: uuid }),
		answers: { 204: raw("", "The token is revoked") },
	}),
} as const;

/** Routes of the account itself, by method and beginning of the path. */
const ACCOUNT_ROUTES: readonly (readonly [method: RegExp, path: RegExp])[] = [
	[/./, /^\/api\/auth\/(password\/change|mfa|sessions|tokens)\//],
	[/./, /^\/api\/auth\/management\/:id\/tokens\//],
	[/./, /^\/api\/auth\/(session-timeout|logout)\//],
	[/^PATCH$/, /^\/api\/auth\/profile\//],
];

/** Whether a route concerns the account itself, which no API token may reach. */
export const isAccountRoute = ({ method, path }: Pick<RouteContract, "method" | "path">): boolean =>
	ACCOUNT_ROUTES.some(([methods, paths]) => methods.test(method) && paths.test(path));

/** Whether a route changes nothing and starts nothing: a read-only token may call it. */
export const isReadOnlyRoute = ({ method, audit }: Pick<RouteContract, "method" | "audit">): boolean =>
	method === "GET" || (method === "POST" && "none" in audit);
