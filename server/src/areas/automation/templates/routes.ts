/** Automation templates, the checks of their rows, and what they draw on. */
import {
	automationCategoryRoutes,
	automationTemplateRoutes,
	columnTemplateRoutes,
	regexPatternRoutes,
	validationListRoutes,
} from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { type BoundRoute, bindAll, buildReply, noContent } from "../../../core/http/binder.ts";
import { changeCategory, createCategory, listCategories, readCategory, removeCategory } from "./categories.ts";
import { buildDraftFromServer } from "./draft-template.ts";
import { COLUMN_TEMPLATES, REGEX_PATTERNS, testPattern, VALIDATION_LISTS } from "./kinds.ts";
import {
	changeTemplate,
	createTemplate,
	deleteTemplate,
	listTemplates,
	readTemplate,
	replaceTemplate,
} from "./manage-templates.ts";
import { buildEmptySheets, readUploadedRows, readUploadedTables } from "./row-files.ts";
import {
	changeReference,
	createReference,
	listReferences,
	readReference,
	removeReference,
} from "./stored-references.ts";
import { readValidation, startValidation } from "./validate-rows.ts";

export function createRoutes(ctx: Context): BoundRoute[] {
	return [
		...bindAll(automationTemplateRoutes, {
			list: async ({ caller, query, url }) => buildReply(200, await listTemplates(ctx, caller, query, url)),
			create: async ({ caller, body }) => buildReply(201, await createTemplate(ctx, caller, body)),
			detail: async ({ caller, params }) => buildReply(200, await readTemplate(ctx, caller, params.id)),
			update: async ({ caller, params, body }) => buildReply(200, await changeTemplate(ctx, caller, params.id, body)),
			replace: async ({ caller, params, body }) => buildReply(200, await replaceTemplate(ctx, caller, params.id, body)),
			remove: async ({ caller, params }) => {
				await deleteTemplate(ctx, caller, params.id);
				return noContent;
			},
			fromServer: async ({ caller, body }) => buildReply(200, await buildDraftFromServer(ctx, caller, body)),
			readFile: async ({ caller, params, bytes, signal }) =>
				buildReply(200, await readUploadedRows(ctx, caller, params.id, bytes, signal)),
			readTables: async ({ caller, params, bytes, signal }) =>
				buildReply(200, await readUploadedTables(ctx, caller, params.id, bytes, signal)),
			sheet: async ({ caller, params, query }) => {
				const { body, headers } = await buildEmptySheets(ctx, caller, params.id, query);
				return buildReply(200, body, { headers, sendAsIs: true });
			},
			validateInput: async ({ caller, body }) =>
				buildReply(202, await startValidation(ctx, caller, body.template, body.input_data)),
			validateSheets: async ({ caller, body }) =>
				buildReply(202, await startValidation(ctx, caller, body.template, body.sheets)),
			validationStatus: async ({ caller, params }) =>
				buildReply(200, await readValidation(ctx, caller, params.task_id)),
		}),
		...bindAll(automationCategoryRoutes, {
			list: async ({ caller, query, url }) => buildReply(200, await listCategories(ctx, caller, query, url)),
			create: async ({ caller, body }) => buildReply(201, await createCategory(ctx, caller, body)),
			detail: async ({ caller, params }) => buildReply(200, await readCategory(ctx, caller, params.id)),
			update: async ({ caller, params, body }) => buildReply(200, await changeCategory(ctx, caller, params.id, body)),
			replace: async ({ caller, params, body }) => buildReply(200, await changeCategory(ctx, caller, params.id, body)),
			remove: async ({ caller, params }) => {
				await removeCategory(ctx, caller, params.id);
				return noContent;
			},
		}),
		...bindAll(validationListRoutes, {
			list: async ({ caller, query, url }) =>
				buildReply(200, await listReferences(ctx, VALIDATION_LISTS, caller, query, url)),
			create: async ({ caller, body }) => buildReply(201, await createReference(ctx, VALIDATION_LISTS, caller, body)),
			detail: async ({ caller, params }) =>
				buildReply(200, await readReference(ctx, VALIDATION_LISTS, caller, params.id)),
			update: async ({ caller, params, body }) =>
				buildReply(200, await changeReference(ctx, VALIDATION_LISTS, caller, params.id, body)),
			replace: async ({ caller, params, body }) =>
				buildReply(200, await changeReference(ctx, VALIDATION_LISTS, caller, params.id, body)),
			remove: async ({ caller, params }) => {
				await removeReference(ctx, VALIDATION_LISTS, caller, params.id);
				return noContent;
			},
		}),
		...bindAll(columnTemplateRoutes, {
			list: async ({ caller, query, url }) =>
				buildReply(200, await listReferences(ctx, COLUMN_TEMPLATES, caller, query, url)),
			create: async ({ caller, body }) => buildReply(201, await createReference(ctx, COLUMN_TEMPLATES, caller, body)),
			detail: async ({ caller, params }) =>
				buildReply(200, await readReference(ctx, COLUMN_TEMPLATES, caller, params.id)),
			update: async ({ caller, params, body }) =>
				buildReply(200, await changeReference(ctx, COLUMN_TEMPLATES, caller, params.id, body)),
			replace: async ({ caller, params, body }) =>
				buildReply(200, await changeReference(ctx, COLUMN_TEMPLATES, caller, params.id, body)),
			remove: async ({ caller, params }) => {
				await removeReference(ctx, COLUMN_TEMPLATES, caller, params.id);
				return noContent;
			},
		}),
		...bindAll(regexPatternRoutes, {
			list: async ({ caller, query, url }) =>
				buildReply(200, await listReferences(ctx, REGEX_PATTERNS, caller, query, url)),
			create: async ({ caller, body }) => buildReply(201, await createReference(ctx, REGEX_PATTERNS, caller, body)),
			detail: async ({ caller, params }) =>
				buildReply(200, await readReference(ctx, REGEX_PATTERNS, caller, params.id)),
			update: async ({ caller, params, body }) =>
				buildReply(200, await changeReference(ctx, REGEX_PATTERNS, caller, params.id, body)),
			replace: async ({ caller, params, body }) =>
				buildReply(200, await changeReference(ctx, REGEX_PATTERNS, caller, params.id, body)),
			remove: async ({ caller, params }) => {
				await removeReference(ctx, REGEX_PATTERNS, caller, params.id);
				return noContent;
			},
			test: async ({ body, signal }) => buildReply(200, await testPattern(ctx, body, signal)),
		}),
	];
}
