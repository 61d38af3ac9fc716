/** Follows one execution by one look at the server: state, events, nodes; and ends it when there is nothing more to come. */

import type { Updateable } from "kysely";
import type {
	AutomationDriver,
	AutomationTarget,
	JobDetail,
	JobState,
	ServerNode,
} from "../../ports/automation-server.ts";
import { AutomationError } from "../../ports/automation-server.ts";
import type { Clock } from "../../ports/clock.ts";
import type { AutomationExecutionsTable } from "../../ports/schema-automation.ts";
import type { Store } from "../../ports/store.ts";
import type { Contents, Watched } from "./contents.ts";
import { nextPoll, progressOf } from "./domain/progress.ts";
import { publishedResults } from "./domain/rows.ts";
import { isFinal, readStatus, shownStatus } from "./domain/status.ts";
import type { Ingest } from "./ingest.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { NodeFollower } from "./nodes.ts";
import type { ExecutionRepo, ExecutionRow } from "./repo.ts";
import type { PollRepo } from "./repo-polls.ts";
import type { StreamRepo } from "./repo-streams.ts";
import { type Counts, countsOf, type Seen } from "./seen.ts";

/** A final state waits so long for its events. */
const EVENTS_MS = 120_000;
/** A job that is not there is looked for once more after this. */
const MISSING_MS = 15_000;
const SOON_MS = 1_000;
const ARTIFACTS_MAX = 1_048_576;
const EXPLANATION_MAX = 2_000;

export interface FollowDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly automation: AutomationDriver;
	readonly executions: ExecutionRepo;
	readonly polls: PollRepo;
	readonly streams: StreamRepo;
	readonly lifecycle: Lifecycle;
	readonly contents: Contents;
	readonly ingest: Ingest;
	readonly nodes: NodeFollower;
}

export function createFollow(deps: FollowDeps) {
	const { store, clock, automation, executions, polls, streams, lifecycle, contents, ingest, nodes } = deps;
	const inMs = (ms: number) => new Date(clock.now() + ms);

	async function save(execution: ExecutionRow, values: Updateable<AutomationExecutionsTable>): Promise<void> {
		await store.transaction(async (tx) => {
			const row = await polls.lockOpen(tx, execution.id);
			if (row === undefined) return;
			const changes = Object.entries(values).some(
				([name, value]) => name !== "poll_at" && !same(value, row[name as keyof ExecutionRow]),
			);
			// Whoever hurried it meanwhile wants it looked at sooner.
			const hurried = row.poll_at !== null && execution.poll_at !== null && row.poll_at > execution.poll_at;
			await executions.update(tx, row.id, {
				...values,
				...(hurried && row.poll_at !== null ? { poll_at: row.poll_at } : {}),
				...(changes ? { updated_at: new Date(clock.now()) } : {}),
			});
			if (changes) lifecycle.tell(tx, row);
		});
	}

	/** The server does not know the job (any more), or knows another one under its id. */
	async function absent(target: AutomationTarget, execution: ExecutionRow): Promise<void> {
		const type = execution.job_type === "workflow_job" ? "workflow_job" : "job";
		let found: JobDetail | null = null;
		try {
			found = await automation.job(target, type, execution.job_id ?? 0);
		} catch (error) {
			if (!(error instanceof AutomationError) || error.kind !== "permission") throw error;
			const explanation = "The automation server does not show the job to the token's user.";
			return save(execution, { explanation, poll_at: inMs(MISSING_MS * 2) });
		}
		if (found !== null) return follow(target, execution, found);
		if (execution.missing_since === null) {
			return save(execution, { missing_since: new Date(clock.now()), poll_at: inMs(MISSING_MS) });
		}
		if (clock.now() - execution.missing_since.getTime() < MISSING_MS) return;
		await endAs(execution, `Job ${execution.job_id} does not exist on the automation server any more.`);
	}

	async function endAs(execution: ExecutionRow, error: string): Promise<void> {
		await store.transaction((tx) => lifecycle.end(tx, execution, "error", { error }));
	}

	function isOther(execution: ExecutionRow, state: JobState): boolean {
		const created = execution.job_created?.getTime() ?? 0;
		// Stored with milliseconds.
		return Math.abs(created - state.created) > 1_000;
	}

	async function follow(target: AutomationTarget, execution: ExecutionRow, state: JobState): Promise<void> {
		if (isOther(execution, state)) {
			return endAs(
				execution,
				`Job ${execution.job_id} of the automation server is another job now: the server was rebuilt or restored.`,
			);
		}
		const watched = await contents(store.db, execution.request_id);
		const word = readStatus(state.status);
		const over = word !== null && isFinal(word);
		if (over) return conclude(target, execution, state, watched);
		const seen = await look(target, execution, state, watched, false);
		await save(execution, {
			...valuesOf(execution, state, seen, false),
			progress: await progress(execution, seen.counts, watched),
			poll_at: new Date(seen.more ? clock.now() : nextPollOf(execution)),
		});
	}

	const nextPollOf = (execution: ExecutionRow): number => {
		const watching = execution.watched_until !== null && execution.watched_until.getTime() > clock.now();
		return nextPoll(clock.now(), execution.created_at.getTime(), watching);
	};

	async function progress(execution: ExecutionRow, counts: Counts, watched: Watched): Promise<number> {
		const rowsDone = watched.rowCount > 0 ? await streams.rowsDone(store.db, execution.id) : 0;
		return progressOf({
			tasks: counts.tasks_seen,
			tasksExpected: execution.tasks_expected,
			rowsDone,
			rows: watched.rowCount,
			before: execution.progress,
		});
	}

	/** Events of the job, or of the jobs of its nodes. */
	async function look(
		target: AutomationTarget,
		execution: ExecutionRow,
		state: JobState,
		watched: Watched,
		complete: boolean,
	): Promise<Seen> {
		if (execution.job_type === "workflow_job") return nodes.look(target, execution, watched);
		const stream = await streams.find(store.db, execution.id, execution.job_id ?? 0);
		if (stream === undefined || state.started === null) {
			const counts = countsOf(stream ? [stream] : []);
			return { counts, task: null, more: false, gap: false, waits: false, nodes: [] };
		}
		const taken = await ingest(target, execution, stream, watched, complete);
		const { task, more, gap } = taken;
		return { counts: countsOf([taken.stream]), task, more, gap, waits: false, nodes: [] };
	}

	/** The job is over: its last events, its totals, what it published - then the end, or another look soon. */
	async function conclude(
		target: AutomationTarget,
		execution: ExecutionRow,
		state: JobState,
		watched: Watched,
	): Promise<void> {
		const type = execution.job_type === "workflow_job" ? "workflow_job" : "job";
		const detail = await automation.job(target, type, execution.job_id ?? 0);
		if (detail === null) return absent(target, execution);
		const finalSeen = execution.final_seen_at ?? new Date(clock.now());
		const patient = clock.now() - finalSeen.getTime() < EVENTS_MS;
		// A workflow is over with its nodes; a job that never ran says nothing.
		const stored = detail.eventsStored !== false || detail.started === null;
		const seen = await look(target, execution, detail, watched, stored || !patient);
		const waits = type === "workflow_job" ? seen.waits : !stored;
		if (seen.more || ((waits || seen.gap) && patient)) {
			return save(execution, {
				...valuesOf(execution, state, seen, false),
				final_seen_at: finalSeen,
				progress: await progress(execution, seen.counts, watched),
				poll_at: seen.more ? new Date(clock.now()) : inMs(SOON_MS),
			});
		}
		const totals = await totalsOf(target, execution, seen.nodes);
		const status = readStatus(detail.status);
		if (status === null || status === "pending" || status === "waiting" || status === "running") {
			return save(execution, { poll_at: inMs(SOON_MS) });
		}
		const published = publishedResults(detail.artifacts, watched.content?.sheets ?? [], watched.mask);
		const whole = !waits && seen.counts.lost_events === 0;
		await store.transaction(async (tx) => {
			const values = {
				...valuesOf(execution, detail, seen, true),
				...(totals ? { ok_count: totals.ok, changed_count: totals.changed, failed_count: totals.failed } : {}),
				artifacts: JSON.stringify(artifactsOf(detail.artifacts, watched.mask)),
				output_complete: whole,
				final_seen_at: finalSeen,
				current_task: null,
				...(detail.taskCount === null ? {} : { tasks_seen: detail.taskCount }),
				...(detail.finished === null ? {} : { finished_at: new Date(detail.finished) }),
			};
			// What was cancelled because it was not what was asked for is an error, however it ended.
			const final = execution.error !== null ? "error" : status;
			if (!(await lifecycle.end(tx, execution, final, values))) return;
			await streams.replaceResults(tx, execution.id, published);
		});
	}

	async function totalsOf(target: AutomationTarget, execution: ExecutionRow, found: readonly ServerNode[]) {
		const ids =
			execution.job_type === "workflow_job"
				? found.flatMap((node) => (node.jobType === "job" && node.jobId !== null ? [node.jobId] : []))
				: [execution.job_id ?? 0];
		const sums = { ok: 0, changed: 0, failed: 0 };
		let any = false;
		for (const id of ids) {
			const totals = await automation.hostTotals(target, id);
			if (totals === null) continue;
			any = true;
			sums.ok += totals.ok;
			sums.changed += totals.changed;
			sums.failed += totals.failed;
		}
		return any ? sums : null;
	}

	function valuesOf(execution: ExecutionRow, state: JobState, seen: Pick<Seen, "counts" | "task">, complete: boolean) {
		return {
			...seen.counts,
			server_status: state.status,
			status: shownStatus(state.status, execution.status, complete),
			explanation: state.explanation.slice(0, EXPLANATION_MAX).toWellFormed(),
			elapsed: state.elapsed,
			...(state.started === null ? {} : { started_at: new Date(state.started) }),
			...(seen.task === null ? {} : { current_task: seen.task }),
			missing_since: null,
		};
	}

	return {
		/** One look at one execution. Throws AutomationError where the server does not answer. */
		async look(target: AutomationTarget, execution: ExecutionRow, state: JobState | undefined): Promise<void> {
			await (state === undefined ? absent(target, execution) : follow(target, execution, state));
		},

		/** The connection cannot be used any more: nobody will ever know. */
		giveUp: endAs,

		/** Lets people know why nothing moves. */
		async tellTrouble(execution: ExecutionRow, explanation: string): Promise<void> {
			await save(execution, { explanation });
		},
	};
}
export type Follow = ReturnType<typeof createFollow>;

function same(a: unknown, b: unknown): boolean {
	if (a instanceof Date || b instanceof Date) {
		return (a as Date | null)?.valueOf() === (b as Date | null)?.valueOf();
	}
	return a === b;
}

/** An object, whatever the server sends: a sentence where they are hidden, and nothing too large to keep. */
function artifactsOf(artifacts: unknown, mask: (text: string) => string): Record<string, unknown> {
	if (typeof artifacts === "string") return artifacts === "" ? {} : { hidden: artifacts };
	if (typeof artifacts !== "object" || artifacts === null) return {};
	const text = mask(JSON.stringify(artifacts)).toWellFormed().replaceAll("\\u0000", "");
	if (text.length > ARTIFACTS_MAX) return { too_large: `${text.length} characters` };
	return JSON.parse(text) as Record<string, unknown>;
}
