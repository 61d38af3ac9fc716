/** Per-user data of the class model: favorite classes, column sets, and table preferences. */
import * as z from "zod";
import { dictionaryOf, listOf } from "./bounded.ts";
import { boolParam, envelope, paging, timestamp, userRef, uuidParams } from "./common.ts";
import { className } from "./mim.ts";
import { raw, route } from "./route.ts";

const COLUMNS_MAX = 200;
const JSON_MAX = 16_384;

const field = z.string().min(1, "Must not be empty.").max(128, "Must be at most 128 characters.");
/** Any JSON, within reason. */
const small = <Schema extends z.ZodType>(schema: Schema) =>
	schema.refine((value) => JSON.stringify(value).length <= JSON_MAX, `Must be at most ${JSON_MAX} characters of JSON.`);
const anyObject = small(
	dictionaryOf(z.unknown(), { max: 1_000, key: z.string().max(128), error: "Must be an object." }),
);

export const column = z.object({
	field,
	label: z.string().max(200, "Must be at most 200 characters.").default(""),
	visible: z.boolean().default(true),
	order: z.int().min(0).max(10_000).default(0),
	/** Pixels; null: as wide as it needs. */
	width: z.int().min(1).max(10_000).nullable().default(null),
});
const columnsInput = listOf(column, {
	max: COLUMNS_MAX,
	error: "Must be a list.",
	tooMany: `Must be at most ${COLUMNS_MAX}.`,
});
const sortingInput = listOf(
	z.object({ field, direction: z.enum(["asc", "desc"], { error: "Must be asc or desc." }).default("asc") }),
	{ max: 20, error: "Must be a list.", tooMany: "Must be at most 20." },
);

const templateInput = z.object({
	class_name: className,
	name: z.string().trim().min(1, "Must not be empty.").max(200, "Must be at most 200 characters."),
	description: z.string().max(2000, "Must be at most 2000 characters.").default(""),
	columns: columnsInput.default([]),
	filters: anyObject.default({}),
	sorting: sortingInput.default([]),
	/** For everybody; administrators only. */
	is_shared: z.boolean().default(false),
	/** Applied first. One per class and owner, and one per class among shared sets. */
	is_default: z.boolean().default(false),
});
const templatePatch = z.object({
	class_name: className.optional(),
	name: templateInput.shape.name.optional(),
	description: z.string().max(2000, "Must be at most 2000 characters.").optional(),
	columns: columnsInput.optional(),
	filters: anyObject.optional(),
	sorting: sortingInput.optional(),
	is_shared: z.boolean().optional(),
	is_default: z.boolean().optional(),
});
export type TableTemplateInput = z.output<typeof templateInput>;
export type TableTemplatePatch = z.output<typeof templatePatch>;

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

const fieldList = listOf(field, {
	max: COLUMNS_MAX,
	error: "Must be a list.",
	tooMany: `Must be at most ${COLUMNS_MAX}.`,
});
const preferenceInput = z.object({
	class_name: className,
	visible_columns: fieldList.default([]),
	column_order: fieldList.default([]),
	options: anyObject.default({}),
});
const preferencePatch = z.object({
	visible_columns: fieldList.optional(),
	column_order: fieldList.optional(),
	options: anyObject.optional(),
});
export type TablePreferenceInput = z.output<typeof preferenceInput>;
export type TablePreferencePatch = z.output<typeof preferencePatch>;

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

const templateList = z.object({
	...paging,
	class_name: className.optional(),
	is_shared: boolParam.optional(),
	search: z.string().max(200).optional(),
});
export type TableTemplateList = z.output<typeof templateList>;
const preferenceList = z.object({ ...paging, class_name: className.optional() });
export type TablePreferenceList = z.output<typeof preferenceList>;

const favorite = z.object({ id: z.string(), class_name: z.string() });

const common = { auth: "bearer", throttle: "user" } as const;
const read = { none: "reads" } as const;
const change = (action: string) => ({ category: "mim_explorer", action }) as const;
const favorites = "/api/mim/favorites/";
const templates = "/api/mim/table-templates/";
const template = `${templates}:id/` as const;
const preferences = "/api/mim/table-preferences/";
const preference = `${preferences}:id/` as const;

export const mimPersonalRoutes = {
	favorites: route({
		...common,
		id: "mim_favorites.list",
		method: "GET",
		path: favorites,
		summary: "The names of the caller's favorite classes",
		permission: "view_favorite",
		audit: read,
		answers: { 200: z.array(z.string()) },
	}),
	addFavorite: route({
		...common,
		id: "mim_favorites.add",
		method: "POST",
		path: favorites,
		summary: "Make a class a favorite; 200 where it is one already",
		permission: "add_favorite",
		audit: change("favorite_add"),
		body: z.object({ class_name: className }),
		answers: { 200: favorite, 201: favorite },
	}),
	removeFavorite: route({
		...common,
		id: "mim_favorites.remove",
		method: "DELETE",
		path: `${favorites}:id/`,
		summary: "A class is a favorite no more; by the favorite's id or the class's name",
		permission: "delete_favorite",
		audit: change("favorite_remove"),
		params: z.object({
			id: z
				.string()
				.max(128)
				.regex(/^[\w:-]+$/),
		}),
		answers: { 204: raw("", "It is gone") },
	}),
	templates: route({
		...common,
		id: "mim_table_templates.list",
		method: "GET",
		path: templates,
		summary: "The caller's own column sets and the shared ones",
		permission: "view_tabletemplate",
		audit: read,
		query: templateList,
		answers: { 200: envelope(tableTemplate) },
	}),
	createTemplate: route({
		...common,
		id: "mim_table_templates.create",
		method: "POST",
		path: templates,
		summary: "Keep a column set; only administrators may share one",
		permission: "add_tabletemplate",
		audit: change("table_template_create"),
		body: templateInput,
		answers: { 201: tableTemplate },
	}),
	template: route({
		...common,
		id: "mim_table_templates.detail",
		method: "GET",
		path: template,
		summary: "One column set",
		permission: "view_tabletemplate",
		audit: read,
		params: uuidParams,
		answers: { 200: tableTemplate },
	}),
	replaceTemplate: route({
		...common,
		id: "mim_table_templates.replace",
		method: "PUT",
		path: template,
		summary: "Replace all fields, those left out by their defaults",
		permission: "change_tabletemplate",
		audit: change("table_template_update"),
		params: uuidParams,
		body: templateInput,
		answers: { 200: tableTemplate },
	}),
	updateTemplate: route({
		...common,
		id: "mim_table_templates.update",
		method: "PATCH",
		path: template,
		summary: "Change some fields",
		permission: "change_tabletemplate",
		audit: change("table_template_update"),
		params: uuidParams,
		body: templatePatch,
		answers: { 200: tableTemplate },
	}),
	removeTemplate: route({
		...common,
		id: "mim_table_templates.remove",
		method: "DELETE",
		path: template,
		summary: "Delete a column set",
		permission: "delete_tabletemplate",
		audit: change("table_template_delete"),
		params: uuidParams,
		answers: { 204: raw("", "It is deleted") },
	}),
	preferences: route({
		...common,
		id: "mim_table_preferences.list",
		method: "GET",
		path: preferences,
		summary: "How the caller looks at the tables of classes",
		permission: "view_tablepreference",
		audit: read,
		query: preferenceList,
		answers: { 200: envelope(tablePreference) },
	}),
	putPreference: route({
		...common,
		id: "mim_table_preferences.create",
		method: "POST",
		path: preferences,
		summary: "Keep how the caller looks at a class's table; 200 where there was one, which is replaced",
		permission: "add_tablepreference",
		audit: change("table_preference_save"),
		body: preferenceInput,
		answers: { 200: tablePreference, 201: tablePreference },
	}),
	preference: route({
		...common,
		id: "mim_table_preferences.detail",
		method: "GET",
		path: preference,
		summary: "One of them",
		permission: "view_tablepreference",
		audit: read,
		params: uuidParams,
		answers: { 200: tablePreference },
	}),
	replacePreference: route({
		...common,
		id: "mim_table_preferences.replace",
		method: "PUT",
		path: preference,
		summary: "Replace all fields but the class",
		permission: "change_tablepreference",
		audit: change("table_preference_save"),
		params: uuidParams,
		body: preferenceInput.omit({ class_name: true }),
		answers: { 200: tablePreference },
	}),
	updatePreference: route({
		...common,
		id: "mim_table_preferences.update",
		method: "PATCH",
		path: preference,
		summary: "Change some fields",
		permission: "change_tablepreference",
		audit: change("table_preference_save"),
		params: uuidParams,
		body: preferencePatch,
		answers: { 200: tablePreference },
	}),
	removePreference: route({
		...common,
		id: "mim_table_preferences.remove",
		method: "DELETE",
		path: preference,
		summary: "Forget it",
		permission: "delete_tablepreference",
		audit: change("table_preference_delete"),
		params: uuidParams,
		answers: { 204: raw("", "It is forgotten") },
	}),
} as const;
