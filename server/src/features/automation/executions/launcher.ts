/**
 * Launching: an intent becomes exactly one job, whatever dies meanwhile. The mark that something is
 * being sent is stored before it is sent; from then on the job is looked for on the server before
 * anything is sent again.
 */
import type { AutomationWarning } from "@weft/contracts";
import { isAllowed } from "../../../platform/caller.ts";
import {
	AutomationError,
	type AutomationTarget,
	type FoundJob,
	type LaunchInfo,
	type LaunchOutcome,
	type LaunchPayload,
} from "../../../ports/automation-server.ts";
import { type ExecutionDependencies, LAUNCH_QUEUE, REFERENCE, type RequestContent } from "./dependencies.ts";
import {
	ignoredWarning,
	isCandidate,
	isDistinguishable,
	isSought,
	launchMismatch,
	launchProblems,
	prepareLaunch,
	type Wanted,
} from "./domain/launch.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { ExecutionRow } from "./repo.ts";
import { findExecutionRow, findLastTaskCount } from "./repo.ts";
import {
	assignJob,
	claimLaunchStep,
	listClaimedJobs,
	listDueLaunches,
	markLaunchSending,
	markLaunchUnsent,
	rescheduleFutureLaunches,
} from "./repo-launch.ts";

import { buildWantedLaunch } from "./wanted.ts";

export type LauncherDeps = Pick<
	ExecutionDependencies,
	"store" | "jobs" | "clock" | "ids" | "log" | "automation" | "getIdentity" | "connection" | "content"
> & {
	readonly lifecycle: Lifecycle;
};

/**
 * Lease of a step, in milliseconds. After it, or after the death of its process, another process
 * takes the step: the marks themselves prevent a second launch.
 */
const STEP_MS = 10_000;
/**
 * Longest time between the mark and the request, in milliseconds. After a longer delay the launch
 * is not sent.
 */
const SEND_WITHIN_MS = 5_000;
/**
 * A lost launch is looked for this long: the server's own limits are 115 and 120 s, the driver's is
 * 125 s.
 */
const SEARCH_MS = 135_000;
const SKEW_MS = 60_000;
const FIRST_LOOK_MS = 1_000;
const LOOKS_MS = [1_000, 2_000, 5_000, 10_000, 20_000];
/** A server that cannot be reached is tried this long, while nothing was sent. */
const PATIENCE_MS = 5 * 60_000;
const ATTEMPTS = 3;
const BATCH = 50;

/** What a launch needs, once it is known that it may be made. */
interface Ready {
	readonly target: AutomationTarget;
	readonly content: RequestContent;
	readonly wanted: Wanted;
}

export function createLauncher(deps: LauncherDeps) {
	const { store, jobs, clock, ids, log, automation, lifecycle } = deps;
	const inMs = (ms: number) => new Date(clock.now() + ms);

	async function failExecution(
		execution: ExecutionRow,
		error: string,
		status: "error" | "cancelled" = "error",
	): Promise<void> {
		await store.transaction((tx) => lifecycle.end(tx, execution, status, { error }));
	}

	/** Everything that must hold before the server is asked; null: the execution has been ended. */
	async function makeReady(execution: ExecutionRow): Promise<Ready | null> {
		const content = await deps.content(store.db, execution.request_id);
		if (content === null) return failExecution(execution, "The request does not exist any more.").then(() => null);
		const found = await deps.connection(execution.connection_id);
		if (!("target" in found)) return failExecution(execution, found.message).then(() => null);
		return { target: found.target, content, wanted: buildWantedLaunch(content, execution.reference) };
	}

	/** Why the launching user may not launch any more; null if they may. */
	async function findLaunchRefusal(execution: ExecutionRow): Promise<string | null> {
		const identity = execution.launched_by_id === null ? null : await deps.getIdentity(execution.launched_by_id);
		if (identity === null) return `${execution.launched_by} is not active any more.`;
		return isAllowed(identity, "launch_automationrequest")
			? null
			: `${execution.launched_by} may not launch automation requests any more.`;
	}

	async function retryLater(execution: ExecutionRow, error: AutomationError): Promise<void> {
		if (!error.retryable || clock.now() - execution.created_at.getTime() > PATIENCE_MS)
			return failExecution(execution, error.message);
		const wait = Math.max(error.retryAfterMs ?? 0, 5_000);
		await rescheduleFutureLaunches(store.db, execution.id, new Date(clock.now()), inMs(wait));
	}

	// --- sending

	async function launchJob(execution: ExecutionRow): Promise<void> {
		if (execution.cancel_requested_at !== null)
			return failExecution(execution, "It was cancelled before it was launched.", "cancelled");
		const refusal = await findLaunchRefusal(execution);
		if (refusal !== null) return failExecution(execution, refusal);
		const ready = await makeReady(execution);
		if (ready === null) return;
		try {
			const { target, wanted } = ready;
			const info = await automation.template(target, execution.kind, execution.server_template_id);
			const problems = Object.values(launchProblems(info, wanted)).flat();
			if (problems.length > 0) return await failExecution(execution, problems.join(" "));
			const kind = await findKind(target, info, wanted);
			const prepared = prepareLaunch(info, wanted, REFERENCE, kind);
			await sendLaunch(execution, ready, info, prepared.payload, prepared.referenceSent, prepared.warnings);
		} catch (error) {
			if (!(error instanceof AutomationError)) throw error;
			await retryLater(execution, error);
		}
	}

	const findKind = async (target: AutomationTarget, info: LaunchInfo, { credentialId }: Wanted) =>
		credentialId !== null && info.asks.credential && info.credentials.length > 0
			? automation.credentialKind(target, credentialId)
			: null;

	async function sendLaunch(
		execution: ExecutionRow,
		ready: Ready,
		info: LaunchInfo,
		payload: LaunchPayload,
		referenceSent: boolean,
		warnings: readonly AutomationWarning[],
	): Promise<void> {
		const token = ids.uuid();
		const sentAt = new Date(clock.now());
		const tasksExpected = await findLastTaskCount(store.db, execution.connection_id, execution.server_template_id);
		const marked = await store.transaction((tx) =>
			markLaunchSending(tx, execution.id, {
				token,
				sentAt,
				referenceSent: execution.relaunch_of === null ? referenceSent : execution.reference_sent,
				since: new Date((info.serverTime ?? sentAt.getTime()) - SKEW_MS),
				lookupAt: inMs(STEP_MS),
				varsBytes: JSON.stringify(payload.extraVars).length,
				tasksExpected,
			}),
		);
		if (!marked) return;
		if (clock.now() - sentAt.getTime() > SEND_WITHIN_MS) return;
		const outcome = await carryOut(execution, ready, payload);
		await recordLaunchOutcome(execution, ready, token, outcome, warnings);
	}

	async function carryOut(execution: ExecutionRow, { target }: Ready, payload: LaunchPayload): Promise<LaunchOutcome> {
		if (execution.relaunch_of === null) {
			return automation.launch(target, execution.kind, execution.server_template_id, payload);
		}
		const before = await findExecutionRow(store.db, execution.relaunch_of);
		if (before?.job_id == null) {
			const error = new AutomationError("not_found", "The job that was to be launched again is not known any more.");
			return { kind: "refused", error };
		}
		const type = before.job_type === "workflow_job" ? "workflow_job" : "job";
		return automation.relaunch(target, type, before.job_id, execution.relaunch_hosts ?? "all");
	}

	async function recordLaunchOutcome(
		execution: ExecutionRow,
		{ target, wanted }: Ready,
		token: string,
		outcome: LaunchOutcome,
		warnings: readonly AutomationWarning[],
	): Promise<void> {
		if (outcome.kind === "launched") {
			const { job } = outcome;
			const ignored = ignoredWarning(job.ignored);
			const all = [...warnings, ...(ignored ? [ignored] : [])];
			const adopted = await adoptJob(execution, { ...job, problem: launchMismatch(job, wanted) }, all);
			if (!adopted) await dropSurplus(execution, target, job);
			return;
		}
		if (outcome.kind === "unknown") {
			log.warn(
				{ execution: execution.id, reason: outcome.error.kind },
				"the answer to a launch was lost; the job is looked for",
			);
			await rescheduleFutureLaunches(store.db, execution.id, new Date(clock.now()), inMs(FIRST_LOOK_MS));
			return;
		}
		const { error } = outcome;
		const patient = clock.now() - execution.created_at.getTime() <= PATIENCE_MS;
		if (error.retryable && patient) {
			const at = inMs(Math.max(error.retryAfterMs ?? 0, 5_000));
			await store.transaction((tx) => markLaunchUnsent(tx, execution.id, token, at));
			return;
		}
		await store.transaction(async (tx) => {
			// Only who sent it may say that there is none.
			if (await markLaunchUnsent(tx, execution.id, token, inMs(STEP_MS))) {
				await lifecycle.end(tx, execution, "error", { error: error.message });
			}
		});
	}

	/** False when the execution has another job, or is over: this one is one too many. */
	async function adoptJob(
		execution: ExecutionRow,
		job: { id: number; type: string; created: number; problem: string | null },
		warnings: readonly AutomationWarning[],
	): Promise<boolean> {
		return store.transaction(async (tx) => {
			const jobCreated = new Date(job.created);
			const how = await assignJob(tx, execution.id, { jobId: job.id, jobType: job.type, jobCreated });
			if (how !== "done") {
				const row = await findExecutionRow(tx.db, execution.id);
				return row?.job_id === job.id;
			}
			await lifecycle.launched(tx, execution, job, warnings, job.problem);
			return true;
		});
	}

	async function dropSurplus(
		execution: Pick<ExecutionRow, "id">,
		target: AutomationTarget,
		job: Pick<FoundJob, "id" | "type">,
	): Promise<void> {
		log.error({ execution: execution.id, job: job.id }, "a launch made one job too many, which is cancelled");
		await automation.cancel(target, job.type, job.id).catch((error: unknown) => {
			const reason = error instanceof AutomationError ? error.kind : "internal";
			log.error({ execution: execution.id, job: job.id, reason }, "a job too many could not be cancelled");
		});
	}

	// --- search for the launched job

	async function searchLaunchedJob(execution: ExecutionRow): Promise<void> {
		const ready = await makeReady(execution);
		if (ready === null) return;
		const waited = clock.now() - (execution.sent_at ?? execution.created_at).getTime();
		let candidates: Awaited<ReturnType<typeof listCandidates>>;
		try {
			candidates = await listCandidates(execution, ready);
		} catch (error) {
			if (!(error instanceof AutomationError)) throw error;
			if (error.retryable || waited < SEARCH_MS)
				return rescheduleFutureLaunches(store.db, execution.id, new Date(clock.now()), inMs(10_000));
			return failExecution(
				execution,
				"Whether the job was launched is not known: the launch was not answered, and the jobs of the " +
					`template cannot be read (${error.message}) Look at the automation server before you try again.`,
			);
		}
		const [found, ...surplus] = candidates.ours;
		if (found !== undefined) {
			const problem =
				launchMismatch({ jobType: found.jobType, ignored: {} }, ready.wanted) ?? lostRows(found, ready.wanted);
			const lost: AutomationWarning = {
				code: "answer_lost",
				message: "The answer to the launch was lost; the job was found by its reference.",
			};
			await adoptJob(execution, { ...found, problem }, [lost]);
			for (const job of surplus) await dropSurplus(execution, ready.target, job);
			return;
		}
		if (waited < SEARCH_MS)
			return rescheduleFutureLaunches(store.db, execution.id, new Date(clock.now()), inMs(lookAfter(waited)));
		const { doubtful } = candidates;
		if (doubtful.length > 0) {
			return failExecution(
				execution,
				"Whether the job was launched is not known: the launch was not answered, the template takes " +
					`nothing by which its jobs could be told apart, and there are new ones (${doubtful.join(", ")}). ` +
					"Look at the automation server before you try again.",
			);
		}
		if (execution.cancel_requested_at !== null) {
			return failExecution(execution, "It was cancelled; the server has no job of it.", "cancelled");
		}
		if (execution.launch_attempt >= ATTEMPTS) {
			return failExecution(execution, `The automation server did not take the launch in ${ATTEMPTS} attempts.`);
		}
		// The server has no such job, and will not get one any more: it may be sent again.
		const again = await store.transaction((tx) =>
			markLaunchUnsent(tx, execution.id, execution.launch_token ?? "", new Date(clock.now())),
		);
		if (again) log.warn({ execution: execution.id }, "a launch left no job and is sent again");
	}

	/**
	 * Jobs that are the one that was sent; and, where there is nothing to know it by, those that may
	 * be.
	 */
	async function listCandidates(
		execution: ExecutionRow,
		{ target, wanted }: Ready,
	): Promise<{ ours: FoundJob[]; doubtful: number[] }> {
		const since = (execution.server_since ?? execution.created_at).getTime();
		const before = execution.relaunch_of === null ? null : await findExecutionRow(store.db, execution.relaunch_of);
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
		const found = await automation.launchedSince(target, kind, templateId, since);
		const ids = found.map(({ id }) => id);
		const claimed = await listClaimedJobs(store.db, execution.connection_id, ids);
		const free = found.filter(({ id }) => !claimed.has(id));
		const ours = free.filter((job) => isSought(job, sought)).sort((a, b) => a.id - b.id);
		return {
			ours,
			doubtful: isDistinguishable(sought) ? [] : free.filter((job) => isCandidate(job, sought)).map(({ id }) => id),
		};
	}

	/**
	 * One step of a launch, if it can be had. Safe to be called any number of times, at once or in
	 * turn.
	 */
	async function runLaunchStep(executionId: string): Promise<void> {
		const now = clock.now();
		if (!(await claimLaunchStep(store.db, executionId, new Date(now), new Date(now + STEP_MS)))) return;
		const execution = await findExecutionRow(store.db, executionId);
		if (execution?.launch_state === "intent") await launchJob(execution);
		else if (execution?.launch_state === "sending") await searchLaunchedJob(execution);
	}

	return {
		handle: (data: unknown): Promise<void> => runLaunchStep((data as { executionId: string }).executionId),

		/** Puts launches whose next step is due into the queue. */
		async sweep(): Promise<void> {
			const due = await listDueLaunches(store.db, new Date(clock.now()), BATCH);
			if (due.length === 0) return;
			await store.transaction(async (tx) => {
				for (const executionId of due) await jobs.enqueue(tx, LAUNCH_QUEUE, { executionId }, { key: executionId });
			});
		},

		/**
		 * Returns why a request could not be launched now, for a caller who waits for the answer.
		 * @throws AutomationError
		 */
		async problems(
			target: AutomationTarget,
			kind: ExecutionRow["kind"],
			serverTemplateId: number,
			content: RequestContent,
		): Promise<Record<string, string[]>> {
			const info = await automation.template(target, kind, serverTemplateId);
			return launchProblems(info, buildWantedLaunch(content, ""));
		},
	};
}

export type Launcher = ReturnType<typeof createLauncher>;

/** A job that was found by its reference must have the rows, too. */
function lostRows(job: FoundJob, wanted: Wanted): string | null {
	const lost = wanted.rowVariables.filter((name) => !Object.hasOwn(job.extraVars, name));
	return lost.length === 0
		? null
		: `The automation server dropped the rows (${lost.join(", ")}): the job is cancelled.`;
}

const lookAfter = (waited: number): number => LOOKS_MS.find((ms) => waited < ms * 3) ?? (LOOKS_MS.at(-1) as number);
