/** Listing, showing and ending runs. */
import type { ExportFormat, RunList } from "@weft/contracts";
import { type Context, getNow } from "../../../context.ts";
import type { Caller, Identity } from "../../../core/caller.ts";
import { buildForbiddenError, buildNotFoundError, buildRefusedError } from "../../../core/errors.ts";
import { getOffset, type PageQuery, paginateRows } from "../../../core/http/paging.ts";
import type { Tx } from "../../../core/ports/store.ts";
import { mayAccess } from "./policy.ts";
import { presentDetail, presentJob, presentStage } from "./present.ts";
import { listResultParts } from "./result-parts.ts";
import { buildFileName } from "./rules/file-name.ts";
import { openResultFile, readTextPage } from "./run-results.ts";
import { emitEnd } from "./run-signals.ts";
import type { FoundRun, RunRow } from "./sql/runs.ts";
import { cancelRunRow, findRun, listNodeResults, listRunPage, listStages } from "./sql/runs.ts";
import { ENDED, getPipelineTopic } from "./topics.ts";

export async function findVisibleRun(ctx: Context, identity: Identity, id: string): Promise<FoundRun> {
	const job = await findRun(ctx.store.db, id);
	if (job === undefined || !mayAccess(identity, job)) throw buildNotFoundError();
	return job;
}

/** Ends a run that has not ended. The caller emits its end. Undefined if it had ended. */
async function cancelRun(ctx: Context, tx: Tx, id: string): Promise<RunRow | undefined> {
	const row = await cancelRunRow(tx, id, getNow(ctx));
	if (row !== undefined) tx.afterCommit(() => ctx.pubsub.publish(getPipelineTopic(id), ENDED));
	return row;
}

export async function listRuns(ctx: Context, caller: Caller, query: RunList, url: string) {
	const page = await listRunPage(ctx.store.db, caller.userId, {
		...query,
		offset: getOffset(query),
		limit: query.page_size,
	});
	return paginateRows(url, query, page, presentJob);
}

export async function readRun(ctx: Context, caller: Caller, id: string) {
	const job = await findVisibleRun(ctx, caller, id);
	const [stages, nodeResults] = [await listStages(ctx.store.db, id), await listNodeResults(ctx.store.db, id)];
	return presentDetail(job, stages, nodeResults);
}

export async function readRunStages(ctx: Context, caller: Caller, id: string) {
	await findVisibleRun(ctx, caller, id);
	return (await listStages(ctx.store.db, id)).map(presentStage);
}

/** The envelope as JSON text: rows keep the digits of their numbers. */
export async function readResultPage(
	ctx: Context,
	caller: Caller,
	id: string,
	query: PageQuery & { stage?: number | undefined },
	url: string,
) {
	const job = await findVisibleRun(ctx, caller, id);
	const parts = await listResultParts(ctx, job, query.stage);
	const count = parts.reduce((sum, { rows }) => sum + rows, 0);
	const rows = await readTextPage(ctx, job.id, parts, getOffset(query), query.page_size);
	const { results: texts, ...envelope } = paginateRows(url, query, { count, rows }, (text) => text);
	return `${JSON.stringify(envelope).slice(0, -1)},"results":[${texts.join(",")}]}`;
}

export async function openResultExport(
	ctx: Context,
	caller: Caller,
	id: string,
	stage: number | undefined,
	format: ExportFormat,
) {
	const job = await findVisibleRun(ctx, caller, id);
	await ctx.quotas.check(caller, "can_export");
	const parts = await listResultParts(ctx, job, stage);
	const limit = await ctx.quotas.limit(caller, "export_rows_max");
	if (limit !== null && parts.reduce((sum, { rows }) => sum + rows, 0) > limit) {
		throw buildForbiddenError(`Your quota allows exports of ${limit} rows.`, { quota: "export_rows_max" });
	}
	const { type, pieces } = openResultFile(ctx, job.id, parts, format);
	const name = `${buildFileName(job.query_name ?? "results")}-${job.id}.${format}`;
	return { type, pieces, disposition: `attachment; filename="${name}"` };
}

/**
 * Cancels those runs that have not ended; the caller has checked who may. `between` is called
 * after all of them are cancelled, and before the end of any is emitted.
 * @returns how many were cancelled
 */
export async function cancelRuns(
	ctx: Context,
	tx: Tx,
	ids: readonly string[],
	between: () => Promise<void>,
): Promise<number> {
	const cancelled: RunRow[] = [];
	for (const id of [...ids].sort()) {
		const row = await cancelRun(ctx, tx, id);
		if (row !== undefined) cancelled.push(row);
	}
	if (cancelled.length > 0) await between();
	for (const row of cancelled) await emitEnd(ctx, tx, row);
	return cancelled.length;
}

export async function cancelVisibleRun(ctx: Context, caller: Caller, id: string) {
	const before = await findVisibleRun(ctx, caller, id);
	if (before.is_recording) {
		throw buildRefusedError(
			"The run has all its rows, and its end is being recorded. It cannot be cancelled any more.",
		);
	}
	const job = await ctx.store.transaction(async (tx) => {
		const row = await cancelRun(ctx, tx, id);
		if (row === undefined) throw buildRefusedError("Only a run that is pending or running can be cancelled.");
		await ctx.events.changed(tx, caller, {
			targetType: "pipeline_execution",
			targetId: id,
			description: `${caller.username} cancelled a run of ${before.query_name ?? "a query"} against ${before.controller_connection_name}`,
		});
		await emitEnd(ctx, tx, row);
		return row;
	});
	return presentJob(job);
}
