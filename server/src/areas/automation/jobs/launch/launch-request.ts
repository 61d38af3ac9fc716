/** Launches requests: execute, retry, on schedule. */
import type { AutomationRequestDetail, FreezeOverride, FreezeRef } from "@weft/contracts";
import { type Context, getNow } from "../../../../context.ts";
import type { Caller, Identity } from "../../../../core/caller.ts";
import {
	AppError,
	buildConflictError,
	buildFieldError,
	buildInvalidError,
	buildRefusedError,
} from "../../../../core/errors.ts";
import type { Actor } from "../../../../core/events.ts";
import { createLargeMask, maskTexts } from "../../../../core/mask.ts";
import { type Db, isStoreDown, type Tx } from "../../../../core/ports/store.ts";
import { AutomationError } from "../../../../integrations/awx/port.ts";
import { findIdentity } from "../../../accounts/sign-in/create-sessions.ts";
import { findFreeze } from "../../../calendar/find-freeze.ts";
import { describeOverride, type OverriddenFreeze, passFreeze, presentFreeze } from "../../../calendar/pass-freeze.ts";
import { findServer } from "../../connections/manage-connections.ts";
import { presentFailure, readOnlyToken } from "../../connections/present.ts";
import { askApproval, lacksApproval } from "../request/approval-requirement.ts";
import { assertChangePlan } from "../request/choose-change.ts";
import { readContent, type TemplateSnapshot } from "../request/content.ts";
import { notifyOfHeldLaunch, notifyOfRefusedLaunch, publishRequest } from "../request/notices.ts";
import { buildRequestTarget, findVisibleRequest, readRequestDetail } from "../request/read-requests.ts";
import {
	assertAction,
	assertJobCapacity,
	assertRequestOwner,
	listLaunchTargets,
	lockVisibleRequest,
} from "../request/request-guards.ts";
import { insertRequestEvent } from "../sql/request-events.ts";
import {
	attachExecution,
	type DueRequest,
	findShownRequest,
	listDueRequests,
	lockDueRequest,
	type RequestRow,
	setRequestStatus,
	updateRequest,
} from "../sql/requests.ts";
import { assertSameWindow, bindWindow, findWindowRefusal, lockRequestWindow } from "./bind-window.ts";
import { type BoundWindow, getSnapshotTarget, openExecution } from "./execution-lifecycle.ts";
import { findLaunchProblems } from "./run-launch-step.ts";

/** Due requests that are read at once. */
const DUE_PAGE = 20;

interface Start {
	readonly cause: "execute" | "retry";
	readonly window: BoundWindow | null;
	readonly overridden?: OverriddenFreeze | null;
}

/** Marks the request as running, stores the launch intent and notifies subscribers. */
async function startExecution(
	ctx: Context,
	tx: Tx,
	row: RequestRow,
	launchedBy: { readonly userId: number | null; readonly username: string },
	{ cause, window, overridden = null }: Start,
): Promise<string> {
	const { kind, automation_job_template_id } = row.template_snapshot as TemplateSnapshot;
	const at = getNow(ctx);
	await attachExecution(tx, row, cause, {
		started_at: row.started_at ?? at,
		finished_at: null,
		launch_error: null,
		held_by_freeze: null,
		...(window === null ? {} : { change_window_id: window.id }),
		updated_at: at,
	});
	const id = await openExecution(ctx, tx, {
		requestId: row.id,
		connectionId: row.connection_id,
		kind,
		checkMode: row.check_mode,
		launchedBy,
		window,
		serverTemplateId: automation_job_template_id,
		snapshotTarget: getSnapshotTarget(row),
	});
	await insertRequestEvent(tx, {
		requestId: row.id,
		at,
		username: launchedBy.username,
		action: "launched",
		version: row.version,
		digest: row.rows_digest,
		comment: describeOverride(overridden),
		executionId: id,
	});
	publishRequest(ctx, tx, row.id);
	return id;
}

/**
 * Checks the launch with the server before it is accepted, so that the caller gets the refusal.
 * @throws AppError
 */
async function checkLaunch(ctx: Context, row: RequestRow): Promise<void> {
	const found = await findServer(ctx, row.connection_id);
	if (!("target" in found)) throw buildRefusedError(found.message);
	if (found.canLaunch === false) throw buildFieldError("automation_connection", readOnlyToken(found.name));
	const { kind, automation_job_template_id } = row.template_snapshot as TemplateSnapshot;
	const content = readContent(ctx, row);
	const mask = await createLargeMask(content.secrets);
	try {
		const problems = await findLaunchProblems(ctx, found.target, kind, automation_job_template_id, content);
		if (Object.keys(problems).length > 0) throw buildInvalidError(maskTexts(problems, mask) as typeof problems);
	} catch (error) {
		if (!(error instanceof AutomationError)) throw error;
		if (error.kind === "not_found") {
			throw buildRefusedError(
				`The automation server has no ${kind} template ${automation_job_template_id}, or does not show it.`,
			);
		}
		throw presentFailure(error.withMessage(mask(error.message)));
	}
}

interface LaunchOptions {
	/** The approval of a change window named the rollback, which a freeze lets pass. */
	readonly isNamedRollback?: boolean;
}

async function launchRequest(
	ctx: Context,
	caller: Caller,
	id: string,
	cause: "execute" | "retry",
	override: FreezeOverride,
	{ isNamedRollback = false }: LaunchOptions = {},
): Promise<AutomationRequestDetail> {
	const passTargetFreeze = async (db: Db, row: RequestRow) =>
		isNamedRollback ? null : passFreeze(ctx, db, caller, listLaunchTargets(row), override);
	const before = await findVisibleRequest(ctx, caller, id);
	assertRequestOwner(caller, before);
	assertAction(before, cause);
	assertChangePlan(before);
	if (!(await lacksApproval(ctx.store.db, before))) await passTargetFreeze(ctx.store.db, before);
	await checkLaunch(ctx, before);
	const launched = await ctx.store.transaction(async (tx) => {
		await lockRequestWindow(ctx, tx, before);
		const row = await lockVisibleRequest(tx, caller, id);
		assertSameWindow(before, row);
		assertAction(row, cause);
		assertChangePlan(row);
		if (await lacksApproval(tx.db, row)) {
			await askApproval(ctx, tx, row, cause);
			await ctx.events.changed(tx, caller, {
				...buildRequestTarget(row),
				description: `${caller.username} asked for approval of the automation request "${row.title}"`,
				metadata: { rows: row.row_count, check_mode: row.check_mode, was: row.status },
			});
			return null;
		}
		const overridden = await passTargetFreeze(tx.db, row);
		await assertJobCapacity(ctx, tx, caller);
		const window = await bindWindow(ctx, tx, row, { actor: caller, identity: caller, override, isScheduled: false });
		const executionId = await startExecution(ctx, tx, row, caller, { cause, window, overridden });
		await ctx.events.changed(tx, caller, {
			...buildRequestTarget(row),
			description: `${caller.username} ${cause === "retry" ? "retried" : "executed"} the automation request "${row.title}"${row.check_mode ? " in check mode" : ""}`,
			metadata: {
				execution: executionId,
				rows: row.row_count,
				check_mode: row.check_mode,
				...(overridden === null ? {} : { overridden_freeze: overridden }),
			},
		});
		return readRequestDetail(tx, caller, id);
	});
	if (launched !== null) return launched;
	throw buildConflictError("The launch needs an approval, for which the request waits now.", {
		status: "awaiting_approval",
	});
}

export const executeRequest = (
	ctx: Context,
	caller: Caller,
	id: string,
	override: FreezeOverride,
	options: LaunchOptions = {},
) => launchRequest(ctx, caller, id, "execute", override, options);

export const retryRequest = (ctx: Context, caller: Caller, id: string, override: FreezeOverride) =>
	launchRequest(ctx, caller, id, "retry", override);

/** The requester, in background work. */
const buildScheduledActor = (row: RequestRow): Actor => ({
	userId: row.requested_by_id,
	username: row.requested_by,
	ip: "",
	userAgent: "",
	requestId: "",
	audit: { category: "automation_execution", action: "automation_request_execute" },
});

/** Holds a due launch until a person launches or reschedules it. */
async function holdLaunch(ctx: Context, tx: Tx, row: RequestRow, freeze: FreezeRef): Promise<void> {
	await updateRequest(tx, row.id, { held_by_freeze: JSON.stringify(freeze), updated_at: getNow(ctx) });
	await ctx.events.changed(tx, buildScheduledActor(row), {
		...buildRequestTarget(row),
		description: `The freeze "${freeze.title}" held the scheduled launch of the automation request "${row.title}"`,
		metadata: { freeze, scheduled_for: row.scheduled_for?.toISOString() },
	});
	await notifyOfHeldLaunch(ctx, tx, row, freeze);
	publishRequest(ctx, tx, row.id);
}

/** Makes a due request wait for the approval that its launch needs by now. */
async function askDueApproval(ctx: Context, tx: Tx, row: RequestRow): Promise<void> {
	await askApproval(ctx, tx, row, "execute");
	await ctx.events.changed(tx, buildScheduledActor(row), {
		...buildRequestTarget(row),
		description: `The scheduled launch of the automation request "${row.title}" waits for approval`,
		metadata: { was: row.status, scheduled_for: row.scheduled_for?.toISOString() },
	});
}

/** Ends a request whose due launch is refused, and notifies its requester. */
async function refuseLaunch(ctx: Context, tx: Tx, row: RequestRow, reason: string): Promise<void> {
	const at = getNow(ctx);
	await setRequestStatus(tx, row, "refuse", "failed", { launch_error: reason, finished_at: at, updated_at: at });
	await insertRequestEvent(tx, {
		requestId: row.id,
		at,
		username: row.requested_by,
		action: "launch_refused",
		version: row.version,
		digest: row.rows_digest,
		comment: reason,
	});
	await ctx.events.changed(tx, buildScheduledActor(row), {
		...buildRequestTarget(row),
		description: `The scheduled launch of the automation request "${row.title}" was refused`,
		metadata: { reason, scheduled_for: row.scheduled_for?.toISOString() },
	});
	await notifyOfRefusedLaunch(ctx, tx, row, reason);
	publishRequest(ctx, tx, row.id);
}

/** Returns 403 if the user may launch no jobs, 429 if there is no room for one, otherwise null. */
async function findCapacityError(ctx: Context, tx: Tx, identity: Identity): Promise<AppError | null> {
	try {
		await assertJobCapacity(ctx, tx, identity);
		return null;
	} catch (error) {
		if (error instanceof AppError) return error;
		throw error;
	}
}

async function launchDueRequest(ctx: Context, tx: Tx, row: RequestRow): Promise<void> {
	if (await lacksApproval(tx.db, row)) return askDueApproval(ctx, tx, row);
	const identity = row.requested_by_id === null ? null : await findIdentity(ctx, row.requested_by_id, tx.db);
	if (identity === null) return refuseLaunch(ctx, tx, row, `${row.requested_by} is not active any more.`);
	// The request is locked before its window here. One that is being moved is left to the next tick.
	if (row.change_window_id !== null && !(await ctx.areas.windows.tryLockWindow(tx, row.change_window_id))) return;
	const freeze = await findFreeze(tx.db, listLaunchTargets(row), getNow(ctx));
	if (freeze !== null) return holdLaunch(ctx, tx, row, presentFreeze(freeze));
	const full = await findCapacityError(ctx, tx, identity);
	if (full?.status === 403) return refuseLaunch(ctx, tx, row, full.message);
	if (full !== null) throw new NoRoom();
	const shown = await findShownRequest(tx.db, identity, row.id);
	const refusal = await findWindowRefusal(ctx, tx, shown, identity);
	if (refusal !== null) return refuseLaunch(ctx, tx, row, refusal);
	const actor = buildScheduledActor(row);
	const window = await bindWindow(ctx, tx, row, { actor, identity, override: undefined, isScheduled: true });
	const executionId = await startExecution(ctx, tx, row, identity, { cause: "execute", window });
	await ctx.events.changed(tx, buildScheduledActor(row), {
		...buildRequestTarget(row),
		description: `The automation request "${row.title}" was executed on schedule`,
		metadata: { execution: executionId, scheduled_for: row.scheduled_for?.toISOString() },
	});
}

/** The requester of a due request has no room for another job now. */
class NoRoom extends Error {}

/**
 * Launches one due request in its own transaction. An error is logged and ends no other launch.
 * Returns false if its requester has no room for another job now.
 */
async function tryDueRequest(ctx: Context, id: string, now: Date): Promise<boolean> {
	try {
		await ctx.store.transaction(async (tx) => {
			const row = await lockDueRequest(tx, id, now);
			if (row !== undefined) await launchDueRequest(ctx, tx, row);
		});
	} catch (error) {
		if (error instanceof NoRoom) return false;
		if (isStoreDown(error)) throw error;
		ctx.log.error({ err: error, request: id }, "a due automation request could not be launched");
	}
	return true;
}

/**
 * Visits all due requests, the earliest first. One for which there is no room now is tried again at
 * the next tick, and keeps no later one from its launch.
 */
export async function launchDueRequests(ctx: Context, signal: AbortSignal): Promise<void> {
	const now = getNow(ctx);
	/** Requesters without room, whose other requests are not tried. */
	const full = new Set<number | null>();
	let last: DueRequest | undefined;
	while (!signal.aborted) {
		const due = await listDueRequests(ctx.store.db, now, last, DUE_PAGE);
		for (const { id, requested_by_id: userId } of due)
			if (!full.has(userId) && !(await tryDueRequest(ctx, id, now))) full.add(userId);
		last = due.at(-1);
		if (due.length < DUE_PAGE) return;
	}
}
