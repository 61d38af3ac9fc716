/** Automation templates, the checks of their rows, and what they draw on. */
import {
	automationCategoryRoutes,
	automationTemplateRoutes,
	columnTemplateRoutes,
	regexPatternRoutes,
	validationListRoutes,
} from "@weft/contracts";
import { type BoundRoute, bindAll, buildReply, noContent } from "../../../platform/http/binder.ts";
import type { Kinds } from "./kinds.ts";
import type { Templates } from "./service.ts";
import type { Categories } from "./service-categories.ts";
import type { Drafts } from "./service-draft.ts";
import type { Files } from "./service-files.ts";
import type { Validation } from "./service-validation.ts";

interface Services extends Kinds {
	readonly templates: Templates;
	readonly drafts: Drafts;
	readonly files: Files;
	readonly validation: Validation;
	readonly categories: Categories;
}

export function createRoutes(services: Services): BoundRoute[] {
	const { templates, drafts, files, validation, categories, lists, patterns, columns } = services;
	return [
		...bindAll(automationTemplateRoutes, {
			list: async ({ caller, query, url }) => buildReply(200, await templates.list(caller, query, url)),
			create: async ({ caller, body }) => buildReply(201, await templates.create(caller, body)),
			detail: async ({ caller, params }) => buildReply(200, await templates.detail(caller, params.id)),
			update: async ({ caller, params, body }) => buildReply(200, await templates.update(caller, params.id, body)),
			replace: async ({ caller, params, body }) => buildReply(200, await templates.replace(caller, params.id, body)),
			remove: async ({ caller, params }) => {
				await templates.remove(caller, params.id);
				return noContent;
			},
			fromServer: async ({ caller, body }) => buildReply(200, await drafts.fromServer(caller, body)),
			readFile: async ({ caller, params, bytes, signal }) =>
				buildReply(200, await files.read(caller, params.id, bytes, signal)),
			readTables: async ({ caller, params, bytes, signal }) =>
				buildReply(200, await files.readTables(caller, params.id, bytes, signal)),
			sheet: async ({ caller, params, query }) => {
				const { body, headers } = await files.empty(caller, params.id, query);
				return buildReply(200, body, { headers, sendAsIs: true });
			},
			validateInput: async ({ caller, body }) =>
				buildReply(202, await validation.start(caller, body.template, body.input_data)),
			validateSheets: async ({ caller, body }) =>
				buildReply(202, await validation.start(caller, body.template, body.sheets)),
			validationStatus: async ({ caller, params }) => buildReply(200, await validation.status(caller, params.task_id)),
		}),
		...bindAll(automationCategoryRoutes, {
			list: async ({ caller, query, url }) => buildReply(200, await categories.list(caller, query, url)),
			create: async ({ caller, body }) => buildReply(201, await categories.create(caller, body)),
			detail: async ({ caller, params }) => buildReply(200, await categories.detail(caller, params.id)),
			update: async ({ caller, params, body }) => buildReply(200, await categories.update(caller, params.id, body)),
			replace: async ({ caller, params, body }) => buildReply(200, await categories.update(caller, params.id, body)),
			remove: async ({ caller, params }) => {
				await categories.remove(caller, params.id);
				return noContent;
			},
		}),
		...bindAll(validationListRoutes, {
			list: async ({ caller, query, url }) => buildReply(200, await lists.list(caller, query, url)),
			create: async ({ caller, body }) => buildReply(201, await lists.create(caller, body)),
			detail: async ({ caller, params }) => buildReply(200, await lists.detail(caller, params.id)),
			update: async ({ caller, params, body }) => buildReply(200, await lists.update(caller, params.id, body)),
			replace: async ({ caller, params, body }) => buildReply(200, await lists.update(caller, params.id, body)),
			remove: async ({ caller, params }) => {
				await lists.remove(caller, params.id);
				return noContent;
			},
		}),
		...bindAll(columnTemplateRoutes, {
			list: async ({ caller, query, url }) => buildReply(200, await columns.list(caller, query, url)),
			create: async ({ caller, body }) => buildReply(201, await columns.create(caller, body)),
			detail: async ({ caller, params }) => buildReply(200, await columns.detail(caller, params.id)),
			update: async ({ caller, params, body }) => buildReply(200, await columns.update(caller, params.id, body)),
			replace: async ({ caller, params, body }) => buildReply(200, await columns.update(caller, params.id, body)),
			remove: async ({ caller, params }) => {
				await columns.remove(caller, params.id);
				return noContent;
			},
		}),
		...bindAll(regexPatternRoutes, {
			list: async ({ caller, query, url }) => buildReply(200, await patterns.list(caller, query, url)),
			create: async ({ caller, body }) => buildReply(201, await patterns.create(caller, body)),
			detail: async ({ caller, params }) => buildReply(200, await patterns.detail(caller, params.id)),
			update: async ({ caller, params, body }) => buildReply(200, await patterns.update(caller, params.id, body)),
			replace: async ({ caller, params, body }) => buildReply(200, await patterns.update(caller, params.id, body)),
			remove: async ({ caller, params }) => {
				await patterns.remove(caller, params.id);
				return noContent;
			},
			test: async ({ body, signal }) => buildReply(200, await patterns.test(body, signal)),
		}),
	];
}
