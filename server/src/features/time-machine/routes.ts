/** Captures, snapshots, comparisons, histories, retention and settings. */
import { type CompareFormat, timeMachineRoutes } from "@weft/contracts";
import { type BoundRoute, bindAll, buildReply, streamReply } from "../../platform/http/binder.ts";
import { VOLATILE } from "./domain/volatile.ts";
import type { createCapture } from "./service-capture.ts";
import type { createCleanup } from "./service-cleanup.ts";
import type { createCompare } from "./service-compare.ts";
import type { createHistoryReads } from "./service-history.ts";
import type { createSettings } from "./service-settings.ts";
import type { createSnapshots } from "./service-snapshots.ts";

interface Services {
	readonly capture: ReturnType<typeof createCapture>;
	readonly snapshots: ReturnType<typeof createSnapshots>;
	readonly compare: ReturnType<typeof createCompare>;
	readonly histories: ReturnType<typeof createHistoryReads>;
	readonly cleanup: Pick<ReturnType<typeof createCleanup>, "preview" | "execute">;
	readonly settings: ReturnType<typeof createSettings>;
}

const JSON_TYPE = "application/json; charset=utf-8";
const MEDIA_TYPES: Record<CompareFormat, string> = {
	json: JSON_TYPE,
	summary: JSON_TYPE,
	ndjson: "application/x-ndjson; charset=utf-8",
	csv: "text/csv; charset=utf-8",
	html: "text/html; charset=utf-8",
};

/** Makes browsers download files instead of showing them. */
function downloadHeaders(format: CompareFormat): Record<string, string> {
	return format === "csv" || format === "html"
		? { "content-disposition": `attachment; filename="comparison.${format}"` }
		: {};
}

export function createRoutes({ capture, snapshots, compare, histories, cleanup, settings }: Services): BoundRoute[] {
	return bindAll(timeMachineRoutes, {
		capture: async ({ caller, bytes, signal }) => buildReply(200, await capture.fromBody(caller, bytes, signal)),
		queries: async ({ caller }) => buildReply(200, await snapshots.queries(caller)),
		list: async ({ caller, query }) => buildReply(200, await snapshots.list(caller, query)),
		detail: async ({ caller, params, signal }) =>
			streamReply(200, JSON_TYPE, snapshots.detail(caller, params.id, signal)),
		annotate: async ({ caller, params, body }) => buildReply(200, await snapshots.annotate(caller, params.id, body)),
		compare: async ({ caller, query: { format, rules, attribution }, body, signal }) => {
			const answer = await streamReply(
				200,
				MEDIA_TYPES[format],
				compare.compare(
					caller,
					{ body, format, withRules: rules === "query", withAttribution: attribution === "1" },
					signal,
				),
			);
			return { ...answer, headers: { ...answer.headers, ...downloadHeaders(format) } };
		},
		volatileAttributes: async () => buildReply(200, { rules: [...VOLATILE] }),
		heatmap: async ({ caller, query }) => buildReply(200, await histories.heatmap(caller, query)),
		timeline: async ({ caller, query, signal }) =>
			streamReply(200, JSON_TYPE, histories.timeline(caller, query, signal)),
		blame: async ({ caller, query, signal }) => streamReply(200, JSON_TYPE, histories.blame(caller, query, signal)),
		dns: async ({ caller, params, query }) => buildReply(200, await histories.dns(caller, params.id, query)),
		cleanupPreview: async ({ caller, body }) => buildReply(200, await cleanup.preview(caller, body)),
		cleanup: async ({ caller, body }) => buildReply(200, await cleanup.execute(caller, body)),
		settings: async ({ caller }) => buildReply(200, await settings.read(caller)),
		updateSettings: async ({ caller, body }) => buildReply(200, await settings.update(caller, body)),
	});
}
