/** Executions: list, one, cancel, relaunch; and their output, nodes and results by row. */
import type {
	AutomationExecution,
	AutomationExecutionList,
	AutomationNode,
	AutomationOutput,
	AutomationRowResults,
	OutputQuery,
} from "@weft/contracts";
import type { Caller, Identity } from "../../../platform/caller.ts";
import {
	buildConflictError,
	buildForbiddenError,
	buildRefusedError,
	invalidField,
	notFound,
} from "../../../platform/errors.ts";
import { paginateRows } from "../../../platform/http/paging.ts";
import { AutomationError } from "../../../ports/automation-server.ts";
import type { Tx } from "../../../ports/store.ts";
import { presentFailure, readOnlyToken } from "../connections/index.ts";
import { CANCEL_QUEUE, type ExecutionDependencies } from "./dependencies.ts";
import { buildExecutionTarget, type Lifecycle } from "./lifecycle.ts";
import { findJobOutput, findOwnOutput, type Output, readOutputPage, streamOutput } from "./output.ts";
import { presentExecution, presentNode, presentRows } from "./present.ts";
import type { RelaunchCheck } from "./relaunching.ts";
import type { ExecutionRow, ShownExecution } from "./repo.ts";
import { findShownExecution, listExecutions, listWorkflowNodes, lockExecution, updateExecutionRow } from "./repo.ts";
import { countRowTotals, listRowResults } from "./repo-streams.ts";
import type { Viewers } from "./viewers.ts";

export type ExecutionDeps = Pick<
	ExecutionDependencies,
	"store" | "jobs" | "clock" | "events" | "visible" | "owns" | "runAgain" | "content" | "connection"
> & {
	readonly relaunchProblem: RelaunchCheck;
	readonly lifecycle: Lifecycle;
	readonly viewers: Viewers;
};

export function createExecutions(deps: ExecutionDeps) {
	const { store, jobs, clock, events, lifecycle, viewers } = deps;

	async function findVisibleExecution(identity: Identity, id: string): Promise<ShownExecution> {
		const row = await findShownExecution(store.db, deps.visible(identity), id);
		if (row === undefined) throw notFound();
		return row;
	}

	async function readExecution(tx: Tx, identity: Identity, id: string): Promise<AutomationExecution> {
		const row = await findShownExecution(tx.db, deps.visible(identity), id);
		if (row === undefined) throw notFound();
		return presentExecution(row);
	}

	async function requireOwnedExecution(caller: Caller, id: string): Promise<ShownExecution> {
		const row = await findVisibleExecution(caller, id);
		if (!(await deps.owns(caller, row.request_id))) {
			throw buildForbiddenError("Only who asked for it and administrators may do this.");
		}
		return row;
	}

	/** @throws 409 with the reason why the server would not launch the job again; 400, 502, 504 */
	async function assertRelaunchable(before: ExecutionRow, hosts: "all" | "failed"): Promise<void> {
		const content = await deps.content(store.db, before.request_id);
		const found = await deps.connection(before.connection_id);
		if (content === null) throw notFound();
		if (!("target" in found)) throw buildRefusedError(found.message);
		if (found.canLaunch === false) throw buildConflictError(readOnlyToken(found.name));
		const problem = await deps.relaunchProblem(found.target, before, hosts, content).catch((error: unknown) => {
			throw error instanceof AutomationError ? presentFailure(error) : error;
		});
		if (problem !== null) throw buildConflictError(problem);
	}

	/** Marks the execution for cancelling. One that was not sent yet ends at once. */
	async function cancelIn(tx: Tx, row: ExecutionRow): Promise<void> {
		if (row.launch_state === "intent") {
			await lifecycle.end(tx, row, "cancelled", { error: "It was cancelled before it was launched." });
			return;
		}
		const at = new Date(clock.now());
		await updateExecutionRow(tx, row.id, {
			cancel_requested_at: row.cancel_requested_at ?? at,
			cancel_error: null,
			updated_at: at,
		});
		if (row.launch_state === "launched") await jobs.enqueue(tx, CANCEL_QUEUE, { executionId: row.id });
		lifecycle.publish(tx, row);
	}

	async function findPage(
		row: ShownExecution,
		found: Output,
		jobId: number | null,
		query: OutputQuery,
		status: string,
	): Promise<AutomationOutput> {
		await viewers.record(row.id);
		return {
			execution_id: row.id,
			automation_job_id: jobId,
			status,
			offset: query.offset,
			...(await readOutputPage(store.db, found, query.offset, query.limit)),
		};
	}

	return {
		visible: findVisibleExecution,
		cancelIn,

		async list(caller: Identity, filter: AutomationExecutionList, url: string) {
			const page = await listExecutions(store.db, deps.visible(caller), filter);
			return paginateRows(url, filter, page, presentExecution);
		},

		async detail(caller: Identity, id: string): Promise<AutomationExecution> {
			return presentExecution(await findVisibleExecution(caller, id));
		},

		async cancel(caller: Caller, id: string): Promise<AutomationExecution> {
			await requireOwnedExecution(caller, id);
			return store.transaction(async (tx) => {
				const row = await lockExecution(tx, id);
				if (row === undefined) throw notFound();
				if (row.finished_at !== null) throw buildConflictError("The execution is over.", { status: row.status });
				await cancelIn(tx, row);
				await events.changed(tx, caller, {
					...buildExecutionTarget(row),
					description: `${caller.username} cancelled job ${row.job_id ?? "(not launched yet)"} of the automation server`,
					metadata: { automation_request: row.request_id, automation_job_id: row.job_id },
				});
				return readExecution(tx, caller, id);
			});
		},

		async relaunch(caller: Caller, id: string, hosts: "all" | "failed"): Promise<AutomationExecution> {
			const before = await requireOwnedExecution(caller, id);
			if (before.finished_at === null)
				throw buildConflictError("The execution is not over.", { status: before.status });
			if (before.job_id === null || before.launch_state !== "launched") {
				throw buildConflictError("There was no job that could be launched again; retry the request.");
			}
			if (hosts === "failed" && before.job_type === "workflow_job") {
				throw invalidField("hosts", "A workflow can only be launched again as a whole.");
			}
			await assertRelaunchable(before, hosts);
			return store.transaction(async (tx) => {
				await deps.runAgain(tx, caller, before.request_id);
				const made = await lifecycle.open(tx, {
					requestId: before.request_id,
					connectionId: before.connection_id,
					kind: before.kind,
					serverTemplateId: before.server_template_id,
					checkMode: before.check_mode,
					launchedBy: caller,
					relaunch: { of: before, hosts },
				});
				await events.changed(tx, caller, {
					...buildExecutionTarget({ id: made }),
					description: `${caller.username} launched job ${before.job_id} of the automation server again`,
					metadata: { automation_request: before.request_id, relaunch_of: before.id, hosts },
				});
				return readExecution(tx, caller, made);
			});
		},

		async output(caller: Identity, id: string, query: OutputQuery): Promise<AutomationOutput> {
			const row = await findVisibleExecution(caller, id);
			return findPage(row, await findOwnOutput(store.db, row), row.job_id, query, row.status);
		},

		/** The output so far, piece by piece, and the file's name. */
		async download(caller: Identity, id: string) {
			const row = await findVisibleExecution(caller, id);
			return {
				name: `job_${row.job_id ?? "none"}.txt`,
				pieces: streamOutput(store.db, await findOwnOutput(store.db, row)),
			};
		},

		async nodes(caller: Identity, id: string): Promise<{ nodes: AutomationNode[] }> {
			const row = await findVisibleExecution(caller, id);
			await viewers.record(row.id);
			return { nodes: (await listWorkflowNodes(store.db, id)).map(presentNode) };
		},

		async nodeOutput(caller: Identity, id: string, jobId: number, query: OutputQuery): Promise<AutomationOutput> {
			const row = await findVisibleExecution(caller, id);
			// Only what belongs to the workflow: else any job of the server could be read with the
			// service's token.
			const node = (await listWorkflowNodes(store.db, id)).find(({ job_id }) => job_id === jobId);
			if (node === undefined) throw notFound("The workflow has no such job.");
			return findPage(row, await findJobOutput(store.db, row, jobId), jobId, query, node.status);
		},

		async rowResults(caller: Identity, id: string): Promise<AutomationRowResults> {
			const row = await findVisibleExecution(caller, id);
			const [content, results] = [await deps.content(store.db, row.request_id), await listRowResults(store.db, id)];
			const { hidden } = await countRowTotals(store.db, id);
			return presentRows(row, content, results, hidden);
		},
	};
}
export type Executions = ReturnType<typeof createExecutions>;
