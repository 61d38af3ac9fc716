/** Running a task by hand, and the records of executions. */
import type { ExecutionList } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import { paginateRows } from "../../core/http/paging.ts";
import { openRuns } from "./lifecycle.ts";
import { buildTaskTarget, findVisibleTask, lockTask } from "./manage-tasks.ts";
import { canRun } from "./policy.ts";
import { presentExecution } from "./present.ts";
import { listTaskExecutions } from "./sql/runs.ts";
import { countTaskRun, updateTaskRow } from "./sql/tasks.ts";

export async function listExecutions(ctx: Context, caller: Caller, filter: ExecutionList, url: string) {
	return paginateRows(url, filter, await listTaskExecutions(ctx.store.db, caller, filter), presentExecution);
}

export async function executeTaskNow(ctx: Context, caller: Caller, id: string) {
	return ctx.store.transaction(async (tx) => {
		const task = await lockTask(tx, caller, id, canRun);
		// Before the run is made: one that is made before this instant counts as an older one.
		const at = new Date(ctx.clock.now());
		const executions = [...((await openRuns(ctx, tx, [{ task, dueAt: null }])).get(id) ?? [])];
		await countTaskRun(tx, id, { executions: executions.length });
		await updateTaskRow(tx, id, { last_run_at: at });
		await ctx.events.changed(tx, caller, {
			...buildTaskTarget(task),
			description: `${caller.username} ran the scheduled task "${task.name}" by hand`,
			metadata: { executions },
		});
		return { message: `The task "${task.name}" has been started.`, executions };
	});
}

export async function listExecutionsOfTask(
	ctx: Context,
	caller: Caller,
	id: string,
	filter: Omit<ExecutionList, "task_id">,
	url: string,
) {
	await findVisibleTask(ctx.store.db, caller, id);
	return listExecutions(ctx, caller, { ...filter, task_id: id }, url);
}
