/** Routes of automation jobs. */
import * as z from "zod";
import { freezeConflict, freezeOverride } from "../../calendar/reference-shapes.ts";
import { defineEnvelope, errorDetail, errorUpstream, intId, uuid, uuidParams } from "../../core/common.ts";
import { defineRawAnswer, defineRoute } from "../../core/route.ts";
import { common, defineExecutionAudit, read } from "../common.ts";
import { automationExecutionPaths } from "./paths.ts";
import {
	automationExecution,
	automationExecutionList,
	automationNode,
	automationOutput,
	automationRowResults,
	outputQuery,
} from "./shapes.ts";

const look = {
	...common,
	permission: "view_automationexecution",
	audit: read,
	params: uuidParams,
} as const;

export const automationExecutionRoutes = {
	list: defineRoute({
		...automationExecutionPaths.list,
		...common,
		summary: "Executions of the requests that the caller sees, newest first",
		permission: "view_automationexecution",
		audit: read,
		query: automationExecutionList,
		answers: { 200: defineEnvelope(automationExecution) },
	}),
	detail: defineRoute({
		...automationExecutionPaths.detail,
		...look,
		summary: "One execution",
		answers: { 200: automationExecution },
	}),
	cancel: defineRoute({
		...automationExecutionPaths.cancel,
		...common,
		summary: "Cancel the job on the automation server",
		permission: "launch_automationrequest",
		audit: defineExecutionAudit("automation_execution_cancel"),
		params: uuidParams,
		answers: { 202: automationExecution, 409: errorDetail },
	}),
	relaunch: defineRoute({
		...automationExecutionPaths.relaunch,
		...common,
		summary: "Launch the same job again, on all its hosts or on those that failed",
		permission: "launch_automationrequest",
		audit: defineExecutionAudit("automation_execution_relaunch"),
		params: uuidParams,
		body: z.object({
			hosts: z.enum(["all", "failed"], { error: "Must be all or failed." }).default("all"),
			override_freeze: freezeOverride,
		}),
		bodyOptional: true,
		answers: { 201: automationExecution, 409: freezeConflict, 502: errorUpstream, 504: errorUpstream },
	}),
	output: defineRoute({
		...automationExecutionPaths.output,
		...look,
		summary: "The output so far, from an offset",
		query: outputQuery,
		answers: { 200: automationOutput },
	}),
	download: defineRoute({
		...automationExecutionPaths.download,
		...look,
		summary: "The output so far as a file",
		answers: { 200: defineRawAnswer("text/plain", "The output as an attachment") },
	}),
	nodes: defineRoute({
		...automationExecutionPaths.nodes,
		...look,
		summary: "The nodes of a workflow and of workflows in it, and how each stands; none for a plain job",
		answers: { 200: z.object({ nodes: z.array(automationNode) }) },
	}),
	nodeOutput: defineRoute({
		...automationExecutionPaths.nodeOutput,
		...common,
		summary: "The output of one node's job",
		permission: "view_automationexecution",
		audit: read,
		params: z.object({ id: uuid, automation_job_id: intId }),
		query: outputQuery,
		answers: { 200: automationOutput },
	}),
	rowResults: defineRoute({
		...automationExecutionPaths.rowResults,
		...look,
		summary: "What became of each row, on each host",
		answers: { 200: automationRowResults },
	}),
} as const;
