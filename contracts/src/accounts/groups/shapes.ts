/** Groups with their permissions and quota, role templates, and the list of permissions. */
import * as z from "zod";
import { defineList } from "../../core/bounded.ts";
import { intRef } from "../../core/common.ts";
import { QUOTA_DEFAULTS, QUOTA_NUMBERS, QUOTA_RIGHTS, type QuotaNumber } from "./values.ts";

export const permission = z.object({
	id: z.int(),
	codename: z.string(),
	name: z.string(),
	app: z.string(),
	model: z.string(),
	is_dangerous: z.boolean(),
});
export type Permission = z.infer<typeof permission>;

const buildShape = <Name extends string, Schema extends z.ZodType>(names: readonly Name[], schema: Schema) =>
	Object.fromEntries(names.map((name) => [name, schema])) as { [K in Name]: Schema };

export const quota = z.object({ ...buildShape(QUOTA_NUMBERS, z.int()), ...buildShape(QUOTA_RIGHTS, z.boolean()) });
export type Quota = z.infer<typeof quota>;

const quotaNumber = z.int().min(0).max(2_147_483_647);
const quotaNumbers = Object.fromEntries(
	QUOTA_NUMBERS.map((name) => [name, quotaNumber.default(QUOTA_DEFAULTS[name] ?? 0)]),
) as Record<QuotaNumber, z.ZodDefault<typeof quotaNumber>>;

/** Omitted fields are unlimited, or as `QUOTA_DEFAULTS` says. */
export const quotaInput = z.object({
	...quotaNumbers,
	...buildShape(QUOTA_RIGHTS, z.boolean().default(true)),
});

export const group = z.object({
	id: z.int(),
	name: z.string(),
	member_count: z.int(),
	permissions: z.array(permission),
	quota: quota.nullable(),
	is_system: z.boolean(),
});
export type Group = z.infer<typeof group>;

export const groupName = z
	.string()
	.max(1_000, { error: "Must be at most 150 characters.", abort: true })
	.transform((text) => text.normalize("NFKC").trim())
	.refine((text) => text !== "", "Must not be empty.")
	.refine((text) => text.length <= 150, "Must be at most 150 characters.")
	.refine((text) => /^[^\p{C}]*$/u.test(text), "Must be one line of visible text.");

/** Ids in a body; as many as there may be permissions or groups. */
export const idList = defineList(intRef, { max: 1000, tooMany: "Must be at most 1000 ids." });

export const permissionIds = z.object({ permission_ids: idList });
export const groupCreate = z.object({
	name: groupName,
	permission_ids: idList.default([]),
	quota: quotaInput.nullable().optional(),
});
export const groupPatch = z.object({ name: groupName.optional(), permission_ids: idList.optional() });
export type GroupCreate = z.output<typeof groupCreate>;
export type GroupPatch = z.output<typeof groupPatch>;

export const roleTemplate = z.object({
	key: z.enum(["admin", "operator", "editor", "viewer", "requester", "approver"]),
	name: z.string(),
	description: z.string(),
	permission_ids: z.array(z.int()),
	quota: quota.nullable(),
});
export type RoleTemplate = z.infer<typeof roleTemplate>;
