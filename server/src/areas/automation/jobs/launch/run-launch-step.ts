/**
 * Launching: an intent becomes exactly one job, whatever dies meanwhile. The mark that something is
 * being sent is stored before it is sent; from then on the job is looked for on the server before
 * anything is sent again.
 */
import { type Context, getNow } from "../../../../context.ts";
import type { AutomationTarget } from "../../../../integrations/awx/port.ts";
import { LAUNCH_QUEUE } from "../queues.ts";
import { launchProblems } from "../rules/launch.ts";
import type { RequestContent } from "../rules/request-content.ts";
import { type ExecutionRow, findExecutionRow } from "../sql/executions.ts";
import { claimLaunchStep, listDueLaunches } from "../sql/launches.ts";
import { searchLaunchedJob } from "./search-job.ts";
import { launchJob, STEP_MS } from "./send-launch.ts";
import { buildWantedLaunch } from "./wanted-launch.ts";

const BATCH = 50;

/**
 * Claims and executes one step of a launch. Does nothing if another process holds the lease.
 */
export async function runLaunchStep(ctx: Context, data: unknown): Promise<void> {
	const { executionId } = data as { executionId: string };
	const now = ctx.clock.now();
	if (!(await claimLaunchStep(ctx.store.db, executionId, new Date(now), new Date(now + STEP_MS)))) return;
	const execution = await findExecutionRow(ctx.store.db, executionId);
	if (execution?.launch_state === "intent") await launchJob(ctx, execution);
	else if (execution?.launch_state === "sending") await searchLaunchedJob(ctx, execution);
}

/** Puts launches whose next step is due into the queue. */
export async function enqueueDueLaunches(ctx: Context): Promise<void> {
	const due = await listDueLaunches(ctx.store.db, getNow(ctx), BATCH);
	if (due.length === 0) return;
	await ctx.store.transaction(async (tx) => {
		for (const executionId of due) await ctx.jobs.enqueue(tx, LAUNCH_QUEUE, { executionId }, { key: executionId });
	});
}

/**
 * Returns why a request could not be launched now, for a caller who waits for the answer.
 * @throws AutomationError
 */
export async function findLaunchProblems(
	ctx: Context,
	target: AutomationTarget,
	kind: ExecutionRow["kind"],
	serverTemplateId: number,
	content: RequestContent,
): Promise<Record<string, string[]>> {
	const info = await ctx.automation.template(target, kind, serverTemplateId);
	return launchProblems(info, buildWantedLaunch(content, ""));
}
