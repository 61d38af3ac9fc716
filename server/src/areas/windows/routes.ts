/** Change plans and change windows. */
import { changePlanRoutes, changeWindowRoutes } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { type BoundRoute, bindAll, buildReply, noContent, streamReply } from "../../core/http/binder.ts";
import { attachEvidence, listWindowEvidence, removeEvidence } from "./attach-evidence.ts";
import { importExpectations, readExpectations, replaceExpectations } from "./expect-changes.ts";
import { acceptFinding, addDriftRule, addPlanExpectation, listFindings, streamFindings } from "./manage-findings.ts";
import { changeWindow, createWindow, deleteWindow } from "./manage-windows.ts";
import { openBlockedExecution } from "./open-blocked-execution.ts";
import { installPlan, listPlanTemplates } from "./plans/install-plan.ts";
import { changePlan, createPlan, deletePlan, listPlans, readPlan } from "./plans/manage-plans.ts";
import { previewPlan } from "./plans/preview-plan.ts";
import { listWindowEvents, listWindows, readWindow } from "./read-window.ts";
import { writeReportSchema } from "./report/report-schema.ts";
import { readWindowReport } from "./report-window.ts";
import {
	approveWindow,
	cancelWindow,
	finishWindow,
	openBlockedWindow,
	recheckWindow,
	rejectWindow,
	signWindow,
	startWindow,
	submitWindow,
} from "./step-window.ts";

const SCHEMA_JSON = "application/schema+json; charset=utf-8";
const NDJSON = "application/x-ndjson; charset=utf-8";

const createPlanRoutes = (ctx: Context): BoundRoute[] =>
	bindAll(changePlanRoutes, {
		list: async ({ caller, query, url }) => buildReply(200, await listPlans(ctx, caller, query, url)),
		create: async ({ caller, body }) => buildReply(201, await createPlan(ctx, caller, body)),
		templates: async () => buildReply(200, listPlanTemplates()),
		install: async ({ caller, params }) => buildReply(201, await installPlan(ctx, caller, params.key)),
		detail: async ({ caller, params }) => buildReply(200, await readPlan(ctx.store.db, caller, params.id)),
		update: async ({ caller, params, body }) => buildReply(200, await changePlan(ctx, caller, params.id, body)),
		remove: async ({ caller, params }) => {
			await deletePlan(ctx, caller, params.id);
			return noContent;
		},
		preview: async ({ caller, params, body, signal }) =>
			buildReply(200, await previewPlan(ctx, caller, params.id, body.connection_ids, signal)),
	});

async function* streamText(text: string): AsyncGenerator<string, void> {
	yield text;
}

const createWindowRoutes = (ctx: Context): BoundRoute[] =>
	bindAll(changeWindowRoutes, {
		list: async ({ caller, query, url }) => buildReply(200, await listWindows(ctx, caller, query, url)),
		create: async ({ caller, body }) => buildReply(201, await createWindow(ctx, caller, body)),
		detail: async ({ caller, params }) => buildReply(200, await readWindow(ctx.store.db, caller, params.id)),
		update: async ({ caller, params, body }) => buildReply(200, await changeWindow(ctx, caller, params.id, body)),
		remove: async ({ caller, params }) => {
			await deleteWindow(ctx, caller, params.id);
			return noContent;
		},
		submit: async ({ caller, params }) => buildReply(200, await submitWindow(ctx, caller, params.id)),
		approve: async ({ caller, params, body }) => buildReply(200, await approveWindow(ctx, caller, params.id, body)),
		reject: async ({ caller, params, body }) => buildReply(200, await rejectWindow(ctx, caller, params.id, body)),
		start: async ({ caller, params, body }) =>
			buildReply(200, await startWindow(ctx, caller, params.id, "start", body)),
		finish: async ({ caller, params, body }) => buildReply(200, await finishWindow(ctx, caller, params.id, body)),
		retry: async ({ caller, params, body }) =>
			buildReply(200, await startWindow(ctx, caller, params.id, "retry", body)),
		override: async ({ caller, params, body }) =>
			buildReply(200, await openBlockedWindow(ctx, caller, params.id, body)),
		recheck: async ({ caller, params }) => buildReply(200, await recheckWindow(ctx, caller, params.id)),
		cancel: async ({ caller, params }) => buildReply(200, await cancelWindow(ctx, caller, params.id)),
		sign: async ({ caller, params, body }) => buildReply(200, await signWindow(ctx, caller, params.id, body)),
		expectations: async ({ caller, params }) => buildReply(200, await readExpectations(ctx, caller, params.id)),
		replaceExpectations: async ({ caller, params, body }) =>
			buildReply(200, await replaceExpectations(ctx, caller, params.id, body)),
		importExpectations: async ({ caller, params, body }) =>
			buildReply(200, await importExpectations(ctx, caller, params.id, body)),
		findings: async ({ caller, params, query, url }) =>
			query.format === "ndjson"
				? streamReply(200, NDJSON, streamFindings(ctx, caller, params.id, query))
				: buildReply(200, await listFindings(ctx, caller, params.id, query, url)),
		accept: async ({ caller, params, body }) => buildReply(200, await acceptFinding(ctx, caller, params, body)),
		toDriftRule: async ({ caller, params }) => buildReply(200, await addDriftRule(ctx, caller, params)),
		toExpectation: async ({ caller, params }) => buildReply(200, await addPlanExpectation(ctx, caller, params)),
		events: async ({ caller, params }) => buildReply(200, await listWindowEvents(ctx, caller, params.id)),
		evidence: async ({ caller, params }) => buildReply(200, await listWindowEvidence(ctx, caller, params.id)),
		attachEvidence: async ({ caller, params, body }) =>
			buildReply(201, await attachEvidence(ctx, caller, params.id, body)),
		removeEvidence: async ({ caller, params }) => {
			await removeEvidence(ctx, caller, params);
			return noContent;
		},
		overrideExecution: async ({ caller, params, body }) =>
			buildReply(200, await openBlockedExecution(ctx, caller, params.id, body)),
		report: async ({ caller, params, query }) => {
			const { text, type, headers } = await readWindowReport(ctx, caller, params.id, query);
			const answer = await streamReply(200, type, streamText(text));
			return { ...answer, headers: { ...answer.headers, ...headers } };
		},
		reportSchema: async () => streamReply(200, SCHEMA_JSON, streamText(writeReportSchema())),
	});

export const createRoutes = (ctx: Context): BoundRoute[] => [...createPlanRoutes(ctx), ...createWindowRoutes(ctx)];
