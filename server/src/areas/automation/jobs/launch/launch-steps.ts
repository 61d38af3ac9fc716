/** Steps of a launch that sending and searching share: readiness, adoption of a job, failure. */
import type { AutomationWarning } from "@weft/contracts";
import type { Context } from "../../../../context.ts";
import { AutomationError, type AutomationTarget, type FoundJob } from "../../../../integrations/awx/port.ts";
import { findServer } from "../../connections/manage-connections.ts";
import { readRequestContent } from "../request/request-progress.ts";
import type { Wanted } from "../rules/launch.ts";
import type { RequestContent } from "../rules/request-content.ts";
import { type ExecutionRow, findExecutionRow } from "../sql/executions.ts";
import { assignJob } from "../sql/launches.ts";
import { endExecution, recordLaunch } from "./execution-lifecycle.ts";
import { buildWantedLaunch } from "./wanted-launch.ts";

/** The parts of a launch that may be made. */
export interface Ready {
	readonly target: AutomationTarget;
	readonly content: RequestContent;
	readonly wanted: Wanted;
}

export async function failExecution(
	ctx: Context,
	execution: ExecutionRow,
	error: string,
	status: "error" | "cancelled" = "error",
): Promise<void> {
	await ctx.store.transaction((tx) => endExecution(ctx, tx, execution, status, { error }));
}

/** Reads the parts of a launch; null: one is missing, and the execution has been ended. */
export async function prepareReady(ctx: Context, execution: ExecutionRow): Promise<Ready | null> {
	const content = await readRequestContent(ctx, ctx.store.db, execution.request_id);
	if (content === null) return failExecution(ctx, execution, "The request does not exist any more.").then(() => null);
	const found = await findServer(ctx, execution.connection_id);
	if (!("target" in found)) return failExecution(ctx, execution, found.message).then(() => null);
	return { target: found.target, content, wanted: buildWantedLaunch(content, execution.reference) };
}

/** Gives the job to its execution. Returns false if that has another job, or is over. */
export async function adoptJob(
	ctx: Context,
	execution: ExecutionRow,
	job: { id: number; type: string; created: number; problem: string | null },
	warnings: readonly AutomationWarning[],
): Promise<boolean> {
	return ctx.store.transaction(async (tx) => {
		const jobCreated = new Date(job.created);
		const how = await assignJob(tx, execution.id, { jobId: job.id, jobType: job.type, jobCreated });
		if (how !== "done") {
			const row = await findExecutionRow(tx.db, execution.id);
			return row?.job_id === job.id;
		}
		await recordLaunch(ctx, tx, execution, job, warnings, job.problem);
		return true;
	});
}

export async function dropSurplus(
	ctx: Context,
	execution: Pick<ExecutionRow, "id">,
	target: AutomationTarget,
	job: Pick<FoundJob, "id" | "type">,
): Promise<void> {
	ctx.log.error({ execution: execution.id, job: job.id }, "a launch made one job too many, which is cancelled");
	await ctx.automation.cancel(target, job.type, job.id).catch((error: unknown) => {
		const reason = error instanceof AutomationError ? error.kind : "internal";
		ctx.log.error({ execution: execution.id, job: job.id, reason }, "a job too many could not be cancelled");
	});
}
