/** Sends a launch. The mark that something is being sent is stored before it is sent. */
import type { AutomationWarning } from "@weft/contracts";
import { type Context, getNow, getTimeIn } from "../../../../context.ts";
import { isAllowed } from "../../../../core/caller.ts";
import {
	AutomationError,
	type AutomationTarget,
	type LaunchInfo,
	type LaunchOutcome,
	type LaunchPayload,
} from "../../../../integrations/awx/port.ts";
import { findIdentity } from "../../../accounts/sign-in/create-sessions.ts";
import {
	buildIgnoredWarning,
	launchMismatch,
	launchProblems,
	prepareLaunch,
	REFERENCE,
	type Wanted,
} from "../rules/launch.ts";
import { type ExecutionRow, findExecutionRow, findLastTaskCount } from "../sql/executions.ts";
import { markLaunchSending, markLaunchUnsent, rescheduleFutureLaunches } from "../sql/launches.ts";
import { endExecution } from "./execution-lifecycle.ts";
import { adoptJob, dropSurplus, failExecution, prepareReady, type Ready } from "./launch-steps.ts";

/**
 * Lease of a step, in milliseconds. After it, or after the death of its process, another process
 * takes the step: the marks themselves prevent a second launch.
 */
export const STEP_MS = 10_000;

/**
 * Longest time between the mark and the request, in milliseconds. After a longer delay the launch
 * is not sent.
 */
const SEND_WITHIN_MS = 5_000;

const SKEW_MS = 60_000;

const FIRST_LOOK_MS = 1_000;

/** Time in which an unreachable server is tried, while nothing was sent, in milliseconds. */
const PATIENCE_MS = 5 * 60_000;

/** Whether the time in which a launch is tried has not passed, from when it was allowed. */
const isPatient = (ctx: Context, { released_at, created_at }: ExecutionRow): boolean =>
	ctx.clock.now() - (released_at ?? created_at).getTime() <= PATIENCE_MS;

/** Finds the reason why the launching user may not launch any more; null if they may. */
async function findLaunchRefusal(ctx: Context, execution: ExecutionRow): Promise<string | null> {
	const identity = execution.launched_by_id === null ? null : await findIdentity(ctx, execution.launched_by_id);
	if (identity === null) return `${execution.launched_by} is not active any more.`;
	return isAllowed(identity, "launch_automationrequest")
		? null
		: `${execution.launched_by} may not launch automation requests any more.`;
}

async function retryLater(ctx: Context, execution: ExecutionRow, error: AutomationError): Promise<void> {
	if (!error.retryable || !isPatient(ctx, execution)) return failExecution(ctx, execution, error.message);
	const wait = Math.max(error.retryAfterMs ?? 0, 5_000);
	await rescheduleFutureLaunches(ctx.store.db, execution.id, getNow(ctx), getTimeIn(ctx, wait));
}

export async function launchJob(ctx: Context, execution: ExecutionRow): Promise<void> {
	if (execution.cancel_requested_at !== null)
		return failExecution(ctx, execution, "It was cancelled before it was launched.", "cancelled");
	const refusal = await findLaunchRefusal(ctx, execution);
	if (refusal !== null) return failExecution(ctx, execution, refusal);
	const ready = await prepareReady(ctx, execution);
	if (ready === null) return;
	try {
		const { target, wanted } = ready;
		const info = await ctx.automation.template(target, execution.kind, execution.server_template_id);
		const problems = Object.values(launchProblems(info, wanted)).flat();
		if (problems.length > 0) return await failExecution(ctx, execution, problems.join(" "));
		const kind = await findCredentialKind(ctx, target, info, wanted);
		const prepared = prepareLaunch(info, wanted, REFERENCE, kind);
		await sendLaunch(ctx, execution, ready, info, prepared.payload, prepared.referenceSent, prepared.warnings);
	} catch (error) {
		if (!(error instanceof AutomationError)) throw error;
		await retryLater(ctx, execution, error);
	}
}

const findCredentialKind = async (
	ctx: Context,
	target: AutomationTarget,
	info: LaunchInfo,
	{ credentialId }: Wanted,
) =>
	credentialId !== null && info.asks.credential && info.credentials.length > 0
		? ctx.automation.credentialKind(target, credentialId)
		: null;

async function sendLaunch(
	ctx: Context,
	execution: ExecutionRow,
	ready: Ready,
	info: LaunchInfo,
	payload: LaunchPayload,
	referenceSent: boolean,
	warnings: readonly AutomationWarning[],
): Promise<void> {
	const token = ctx.ids.uuid();
	const sentAt = getNow(ctx);
	const tasksExpected = await findLastTaskCount(ctx.store.db, execution.connection_id, execution.server_template_id);
	const marked = await ctx.store.transaction((tx) =>
		markLaunchSending(tx, execution.id, {
			token,
			sentAt,
			referenceSent: execution.relaunch_of === null ? referenceSent : execution.reference_sent,
			since: new Date((info.serverTime ?? sentAt.getTime()) - SKEW_MS),
			lookupAt: getTimeIn(ctx, STEP_MS),
			varsBytes: JSON.stringify(payload.extraVars).length,
			tasksExpected,
		}),
	);
	if (!marked) return;
	if (ctx.clock.now() - sentAt.getTime() > SEND_WITHIN_MS) return;
	const outcome = await requestLaunch(ctx, execution, ready, payload);
	await recordLaunchOutcome(ctx, execution, ready, token, outcome, warnings);
}

async function requestLaunch(
	ctx: Context,
	execution: ExecutionRow,
	{ target }: Ready,
	payload: LaunchPayload,
): Promise<LaunchOutcome> {
	if (execution.relaunch_of === null) {
		return ctx.automation.launch(target, execution.kind, execution.server_template_id, payload);
	}
	const before = await findExecutionRow(ctx.store.db, execution.relaunch_of);
	if (before?.job_id == null) {
		const error = new AutomationError("not_found", "The job that was to be launched again is not known any more.");
		return { kind: "refused", error };
	}
	const type = before.job_type === "workflow_job" ? "workflow_job" : "job";
	return ctx.automation.relaunch(target, type, before.job_id, execution.relaunch_hosts ?? "all");
}

async function recordLaunchOutcome(
	ctx: Context,
	execution: ExecutionRow,
	{ target, wanted }: Ready,
	token: string,
	outcome: LaunchOutcome,
	warnings: readonly AutomationWarning[],
): Promise<void> {
	if (outcome.kind === "launched") {
		const { job } = outcome;
		const ignored = buildIgnoredWarning(job.ignored);
		const all = [...warnings, ...(ignored ? [ignored] : [])];
		const adopted = await adoptJob(ctx, execution, { ...job, problem: launchMismatch(job, wanted) }, all);
		if (!adopted) await dropSurplus(ctx, execution, target, job);
		return;
	}
	if (outcome.kind === "unknown") {
		ctx.log.warn(
			{ execution: execution.id, reason: outcome.error.kind },
			"the answer to a launch was lost; the job is looked for",
		);
		await rescheduleFutureLaunches(ctx.store.db, execution.id, getNow(ctx), getTimeIn(ctx, FIRST_LOOK_MS));
		return;
	}
	const { error } = outcome;
	if (error.retryable && isPatient(ctx, execution)) {
		const at = getTimeIn(ctx, Math.max(error.retryAfterMs ?? 0, 5_000));
		await ctx.store.transaction((tx) => markLaunchUnsent(tx, execution.id, token, at));
		return;
	}
	await ctx.store.transaction(async (tx) => {
		// Only the process that sent the launch may say that there is no job.
		if (await markLaunchUnsent(tx, execution.id, token, getTimeIn(ctx, STEP_MS))) {
			await endExecution(ctx, tx, execution, "error", { error: error.message });
		}
	});
}
