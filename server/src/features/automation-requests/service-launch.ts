/** Carrying requests out: execute, retry, on schedule, again, rollback, cancel; and what their executions tell them. */
import type { AutomationRequestDetail, AutomationRollback, AutomationWarning } from "@weft/contracts";
import type { Caller, Identity } from "../../platform/caller.ts";
import { AppError, conflict, forbidden, invalid, refused, tooMany } from "../../platform/errors.ts";
import { AutomationError } from "../../ports/automation-server.ts";
import type { Tx } from "../../ports/store.ts";
import type { Ended } from "../automation-executions/index.ts";
import { contentOf, type TemplateSnapshot, wholeRows } from "./content.ts";

import { type Move, mayMove, refusal, statusAfter } from "./domain/moves.ts";
import { owns } from "./policy.ts";
import type { RequestRow, ShownRequest } from "./repo.ts";
import { about, type RequestDeps, type Requests } from "./service.ts";

export type LaunchDeps = RequestDeps & { readonly service: Requests };

/** After that whoever was refused for too many jobs may try again. */
const BUSY_SECONDS = 30;
const WARNINGS_KEPT = 50;

export function createLaunches(deps: LaunchDeps) {
	const { store, clock, secrets, events, quotas, requests, executions, notices, service, templates } = deps;
	const now = () => new Date(clock.now());

	function mustOwn(caller: Identity, row: Pick<RequestRow, "requested_by_id">): void {
		if (!owns(caller, row)) throw forbidden("Only who asked for it and administrators may do this.");
	}
	function mustMove(row: Pick<RequestRow, "status">, move: Move): void {
		if (!mayMove(row.status, move)) throw conflict(refusal(row.status, move), { status: row.status });
	}

	/** @throws 429 where the user, or all together, have too many jobs */
	async function room(tx: Tx, holder: Pick<Identity, "userId" | "isAdmin">): Promise<void> {
		await quotas.check(holder, "can_use_automation", tx);
		await quotas.check(holder, "automation_concurrent", tx).catch((error: unknown) => {
			if (!(error instanceof AppError) || error.status !== 403) throw error;
			throw tooMany(BUSY_SECONDS, String(error.body.detail), { quota: "automation_concurrent" });
		});
		if ((await executions.openCount(tx.db)) >= deps.automationRunningMax) {
			throw tooMany(BUSY_SECONDS, "The service has as many automation jobs open as it may.");
		}
	}

	/** The request runs: its intent is written, and whoever listens is told. */
	async function begin(
		tx: Tx,
		row: RequestRow,
		launchedBy: { readonly userId: number | null; readonly username: string },
	): Promise<string> {
		const { kind, automation_job_template_id } = row.template_snapshot as TemplateSnapshot;
		const at = now();
		await requests.addExecution(tx, row.id, {
			status: "running",
			started_at: row.started_at ?? at,
			finished_at: null,
			launch_error: null,
			updated_at: at,
		});
		const id = await executions.open(tx, {
			requestId: row.id,
			connectionId: row.connection_id,
			kind,
			checkMode: row.check_mode,
			launchedBy,
			serverTemplateId: automation_job_template_id,
			watch:
				row.watch_query_id === null || row.target_controller_id === null
					? null
					: { queryId: row.watch_query_id, controllerId: row.target_controller_id },
		});
		notices.tell(tx, row.id);
		return id;
	}

	/** Asks the server before anything is promised: what cannot be launched is refused while somebody listens. */
	async function ask(row: RequestRow): Promise<void> {
		const found = await deps.connection(row.connection_id);
		if (!("target" in found)) throw refused(found.message);
		const { kind, automation_job_template_id } = row.template_snapshot as TemplateSnapshot;
		try {
			const problems = await executions.problems(
				found.target,
				kind,
				automation_job_template_id,
				contentOf(row, secrets),
			);
			if (Object.keys(problems).length > 0) throw invalid(problems);
		} catch (error) {
			if (!(error instanceof AutomationError)) throw error;
			if (error.kind === "not_found") {
				throw refused(
					`The automation server has no ${kind} template ${automation_job_template_id}, or does not show it.`,
				);
			}
			throw deps.presentFailure(error);
		}
	}

	async function launch(caller: Caller, id: string, move: "execute" | "retry"): Promise<AutomationRequestDetail> {
		const before = await service.visible(caller, id);
		mustOwn(caller, before);
		mustMove(before, move);
		await ask(before);
		return store.transaction(async (tx) => {
			const row = await service.locked(tx, caller, id);
			mustMove(row, move);
			await room(tx, caller);
			const executionId = await begin(tx, row, caller);
			await events.changed(tx, caller, {
				...about(row),
				description: `${caller.username} ${move === "retry" ? "retried" : "executed"} the automation request "${row.title}"${row.check_mode ? " in check mode" : ""}`,
				metadata: { execution: executionId, rows: row.row_count, check_mode: row.check_mode },
			});
			return service.show(tx, caller, id);
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

	async function addWarnings(tx: Tx, id: string, added: readonly AutomationWarning[]): Promise<void> {
		if (added.length === 0) return;
		const row = await requests.row(tx.db, id);
		const all = [...(row?.warnings ?? []), ...added].slice(-WARNINGS_KEPT);
		await requests.update(tx, id, { warnings: JSON.stringify(all) });
	}

	return {
		execute: (caller: Caller, id: string) => launch(caller, id, "execute"),
		retry: (caller: Caller, id: string) => launch(caller, id, "retry"),

		/** For a relaunch of one of its jobs. */
		async runAgain(tx: Tx, caller: Caller, id: string): Promise<void> {
			const row = await service.locked(tx, caller, id);
			mustOwn(caller, row);
			if (row.status === "running") throw conflict("The request is running.", { status: row.status });
			await room(tx, caller);
			const at = now();
			await requests.addExecution(tx, id, {
				status: "running",
				finished_at: null,
				launch_error: null,
				updated_at: at,
			});
			notices.tell(tx, id);
		},

		async rollback(caller: Caller, id: string, input: AutomationRollback): Promise<AutomationRequestDetail> {
			const row = await service.visible(caller, id);
			mustOwn(caller, row);
			mustMove(row, "rollback");
			const current = row.template_id === null ? null : await deps.anyTemplate(store.db, row.template_id);
			const rollbackId = current?.rollback_template_id ?? (row.template_snapshot as TemplateSnapshot).rollback_template;
			const template = rollbackId === null ? null : await deps.anyTemplate(store.db, rollbackId);
			if (template === null) throw refused("The template has no rollback, or it was deleted.");
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
					rollback: { of: row.id, job: row.automation_job_id },
				},
				"asked for the rollback",
			);
		},

		async cancel(caller: Caller, id: string): Promise<AutomationRequestDetail> {
			return store.transaction(async (tx) => {
				const row = await service.locked(tx, caller, id);
				mustOwn(caller, row);
				mustMove(row, "cancel");
				if (row.status === "running") {
					for (const { id: executionId } of await executions.ofRequest(tx.db, id)) {
						const execution = await executions.lock(tx, executionId);
						if (execution !== undefined && execution.finished_at === null) await executions.cancelIn(tx, execution);
					}
				} else {
					await requests.update(tx, id, { status: "cancelled", finished_at: now(), updated_at: now() });
				}
				await events.changed(tx, caller, {
					...about(row),
					description: `${caller.username} cancelled the automation request "${row.title}"`,
					metadata: { was: row.status },
				});
				notices.tell(tx, id);
				return service.show(tx, caller, id);
			});
		},

		/** Launches what is due; one that has no room now is tried again at the next look. */
		async due(limit: number): Promise<void> {
			await store.transaction(async (tx) => {
				for (const row of await requests.takeDue(tx, now(), limit)) {
					const identity = row.requested_by_id === null ? null : await deps.identityOf(row.requested_by_id, tx.db);
					if (identity === null) {
						await requests.update(tx, row.id, {
							status: "failed",
							launch_error: `${row.requested_by} is not active any more.`,
							finished_at: now(),
							updated_at: now(),
						});
						notices.tell(tx, row.id);
						continue;
					}
					const busy = await room(tx, identity)
						.then(() => false)
						.catch((error: unknown) => {
							if (error instanceof AppError) return true;
							throw error;
						});
					if (busy) continue;
					const executionId = await begin(tx, row, identity);
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
							...about(row),
							description: `The automation request "${row.title}" was executed on schedule`,
							metadata: { execution: executionId, scheduled_for: row.scheduled_for?.toISOString() },
						},
					);
				}
			});
		},

		/** The job of an execution is known. */
		async launched(tx: Tx, id: string, jobId: number, warnings: readonly AutomationWarning[]): Promise<void> {
			await requests.update(tx, id, { automation_job_id: jobId, updated_at: now() });
			await addWarnings(tx, id, warnings);
			notices.tell(tx, id);
		},

		/** An execution ended, and with it - unless another one is open - the request. */
		async ended(tx: Tx, { executionId, requestId, status, error, jobId }: Ended): Promise<void> {
			const row = await requests.lock(tx, requestId);
			if (row === undefined || row.status !== "running") return;
			const open = (await executions.ofRequest(tx.db, requestId)).some(
				(one) => one.id !== executionId && one.finished_at === null,
			);
			if (open) return;
			const after = statusAfter(status);
			await requests.update(tx, requestId, {
				status: after,
				finished_at: now(),
				updated_at: now(),
				...(error === null ? {} : { launch_error: error }),
				...(jobId === null ? {} : { automation_job_id: jobId }),
			});
			if (row.template_id !== null && after !== "cancelled") {
				await templates.count(tx, row.template_id, after === "successful" ? "success_count" : "failure_count");
			}
			await notices.ended(tx, row, executionId, after, error);
			notices.tell(tx, requestId);
		},

		/** A template asks for approval from now on. */
		async approvalNeeded(tx: Tx, templateId: string): Promise<void> {
			for (const id of await requests.awaitApproval(tx, templateId, now())) {
				const row = await requests.row(tx.db, id);
				if (row) await notices.approvalNeeded(tx, row);
				notices.tell(tx, id);
			}
		},
	};
}
export type Launches = ReturnType<typeof createLaunches>;
