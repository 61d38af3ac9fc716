/** Executions: list, one; and their output, nodes and results by row. */
import type {
	AutomationExecution,
	AutomationExecutionList,
	AutomationNode,
	AutomationOutput,
	AutomationRowResults,
	OutputQuery,
} from "@weft/contracts";
import type { Context } from "../../../../context.ts";
import type { Identity } from "../../../../core/caller.ts";
import { buildNotFoundError } from "../../../../core/errors.ts";
import { paginateRows } from "../../../../core/http/paging.ts";
import { findVisibleExecution } from "../launch/visible-execution.ts";
import { presentExecution, presentNode, presentRows } from "../present.ts";
import { readRequestContent } from "../request/request-progress.ts";
import { listExecutions, listWorkflowNodes, type ShownExecution } from "../sql/executions.ts";
import { buildSeenByCondition } from "../sql/requests.ts";
import { countRowTotals, listRowResults } from "../sql/streams.ts";
import { findJobOutput, findOwnOutput, type Output, readOutputPage, streamOutput } from "./output.ts";
import { recordView } from "./views.ts";

async function readViewedOutput(
	ctx: Context,
	row: ShownExecution,
	found: Output,
	jobId: number | null,
	query: OutputQuery,
	status: string,
): Promise<AutomationOutput> {
	await recordView(ctx, row.id);
	return {
		execution_id: row.id,
		automation_job_id: jobId,
		status,
		offset: query.offset,
		...(await readOutputPage(ctx.store.db, found, query.offset, query.limit)),
	};
}

export async function listVisibleExecutions(
	ctx: Context,
	caller: Identity,
	filter: AutomationExecutionList,
	url: string,
) {
	const page = await listExecutions(ctx.store.db, buildSeenByCondition(caller), filter);
	return paginateRows(url, filter, page, presentExecution);
}

export async function readExecution(ctx: Context, caller: Identity, id: string): Promise<AutomationExecution> {
	return presentExecution(await findVisibleExecution(ctx, caller, id));
}

export async function readExecutionOutput(
	ctx: Context,
	caller: Identity,
	id: string,
	query: OutputQuery,
): Promise<AutomationOutput> {
	const row = await findVisibleExecution(ctx, caller, id);
	return readViewedOutput(ctx, row, await findOwnOutput(ctx.store.db, row), row.job_id, query, row.status);
}

/** The output so far, piece by piece, and the file's name. */
export async function openOutputDownload(ctx: Context, caller: Identity, id: string) {
	const row = await findVisibleExecution(ctx, caller, id);
	return {
		name: `job_${row.job_id ?? "none"}.txt`,
		pieces: streamOutput(ctx.store.db, await findOwnOutput(ctx.store.db, row)),
	};
}

export async function listNodes(ctx: Context, caller: Identity, id: string): Promise<{ nodes: AutomationNode[] }> {
	const row = await findVisibleExecution(ctx, caller, id);
	await recordView(ctx, row.id);
	return { nodes: (await listWorkflowNodes(ctx.store.db, id)).map(presentNode) };
}

export async function readNodeOutput(
	ctx: Context,
	caller: Identity,
	id: string,
	jobId: number,
	query: OutputQuery,
): Promise<AutomationOutput> {
	const row = await findVisibleExecution(ctx, caller, id);
	// Only what belongs to the workflow: else any job of the server could be read with the
	// service's token.
	const node = (await listWorkflowNodes(ctx.store.db, id)).find(({ job_id }) => job_id === jobId);
	if (node === undefined) throw buildNotFoundError("The workflow has no such job.");
	return readViewedOutput(ctx, row, await findJobOutput(ctx.store.db, row, jobId), jobId, query, node.status);
}

export async function readRowResults(ctx: Context, caller: Identity, id: string): Promise<AutomationRowResults> {
	const row = await findVisibleExecution(ctx, caller, id);
	const [content, results] = [
		await readRequestContent(ctx, ctx.store.db, row.request_id),
		await listRowResults(ctx.store.db, id),
	];
	const { hidden } = await countRowTotals(ctx.store.db, id);
	return presentRows(row, content, results, hidden);
}
