/** Runs, their results, and plans. */
import { pipelineRoutes, planningRoutes, requestImportRoutes } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { type BoundRoute, bindAll, buildReply, streamReply } from "../../../core/http/binder.ts";
import { importRequests } from "./import-requests.ts";
import { planFlow, previewNode } from "./preview-flow.ts";
import { cancelVisibleRun, listRuns, openResultExport, readResultPage, readRun, readRunStages } from "./read-runs.ts";
import { createRun } from "./start-runs.ts";

const JSON_TYPE = "application/json; charset=utf-8";

export function createPlanningRoutes(ctx: Context): BoundRoute[] {
	return [
		...bindAll(planningRoutes, {
			plan: async ({ caller, body, signal }) => buildReply(200, await planFlow(ctx, caller, body, signal)),
			preview: async ({ caller, body, signal }) => buildReply(200, await previewNode(ctx, caller, body, signal)),
		}),
		...bindAll(requestImportRoutes, {
			import: async ({ body, signal }) => ({
				status: 200 as const,
				body: await importRequests(ctx, body, signal),
				headers: { "content-type": JSON_TYPE },
				sendAsIs: true as const,
			}),
		}),
	];
}

export function createRoutes(ctx: Context): BoundRoute[] {
	return bindAll(pipelineRoutes, {
		create: async ({ caller, body }) => buildReply(201, await createRun(ctx, caller, body)),
		list: async ({ caller, query, url }) => buildReply(200, await listRuns(ctx, caller, query, url)),
		detail: async ({ caller, params }) => buildReply(200, await readRun(ctx, caller, params.id)),
		stages: async ({ caller, params }) => buildReply(200, await readRunStages(ctx, caller, params.id)),
		results: async ({ caller, params, query, url }) => {
			if (query.export === undefined) {
				const page = await readResultPage(ctx, caller, params.id, query, url);
				return { status: 200 as const, body: page, headers: { "content-type": JSON_TYPE }, sendAsIs: true as const };
			}
			const { type, disposition, pieces } = await openResultExport(ctx, caller, params.id, query.stage, query.export);
			const file = await streamReply(200, type, pieces);
			return { ...file, headers: { ...file.headers, "content-disposition": disposition } };
		},
		cancel: async ({ caller, params }) => buildReply(200, await cancelVisibleRun(ctx, caller, params.id)),
	});
}
