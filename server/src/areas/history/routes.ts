/** Captures, snapshots, comparisons, histories, retention and settings. */
import { type CompareFormat, type SeriesExport, timeMachineRoutes } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { type BoundRoute, bindAll, buildReply, streamReply } from "../../core/http/binder.ts";
import { IDENTITY } from "../../core/rows/identity-attributes.ts";
import { captureBody } from "./capture-request.ts";
import { executeCleanup, previewCleanup } from "./clean-up-snapshots.ts";
import { compareSnapshots } from "./compare-snapshots.ts";
import { createHistoryReads } from "./history-reads.ts";
import { annotateSnapshot, listSnapshotQueries, listSnapshots, readSnapshot } from "./list-snapshots.ts";
import { VOLATILE } from "./rules/volatile.ts";
import { writeSeries } from "./series/present.ts";
import { readSeries } from "./series/read-series.ts";
import { SERIES_MEDIA_TYPES } from "./series/rules/export.ts";
import { readSettings, updateSnapshotSettings } from "./snapshot-settings.ts";

const JSON_TYPE = "application/json; charset=utf-8";
const MEDIA_TYPES: Record<CompareFormat, string> = {
	json: JSON_TYPE,
	summary: JSON_TYPE,
	ndjson: "application/x-ndjson; charset=utf-8",
	csv: "text/csv; charset=utf-8",
	html: "text/html; charset=utf-8",
};

/** Makes browsers download files instead of showing them. */
function buildDownloadHeaders(format: CompareFormat): Record<string, string> {
	return format === "csv" || format === "html"
		? { "content-disposition": `attachment; filename="comparison.${format}"` }
		: {};
}

/** CSV is downloaded; collectors of metrics read OpenMetrics as it is. */
const buildSeriesHeaders = (format: SeriesExport | undefined): Record<string, string> =>
	format === "csv" ? { "content-disposition": 'attachment; filename="series.csv"' } : {};

export function createRoutes(ctx: Context): BoundRoute[] {
	const histories = createHistoryReads(ctx);
	return bindAll(timeMachineRoutes, {
		capture: async ({ caller, bytes, signal }) => buildReply(200, await captureBody(ctx, caller, bytes, signal)),
		queries: async ({ caller }) => buildReply(200, await listSnapshotQueries(ctx, caller)),
		list: async ({ caller, query }) => buildReply(200, await listSnapshots(ctx, caller, query)),
		detail: async ({ caller, params, signal }) =>
			streamReply(200, JSON_TYPE, readSnapshot(ctx, caller, params.id, signal)),
		annotate: async ({ caller, params, body }) => buildReply(200, await annotateSnapshot(ctx, caller, params.id, body)),
		compare: async ({ caller, query: { format, rules, attribution }, body, signal }) => {
			const answer = await streamReply(
				200,
				MEDIA_TYPES[format],
				compareSnapshots(
					ctx,
					caller,
					{ body, format, withRules: rules === "query", withAttribution: attribution === "1" },
					signal,
				),
			);
			return { ...answer, headers: { ...answer.headers, ...buildDownloadHeaders(format) } };
		},
		identityAttributes: async () => buildReply(200, { rules: [...IDENTITY] }),
		volatileAttributes: async () => buildReply(200, { rules: [...VOLATILE] }),
		heatmap: async ({ caller, query }) => buildReply(200, await histories.heatmap(caller, query)),
		timeline: async ({ caller, query, signal }) =>
			streamReply(200, JSON_TYPE, histories.timeline(caller, query, signal)),
		series: async ({ caller, query, signal }) => {
			const { export: format } = query;
			const type = format === undefined ? JSON_TYPE : SERIES_MEDIA_TYPES[format];
			const answer = await streamReply(200, type, writeSeries(readSeries(ctx, caller, query, signal), format));
			return { ...answer, headers: { ...answer.headers, ...buildSeriesHeaders(format) } };
		},
		blame: async ({ caller, query, signal }) => streamReply(200, JSON_TYPE, histories.blame(caller, query, signal)),
		dns: async ({ caller, params, query }) => buildReply(200, await histories.dns(caller, params.id, query)),
		cleanupPreview: async ({ caller, body }) => buildReply(200, await previewCleanup(ctx, caller, body)),
		cleanup: async ({ caller, body }) => buildReply(200, await executeCleanup(ctx, caller, body)),
		settings: async ({ caller }) => buildReply(200, await readSettings(ctx, caller)),
		updateSettings: async ({ caller, body }) => buildReply(200, await updateSnapshotSettings(ctx, caller, body)),
	});
}
