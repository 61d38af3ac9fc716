/** Routes of automation templates. */
import * as z from "zod";
import { envelope, errorUpstream, uuid, uuidParams } from "../../core/common.ts";
import { raw, route } from "../../core/route.ts";
import { common, management, read } from "../common.ts";
import { inputData, inputSheets, validationStarted, validationStatus } from "../requests/row-shapes.ts";
import { AUTOMATION_LIMITS } from "../values.ts";
import { automationTemplatePaths } from "./paths.ts";
import {
	automationTemplate,
	automationTemplateDraft,
	automationTemplateInput,
	automationTemplateList,
	automationTemplatePatch,
	sheetFileQuery,
	templateFromServer,
} from "./shapes.ts";

const noChange = { none: "checks rows; changes nothing that lasts" } as const;

export const automationTemplateRoutes = {
	list: route({
		...automationTemplatePaths.list,
		...common,
		summary: "Templates that the caller made, that are public or that a group of the caller's may use",
		permission: "view_automationtemplate",
		audit: read,
		query: automationTemplateList,
		answers: { 200: envelope(automationTemplate) },
	}),
	create: route({
		...automationTemplatePaths.create,
		...common,
		summary: "Make a template",
		permission: "add_automationtemplate",
		audit: management("automation_template_create"),
		body: automationTemplateInput,
		answers: { 201: automationTemplate },
	}),
	detail: route({
		...automationTemplatePaths.detail,
		...common,
		summary: "One template",
		permission: "view_automationtemplate",
		audit: read,
		params: uuidParams,
		answers: { 200: automationTemplate },
	}),
	update: route({
		...automationTemplatePaths.update,
		...common,
		summary: "Change some fields; requests that were approved keep what was approved",
		permission: "change_automationtemplate",
		audit: management("automation_template_update"),
		params: uuidParams,
		body: automationTemplatePatch,
		answers: { 200: automationTemplate },
	}),
	replace: route({
		...automationTemplatePaths.replace,
		...common,
		summary: "Replace all fields, those left out by their defaults",
		permission: "change_automationtemplate",
		audit: management("automation_template_update"),
		params: uuidParams,
		body: automationTemplateInput,
		answers: { 200: automationTemplate },
	}),
	remove: route({
		...automationTemplatePaths.remove,
		...common,
		summary: "Delete a template without open requests; its history stays",
		permission: "delete_automationtemplate",
		audit: management("automation_template_delete"),
		params: uuidParams,
		answers: { 204: raw("", "The template is deleted") },
	}),
	fromServer: route({
		...automationTemplatePaths.fromServer,
		...common,
		summary: "A template's body with the columns of the server's survey; nothing is stored",
		permission: "add_automationtemplate",
		audit: { none: "answers a draft; changes nothing" },
		body: templateFromServer,
		answers: { 200: automationTemplateDraft, 502: errorUpstream, 504: errorUpstream },
	}),
	sheet: route({
		...automationTemplatePaths.sheet,
		...common,
		summary: "The template's sheets as a file, empty but for the names of their columns",
		permission: "view_automationtemplate",
		audit: read,
		params: uuidParams,
		query: sheetFileQuery,
		answers: { 200: raw("application/octet-stream", "CSV or XLSX, as was asked for") },
	}),
	readFile: route({
		...automationTemplatePaths.readFile,
		...common,
		summary: "The rows of a CSV or XLSX as input_data, unchecked; nothing is stored",
		permission: "view_automationtemplate",
		audit: noChange,
		params: uuidParams,
		upload: { maxBytes: AUTOMATION_LIMITS.file },
		answers: { 200: z.object({ input_data: inputData, row_count: z.int() }) },
	}),
	validateInput: route({
		...automationTemplatePaths.validateInput,
		...common,
		summary: "Check rows against a template, in the background",
		permission: "view_automationtemplate",
		audit: noChange,
		body: z.object({ template: uuid, input_data: inputData }),
		bodyLimit: AUTOMATION_LIMITS.body,
		answers: { 202: validationStarted },
	}),
	validateSheets: route({
		...automationTemplatePaths.validateSheets,
		...common,
		summary: "Check the rows of several sheets against a template, in the background",
		permission: "view_automationtemplate",
		audit: noChange,
		body: z.object({ template: uuid, sheets: inputSheets }),
		bodyLimit: AUTOMATION_LIMITS.body,
		answers: { 202: validationStarted },
	}),
	validationStatus: route({
		...automationTemplatePaths.validationStatus,
		...common,
		summary: "How a check of the caller's stands",
		permission: "view_automationtemplate",
		audit: read,
		params: z.object({ task_id: uuid }),
		answers: { 200: validationStatus },
	}),
} as const;
