/** Runs, their results, and plans. */
import { pipelineRoutes, planningRoutes, requestImportRoutes } from "@weft/contracts";
import { type BoundRoute, bindAll, buildReply, streamReply } from "../../platform/http/binder.ts";
import type { Pipelines } from "./service.ts";
import type { ImportRequests } from "./service-import.ts";
import type { Planner } from "./service-plan.ts";

const JSON_TYPE = "application/json; charset=utf-8";

export function createPlanningRoutes(planner: Planner, importRequests: ImportRequests): BoundRoute[] {
	return [
		...bindAll(planningRoutes, {
			plan: async ({ caller, body, signal }) => buildReply(200, await planner.plan(caller, body, signal)),
			preview: async ({ caller, body, signal }) => buildReply(200, await planner.preview(caller, body, signal)),
		}),
		...bindAll(requestImportRoutes, {
			import: async ({ body, signal }) => ({
				status: 200 as const,
				body: await importRequests(body, signal),
				headers: { "content-type": JSON_TYPE },
				sendAsIs: true as const,
			}),
		}),
	];
}

export function createRoutes(pipelines: Pipelines): BoundRoute[] {
	return bindAll(pipelineRoutes, {
		create: async ({ caller, body }) => buildReply(201, await pipelines.create(caller, body)),
		list: async ({ caller, query, url }) => buildReply(200, await pipelines.list(caller, query, url)),
		detail: async ({ caller, params }) => buildReply(200, await pipelines.detail(caller, params.id)),
		stages: async ({ caller, params }) => buildReply(200, await pipelines.stages(caller, params.id)),
		results: async ({ caller, params, query, url }) => {
			if (query.export === undefined) {
				const page = await pipelines.resultPage(caller, params.id, query, url);
				return { status: 200 as const, body: page, headers: { "content-type": JSON_TYPE }, sendAsIs: true as const };
			}
			const { type, disposition, pieces } = await pipelines.resultFile(caller, params.id, query.stage, query.export);
			const file = await streamReply(200, type, pieces);
			return { ...file, headers: { ...file.headers, "content-disposition": disposition } };
		},
		cancel: async ({ caller, params }) => buildReply(200, await pipelines.cancel(caller, params.id)),
	});
}
