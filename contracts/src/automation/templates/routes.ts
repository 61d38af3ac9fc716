/** Routes of automation templates. */
import * as z from "zod";
import { errorUpstream, uuid, uuidParams } from "../../core/common.ts";
import { defineCrudRoutes } from "../../core/crud.ts";
import { defineRawAnswer, defineRoute } from "../../core/route.ts";
import { common, read } from "../common.ts";
import { inputData, inputSheets, validationStarted, validationStatus } from "../requests/row-shapes.ts";
import { AUTOMATION_LIMITS } from "../values.ts";
import { automationTemplatePaths } from "./paths.ts";
import {
	automationTemplate,
	automationTemplateDraft,
	automationTemplateInput,
	automationTemplateList,
	automationTemplatePatch,
	automationTemplateSaved,
	fileTable,
	sheetFileQuery,
	templateFromServer,
} from "./shapes.ts";

const noChange = { none: "checks rows; changes nothing that lasts" } as const;

export const automationTemplateRoutes = {
	...defineCrudRoutes({
		paths: automationTemplatePaths,
		noun: "template",
		permission: "automationtemplate",
		audit: { category: "automation_management", action: "automation_template" },
		shapes: {
			item: automationTemplate,
			saved: automationTemplateSaved,
			query: automationTemplateList,
			create: automationTemplateInput,
			update: automationTemplatePatch,
		},
		summary: {
			list: "Templates that the caller made, that are public or that a group of the caller's may use",
			create: "Make a template",
			update: "Change some fields; requests that were approved keep what was approved",
			replace: "Replace all fields, those left out by their defaults",
			remove: "Delete a template without open requests; its history stays",
		},
	}),
	fromServer: defineRoute({
		...automationTemplatePaths.fromServer,
		...common,
		summary: "A template's body with the columns of the server's survey; nothing is stored",
		permission: "add_automationtemplate",
		audit: { none: "answers a draft; changes nothing" },
		body: templateFromServer,
		answers: { 200: automationTemplateDraft, 502: errorUpstream, 504: errorUpstream },
	}),
	sheet: defineRoute({
		...automationTemplatePaths.sheet,
		...common,
		summary: "The template's sheets as a file, empty but for the names of their columns",
		permission: "view_automationtemplate",
		audit: read,
		params: uuidParams,
		query: sheetFileQuery,
		answers: { 200: defineRawAnswer("application/octet-stream", "CSV or XLSX, as was asked for") },
	}),
	readFile: defineRoute({
		...automationTemplatePaths.readFile,
		...common,
		summary: "The rows of a CSV or XLSX as input_data, unchecked; nothing is stored",
		permission: "view_automationtemplate",
		audit: noChange,
		params: uuidParams,
		upload: { maxBytes: AUTOMATION_LIMITS.file },
		answers: { 200: z.object({ input_data: inputData, row_count: z.int(), notes: z.array(z.string()).optional() }) },
	}),
	readTables: defineRoute({
		...automationTemplatePaths.readTables,
		...common,
		summary: "The tables of a CSV or XLSX as texts, whatever their columns are; nothing is stored",
		permission: "view_automationtemplate",
		audit: noChange,
		params: uuidParams,
		upload: { maxBytes: AUTOMATION_LIMITS.file },
		answers: { 200: z.object({ tables: z.array(fileTable) }) },
	}),
	validateInput: defineRoute({
		...automationTemplatePaths.validateInput,
		...common,
		summary: "Check rows against a template, in the background",
		permission: "view_automationtemplate",
		audit: noChange,
		body: z.object({ template: uuid, input_data: inputData }),
		bodyLimit: AUTOMATION_LIMITS.body,
		answers: { 202: validationStarted },
	}),
	validateSheets: defineRoute({
		...automationTemplatePaths.validateSheets,
		...common,
		summary: "Check the rows of several sheets against a template, in the background",
		permission: "view_automationtemplate",
		audit: noChange,
		body: z.object({ template: uuid, sheets: inputSheets }),
		bodyLimit: AUTOMATION_LIMITS.body,
		answers: { 202: validationStarted },
	}),
	validationStatus: defineRoute({
		...automationTemplatePaths.validationStatus,
		...common,
		summary: "How a check of the caller's stands",
		permission: "view_automationtemplate",
		audit: read,
		params: z.object({ task_id: uuid }),
		answers: { 200: validationStatus },
	}),
} as const;
