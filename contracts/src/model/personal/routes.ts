/** Routes of a user's own data of the model. */
import * as z from "zod";
import { defineEnvelope, uuidParams } from "../../core/common.ts";
import { defineRawAnswer, defineRoute } from "../../core/route.ts";
import { className } from "../explorer/shapes.ts";
import { mimPersonalPaths } from "./paths.ts";
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
	templates: defineRoute({
		...mimPersonalPaths.templates,
		...common,
		summary: "The caller's own column sets and the shared ones",
		permission: "view_tabletemplate",
		audit: read,
		query: tableTemplateList,
		answers: { 200: defineEnvelope(tableTemplate) },
	}),
	createTemplate: defineRoute({
		...mimPersonalPaths.createTemplate,
		...common,
		summary: "Keep a column set; only administrators may share one",
		permission: "add_tabletemplate",
		audit: defineAudit("table_template_create"),
		body: tableTemplateInput,
		answers: { 201: tableTemplate },
	}),
	template: defineRoute({
		...mimPersonalPaths.template,
		...common,
		summary: "One column set",
		permission: "view_tabletemplate",
		audit: read,
		params: uuidParams,
		answers: { 200: tableTemplate },
	}),
	replaceTemplate: defineRoute({
		...mimPersonalPaths.replaceTemplate,
		...common,
		summary: "Replace all fields, those left out by their defaults",
		permission: "change_tabletemplate",
		audit: defineAudit("table_template_update"),
		params: uuidParams,
		body: tableTemplateInput,
		answers: { 200: tableTemplate },
	}),
	updateTemplate: defineRoute({
		...mimPersonalPaths.updateTemplate,
		...common,
		summary: "Change some fields",
		permission: "change_tabletemplate",
		audit: defineAudit("table_template_update"),
		params: uuidParams,
		body: tableTemplatePatch,
		answers: { 200: tableTemplate },
	}),
	removeTemplate: defineRoute({
		...mimPersonalPaths.removeTemplate,
		...common,
		summary: "Delete a column set",
		permission: "delete_tabletemplate",
		audit: defineAudit("table_template_delete"),
		params: uuidParams,
		answers: { 204: defineRawAnswer("", "It is deleted") },
	}),
	preferences: defineRoute({
		...mimPersonalPaths.preferences,
		...common,
		summary: "How the caller looks at the tables of classes",
		permission: "view_tablepreference",
		audit: read,
		query: tablePreferenceList,
		answers: { 200: defineEnvelope(tablePreference) },
	}),
	putPreference: defineRoute({
		...mimPersonalPaths.putPreference,
		...common,
		summary: "Keep how the caller looks at a class's table; 200 where there was one, which is replaced",
		permission: "add_tablepreference",
		audit: defineAudit("table_preference_save"),
		body: tablePreferenceInput,
		answers: { 200: tablePreference, 201: tablePreference },
	}),
	preference: defineRoute({
		...mimPersonalPaths.preference,
		...common,
		summary: "One of them",
		permission: "view_tablepreference",
		audit: read,
		params: uuidParams,
		answers: { 200: tablePreference },
	}),
	replacePreference: defineRoute({
		...mimPersonalPaths.replacePreference,
		...common,
		summary: "Replace all fields but the class",
		permission: "change_tablepreference",
		audit: defineAudit("table_preference_save"),
		params: uuidParams,
		body: tablePreferenceInput.omit({ class_name: true }),
		answers: { 200: tablePreference },
	}),
	updatePreference: defineRoute({
		...mimPersonalPaths.updatePreference,
		...common,
		summary: "Change some fields",
		permission: "change_tablepreference",
		audit: defineAudit("table_preference_save"),
		params: uuidParams,
		body: tablePreferencePatch,
		answers: { 200: tablePreference },
	}),
	removePreference: defineRoute({
		...mimPersonalPaths.removePreference,
		...common,
		summary: "Forget it",
		permission: "delete_tablepreference",
		audit: defineAudit("table_preference_delete"),
		params: uuidParams,
		answers: { 204: defineRawAnswer("", "It is forgotten") },
	}),
} as const;
