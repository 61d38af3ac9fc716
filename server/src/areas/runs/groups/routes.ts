/** Group executions and their merged results. */
import { groupExecutionRoutes } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { type BoundRoute, bindAll, buildReply, streamReply } from "../../../core/http/binder.ts";
import { exportResultFile, readResultPage, readResultPivot } from "./group-results.ts";
import {
	cancelGroupRun,
	createGroupRun,
	listOwnGroupRuns,
	readOwnGroupRun,
	retryGroupRun,
} from "./manage-group-runs.ts";

const JSON_TYPE = "application/json; charset=utf-8";
const buildPartialHeader = (isPartial: boolean): Record<string, string> =>
	isPartial ? { "x-weft-partial": "true" } : {};

export function createRoutes(ctx: Context): BoundRoute[] {
	return bindAll(groupExecutionRoutes, {
		create: async ({ caller, body }) => buildReply(201, await createGroupRun(ctx, caller, body)),
		list: async ({ caller, query, url }) => buildReply(200, await listOwnGroupRuns(ctx, caller, query, url)),
		detail: async ({ caller, params }) => buildReply(200, await readOwnGroupRun(ctx, caller, params.id)),
		cancel: async ({ caller, params }) => buildReply(200, await cancelGroupRun(ctx, caller, params.id)),
		retry: async ({ caller, params }) => buildReply(202, await retryGroupRun(ctx, caller, params.id)),
		results: async ({ caller, params, query, url, signal }) => {
			if (query.export !== undefined) {
				const { type, disposition, pieces, isPartial } = await exportResultFile(ctx, caller, params.id, query.export);
				const file = await streamReply(200, type, pieces);
				const headers = { ...file.headers, "content-disposition": disposition, ...buildPartialHeader(isPartial) };
				return { ...file, headers };
			}
			const { body, isPartial } =
				query.pivot === undefined
					? await readResultPage(ctx, caller, params.id, query, url)
					: await readResultPivot(ctx, caller, params.id, { ...query, key: query.pivot }, url, signal);
			const headers = { "content-type": JSON_TYPE, ...buildPartialHeader(isPartial) };
			return { status: 200 as const, body, headers, sendAsIs: true as const };
		},
	});
}
