/** The rows of a group execution over all of its connections. */
import type { ExportFormat, GroupAbsence } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import type { Caller } from "../../../core/caller.ts";
import { buildConflictError, buildForbiddenError } from "../../../core/errors.ts";
import { getOffset, type PageQuery, paginateRows } from "../../../core/http/paging.ts";
import { type MergedRun, openMergedFile, pivotMergedRows, readMergedPage } from "../pipelines/merged-results.ts";
import { buildFileName } from "../pipelines/rules/file-name.ts";
import { requireVisibleGroupRun } from "./manage-group-runs.ts";
import { presentAbsences } from "./present.ts";
import { formatLabels } from "./rules/labels.ts";
import type { GroupRow } from "./sql.ts";

interface Answer {
	readonly group: GroupRow;
	/** Completed runs in the order of the connections. */
	readonly runs: readonly MergedRun[];
	readonly partial: readonly GroupAbsence[];
	readonly unsupported: readonly GroupAbsence[];
}

/** @throws 404; 409 while there is no answer, or where no connection gave one */
async function findAnswer(ctx: Context, caller: Caller, id: string): Promise<Answer> {
	const { group, runs } = await requireVisibleGroupRun(ctx, caller, id);
	if (group.status === "running") throw buildConflictError("The runs have not ended yet.");
	const labels = formatLabels(
		runs.map(({ connection_id, connection_name }) => ({ id: connection_id, name: connection_name })),
	);
	const completed = runs.flatMap((run, i) =>
		run.status === "completed" ? { label: labels[i] ?? "", jobId: run.job_id } : [],
	);
	if (completed.length === 0)
		throw buildConflictError("No run has completed: there is no result. Retry the runs that failed.");
	return { group, runs: completed, ...presentAbsences(runs, labels) };
}

/** The envelope as JSON text: rows keep the digits of their numbers. */
function getEnvelope(
	{ partial, unsupported }: Answer,
	page: { readonly count: number; readonly rows: readonly string[] },
	query: PageQuery,
	url: string,
) {
	const { results: texts, ...envelope } = paginateRows(url, query, page, (text) => text);
	const head = JSON.stringify({
		...envelope,
		...(partial.length === 0 ? {} : { partial }),
		...(unsupported.length === 0 ? {} : { unsupported }),
	});
	return { body: `${head.slice(0, -1)},"results":[${texts.join(",")}]}`, isPartial: partial.length > 0 };
}

export async function readResultPage(ctx: Context, caller: Caller, id: string, query: PageQuery, url: string) {
	const answer = await findAnswer(ctx, caller, id);
	return getEnvelope(answer, await readMergedPage(ctx, answer.runs, getOffset(query), query.page_size), query, url);
}

export async function readResultPivot(
	ctx: Context,
	caller: Caller,
	id: string,
	query: PageQuery & { readonly key: string; readonly ignore_identity?: boolean | undefined },
	url: string,
	signal: AbortSignal,
) {
	const answer = await findAnswer(ctx, caller, id);
	const range = { from: getOffset(query), count: query.page_size, withoutIds: query.ignore_identity === true };
	const { count, entries } = await pivotMergedRows(ctx, answer.runs, query.key, range, signal);
	return getEnvelope(answer, { count, rows: entries.map((entry) => JSON.stringify(entry)) }, query, url);
}

export async function exportResultFile(ctx: Context, caller: Caller, id: string, format: ExportFormat) {
	const { group, runs, partial } = await findAnswer(ctx, caller, id);
	await ctx.quotas.check(caller, "can_export");
	const limit = await ctx.quotas.limit(caller, "export_rows_max");
	const file = await openMergedFile(ctx, runs, partial, format, limit);
	if (file === null)
		throw buildForbiddenError(`Your quota allows exports of ${limit} rows.`, { quota: "export_rows_max" });
	const name = `${buildFileName(group.query_name ?? "results")}-${group.id}.${format}`;
	return { ...file, disposition: `attachment; filename="${name}"`, isPartial: partial.length > 0 };
}
