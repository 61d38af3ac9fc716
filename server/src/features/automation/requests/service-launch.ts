/** Launching requests: execute, retry, on schedule, rollback; and cancelling them. */
import type { AutomationRequestDetail, AutomationRollback } from "@weft/contracts";
import type { Caller } from "../../../platform/caller.ts";
import {
	AppError,
	buildConflictError,
	buildInvalidError,
	buildRefusedError,
	invalidField,
} from "../../../platform/errors.ts";
import { createLargeMask, maskTexts } from "../../../platform/mask.ts";
import { AutomationError } from "../../../ports/automation-server.ts";
import type { Tx } from "../../../ports/store.ts";
import { readOnlyToken } from "../connections/index.ts";
import { listRequestExecutions, lockExecution } from "../executions/repo.ts";
import { getContent, type TemplateSnapshot, wholeRows } from "./content.ts";
import { canTransition, explainRefusedTransition, type Transition } from "./domain/transitions.ts";
import type { RequestRow, ShownRequest } from "./repo.ts";
import { attachExecution, lockDueRequests, updateRequest } from "./repo.ts";
import { insertRequestEvent } from "./repo-events.ts";
import { buildRequestTarget, type RequestDeps, type Requests } from "./service.ts";

export type LaunchDeps = RequestDeps & { readonly service: Requests };

export function createLaunches(deps: LaunchDeps) {
	const { store, clock, secrets, events, executions, notices, service, state } = deps;
	const now = () => new Date(clock.now());

	function requireTransition(row: Pick<RequestRow, "status">, transition: Transition): void {
		if (!canTransition(row.status, transition))
			throw buildConflictError(explainRefusedTransition(row.status, transition), { status: row.status });
	}

	/** Marks the request as running, stores the launch intent and notifies subscribers. */
	async function startExecution(
		tx: Tx,
		row: RequestRow,
		launchedBy: { readonly userId: number | null; readonly username: string },
	): Promise<string> {
		const { kind, automation_job_template_id } = row.template_snapshot as TemplateSnapshot;
		const at = now();
		await attachExecution(tx, row.id, {
			status: "running",
			started_at: row.started_at ?? at,
			finished_at: null,
			launch_error: null,
			updated_at: at,
		});
		await insertRequestEvent(tx, {
			requestId: row.id,
			at,
			username: launchedBy.username,
			action: "launched",
			version: row.version,
			digest: row.rows_digest,
		});
		const id = await executions.open(tx, {
			requestId: row.id,
			connectionId: row.connection_id,
			kind,
			checkMode: row.check_mode,
			launchedBy,
			serverTemplateId: automation_job_template_id,
			snapshotTarget:
				row.watch_query_id === null || row.target_controller_id === null
					? null
					: { queryId: row.watch_query_id, controllerId: row.target_controller_id },
		});
		notices.tell(tx, row.id);
		return id;
	}

	/**
	 * Checks the launch with the server before it is accepted, so that the caller gets the refusal.
	 * @throws AppError
	 */
	async function checkLaunch(row: RequestRow): Promise<void> {
		const found = await deps.connection(row.connection_id);
		if (!("target" in found)) throw buildRefusedError(found.message);
		if (found.canLaunch === false) throw invalidField("automation_connection", readOnlyToken(found.name));
		const { kind, automation_job_template_id } = row.template_snapshot as TemplateSnapshot;
		const content = getContent(row, secrets);
		const mask = await createLargeMask(content.secrets);
		try {
			const problems = await executions.problems(found.target, kind, automation_job_template_id, content);
			if (Object.keys(problems).length > 0) throw buildInvalidError(maskTexts(problems, mask) as typeof problems);
		} catch (error) {
			if (!(error instanceof AutomationError)) throw error;
			if (error.kind === "not_found") {
				throw buildRefusedError(
					`The automation server has no ${kind} template ${automation_job_template_id}, or does not show it.`,
				);
			}
			throw deps.presentFailure(error.withMessage(mask(error.message)));
		}
	}

	async function launchRequest(
		caller: Caller,
		id: string,
		transition: "execute" | "retry",
	): Promise<AutomationRequestDetail> {
		const before = await service.visible(caller, id);
		state.assertOwner(caller, before);
		requireTransition(before, transition);
		await checkLaunch(before);
		const launched = await store.transaction(async (tx) => {
			const row = await state.lockVisible(tx, caller, id);
			requireTransition(row, transition);
			if (await state.lacksApproval(tx.db, row)) {
				await state.askApproval(tx, row);
				await events.changed(tx, caller, {
					...buildRequestTarget(row),
					description: `${caller.username} asked for approval of the automation request "${row.title}"`,
					metadata: { rows: row.row_count, check_mode: row.check_mode, was: row.status },
				});
				return null;
			}
			await state.assertCapacity(tx, caller);
			const executionId = await startExecution(tx, row, caller);
			await events.changed(tx, caller, {
				...buildRequestTarget(row),
				description: `${caller.username} ${transition === "retry" ? "retried" : "executed"} the automation request "${row.title}"${row.check_mode ? " in check mode" : ""}`,
				metadata: { execution: executionId, rows: row.row_count, check_mode: row.check_mode },
			});
			return service.show(tx, caller, id);
		});
		if (launched !== null) return launched;
		throw buildConflictError("The launch needs an approval, for which the request waits now.", {
			status: "awaiting_approval",
		});
	}

	/** The rows as the rollback's template takes them: columns that it does not have are left out. */
	function rollbackInput(
		row: ShownRequest,
		rollback: {
			readonly schema: readonly { name: string }[];
			readonly sheets: readonly { name: string; columns: readonly { name: string }[] }[];
		},
	) {
		const { columns } = row.template_snapshot as TemplateSnapshot;
		const rows = wholeRows(row, secrets);
		const only = (names: readonly string[], list: readonly Record<string, unknown>[]) =>
			list.map((one) => Object.fromEntries(Object.entries(one).filter(([name]) => names.includes(name))));
		if (rollback.sheets.length === 0) {
			const names = rollback.schema.map(({ name }) => name);
			return names.length === 0 ? [] : only(names, rows[0] ?? []);
		}
		return Object.fromEntries(
			rollback.sheets.map((sheet) => {
				const at = columns.findIndex(({ name }) => name === sheet.name);
				return [
					sheet.name,
					only(
						sheet.columns.map(({ name }) => name),
						rows[at] ?? [],
					),
				];
			}),
		);
	}

	return {
		execute: (caller: Caller, id: string) => launchRequest(caller, id, "execute"),
		retry: (caller: Caller, id: string) => launchRequest(caller, id, "retry"),

		async rollback(caller: Caller, id: string, input: AutomationRollback): Promise<AutomationRequestDetail> {
			const row = await service.visible(caller, id);
			state.assertOwner(caller, row);
			requireTransition(row, "rollback");
			const current = row.template_id === null ? null : await deps.anyTemplate(store.db, row.template_id);
			const rollbackId = current?.rollback_template_id ?? (row.template_snapshot as TemplateSnapshot).rollback_template;
			const template = rollbackId === null ? null : await deps.anyTemplate(store.db, rollbackId);
			if (template === null) throw buildRefusedError("The template has no rollback, or it was deleted.");
			return service.make(
				caller,
				{
					template,
					input: rollbackInput(row, template),
					source: null,
					watchQueryId: null,
					checkMode: false,
					scheduledFor: null,
					title: input.title ?? `Rollback of ${row.title}`.slice(0, 200),
					description: input.description ?? "",
					connection: { id: row.connection_id, name: row.connection_name },
					target: { id: row.target_controller_id, name: row.target_controller_name },
					credentialId: row.credential_id,
					credentialName: row.credential_name,
					idempotencyKey: null,
					prompts: Object.fromEntries(
						Object.entries(row.prompts).filter(([name]) => template.askable.some((allowed) => allowed === name)),
					),
					warnings: [],
					rollback: { of: row.id, job: row.automation_job_id },
				},
				"asked for the rollback",
			);
		},

		async cancel(caller: Caller, id: string): Promise<AutomationRequestDetail> {
			return store.transaction(async (tx) => {
				const row = await state.lockVisible(tx, caller, id);
				state.assertOwner(caller, row);
				requireTransition(row, "cancel");
				if (row.status === "running") {
					for (const { id: executionId } of await listRequestExecutions(tx.db, id)) {
						const execution = await lockExecution(tx, executionId);
						if (execution !== undefined && execution.finished_at === null) await executions.cancelIn(tx, execution);
					}
				} else {
					await updateRequest(tx, id, { status: "cancelled", finished_at: now(), updated_at: now() });
				}
				await insertRequestEvent(tx, {
					requestId: id,
					at: now(),
					username: caller.username,
					action: "cancelled",
					version: row.version,
					digest: row.rows_digest,
				});
				await events.changed(tx, caller, {
					...buildRequestTarget(row),
					description: `${caller.username} cancelled the automation request "${row.title}"`,
					metadata: { was: row.status },
				});
				notices.tell(tx, id);
				return service.show(tx, caller, id);
			});
		},

		/**
		 * Launches due requests. One for which there is no room now is tried again at the next tick.
		 */
		async due(limit: number): Promise<void> {
			await store.transaction(async (tx) => {
				for (const row of await lockDueRequests(tx, now(), limit)) {
					if (await state.lacksApproval(tx.db, row)) {
						await state.askApproval(tx, row);
						continue;
					}
					const identity = row.requested_by_id === null ? null : await deps.getIdentity(row.requested_by_id, tx.db);
					if (identity === null) {
						await updateRequest(tx, row.id, {
							status: "failed",
							launch_error: `${row.requested_by} is not active any more.`,
							finished_at: now(),
							updated_at: now(),
						});
						notices.tell(tx, row.id);
						continue;
					}
					const busy = await state
						.assertCapacity(tx, identity)
						.then(() => false)
						.catch((error: unknown) => {
							if (error instanceof AppError) return true;
							throw error;
						});
					if (busy) continue;
					const executionId = await startExecution(tx, row, identity);
					await events.changed(
						tx,
						{
							userId: row.requested_by_id,
							username: row.requested_by,
							ip: "",
							userAgent: "",
							requestId: "",
							audit: { category: "automation_execution", action: "automation_request_execute" },
						},
						{
							...buildRequestTarget(row),
							description: `The automation request "${row.title}" was executed on schedule`,
							metadata: { execution: executionId, scheduled_for: row.scheduled_for?.toISOString() },
						},
					);
				}
			});
		},
	};
}
export type Launches = ReturnType<typeof createLaunches>;
