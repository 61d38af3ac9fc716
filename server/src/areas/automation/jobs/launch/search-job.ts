/** Looks for the job of a launch whose answer was lost; sends the launch again if there is none. */
import type { AutomationWarning } from "@weft/contracts";
import { type Context, getNow, getTimeIn } from "../../../../context.ts";
import { AutomationError, type FoundJob } from "../../../../integrations/awx/port.ts";
import { isCandidate, isDistinguishable, isSought, launchMismatch, REFERENCE, type Wanted } from "../rules/launch.ts";
import { type ExecutionRow, findExecutionRow } from "../sql/executions.ts";
import { listClaimedJobs, markLaunchUnsent, rescheduleFutureLaunches } from "../sql/launches.ts";
import { adoptJob, dropSurplus, failExecution, prepareReady, type Ready } from "./launch-steps.ts";

/**
 * Upper bound of the search for a lost launch, in milliseconds: the server's own limits are 115 and
 * 120 s, the driver's is 125 s.
 */
const SEARCH_MS = 135_000;

const LOOKS_MS = [1_000, 2_000, 5_000, 10_000, 20_000];

const ATTEMPTS = 3;

export async function searchLaunchedJob(ctx: Context, execution: ExecutionRow): Promise<void> {
	const ready = await prepareReady(ctx, execution);
	if (ready === null) return;
	const waited = ctx.clock.now() - (execution.sent_at ?? execution.created_at).getTime();
	let candidates: Awaited<ReturnType<typeof listCandidates>>;
	try {
		candidates = await listCandidates(ctx, execution, ready);
	} catch (error) {
		if (!(error instanceof AutomationError)) throw error;
		if (error.retryable || waited < SEARCH_MS)
			return rescheduleFutureLaunches(ctx.store.db, execution.id, getNow(ctx), getTimeIn(ctx, 10_000));
		return failExecution(
			ctx,
			execution,
			"Whether the job was launched is not known: the launch was not answered, and the jobs of the " +
				`template cannot be read (${error.message}) Look at the automation server before you try again.`,
		);
	}
	const [found, ...surplus] = candidates.ours;
	if (found !== undefined) {
		const problem =
			launchMismatch({ jobType: found.jobType, ignored: {} }, ready.wanted) ?? listLostRows(found, ready.wanted);
		const lost: AutomationWarning = {
			code: "answer_lost",
			message: "The answer to the launch was lost; the job was found by its reference.",
		};
		await adoptJob(ctx, execution, { ...found, problem }, [lost]);
		for (const job of surplus) await dropSurplus(ctx, execution, ready.target, job);
		return;
	}
	if (waited < SEARCH_MS)
		return rescheduleFutureLaunches(ctx.store.db, execution.id, getNow(ctx), getTimeIn(ctx, lookAfter(waited)));
	const { doubtful } = candidates;
	if (doubtful.length > 0) {
		return failExecution(
			ctx,
			execution,
			"Whether the job was launched is not known: the launch was not answered, the template takes " +
				`nothing by which its jobs could be told apart, and there are new ones (${doubtful.join(", ")}). ` +
				"Look at the automation server before you try again.",
		);
	}
	if (execution.cancel_requested_at !== null) {
		return failExecution(ctx, execution, "It was cancelled; the server has no job of it.", "cancelled");
	}
	if (execution.launch_attempt >= ATTEMPTS) {
		return failExecution(ctx, execution, `The automation server did not take the launch in ${ATTEMPTS} attempts.`);
	}
	// The server has no such job, and will not get one any more: it may be sent again.
	const again = await ctx.store.transaction((tx) =>
		markLaunchUnsent(tx, execution.id, execution.launch_token ?? "", getNow(ctx)),
	);
	if (again) ctx.log.warn({ execution: execution.id }, "a launch left no job and is sent again");
}

/**
 * Finds the jobs of a launch; and, where nothing distinguishes its job from others, the jobs that
 * may be it.
 */
async function listCandidates(
	ctx: Context,
	execution: ExecutionRow,
	{ target, wanted }: Ready,
): Promise<{ ours: FoundJob[]; doubtful: number[] }> {
	const since = (execution.server_since ?? execution.created_at).getTime();
	const before = execution.relaunch_of === null ? null : await findExecutionRow(ctx.store.db, execution.relaunch_of);
	const { kind, server_template_id: templateId } = execution;
	const sought = {
		reference: execution.reference,
		referenceName: REFERENCE,
		referenceSent: execution.reference_sent,
		rowVariables: wanted.rowVariables,
		variables: wanted.variables,
		since,
		relaunchOf: before?.job_id ?? null,
	};
	const found = await ctx.automation.launchedSince(target, kind, templateId, since);
	const ids = found.map(({ id }) => id);
	const claimed = await listClaimedJobs(ctx.store.db, execution.connection_id, ids);
	const free = found.filter(({ id }) => !claimed.has(id));
	const ours = free.filter((job) => isSought(job, sought)).sort((a, b) => a.id - b.id);
	return {
		ours,
		doubtful: isDistinguishable(sought) ? [] : free.filter((job) => isCandidate(job, sought)).map(({ id }) => id),
	};
}

/** A job that was found by its reference must have the rows, too. */
function listLostRows(job: FoundJob, wanted: Wanted): string | null {
	const lost = wanted.rowVariables.filter((name) => !Object.hasOwn(job.extraVars, name));
	return lost.length === 0
		? null
		: `The automation server dropped the rows (${lost.join(", ")}): the job is cancelled.`;
}

const lookAfter = (waited: number): number => LOOKS_MS.find((ms) => waited < ms * 3) ?? (LOOKS_MS.at(-1) as number);
