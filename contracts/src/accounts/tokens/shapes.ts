/** API tokens: secrets with which programs act for a user or a service account. */
import * as z from "zod";
import { defineList } from "../../core/bounded.ts";
import { defineTrimmedText, paging, timestamp, timestampInput } from "../../core/common.ts";
import { idList, permission } from "../groups/shapes.ts";
import { TOKEN_ADDRESSES_MAX } from "./values.ts";

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

export const createdApiToken = apiToken.extend({
	/** The secret. It is in this answer only. */
	token: z.string(),
});
export type CreatedApiToken = z.infer<typeof createdApiToken>;

export const apiTokenCreate = z.object({
	name: defineTrimmedText(150),
	/** Null: the token has no end. Absent, without `expires_in_days`: the usual life. */
	expires_at: timestampInput.nullish(),
	expires_in_days: z.int("Must be a whole number of days.").min(1, "Must be at least 1.").max(36_500).nullish(),
	permission_ids: idList.nullish(),
	read_only: z.boolean().default(false),
	allowed_addresses: defineList(z.string().max(64, "Must have at most 64 characters."), {
		max: TOKEN_ADDRESSES_MAX,
		error: "Must be a list of networks such as 10.1.0.0/16.",
	}).nullish(),
});
export type ApiTokenCreate = z.output<typeof apiTokenCreate>;

export const apiTokenOptions = z.object({
	/** The caller's own: `permission_ids` takes these. */
	permissions: z.array(permission),
	/** Upper bound of a token's life; null: none. */
	max_days: z.int().nullable(),
	/** The life of a token without `expires_at` and `expires_in_days`. */
	default_days: z.int(),
});
export type ApiTokenOptions = z.infer<typeof apiTokenOptions>;

export const apiTokenList = z.object({
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
export type ApiTokenList = z.output<typeof apiTokenList>;
