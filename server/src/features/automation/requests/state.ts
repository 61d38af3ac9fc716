/**
 * The state of a request as its executions change it. The one place that both the use cases of
 * requests and the executions call, so that neither needs the other's functions to be made first.
 */
import type { AutomationWarning } from "@weft/contracts";
import type { Caller, Identity } from "../../../platform/caller.ts";
import { AppError, buildConflictError, buildForbiddenError, notFound, tooMany } from "../../../platform/errors.ts";
import type { Events } from "../../../platform/events.ts";
import type { Quotas } from "../../../platform/quotas.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { PubSub } from "../../../ports/pubsub.ts";
import type { Secrets } from "../../../ports/secrets.ts";
import type { Db, Store, Tx } from "../../../ports/store.ts";
import { readApprovalRules } from "../connections/index.ts";
import type { Ended, RequestContent } from "../executions/index.ts";
import { countOpenExecutions, listRequestExecutions } from "../executions/repo.ts";
import type { countTemplateOutcome } from "../templates/repo.ts";
import { getContent, type TemplateSnapshot } from "./content.ts";
import { getOutcome, statusAfter } from "./domain/transitions.ts";
import { createNotices } from "./notices.ts";
import { isRequesterOrAdmin } from "./policy.ts";
import {
	attachExecution,
	findRequestRow,
	findShownRequest,
	listPendingRequests,
	lockRequest,
	type RequestRow,
	type ShownRequest,
	seenBy,
	updateRequest,
} from "./repo.ts";

import { requestTopic } from "./topic.ts";

export interface RequestStateDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly secrets: Pick<Secrets, "open">;
	readonly events: Events;
	readonly pubsub: PubSub;
	readonly quotas: Pick<Quotas, "check">;
	/** Upper bound of open automation jobs of all users. */
	readonly automationRunningMax: number;
	/** Counts the outcome of a request in its template, in place of the one before. */
	readonly countOutcome: typeof countTemplateOutcome;
}

/** Seconds after which a caller who was refused for too many jobs may retry. */
const BUSY_SECONDS = 30;
const MAX_WARNINGS = 50;

export function createRequestState(deps: RequestStateDeps) {
	const { store, clock, quotas } = deps;
	const notices = createNotices({ events: deps.events, pubsub: deps.pubsub });
	const now = () => new Date(clock.now());

	/** Locks the request until the transaction ends. @throws 404 if the caller does not see it */
	async function lockVisible(tx: Tx, caller: Identity, id: string): Promise<ShownRequest> {
		if ((await lockRequest(tx, id)) === undefined) throw notFound();
		const row = await findShownRequest(tx.db, caller, id);
		if (row === undefined) throw notFound();
		return row;
	}

	/** @throws 403 unless the caller requested it or is an administrator */
	function assertOwner(caller: Caller, row: Pick<RequestRow, "requested_by_id">): void {
		if (!isRequesterOrAdmin(caller, row))
			throw buildForbiddenError("Only the requester and administrators may do this.");
	}

	/**
	 * @param readAt `updated_at` of the request that the caller read; null if it is not known
	 * @throws 409 if it is another one now
	 */
	function assertRead(row: Pick<RequestRow, "updated_at">, readAt: Date | null): void {
		if (readAt === null || readAt.getTime() === row.updated_at.getTime()) return;
		throw buildConflictError("The request was changed since you read it. Read it again first.", {
			updated_at: row.updated_at.toISOString(),
		});
	}

	/** @throws 429 if the user, or all users together, have too many open jobs */
	async function assertCapacity(tx: Tx, holder: Pick<Identity, "userId" | "isAdmin">): Promise<void> {
		await quotas.check(holder, "can_use_automation", tx);
		await quotas.check(holder, "automation_concurrent", tx).catch((error: unknown) => {
			if (!(error instanceof AppError) || error.status !== 403) throw error;
			throw tooMany(BUSY_SECONDS, String(error.body.detail), { quota: "automation_concurrent" });
		});
		if ((await countOpenExecutions(tx.db)) >= deps.automationRunningMax) {
			throw tooMany(BUSY_SECONDS, "The service has as many automation jobs open as it may.");
		}
	}

	/** Whether the request was never approved although it, or its automation server, requires it. */
	async function lacksApproval(db: Db, row: RequestRow): Promise<boolean> {
		if (row.approved_at !== null) return false;
		const { automation_job_template_id: serverId } = row.template_snapshot as TemplateSnapshot;
		return row.requires_approval || (await readApprovalRules(db)).isRequired(row.connection_id, serverId);
	}

	/** Makes a request that is not launched wait for approval, and tells its approvers. */
	async function askApproval(tx: Tx, row: RequestRow): Promise<void> {
		await updateRequest(tx, row.id, {
			status: "awaiting_approval",
			requires_approval: true,
			finished_at: null,
			launch_error: null,
			updated_at: now(),
		});
		await notices.approvalNeeded(tx, { ...row, updated_at: now() });
		notices.tell(tx, row.id);
	}

	async function askApprovals(tx: Tx, ids: readonly string[]): Promise<void> {
		for (const id of ids) {
			const row = await lockRequest(tx, id);
			if (row?.status === "pending") await askApproval(tx, row);
		}
	}

	async function addWarnings(tx: Tx, id: string, added: readonly AutomationWarning[]): Promise<void> {
		if (added.length === 0) return;
		const row = await findRequestRow(tx.db, id);
		const all = [...(row?.warnings ?? []), ...added].slice(-MAX_WARNINGS);
		await updateRequest(tx, id, { warnings: JSON.stringify(all) });
	}

	return {
		notices,
		warn: addWarnings,
		lockVisible,
		assertOwner,
		assertRead,
		assertCapacity,
		lacksApproval,
		askApproval,

		/** What the request launches; null if it was deleted. */
		async content(db: Db, id: string): Promise<RequestContent | null> {
			const row = await findRequestRow(db, id);
			return row === undefined ? null : getContent(row, deps.secrets);
		},

		/** SQL condition: the identity sees the request `r`. */
		visible: seenBy,

		async owns(identity: Identity, id: string): Promise<boolean> {
			const row = await findRequestRow(store.db, id);
			return row !== undefined && isRequesterOrAdmin(identity, row);
		},

		requestTopic,

		/** Sets the request to running for a relaunch of one of its jobs. @throws 403, 404, 409, 429 */
		async runAgain(tx: Tx, caller: Caller, id: string): Promise<void> {
			const row = await lockVisible(tx, caller, id);
			assertOwner(caller, row);
			if (row.status === "running") throw buildConflictError("The request is running.", { status: row.status });
			if (await lacksApproval(tx.db, row)) {
				throw buildConflictError(
					"The automation server requires approval, which this request never got. Make a new request.",
					{
						status: row.status,
					},
				);
			}
			await assertCapacity(tx, caller);
			await attachExecution(tx, id, {
				status: "running",
				finished_at: null,
				updated_at: now(),
			});
			notices.tell(tx, id);
		},

		/** Records the job of an execution, and warnings of its launch. */
		async launched(tx: Tx, id: string, jobId: number, warnings: readonly AutomationWarning[]): Promise<void> {
			await updateRequest(tx, id, { automation_job_id: jobId, updated_at: now() });
			await addWarnings(tx, id, warnings);
			notices.tell(tx, id);
		},

		/** Ends the request when its last open execution has ended. */
		async ended(tx: Tx, { executionId, requestId, status, error, jobId }: Ended): Promise<void> {
			const row = await lockRequest(tx, requestId);
			if (row === undefined || row.status !== "running") return;
			const all = await listRequestExecutions(tx.db, requestId);
			if (all.some((one) => one.id !== executionId && one.finished_at === null)) return;
			const before = getOutcome(all.filter((one) => one.id !== executionId));
			const after = getOutcome(all) ?? statusAfter(status);
			const counts = all.some((one) => one.id === executionId && (one.job_id !== null || one.relaunch_of === null));
			await updateRequest(tx, requestId, {
				status: after,
				finished_at: now(),
				updated_at: now(),
				...(counts ? { launch_error: error } : {}),
				...(jobId === null ? {} : { automation_job_id: jobId }),
			});
			if (row.template_id !== null && before !== after) await deps.countOutcome(tx, row.template_id, before, after);
			const warnings = all.find(({ id }) => id === executionId)?.warnings ?? [];
			if (counts) await notices.ended(tx, row, executionId, { status: after, error, warnings });
			else await notices.notRelaunched(tx, row, executionId, error);
			notices.tell(tx, requestId);
		},

		/** Makes pending requests of a template that now requires approval wait for it. */
		async approvalNeeded(tx: Tx, templateId: string): Promise<void> {
			const rows = await listPendingRequests(tx.db, templateId);
			await askApprovals(
				tx,
				rows.map(({ id }) => id),
			);
		},

		/** Makes pending requests wait for approval whose automation server now requires it. */
		async approvalChanged(tx: Tx): Promise<void> {
			const rules = await readApprovalRules(tx.db);
			const rows = await listPendingRequests(tx.db, null);
			const strict = rows.filter((row) => rules.isRequired(row.connection_id, row.server_template_id));
			await askApprovals(
				tx,
				strict.map(({ id }) => id),
			);
		},
	};
}
export type RequestState = ReturnType<typeof createRequestState>;
