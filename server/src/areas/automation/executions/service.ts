/** Executions: list, one, cancel, relaunch; and their output, nodes and results by row. */
import type {
	AutomationExecution,
	AutomationExecutionList,
	AutomationNode,
	AutomationOutput,
	AutomationRowResults,
	OutputQuery,
} from "@weft/contracts";
import { type Context, getNow } from "../../../context.ts";
import type { Caller, Identity } from "../../../core/caller.ts";
import {
	buildConflictError,
	buildForbiddenError,
	buildRefusedError,
	invalidField,
	notFound,
} from "../../../core/errors.ts";
import { paginateRows } from "../../../core/http/paging.ts";
import { AutomationError } from "../../../ports/automation-server.ts";
import type { Tx } from "../../../ports/store.ts";
import { presentFailure, readOnlyToken } from "../connections/present.ts";
import { findServer } from "../connections/service.ts";
import { seenBy } from "../requests/repo.ts";
import { ownsRequest, readRequestContent, runRequestAgain } from "../requests/request-progress.ts";
import { buildExecutionTarget, endExecution, openExecution, publishExecutionChange } from "./lifecycle.ts";
import { findJobOutput, findOwnOutput, type Output, readOutputPage, streamOutput } from "./output.ts";
import { presentExecution, presentNode, presentRows } from "./present.ts";
import { CANCEL_QUEUE } from "./queues.ts";
import { findRelaunchProblem } from "./relaunch-check.ts";
import {
	type ExecutionRow,
	findShownExecution,
	listExecutions,
	listWorkflowNodes,
	lockExecution,
	type ShownExecution,
	updateExecutionRow,
} from "./repo.ts";
import { countRowTotals, listRowResults } from "./repo-streams.ts";
import { recordView } from "./views.ts";

export async function findVisibleExecution(ctx: Context, identity: Identity, id: string): Promise<ShownExecution> {
	const row = await findShownExecution(ctx.store.db, seenBy(identity), id);
	if (row === undefined) throw notFound();
	return row;
}

async function showExecution(tx: Tx, identity: Identity, id: string): Promise<AutomationExecution> {
	const row = await findShownExecution(tx.db, seenBy(identity), id);
	if (row === undefined) throw notFound();
	return presentExecution(row);
}

async function requireOwnedExecution(ctx: Context, caller: Caller, id: string): Promise<ShownExecution> {
	const row = await findVisibleExecution(ctx, caller, id);
	if (!(await ownsRequest(ctx, caller, row.request_id))) {
		throw buildForbiddenError("Only who asked for it and administrators may do this.");
	}
	return row;
}

/** @throws 409 with the reason why the server would not launch the job again; 400, 502, 504 */
async function assertRelaunchable(ctx: Context, before: ExecutionRow, hosts: "all" | "failed"): Promise<void> {
	const content = await readRequestContent(ctx, ctx.store.db, before.request_id);
	const found = await findServer(ctx, before.connection_id);
	if (content === null) throw notFound();
	if (!("target" in found)) throw buildRefusedError(found.message);
	if (found.canLaunch === false) throw buildConflictError(readOnlyToken(found.name));
	const problem = await findRelaunchProblem(ctx, found.target, before, hosts, content).catch((error: unknown) => {
		throw error instanceof AutomationError ? presentFailure(error) : error;
	});
	if (problem !== null) throw buildConflictError(problem);
}

/** Marks the execution for cancelling. One that was not sent yet ends at once. */
export async function cancelLockedExecution(ctx: Context, tx: Tx, row: ExecutionRow): Promise<void> {
	if (row.launch_state === "intent") {
		await endExecution(ctx, tx, row, "cancelled", { error: "It was cancelled before it was launched." });
		return;
	}
	const at = getNow(ctx);
	await updateExecutionRow(tx, row.id, {
		cancel_requested_at: row.cancel_requested_at ?? at,
		cancel_error: null,
		updated_at: at,
	});
	if (row.launch_state === "launched") await ctx.jobs.enqueue(tx, CANCEL_QUEUE, { executionId: row.id });
	publishExecutionChange(ctx, tx, row);
}

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
	const page = await listExecutions(ctx.store.db, seenBy(caller), filter);
	return paginateRows(url, filter, page, presentExecution);
}

export async function readExecution(ctx: Context, caller: Identity, id: string): Promise<AutomationExecution> {
	return presentExecution(await findVisibleExecution(ctx, caller, id));
}

export async function cancelExecution(ctx: Context, caller: Caller, id: string): Promise<AutomationExecution> {
	await requireOwnedExecution(ctx, caller, id);
	return ctx.store.transaction(async (tx) => {
		const row = await lockExecution(tx, id);
		if (row === undefined) throw notFound();
		if (row.finished_at !== null) throw buildConflictError("The execution is over.", { status: row.status });
		await cancelLockedExecution(ctx, tx, row);
		await ctx.events.changed(tx, caller, {
			...buildExecutionTarget(row),
			description: `${caller.username} cancelled job ${row.job_id ?? "(not launched yet)"} of the automation server`,
			metadata: { automation_request: row.request_id, automation_job_id: row.job_id },
		});
		return showExecution(tx, caller, id);
	});
}

export async function relaunchExecution(
	ctx: Context,
	caller: Caller,
	id: string,
	hosts: "all" | "failed",
): Promise<AutomationExecution> {
	const before = await requireOwnedExecution(ctx, caller, id);
	if (before.finished_at === null) throw buildConflictError("The execution is not over.", { status: before.status });
	if (before.job_id === null || before.launch_state !== "launched") {
		throw buildConflictError("There was no job that could be launched again; retry the request.");
	}
	if (hosts === "failed" && before.job_type === "workflow_job") {
		throw invalidField("hosts", "A workflow can only be launched again as a whole.");
	}
	await assertRelaunchable(ctx, before, hosts);
	return ctx.store.transaction(async (tx) => {
		await runRequestAgain(ctx, tx, caller, before.request_id);
		const made = await openExecution(ctx, tx, {
			requestId: before.request_id,
			connectionId: before.connection_id,
			kind: before.kind,
			serverTemplateId: before.server_template_id,
			checkMode: before.check_mode,
			launchedBy: caller,
			relaunch: { of: before, hosts },
		});
		await ctx.events.changed(tx, caller, {
			...buildExecutionTarget({ id: made }),
			description: `${caller.username} launched job ${before.job_id} of the automation server again`,
			metadata: { automation_request: before.request_id, relaunch_of: before.id, hosts },
		});
		return showExecution(tx, caller, made);
	});
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
	if (node === undefined) throw notFound("The workflow has no such job.");
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
