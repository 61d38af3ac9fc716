/** Routes of a user's own data of the model. */
import * as z from "zod";
import { defineCrudRoutes } from "../../core/crud.ts";
import { defineRawAnswer, defineRoute } from "../../core/route.ts";
import { className } from "../explorer/shapes.ts";
import { mimPersonalPaths, tablePreferencePaths, tableTemplatePaths } from "./paths.ts";
import {
	tablePreference,
	tablePreferenceInput,
	tablePreferenceList,
	tablePreferencePatch,
	tableTemplate,
	tableTemplateInput,
	tableTemplateList,
	tableTemplatePatch,
} from "./shapes.ts";

const favorite = z.object({ id: z.string(), class_name: z.string() });

const common = { throttle: "user" } as const;
const read = { none: "reads" } as const;
const defineAudit = (action: string) => ({ category: "mim_explorer", action }) as const;

const tableTemplateRoutes = defineCrudRoutes({
	paths: tableTemplatePaths,
	noun: "column set",
	permission: "tabletemplate",
	audit: { category: "mim_explorer", action: "table_template" },
	shapes: {
		item: tableTemplate,
		query: tableTemplateList,
		create: tableTemplateInput,
		update: tableTemplatePatch,
	},
	summary: {
		list: "The caller's own column sets and the shared ones",
		create: "Keep a column set; only administrators may share one",
		replace: "Replace all fields, those left out by their defaults",
		update: "Change some fields",
	},
	removed: "It is deleted",
});

const tablePreferenceRoutes = defineCrudRoutes({
	paths: tablePreferencePaths,
	noun: "table preference",
	permission: "tablepreference",
	audit: { category: "mim_explorer", action: "table_preference" },
	shapes: {
		item: tablePreference,
		query: tablePreferenceList,
		create: tablePreferenceInput,
		replace: tablePreferenceInput.omit({ class_name: true }),
		update: tablePreferencePatch,
	},
	summary: {
		list: "How the caller looks at the tables of classes",
		create: "Keep how the caller looks at a class's table; 200 where there was one, which is replaced",
		detail: "One of them",
		replace: "Replace all fields but the class",
		update: "Change some fields",
		remove: "Forget it",
	},
	removed: "It is forgotten",
});
const savePreference = { audit: defineAudit("table_preference_save") } as const;

export const mimPersonalRoutes = {
	favorites: defineRoute({
		...mimPersonalPaths.favorites,
		...common,
		summary: "The names of the caller's favorite classes",
		permission: "view_favorite",
		audit: read,
		answers: { 200: z.array(z.string()) },
	}),
	addFavorite: defineRoute({
		...mimPersonalPaths.addFavorite,
		...common,
		summary: "Make a class a favorite; 200 where it is one already",
		permission: "add_favorite",
		audit: defineAudit("favorite_add"),
		body: z.object({ class_name: className }),
		answers: { 200: favorite, 201: favorite },
	}),
	removeFavorite: defineRoute({
		...mimPersonalPaths.removeFavorite,
		...common,
		summary: "A class is a favorite no more; by the favorite's id or the class's name",
		permission: "delete_favorite",
		audit: defineAudit("favorite_remove"),
		params: z.object({
			id: z
				.string()
				.max(128)
				.regex(/^[\w:-]+$/),
		}),
		answers: { 204: defineRawAnswer("", "It is gone") },
	}),
	templates: tableTemplateRoutes.list,
	createTemplate: tableTemplateRoutes.create,
	template: tableTemplateRoutes.detail,
	replaceTemplate: tableTemplateRoutes.replace,
	updateTemplate: tableTemplateRoutes.update,
	removeTemplate: tableTemplateRoutes.remove,
	preferences: tablePreferenceRoutes.list,
	putPreference: {
		...tablePreferenceRoutes.create,
		...savePreference,
		answers: { 200: tablePreference, 201: tablePreference },
	},
	preference: tablePreferenceRoutes.detail,
	replacePreference: { ...tablePreferenceRoutes.replace, ...savePreference },
	updatePreference: { ...tablePreferenceRoutes.update, ...savePreference },
	removePreference: tablePreferenceRoutes.remove,
} as const;
