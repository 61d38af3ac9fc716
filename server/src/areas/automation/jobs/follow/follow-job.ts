/**
 * Polls one execution: state, events and nodes of its job; and ends it once everything is read.
 */
import type { AutomationExecutionStatus, AutomationWarning, RowCounts } from "@weft/contracts";
import { type Context, getNow, getTimeIn } from "../../../../context.ts";
import { type Mask, maskValues } from "../../../../core/mask.ts";
import type { Tx } from "../../../../core/ports/store.ts";
import {
	AutomationError,
	type AutomationTarget,
	type JobDetail,
	type JobState,
	type ServerNode,
} from "../../../../integrations/awx/port.ts";
import { type PreparedContent, prepareContent } from "../launch/content-cache.ts";
import { endExecution, publishExecutionChange, updateExecutionStatus } from "../launch/execution-lifecycle.ts";
import { addRequestWarnings } from "../request/request-progress.ts";
import { explainWait, isLost } from "../rules/explanation.ts";
import { formatStoredText } from "../rules/masked-words.ts";
import { type JobEnd, listOutcomeWarnings } from "../rules/outcome.ts";
import { computeNextPoll, getProgress, isReached } from "../rules/progress.ts";
import { countRowStatuses, readPublishedResults } from "../rules/rows.ts";
import { deriveExecutionStatus, isFinalExecution, readServerStatus } from "../rules/states.ts";
import { type ExecutionRow, type ExecutionValues, updateExecutionRow } from "../sql/executions.ts";
import { lockOpenExecution } from "../sql/polls.ts";
import { countRowsByRank, countRowsDone, countRowTotals, findStream, replaceRowResults } from "../sql/streams.ts";
import { repeatCancellation } from "./cancellation.ts";
import { explainJobEnd } from "./explain-job-end.ts";
import { readIfShown } from "./hidden-jobs.ts";
import { ingestEvents } from "./ingest-events.ts";
import { pollNodes, readNodeArtifacts } from "./nodes.ts";
import { EVENTS_MS, type PollResult, sumStreamCounts } from "./poll-result.ts";

/** Delay of the second search for a job that is missing, in milliseconds. */
const MISSING_MS = 15_000;
const SOON_MS = 1_000;
/** Delay of the next poll of a job whose poll failed for a reason of its own, in milliseconds. */
const POSTPONED_MS = 30_000;
const ARTIFACTS_MAX = 1_048_576;

/** Columns that a poll of the job changes; without a status the stored one stays. */
type PolledValues = ExecutionValues & { readonly status?: AutomationExecutionStatus };

/** @param getPollAt computes the next poll from the locked row, which may have a new viewer */
async function saveExecution(
	ctx: Context,
	execution: ExecutionRow,
	{ status, ...values }: PolledValues,
	getPollAt?: (locked: ExecutionRow) => Date,
): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		const row = await lockOpenExecution(tx, execution.id);
		if (row === undefined) return;
		const changes = Object.entries({ ...values, status: status ?? row.status }).some(
			([name, value]) => name !== "poll_at" && !isSameValue(value, row[name as keyof ExecutionRow]),
		);
		// Keep an earlier poll that another request scheduled meanwhile.
		const isPolledSooner = row.poll_at !== null && execution.poll_at !== null && row.poll_at > execution.poll_at;
		const nextPoll = isPolledSooner ? row.poll_at : getPollAt?.(row);
		await updateExecutionStatus(ctx, tx, row, "poll", status ?? row.status, {
			...values,
			...(nextPoll === undefined ? {} : { poll_at: nextPoll }),
			...(changes ? { updated_at: getNow(ctx) } : {}),
		});
		if (changes) publishExecutionChange(ctx, tx, row);
	});
}

/** The server does not know the job (any more), or knows another one under its id. */
async function recheckMissingJob(ctx: Context, target: AutomationTarget, execution: ExecutionRow): Promise<void> {
	const type = execution.job_type === "workflow_job" ? "workflow_job" : "job";
	let found: JobDetail | null = null;
	try {
		found = await ctx.automation.job(target, type, execution.job_id ?? 0);
	} catch (error) {
		if (!(error instanceof AutomationError) || error.kind !== "permission") throw error;
		const explanation = "The automation server does not show the job to the token's user.";
		return saveExecution(ctx, execution, { explanation, poll_at: getTimeIn(ctx, MISSING_MS * 2) });
	}
	if (found !== null) return followJob(ctx, target, execution, found);
	if (execution.missing_since === null) {
		return saveExecution(ctx, execution, { missing_since: getNow(ctx), poll_at: getTimeIn(ctx, MISSING_MS) });
	}
	const decidedAt = execution.missing_since.getTime() + MISSING_MS;
	if (ctx.clock.now() < decidedAt) return saveExecution(ctx, execution, { poll_at: new Date(decidedAt) });
	await endWithError(ctx, execution, `Job ${execution.job_id} does not exist on the automation server any more.`);
}

export async function endWithError(ctx: Context, execution: ExecutionRow, error: string): Promise<void> {
	await ctx.store.transaction((tx) => endExecution(ctx, tx, execution, "error", { error }));
}

function isOtherJob(execution: ExecutionRow, state: JobState): boolean {
	const created = execution.job_created?.getTime() ?? 0;
	// Stored with milliseconds.
	return Math.abs(created - state.created) > 1_000;
}

async function followJob(
	ctx: Context,
	target: AutomationTarget,
	execution: ExecutionRow,
	state: JobState,
): Promise<void> {
	if (isOtherJob(execution, state)) {
		return endWithError(
			ctx,
			execution,
			`Job ${execution.job_id} of the automation server is another job now: the server was rebuilt or restored.`,
		);
	}
	const prepared = await prepareContent(ctx, ctx.store.db, execution.request_id);
	const word = readServerStatus(state.status);
	if (word !== null && isFinalExecution(word)) return concludeJob(ctx, target, execution, state, prepared);
	const cancel = await repeatCancellation(ctx, target, execution, state.canceledOn !== null);
	const polled = await pollJobEvents(ctx, target, execution, state, prepared, false);
	const values = {
		...buildPolledValues(state, polled),
		status: deriveExecutionStatus(state.status, execution.status),
		explanation: explainWait(state, { ...polled, serverUrl: target.url }),
		...cancel,
		progress: await computeProgress(ctx, execution, polled, prepared),
	};
	const getPollAt = (locked: ExecutionRow) => (polled.more ? getNow(ctx) : new Date(getNextPoll(ctx, locked)));
	await saveExecution(ctx, execution, values, getPollAt);
}

const getNextPoll = (ctx: Context, execution: ExecutionRow): number => {
	const isViewed = execution.watched_until !== null && execution.watched_until.getTime() > ctx.clock.now();
	const isCancelling = execution.cancel_requested_at !== null;
	return computeNextPoll(ctx.clock.now(), execution.created_at.getTime(), { isViewed, isCancelling });
};

async function computeProgress(
	ctx: Context,
	execution: ExecutionRow,
	{ counts, nodes: found }: Pick<PollResult, "counts" | "nodes">,
	prepared: PreparedContent,
): Promise<number> {
	const rowsDone = prepared.rowCount > 0 ? await countRowsDone(ctx.store.db, execution.id) : 0;
	return getProgress({
		tasks: counts.tasks_seen,
		tasksExpected: execution.tasks_expected,
		rowsDone,
		rows: prepared.rowCount,
		before: execution.progress,
		reached: found.length === 0 ? null : { nodes: found.length, reached: found.filter(isReached).length },
	});
}

/** Events of the job, or of the jobs of its nodes. */
async function pollJobEvents(
	ctx: Context,
	target: AutomationTarget,
	execution: ExecutionRow,
	state: JobState,
	prepared: PreparedContent,
	complete: boolean,
): Promise<PollResult> {
	if (execution.job_type === "workflow_job") return pollNodes(ctx, target, execution, prepared);
	const stream = await findStream(ctx.store.db, execution.id, execution.job_id ?? 0);
	const own = { waits: false, nodes: [], unread: [], isCut: false };
	if (stream === undefined || state.started === null) {
		const counts = sumStreamCounts(stream ? [stream] : []);
		return { ...own, counts, task: null, more: false, gap: false, hasEvents: false };
	}
	const taken = await ingestEvents(ctx, target, execution, stream, prepared, complete);
	const { task, more, gap } = taken;
	const hasEvents = taken.stream.last_counter > 0;
	return { ...own, counts: sumStreamCounts([taken.stream]), task, more, gap, hasEvents };
}

/**
 * Reads the last events, the totals and the published results of a job that is over, and ends its
 * execution, or polls it again soon.
 */
async function concludeJob(
	ctx: Context,
	target: AutomationTarget,
	execution: ExecutionRow,
	state: JobState,
	prepared: PreparedContent,
): Promise<void> {
	const type = execution.job_type === "workflow_job" ? "workflow_job" : "job";
	const detail = await ctx.automation.job(target, type, execution.job_id ?? 0);
	if (detail === null) return recheckMissingJob(ctx, target, execution);
	const finalSeen = execution.final_seen_at ?? getNow(ctx);
	// The server stores nothing more of a job that its dispatcher has lost.
	const patient = !isLost(detail.explanation) && ctx.clock.now() - finalSeen.getTime() < EVENTS_MS;
	// A workflow is over with its nodes; a job that never ran says nothing.
	const stored = detail.eventsStored !== false || detail.started === null;
	const polled = await pollJobEvents(ctx, target, execution, detail, prepared, stored || !patient);
	const waits = type === "workflow_job" ? polled.waits : !stored;
	if (polled.more || ((waits || polled.gap) && patient)) {
		return saveExecution(ctx, execution, {
			...buildPolledValues(state, polled),
			status: deriveExecutionStatus(state.status, execution.status),
			explanation: explainWait(state, { ...polled, serverUrl: target.url }),
			final_seen_at: finalSeen,
			progress: await computeProgress(ctx, execution, polled, prepared),
			poll_at: polled.more ? getNow(ctx) : getTimeIn(ctx, SOON_MS),
		});
	}
	const totals = await sumHostTotals(ctx, target, execution, polled.nodes);
	const status = readServerStatus(detail.status);
	if (status === null || !isFinalExecution(status)) {
		return saveExecution(ctx, execution, { poll_at: getTimeIn(ctx, SOON_MS) });
	}
	const artifacts = [detail.artifacts, ...(await readNodeArtifacts(ctx, target, polled.nodes))];
	const published = readPublishedResults(artifacts, prepared.content?.sheets ?? [], prepared.mask);
	const explanation = await explainJobEnd(ctx, target, execution, detail, prepared);
	const whole = !waits && !polled.isCut && polled.unread.length === 0 && polled.counts.lost_events === 0;
	await ctx.store.transaction(async (tx) => {
		const values = {
			...buildPolledValues(detail, polled),
			explanation,
			...(totals ? { ok_count: totals.ok, changed_count: totals.changed, failed_count: totals.failed } : {}),
			host_count: type === "job" ? (totals?.hosts ?? null) : null,
			artifacts: JSON.stringify(getArtifacts(detail.artifacts, prepared.mask)),
			output_complete: whole,
			final_seen_at: finalSeen,
			current_task: null,
			...(detail.taskCount === null ? {} : { tasks_seen: detail.taskCount }),
			...(detail.finished === null ? {} : { finished_at: new Date(detail.finished) }),
			...(status === "cancelled" ? { cancel_error: null } : {}),
		};
		// A job cancelled because it did not match the request is an error, however it ended.
		const final = execution.error !== null ? "error" : status;
		if ((await lockOpenExecution(tx, execution.id)) === undefined) return;
		await replaceRowResults(tx, execution.id, published);
		const outcome = await readOutcome(tx, execution, prepared.rowCount, {
			isGood: final === "successful",
			isCut: polled.isCut,
			unread: polled.unread,
			lostEvents: polled.counts.lost_events,
			// The totals of hosts may be missing where the server lost the last events.
			ranOnHosts: totals !== null || polled.counts.ok_count + polled.counts.failed_count > 0,
		});
		await addRequestWarnings(tx, execution.request_id, outcome.warnings);
		await endExecution(ctx, tx, execution, final, {
			...values,
			rows_unknown: outcome.rowsUnknown,
			row_counts: JSON.stringify(outcome.rowCounts),
			warnings: JSON.stringify(outcome.warnings),
		});
	});
}

/** The rows whose result is not known, and warnings about an end that leaves things open. */
async function readOutcome(
	tx: Tx,
	execution: ExecutionRow,
	rows: number,
	end: Pick<JobEnd, "isGood" | "isCut" | "unread" | "lostEvents" | "ranOnHosts">,
): Promise<{
	readonly rowsUnknown: number;
	readonly rowCounts: RowCounts;
	readonly warnings: readonly AutomationWarning[];
}> {
	const found = await countRowTotals(tx.db, execution.id);
	const rowsUnknown = Math.max(0, rows - found.known);
	const rowCounts = countRowStatuses(rows, found.hidden, await countRowsByRank(tx.db, execution.id));
	return { rowsUnknown, rowCounts, warnings: listOutcomeWarnings({ ...found, ...end, rows }) };
}

async function sumHostTotals(
	ctx: Context,
	target: AutomationTarget,
	execution: ExecutionRow,
	found: readonly ServerNode[],
) {
	const ids =
		execution.job_type === "workflow_job"
			? found.flatMap((node) => (node.jobType === "job" && node.jobId !== null ? [node.jobId] : []))
			: [execution.job_id ?? 0];
	const sums = { hosts: 0, ok: 0, changed: 0, failed: 0 };
	let any = false;
	for (const id of ids) {
		const totals = await readIfShown(ctx.automation.hostTotals(target, id));
		if (totals === null) continue;
		any = true;
		sums.hosts = Math.max(sums.hosts, totals.hosts);
		sums.ok += totals.ok;
		sums.changed += totals.changed;
		sums.failed += totals.failed;
	}
	return any ? sums : null;
}

function buildPolledValues(state: JobState, polled: Pick<PollResult, "counts" | "task">) {
	return {
		...polled.counts,
		server_status: state.status,
		elapsed: state.elapsed,
		...(state.started === null ? {} : { started_at: new Date(state.started) }),
		...(polled.task === null ? {} : { current_task: polled.task }),
		missing_since: null,
	};
}

/**
 * Stores the state of the list answer, before the job itself is read. A final status is shown
 * by `pollExecution` only, which has read the last events of the job.
 */
export async function saveListedState(ctx: Context, execution: ExecutionRow, state: JobState): Promise<void> {
	const status = deriveExecutionStatus(state.status, execution.status);
	const isStored = status === execution.status && state.status === execution.server_status;
	if (isStored || isOtherJob(execution, state)) return;
	await saveExecution(ctx, execution, {
		server_status: state.status,
		status,
		elapsed: state.elapsed,
		...(state.started === null ? {} : { started_at: new Date(state.started) }),
		missing_since: null,
	});
}

/** Polls one execution. Throws AutomationError where the server does not answer. */
export async function pollExecution(
	ctx: Context,
	target: AutomationTarget,
	execution: ExecutionRow,
	state: JobState | undefined,
): Promise<void> {
	await (state === undefined ? recheckMissingJob(ctx, target, execution) : followJob(ctx, target, execution, state));
}

/**
 * Explains an error of one job on its execution, and polls it again later. The words for errors of
 * Weft name no value of the request, as its secrets may be unknown and nothing can be masked.
 */
export async function postponePoll(ctx: Context, execution: ExecutionRow, error: unknown): Promise<void> {
	const poll_at = getTimeIn(ctx, POSTPONED_MS);
	const problem = `Job ${execution.job_id} could not be polled`;
	if (error instanceof AutomationError) {
		const explanation = `${problem}: ${error.message} Weft polls it again in 30 s.`;
		return saveExecution(ctx, execution, { explanation, poll_at }).catch((saveError: unknown) =>
			postponePoll(ctx, execution, saveError),
		);
	}
	const explanation = `${problem} because of an internal error. Look at the log of the service. Weft polls it again in 30 s.`;
	await ctx.store.transaction(async (tx) => {
		const row = await lockOpenExecution(tx, execution.id);
		if (row === undefined) return;
		await updateExecutionRow(tx, row.id, { explanation, poll_at, updated_at: getNow(ctx) });
		publishExecutionChange(ctx, tx, row);
	});
}

/** Stores why the execution makes no progress; it is shown with its status. */
export async function saveExplanation(ctx: Context, execution: ExecutionRow, explanation: string): Promise<void> {
	await saveExecution(ctx, execution, { explanation });
}

function isSameValue(a: unknown, b: unknown): boolean {
	if (a instanceof Date || b instanceof Date) {
		return (a as Date | null)?.valueOf() === (b as Date | null)?.valueOf();
	}
	return a === b;
}

/**
 * Returns the artifacts as an object: a sentence where the server hides them, and a note where they
 * are too large to be stored.
 */
function getArtifacts(artifacts: unknown, mask: Mask): Record<string, unknown> {
	if (typeof artifacts === "string") return artifacts === "" ? {} : { hidden: formatStoredText(artifacts, mask) };
	if (typeof artifacts !== "object" || artifacts === null) return {};
	const text = JSON.stringify(maskValues(artifacts, mask)).toWellFormed().replaceAll("\\u0000", "");
	if (text.length > ARTIFACTS_MAX) return { too_large: `${text.length} characters` };
	return JSON.parse(text) as Record<string, unknown>;
}
