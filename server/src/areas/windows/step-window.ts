/** The moves of a change window from draft to signature, each in one transaction. */
import { type ChangeWindow, type FreezeOverride, WINDOW_LIMITS } from "@weft/contracts";
import { type Context, getNow } from "../../context.ts";
import { type Caller, isAllowed } from "../../core/caller.ts";
import { buildFieldError } from "../../core/errors.ts";
import type { Tx } from "../../core/ports/store.ts";
import { isEndedAfter, isRunningJob, listWindowJobs } from "../automation/jobs/sql/held-launches.ts";
import { passFreeze } from "../calendar/pass-freeze.ts";
import { assertVersion, copyPlan } from "./manage-windows.ts";
import { buildTarget, moveWindow, type WindowMove, type WindowValues } from "./move-window.ts";
import { notifyOfWindow } from "./notify-of-window.ts";
import type { WindowRole } from "./policy.ts";
import { buildStateError, lockForMove, readWindow } from "./read-window.ts";
import { buildSignedReport } from "./report-window.ts";
import type { Move } from "./rules/transitions.ts";
import { hasRoomForVerdict } from "./rules/verdict.ts";
import { listApprovers } from "./sql/approvers.ts";
import { listFirstFindings } from "./sql/findings.ts";
import { findShownPlan } from "./sql/plans.ts";
import { findRound } from "./sql/rounds.ts";
import { findWindowRow, listAllConnections, type ShownWindow, updateWindowRow } from "./sql/windows.ts";

/** Locks the window, makes the move and returns the window after it. */
async function stepWindow(
	ctx: Context,
	caller: Caller,
	id: string,
	{ move, role }: { readonly move: Move; readonly role?: WindowRole },
	work: (tx: Tx, window: ShownWindow) => Promise<WindowMove>,
): Promise<ChangeWindow> {
	return ctx.store.transaction(async (tx) => {
		const window = await lockForMove(tx, caller, id, { move, ...(role === undefined ? {} : { role }) });
		await moveWindow(ctx, tx, window, caller, await work(tx, window));
		return readWindow(tx.db, caller, id);
	});
}

/** Submits a draft with a copy of the present plan, which later edits of the plan do not change. */
export const submitWindow = (ctx: Context, caller: Caller, id: string): Promise<ChangeWindow> =>
	stepWindow(ctx, caller, id, { move: "submit" }, async (tx, window) => {
		const plan = window.plan_id === null ? undefined : await findShownPlan(tx.db, caller, window.plan_id);
		if (plan === undefined) throw buildFieldError("plan", "The plan no longer exists. Choose another one.");
		const copy = { plan: JSON.stringify(copyPlan(plan)) };
		if (!window.requires_approval)
			return { event: "submit", to: "planned", values: copy, verb: "planned", detail: `Revision ${plan.revision}` };
		const approvers = await listApprovers(tx.db, window.id, window.owner_id);
		await notifyOfWindow(ctx, tx, window, { event: "change_window_awaiting_approval", approvers });
		return { event: "submit", to: "waiting", values: copy, verb: "submitted", detail: `Revision ${plan.revision}` };
	});

export const approveWindow = (
	ctx: Context,
	caller: Caller,
	id: string,
	{ updated_at }: { readonly updated_at?: string | undefined },
): Promise<ChangeWindow> =>
	stepWindow(ctx, caller, id, { move: "approve", role: "approver" }, async (_, window) => {
		assertVersion(window, updated_at);
		const values = { approved_by_id: caller.userId, approved_by: caller.username, approved_at: getNow(ctx) };
		return { event: "approve", to: "planned", values, verb: "approved" };
	});

export const rejectWindow = (
	ctx: Context,
	caller: Caller,
	id: string,
	{ reason }: { readonly reason: string },
): Promise<ChangeWindow> =>
	stepWindow(ctx, caller, id, { move: "reject", role: "approver" }, async () => ({
		event: "reject",
		to: "draft",
		detail: reason,
		verb: "rejected",
	}));

const listConnectionIds = async (tx: Tx, id: string): Promise<string[]> =>
	(await listAllConnections(tx.db, id)).map(({ connection_id }) => connection_id);

/** The override of a freeze if the gate names one or the caller may override freezes. */
const findFreezeOverride = ({ gate }: ShownWindow, caller: Caller, reason: string): { reason: string } | undefined =>
	gate?.reasons.some(({ kind }) => kind === "freeze") || isAllowed(caller, "override_freeze") ? { reason } : undefined;

/** The columns that begin the round before the work. */
export function buildStart(ctx: Context, { round }: Pick<ShownWindow, "round">): WindowValues {
	const now = getNow(ctx);
	return { round_at: now, phase_round: round + 1, phase_at: now, gate: null, override: null };
}

/** Passes the freezes of the window. Returns the text and the record of one that was overridden. */
async function passFreezes(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	id: string,
	override: FreezeOverride,
): Promise<Pick<WindowMove, "detail" | "metadata">> {
	const freeze = await passFreeze(ctx, tx.db, caller, await listConnectionIds(tx, id), override);
	if (freeze === null) return {};
	return { detail: `During the freeze "${freeze.title}": ${freeze.reason}`, metadata: { freeze } };
}

const START_VERBS = { start: "started", retry: "checked again" } as const;

/** Begins the round before the work: of a planned window, or again of a blocked one. */
export const startWindow = (
	ctx: Context,
	caller: Caller,
	id: string,
	move: keyof typeof START_VERBS,
	{ override_freeze }: { readonly override_freeze?: FreezeOverride },
): Promise<ChangeWindow> =>
	stepWindow(ctx, caller, id, { move }, async (tx, window) => {
		const passed = await passFreezes(ctx, tx, caller, id, override_freeze);
		const values = buildStart(ctx, window);
		return { event: move, to: "checking_before", values, verb: START_VERBS[move], ...passed };
	});

/** Opens the window. First repeats a round before the work that is older than the plan allows. */
export const openBlockedWindow = (
	ctx: Context,
	caller: Caller,
	id: string,
	{ reason }: { readonly reason: string },
): Promise<ChangeWindow> =>
	stepWindow(ctx, caller, id, { move: "override", role: "overrider" }, async (tx, window) => {
		const now = getNow(ctx);
		const { metadata } = await passFreezes(ctx, tx, caller, id, findFreezeOverride(window, caller, reason));
		const override = JSON.stringify({ by: caller.username, at: now.toISOString(), reason });
		const round = await findRound(tx.db, window.id, window.round);
		const ageMs = now.getTime() - (round?.started_at.getTime() ?? 0);
		const common = {
			event: "override",
			detail: reason,
			verb: "overrode the gate of",
			...(metadata === undefined ? {} : { metadata }),
		} as const;
		if (ageMs > window.plan.max_before_age_minutes * 60_000)
			return { ...common, to: "checking_before", values: { ...buildStart(ctx, window), override } };
		return { ...common, to: "open", values: { override, opened_at: now } };
	});

/** The columns that begin the rounds after the work. */
export function buildFinish(ctx: Context, window: Pick<ShownWindow, "round" | "plan">, isNow: boolean) {
	const now = getNow(ctx);
	const delayMs = isNow ? 0 : window.plan.settle.delay_s * 1_000;
	return {
		finished_at: now,
		round_at: new Date(now.getTime() + delayMs),
		phase_round: window.round + 1,
		phase_at: now,
		judge_now: isNow,
	};
}

/** Ends the work. In a settling window it only acts with `now`, which judges the next round. */
export const finishWindow = (
	ctx: Context,
	caller: Caller,
	id: string,
	{ now: isNow, exit_code: code }: { readonly now: boolean; readonly exit_code?: number | undefined },
): Promise<ChangeWindow> =>
	stepWindow(ctx, caller, id, { move: "finish" }, async (_, window) => {
		const command = code === undefined ? {} : { command_exit_code: code };
		const ended = code === undefined ? "" : `The command ended with exit code ${code}.`;
		if (window.state === "open") {
			const values = { ...buildFinish(ctx, window, isNow), ...command };
			return { event: "finish", to: "settling", values, detail: ended, verb: "finished" };
		}
		// A round in flight is not changed; it is judged if it has all items.
		const round_at = window.round_at === null ? null : getNow(ctx);
		const judged = isNow ? { judge_now: true, round_at, common_next: window.round_at !== null } : {};
		const detail = isNow ? "The next round of all items is judged." : ended;
		return { event: "finish", values: { ...judged, ...command }, detail, verb: "finished" };
	});

export const recheckWindow = (ctx: Context, caller: Caller, id: string): Promise<ChangeWindow> =>
	stepWindow(ctx, caller, id, { move: "recheck" }, async (_, window) => {
		if (!hasRoomForVerdict(window))
			throw buildStateError(
				window.state,
				`The change window has ${WINDOW_LIMITS.verdicts} verdicts, which is the limit. Sign it, or start another window of the plan.`,
			);
		const now = getNow(ctx);
		const values = { round_at: now, phase_round: window.round + 1, phase_at: now, judge_now: false };
		return { event: "recheck", to: "settling", values, verb: "checked again" };
	});

export const cancelWindow = (ctx: Context, caller: Caller, id: string): Promise<ChangeWindow> =>
	stepWindow(ctx, caller, id, { move: "cancel" }, async (tx, window) => {
		if ((await listWindowJobs(tx.db, id)).some(isRunningJob))
			throw buildStateError(window.state, "A job of the change window is running. Cancel it, or wait for its end.");
		return { event: "cancel", to: "cancelled", values: { round_at: null }, verb: "cancelled" };
	});

/** Findings among which the message about a signature finds those that it names. */
const FIRST = 20;

/** @throws 409 if a job runs, or ended after the work, so that the rounds begin anew */
async function assertJobsEnded(tx: Tx, { id, state, finished_at: finished }: ShownWindow): Promise<void> {
	const jobs = await listWindowJobs(tx.db, id);
	if (jobs.some((job) => isRunningJob(job) || (finished !== null && isEndedAfter(job, finished))))
		throw buildStateError(
			state,
			"A job of the change window ran on after the end of the work. Wait for the verdict that follows its end.",
		);
}

/** Closes the window, stores its report, and records the report's digest in the audit log. */
export const signWindow = (
	ctx: Context,
	caller: Caller,
	id: string,
	{ comment }: { readonly comment: string },
): Promise<ChangeWindow> =>
	ctx.store.transaction(async (tx) => {
		const window = await lockForMove(tx, caller, id, { move: "sign", role: "decider" });
		await assertJobsEnded(tx, window);
		const values = { signed_by: caller.username, signed_at: getNow(ctx), sign_comment: comment };
		await moveWindow(ctx, tx, window, caller, { event: "sign", to: "closed", values, detail: comment, verb: "signed" });
		const { text, sha256 } = await buildSignedReport(ctx, tx, id);
		const signed = await findWindowRow(tx.db, id);
		if (signed === undefined) throw new Error("a locked change window is gone");
		await updateWindowRow(tx, id, { report: text, report_sha256: sha256 });
		await ctx.events.changed(tx, caller, {
			...buildTarget(signed),
			description: `The report of the change window "${signed.title}" was stored`,
			metadata: { report_sha256: sha256, verdict: signed.verdict },
		});
		const findings = (await listFirstFindings(tx.db, id, FIRST)).map(({ data }) => data);
		await notifyOfWindow(ctx, tx, signed, { event: "change_window_closed", findings });
		return readWindow(tx.db, caller, id);
	});
