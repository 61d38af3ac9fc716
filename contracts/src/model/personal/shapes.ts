/** Per-user data of the class model: favorite classes, column sets, and table preferences. */
import * as z from "zod";
import { defineDictionary, defineList } from "../../core/bounded.ts";
import { boolParam, paging, timestamp, userRef } from "../../core/common.ts";
import { defineLine, refuseTurning } from "../../core/text.ts";
import { className } from "../explorer/shapes.ts";

const COLUMNS_MAX = 200;
const JSON_MAX = 16_384;

const field = z.string().min(1, "Must not be empty.").max(128, "Must be at most 128 characters.");
/** Any JSON, within reason. */
const limitJsonSize = <Schema extends z.ZodType>(schema: Schema) =>
	schema.refine((value) => JSON.stringify(value).length <= JSON_MAX, `Must be at most ${JSON_MAX} characters of JSON.`);
const anyObject = limitJsonSize(
	defineDictionary(z.unknown(), { max: 1_000, key: z.string().max(128), error: "Must be an object." }),
);

export const column = z.object({
	field,
	label: refuseTurning(z.string().max(200, "Must be at most 200 characters.")).default(""),
	visible: z.boolean().default(true),
	order: z.int().min(0).max(10_000).default(0),
	/** Pixels; null: as wide as it needs. */
	width: z.int().min(1).max(10_000).nullable().default(null),
});
const columnsInput = defineList(column, {
	max: COLUMNS_MAX,
	error: "Must be a list.",
	tooMany: `Must be at most ${COLUMNS_MAX}.`,
});
const sortingInput = defineList(
	z.object({ field, direction: z.enum(["asc", "desc"], { error: "Must be asc or desc." }).default("asc") }),
	{ max: 20, error: "Must be a list.", tooMany: "Must be at most 20." },
);

export const tableTemplateInput = z.object({
	class_name: className,
	name: defineLine(200),
	description: refuseTurning(z.string().max(2000, "Must be at most 2000 characters.")).default(""),
	columns: columnsInput.default([]),
	filters: anyObject.default({}),
	sorting: sortingInput.default([]),
	/** For everybody; administrators only. */
	is_shared: z.boolean().default(false),
	/** Applied first. One per class and owner, and one per class among shared sets. */
	is_default: z.boolean().default(false),
});
export const tableTemplatePatch = z.object({
	class_name: className.optional(),
	name: tableTemplateInput.shape.name.optional(),
	description: refuseTurning(z.string().max(2000, "Must be at most 2000 characters.")).optional(),
	columns: columnsInput.optional(),
	filters: anyObject.optional(),
	sorting: sortingInput.optional(),
	is_shared: z.boolean().optional(),
	is_default: z.boolean().optional(),
});
export type TableTemplateInput = z.output<typeof tableTemplateInput>;
export type TableTemplatePatch = z.output<typeof tableTemplatePatch>;

export const tableTemplate = z.object({
	id: z.string(),
	class_name: z.string(),
	name: z.string(),
	description: z.string(),
	columns: z.array(column),
	filters: z.record(z.string(), z.unknown()),
	sorting: z.array(z.object({ field: z.string(), direction: z.enum(["asc", "desc"]) })),
	is_shared: z.boolean(),
	is_default: z.boolean(),
	created_by: userRef,
	can_edit: z.boolean(),
	created_at: timestamp,
	updated_at: timestamp,
});
export type TableTemplate = z.infer<typeof tableTemplate>;

const fieldList = defineList(field, {
	max: COLUMNS_MAX,
	error: "Must be a list.",
	tooMany: `Must be at most ${COLUMNS_MAX}.`,
});
export const tablePreferenceInput = z.object({
	class_name: className,
	visible_columns: fieldList.default([]),
	column_order: fieldList.default([]),
	options: anyObject.default({}),
});
export const tablePreferencePatch = z.object({
	visible_columns: fieldList.optional(),
	column_order: fieldList.optional(),
	options: anyObject.optional(),
});
export type TablePreferenceInput = z.output<typeof tablePreferenceInput>;
export type TablePreferencePatch = z.output<typeof tablePreferencePatch>;

export const tablePreference = z.object({
	id: z.string(),
	class_name: z.string(),
	visible_columns: z.array(z.string()),
	column_order: z.array(z.string()),
	options: z.record(z.string(), z.unknown()),
	created_at: timestamp,
	updated_at: timestamp,
});
export type TablePreference = z.infer<typeof tablePreference>;

export const tableTemplateList = z.object({
	...paging,
	class_name: className.optional(),
	is_shared: boolParam.optional(),
	search: z.string().max(200).optional(),
});
export type TableTemplateList = z.output<typeof tableTemplateList>;
export const tablePreferenceList = z.object({ ...paging, class_name: className.optional() });
export type TablePreferenceList = z.output<typeof tablePreferenceList>;
