/** Group executions and their merged results. */
import { groupExecutionRoutes } from "@weft/contracts";
import { type BoundRoute, bindAll, buildReply, streamReply } from "../../platform/http/binder.ts";
import type { GroupRuns } from "./service.ts";
import type { GroupResults } from "./service-results.ts";

const JSON_TYPE = "application/json; charset=utf-8";
const partialHeader = (isPartial: boolean): Record<string, string> => (isPartial ? { "x-weft-partial": "true" } : {});

export function createRoutes(groups: GroupRuns, results: GroupResults): BoundRoute[] {
	return bindAll(groupExecutionRoutes, {
		create: async ({ caller, body }) => buildReply(201, await groups.create(caller, body)),
		list: async ({ caller, query, url }) => buildReply(200, await groups.list(caller, query, url)),
		detail: async ({ caller, params }) => buildReply(200, await groups.detail(caller, params.id)),
		cancel: async ({ caller, params }) => buildReply(200, await groups.cancel(caller, params.id)),
		retry: async ({ caller, params }) => buildReply(202, await groups.retry(caller, params.id)),
		results: async ({ caller, params, query, url, signal }) => {
			if (query.export !== undefined) {
				const { type, disposition, pieces, isPartial } = await results.file(caller, params.id, query.export);
				const file = await streamReply(200, type, pieces);
				const headers = { ...file.headers, "content-disposition": disposition, ...partialHeader(isPartial) };
				return { ...file, headers };
			}
			const { body, isPartial } =
				query.pivot === undefined
					? await results.page(caller, params.id, query, url)
					: await results.pivot(caller, params.id, { ...query, key: query.pivot }, url, signal);
			const headers = { "content-type": JSON_TYPE, ...partialHeader(isPartial) };
			return { status: 200 as const, body, headers, sendAsIs: true as const };
		},
	});
}
