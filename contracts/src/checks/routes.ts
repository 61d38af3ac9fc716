/** The routes of checks. */
import * as z from "zod";
import { defineEnvelope, userRef, uuidParams } from "../core/common.ts";
import { defineCrudRoutes } from "../core/crud.ts";
import { defineRoute } from "../core/route.ts";
import { checkPaths } from "./paths.ts";
import { checkRecipientsQuery } from "./recipient-shapes.ts";
import {
	check,
	checkAcknowledgeBody,
	checkCreateBody,
	checkEvaluateBody,
	checkEvent,
	checkEventsQuery,
	checkEvidence,
	checkInstallBody,
	checkListQuery,
	checkMuteBody,
	checkPatchBody,
	checkPreviewAnswer,
	checkPreviewBody,
	checkSeries,
	checkSeriesQuery,
	checkStateParams,
	checkTemplate,
	checkTemplateParams,
	checkTemplatesQuery,
} from "./shapes.ts";

const common = { throttle: "user" } as const;
const defineAudit = (action: string) => ({ category: "query_management", action }) as const;
const read = { none: "read" } as const;

const { list, create, ...one } = defineCrudRoutes({
	paths: checkPaths,
	noun: "check",
	permission: "check",
	audit: { category: "query_management", action: "check" },
	shapes: { item: check, query: checkListQuery, create: checkCreateBody, update: checkPatchBody },
	summary: {
		list: "The caller's own checks and public ones, of queries that the caller sees",
		create: "Expect something of the rows of a saved query",
		detail: "One check with its states",
		update: "Change some fields; another query, type or configuration makes the states unknown",
		replace: "Replace all fields, those left out by their defaults",
		remove: "Delete a check with its states and events",
	},
});

export const checkRoutes = {
	list,
	create,
	preview: defineRoute({
		...checkPaths.preview,
		...common,
		summary: "Evaluate a check that is not saved on the rows of the latest runs; changes nothing",
		permission: "view_check",
		audit: { none: "changes nothing" },
		body: checkPreviewBody,
		answers: { 200: checkPreviewAnswer },
	}),
	templates: defineRoute({
		...checkPaths.templates,
		...common,
		summary: "The library of checks for Cisco ACI fabrics",
		permission: "view_check",
		audit: read,
		query: checkTemplatesQuery,
		answers: { 200: defineEnvelope(checkTemplate) },
	}),
	recipients: defineRoute({
		...checkPaths.recipients,
		...common,
		summary: "Active users who see a check of the query, by username: those that its alerts can name",
		permission: "add_check",
		audit: read,
		query: checkRecipientsQuery,
		answers: { 200: defineEnvelope(userRef) },
	}),
	install: defineRoute({
		...checkPaths.install,
		...common,
		summary: "Save the query and the check of a template; a query that was saved from it before is used again",
		permission: "add_check",
		audit: defineAudit("check_install"),
		params: checkTemplateParams,
		body: checkInstallBody,
		bodyOptional: true,
		answers: { 201: check },
	}),
	...one,
	evaluate: defineRoute({
		...checkPaths.evaluate,
		...common,
		summary: "Run the query on the check's connections now; the end of each run is evaluated",
		permission: "execute_savedquery",
		audit: { category: "query_execution", action: "check_evaluate" },
		params: uuidParams,
		body: checkEvaluateBody,
		bodyOptional: true,
		answers: { 202: z.object({ runs: z.array(z.string()) }) },
	}),
	acknowledge: defineRoute({
		...checkPaths.acknowledge,
		...common,
		summary: "Say that the present problem is known; ends with the next transition",
		permission: "change_check",
		audit: defineAudit("check_acknowledge"),
		params: uuidParams,
		body: checkAcknowledgeBody,
		bodyOptional: true,
		answers: { 200: check },
	}),
	mute: defineRoute({
		...checkPaths.mute,
		...common,
		summary: "Send nothing until a time; transitions are recorded all the same",
		permission: "change_check",
		audit: defineAudit("check_mute"),
		params: uuidParams,
		body: checkMuteBody,
		answers: { 200: check },
	}),
	events: defineRoute({
		...checkPaths.events,
		...common,
		summary: "The transitions of a check, newest first",
		permission: "view_check",
		audit: read,
		params: uuidParams,
		query: checkEventsQuery,
		answers: { 200: defineEnvelope(checkEvent) },
	}),
	series: defineRoute({
		...checkPaths.series,
		...common,
		summary: "The violations of each evaluation of the last 90 days, by connection",
		permission: "view_check",
		audit: read,
		params: uuidParams,
		query: checkSeriesQuery,
		answers: { 200: checkSeries },
	}),
	evidence: defineRoute({
		...checkPaths.evidence,
		...common,
		summary: "The state on one connection with a sample of the violating rows",
		permission: "view_check",
		audit: read,
		params: checkStateParams,
		answers: { 200: checkEvidence },
	}),
} as const;
