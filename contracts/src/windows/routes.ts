/** The routes of change windows. */
import { automationExecution } from "../automation/executions/shapes.ts";
import { defineEnvelope, uuidParams } from "../core/common.ts";
import { defineCrudRoutes } from "../core/crud.ts";
import { defineRawAnswer, defineRoute, type PermissionRule, type RoutePath } from "../core/route.ts";
import { evidenceBody, evidenceParams, windowEvidence } from "./evidence-shapes.ts";
import {
	expectationImportAnswer,
	expectationImportBody,
	expectationsAnswer,
	expectationsBody,
} from "./expectation-shapes.ts";
import { findingListQuery, findingParams, windowFinding, windowReasonBody } from "./finding-shapes.ts";
import { changeWindowPaths } from "./paths.ts";
import {
	changeWindow,
	changeWindowCreateBody,
	changeWindowListed,
	changeWindowListQuery,
	changeWindowPatchBody,
	windowApproveBody,
	windowConflict,
	windowEvent,
	windowFinishBody,
	windowReportQuery,
	windowSignBody,
	windowStartBody,
} from "./shapes.ts";
import { EVIDENCE_LIMITS, WINDOW_LIMITS } from "./values.ts";

const defineAudit = (action: string) => ({ category: "time_machine", action }) as const;
const read = { throttle: "user", permission: "view_changewindow", audit: { none: "read" } } as const;

const { list, create, ...one } = defineCrudRoutes({
	paths: changeWindowPaths,
	noun: "change window",
	permission: "changewindow",
	audit: { category: "time_machine", action: "change_window" },
	shapes: {
		item: changeWindow,
		listed: changeWindowListed,
		query: changeWindowListQuery,
		create: changeWindowCreateBody,
		update: changeWindowPatchBody,
	},
	summary: {
		list: "Change windows with a connection that the caller sees",
		create: "Create a change window on connections as a draft; nothing runs before its start",
		update: "Change some fields; once started, only title and ticket. An edit voids an approval",
		remove: "Delete a change window that is a draft, cancelled or expired",
	},
});

/** A move from one state to another. Answers 409 with the state if that does not allow it. */
const defineMove = <const Path extends RoutePath>(
	path: Path,
	summary: string,
	permission: PermissionRule,
	action: string,
) =>
	({
		...path,
		throttle: "user",
		summary,
		permission,
		audit: defineAudit(action),
		params: uuidParams,
		bodyOptional: true,
		answers: { 200: changeWindow, 409: windowConflict },
	}) as const;

const change = "change_changewindow";

export const changeWindowRoutes = {
	list,
	create,
	...one,
	submit: defineRoute(
		defineMove(
			changeWindowPaths.submit,
			"Submit a draft, for approval if the window requires it",
			change,
			"change_window_submit",
		),
	),
	approve: defineRoute({
		...defineMove(
			changeWindowPaths.approve,
			"Approve the plan, connections and expectations of another user's window",
			"approve_changewindow",
			"change_window_approve",
		),
		body: windowApproveBody,
	}),
	reject: defineRoute({
		...defineMove(
			changeWindowPaths.reject,
			"Reject a window, which makes it a draft again",
			"approve_changewindow",
			"change_window_reject",
		),
		bodyOptional: false,
		body: windowReasonBody,
	}),
	start: defineRoute({
		...defineMove(
			changeWindowPaths.start,
			"Take the round before the work, then open the window if its gate passes",
			change,
			"change_window_start",
		),
		body: windowStartBody,
	}),
	finish: defineRoute({
		...defineMove(
			changeWindowPaths.finish,
			"End the work: rounds follow until the fabric has settled, then the verdict",
			change,
			"change_window_finish",
		),
		body: windowFinishBody,
	}),
	retry: defineRoute({
		...defineMove(
			changeWindowPaths.retry,
			"Repeat the round before the work of a blocked window",
			change,
			"change_window_retry",
		),
		body: windowStartBody,
	}),
	override: defineRoute({
		...defineMove(
			changeWindowPaths.override,
			"Open a blocked window for a reason",
			"override_changewindow",
			"change_window_override",
		),
		bodyOptional: false,
		body: windowReasonBody,
	}),
	recheck: defineRoute(
		defineMove(
			changeWindowPaths.recheck,
			"Repeat the rounds after the work for another verdict",
			change,
			"change_window_recheck",
		),
	),
	cancel: defineRoute(
		defineMove(changeWindowPaths.cancel, "Cancel a window before its work has ended", change, "change_window_cancel"),
	),
	sign: defineRoute({
		...defineMove(
			changeWindowPaths.sign,
			"Sign a judged window, which closes it and fixes its report",
			change,
			"change_window_sign",
		),
		body: windowSignBody,
	}),
	expectations: defineRoute({
		...changeWindowPaths.expectations,
		...read,
		summary: "Expectations of the window, in their order",
		params: uuidParams,
		answers: { 200: expectationsAnswer },
	}),
	replaceExpectations: defineRoute({
		...changeWindowPaths.replaceExpectations,
		throttle: "user",
		summary: "Replace the expectations; after the start they can only be added to",
		permission: change,
		audit: defineAudit("change_window_expect"),
		params: uuidParams,
		body: expectationsBody,
		answers: { 200: expectationsAnswer, 409: windowConflict },
	}),
	importExpectations: defineRoute({
		...changeWindowPaths.importExpectations,
		throttle: "user",
		summary: "Add expectations from a YAML list, `terraform show -json`, an approved request or an earlier window",
		permission: change,
		audit: defineAudit("change_window_expect"),
		params: uuidParams,
		body: expectationImportBody,
		bodyLimit: WINDOW_LIMITS.importBytes + 65_536,
		answers: { 200: expectationImportAnswer, 409: windowConflict },
	}),
	findings: defineRoute({
		...changeWindowPaths.findings,
		...read,
		summary: "The findings of the last verdict on connections that the caller sees; undeclared and foreign ones first",
		params: uuidParams,
		query: findingListQuery,
		answers: { 200: defineEnvelope(windowFinding) },
	}),
	accept: defineRoute({
		...changeWindowPaths.accept,
		throttle: "user",
		summary: "Accept a finding for a reason; the verdict stays",
		permission: change,
		audit: defineAudit("change_window_accept"),
		params: findingParams,
		body: windowReasonBody,
		answers: { 200: windowFinding, 409: windowConflict },
	}),
	toDriftRule: defineRoute({
		...changeWindowPaths.toDriftRule,
		throttle: "user",
		summary: "Ignore the attributes, or the added or deleted object, in the drift rules of the query",
		permission: "change_savedquery",
		audit: { category: "query_management", action: "change_window_drift_rule" },
		params: findingParams,
		answers: { 200: windowFinding },
	}),
	toExpectation: defineRoute({
		...changeWindowPaths.toExpectation,
		throttle: "user",
		summary: "Add a finding to the expectations of the plan, for its next window",
		permission: "change_changeplan",
		audit: defineAudit("change_plan_update"),
		params: findingParams,
		answers: { 200: windowFinding },
	}),
	events: defineRoute({
		...changeWindowPaths.events,
		...read,
		summary: "Events of the window, oldest first",
		params: uuidParams,
		answers: { 200: defineEnvelope(windowEvent) },
	}),
	evidence: defineRoute({
		...changeWindowPaths.evidence,
		...read,
		summary: "Results of the pre-upgrade script on connections that the caller sees, oldest first",
		params: uuidParams,
		answers: { 200: defineEnvelope(windowEvidence) },
	}),
	attachEvidence: defineRoute({
		...changeWindowPaths.attachEvidence,
		throttle: "user",
		summary: "Attach the JSON files of one run of Cisco's pre-upgrade validation script; the verdict stays",
		permission: change,
		audit: defineAudit("change_window_attach_evidence"),
		params: uuidParams,
		body: evidenceBody,
		bodyLimit: EVIDENCE_LIMITS.body,
		answers: { 201: windowEvidence, 409: windowConflict },
	}),
	removeEvidence: defineRoute({
		...changeWindowPaths.removeEvidence,
		throttle: "user",
		summary: "Remove results of the pre-upgrade script from a window that is not over",
		permission: change,
		audit: defineAudit("change_window_remove_evidence"),
		params: evidenceParams,
		answers: { 204: defineRawAnswer("", "The results are removed"), 409: windowConflict },
	}),
	overrideExecution: defineRoute({
		...changeWindowPaths.overrideExecution,
		throttle: "user",
		summary: "Open the blocked change window of an execution for a reason, so that its job is launched",
		permission: "override_changewindow",
		audit: defineAudit("change_window_override"),
		params: uuidParams,
		body: windowReasonBody,
		answers: { 200: automationExecution, 409: windowConflict },
	}),
	report: defineRoute({
		...changeWindowPaths.report,
		...read,
		summary: "The report; after the signature it does not change, and its ETag is its digest",
		params: uuidParams,
		query: windowReportQuery,
		answers: { 200: defineRawAnswer("text/html", "The report in the requested format") },
	}),
	reportSchema: defineRoute({
		...changeWindowPaths.reportSchema,
		throttle: "anon",
		summary: "JSON Schema of the report as JSON; fields are only ever added",
		permission: "any",
		audit: { none: "read" },
		answers: { 200: defineRawAnswer("application/schema+json", "The JSON Schema, draft 2020-12") },
	}),
} as const;
