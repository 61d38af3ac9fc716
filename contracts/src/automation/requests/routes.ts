/** Routes of automation requests. */
import * as z from "zod";
import { freezeConflict, freezeOverride } from "../../calendar/reference-shapes.ts";
import { defineEnvelope, errorDetail, errorUpstream, intId, uuidParams } from "../../core/common.ts";
import { defineRoute } from "../../core/route.ts";
import { refuseBlank } from "../../core/text.ts";
import { common, defineExecutionAudit, getText, read } from "../common.ts";
import { AUTOMATION_LIMITS } from "../values.ts";
import {
	requestComment,
	requestHistoryEntry,
	requestHistoryList,
	requestReview,
	requestVersionContent,
} from "./history-shapes.ts";
import { automationRequestPaths } from "./paths.ts";
import { cellError } from "./row-shapes.ts";
import {
	automationRequest,
	automationRequestCopy,
	automationRequestCreate,
	automationRequestDetail,
	automationRequestList,
	automationRequestPatch,
	automationRollback,
	requestVersion,
} from "./shapes.ts";

const comment = z.object({ comment: getText(2000).default(""), ...requestVersion });
const rejection = z.object({
	reason: refuseBlank(getText(2000)),
	/** Whether the requester is to change the request and submit it again. */
	changes_requested: z.boolean().default(false),
	...requestVersion,
});

/** Wrong rows: `{input_data: [errors]}`; other fields have messages as everywhere. */
const invalidRows = z.record(z.string(), z.array(z.union([z.string(), cellError])));

const launch = z.object({ override_freeze: freezeOverride });

const act = { ...common, params: uuidParams } as const;
const upstream = { 502: errorUpstream, 504: errorUpstream } as const;

export const automationRequestRoutes = {
	list: defineRoute({
		...automationRequestPaths.list,
		...common,
		summary: "The caller's own requests and those that the caller may decide on; all of them for administrators",
		permission: "view_automationrequest",
		audit: read,
		query: automationRequestList,
		answers: { 200: defineEnvelope(automationRequest) },
	}),
	create: defineRoute({
		...automationRequestPaths.create,
		...common,
		summary: "Ask for rows to be carried out; nothing is launched yet",
		permission: "add_automationrequest",
		audit: defineExecutionAudit("automation_request_create"),
		body: automationRequestCreate,
		bodyLimit: AUTOMATION_LIMITS.body,
		answers: { 200: automationRequestDetail, 201: automationRequestDetail, 400: invalidRows },
	}),
	detail: defineRoute({
		...automationRequestPaths.detail,
		...common,
		summary: "One request with its rows and the template as it was",
		permission: "view_automationrequest",
		audit: read,
		params: uuidParams,
		answers: { 200: automationRequestDetail },
	}),
	update: defineRoute({
		...automationRequestPaths.update,
		...common,
		summary: "Change a request that is not approved, or that was rejected; it waits for approval again",
		permission: "change_automationrequest",
		audit: defineExecutionAudit("automation_request_update"),
		params: uuidParams,
		body: automationRequestPatch,
		bodyLimit: AUTOMATION_LIMITS.body,
		answers: { 200: automationRequestDetail, 400: invalidRows, 409: errorDetail },
	}),
	execute: defineRoute({
		...automationRequestPaths.execute,
		...act,
		summary: "Launch the job; not during a freeze of its target, or of any connection where it names none",
		permission: "launch_automationrequest",
		audit: defineExecutionAudit("automation_request_execute"),
		body: launch,
		bodyOptional: true,
		answers: { 202: automationRequestDetail, 409: freezeConflict, ...upstream },
	}),
	retry: defineRoute({
		...automationRequestPaths.retry,
		...act,
		summary: "Launch a failed or cancelled request again, with the same rows",
		permission: "launch_automationrequest",
		audit: defineExecutionAudit("automation_request_retry"),
		body: launch,
		bodyOptional: true,
		answers: { 202: automationRequestDetail, 409: freezeConflict, ...upstream },
	}),
	approve: defineRoute({
		...automationRequestPaths.approve,
		...act,
		summary: "Approve another user's request; from then on its rows and settings are fixed",
		permission: "approve_automationrequest",
		audit: defineExecutionAudit("automation_request_approve"),
		body: comment,
		bodyOptional: true,
		answers: { 200: automationRequestDetail, 409: errorDetail },
	}),
	reject: defineRoute({
		...automationRequestPaths.reject,
		...act,
		summary: "Reject another user's request",
		permission: "approve_automationrequest",
		audit: defineExecutionAudit("automation_request_reject"),
		body: rejection,
		answers: { 200: automationRequestDetail, 409: errorDetail },
	}),
	rollback: defineRoute({
		...automationRequestPaths.rollback,
		...act,
		summary: "Ask for the configured rollback of a request that has ended",
		permission: "launch_automationrequest",
		audit: defineExecutionAudit("automation_request_rollback"),
		body: automationRollback,
		bodyOptional: true,
		answers: { 201: automationRequestDetail, 400: invalidRows, 409: errorDetail },
	}),
	copy: defineRoute({
		...automationRequestPaths.copy,
		...act,
		summary: "Ask again for all rows of a request, or for those that failed or are not known; nothing is launched yet",
		permission: "add_automationrequest",
		audit: defineExecutionAudit("automation_request_copy"),
		body: automationRequestCopy,
		bodyLimit: AUTOMATION_LIMITS.body,
		answers: { 201: automationRequestDetail, 400: invalidRows, 409: errorDetail },
	}),
	history: defineRoute({
		...automationRequestPaths.history,
		...common,
		summary: "Versions, decisions, comments and launches of a request, the oldest first",
		permission: "view_automationrequest",
		audit: read,
		params: uuidParams,
		query: requestHistoryList,
		answers: { 200: defineEnvelope(requestHistoryEntry) },
	}),
	version: defineRoute({
		...automationRequestPaths.version,
		...common,
		summary: "One version of a request with its rows",
		permission: "view_automationrequest",
		audit: read,
		params: uuidParams.extend({ version: intId }),
		answers: { 200: requestVersionContent },
	}),
	comment: defineRoute({
		...automationRequestPaths.comment,
		...act,
		summary: "Comment on a request, as its requester or as one of those who decide on it",
		permission: "view_automationrequest",
		audit: defineExecutionAudit("automation_request_comment"),
		body: requestComment,
		answers: { 201: requestHistoryEntry, 409: errorDetail },
	}),
	review: defineRoute({
		...automationRequestPaths.review,
		...common,
		summary: "The job that a launch starts: server, playbook, inventory, constants, fabric, and a dry run's result",
		permission: "view_automationrequest",
		audit: read,
		params: uuidParams,
		answers: { 200: requestReview },
	}),
	cancel: defineRoute({
		...automationRequestPaths.cancel,
		...act,
		summary: "Give a request up; a job that runs is cancelled on the server",
		permission: "launch_automationrequest",
		audit: defineExecutionAudit("automation_request_cancel"),
		answers: { 202: automationRequestDetail, 409: errorDetail },
	}),
} as const;
