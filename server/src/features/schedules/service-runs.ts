/** Running a task by hand, and the records of executions. */
import type { ExecutionList } from "@weft/contracts";
import type { Caller } from "../../platform/caller.ts";
import { paginateRows } from "../../platform/http/paging.ts";
import type { ScheduleDependencies } from "./dependencies.ts";
import type { Lifecycle } from "./lifecycle.ts";
import { canRun } from "./policy.ts";
import { presentExecution } from "./present.ts";
import { countTaskRun, updateTaskRow } from "./repo.ts";
import { listTaskExecutions } from "./repo-runs.ts";
import { buildTaskTarget, type Tasks } from "./service.ts";

export type RunsDeps = Pick<ScheduleDependencies, "store" | "clock" | "events"> & {
	readonly lifecycle: Lifecycle;
	readonly service: Pick<Tasks, "own" | "visible">;
};

export function createRuns({ store, clock, events, lifecycle, service }: RunsDeps) {
	async function listExecutions(caller: Caller, filter: ExecutionList, url: string) {
		return paginateRows(url, filter, await listTaskExecutions(store.db, caller, filter), presentExecution);
	}

	return {
		async executeNow(caller: Caller, id: string) {
			return store.transaction(async (tx) => {
				const task = await service.own(tx, caller, id, canRun);
				// Before the run is made: one that is made before this instant counts as an older one.
				const at = new Date(clock.now());
				const executions = [...((await lifecycle.open(tx, [{ task, dueAt: null }])).get(id) ?? [])];
				await countTaskRun(tx, id, { executions: executions.length });
				await updateTaskRow(tx, id, { last_run_at: at });
				await events.changed(tx, caller, {
					...buildTaskTarget(task),
					description: `${caller.username} ran the scheduled task "${task.name}" by hand`,
					metadata: { executions },
				});
				return { message: `The task "${task.name}" has been started.`, executions };
			});
		},

		list: listExecutions,

		async ofTask(caller: Caller, id: string, filter: Omit<ExecutionList, "task_id">, url: string) {
			await service.visible(store.db, caller, id);
			return listExecutions(caller, { ...filter, task_id: id }, url);
		},
	};
}
export type Runs = ReturnType<typeof createRuns>;
