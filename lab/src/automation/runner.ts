/** The life cycle of jobs by the clock: waiting, running, ending; cancel, restart, late events. */
import { createRandom } from "../controller/random.ts";
import { buildScript } from "./playbooks.ts";
import { buildRunScript } from "./recorded-run.ts";
import { withWarnings } from "./script.ts";
import type { Job, JobStatus, Script, Template, User } from "./types.ts";
import type { World } from "./world.ts";

const ACTIVE: readonly JobStatus[] = ["pending", "waiting", "running"];
export const isActive = (job: Job): boolean => ACTIVE.includes(job.status);
/** After that a job says what it waits for. */
const EXPLAINS_AFTER_MS = 30_000;
const REAPED =
	"Task was marked as running at system start up. The system must have not shut down properly, so it has been marked as failed.";

export interface JobInput {
	readonly template: Template | null;
	readonly templateId: number;
	readonly type?: Job["type"];
	readonly name: string;
	readonly user: User;
	readonly launchType?: string;
	readonly extraVars?: Readonly<Record<string, unknown>>;
	readonly secretVars?: ReadonlySet<string>;
	readonly jobType?: "run" | "check";
	readonly limit?: string;
	readonly inventory?: number | null;
	readonly verbosity?: number;
	readonly credentials?: readonly number[];
	readonly parent?: number | null;
	readonly slice?: Job["slice"];
	readonly sliced?: boolean;
	readonly prompts?: Job["prompts"];
}

export interface Runner {
	/** A new job, pending. */
	create(input: JobInput): Job;
	/** Lets it go its way. */
	begin(job: Job): void;
	end(job: Job, status: JobStatus, explanation?: string): void;
	/** False when it is over already. */
	cancel(job: Job): boolean;
	/** Says that a running job is cancelled, and lets it run on to its own end. */
	cancelEarly(job: Job): void;
	/** The dispatcher is back: what ran is lost, what waits goes on. */
	restart(): void;
	/** The dispatcher is up again without a restart. */
	resume(): void;
	/** Called for each job that starts running, and for each that ends. */
	onChange(listener: (job: Job) => void): void;
}

/** The world whose jobs run, and the listeners for their changes. */
interface RunnerState {
	readonly listeners: ((job: Job) => void)[];
	readonly world: World;
}

function notifyListeners(runner: RunnerState, job: Job) {
	for (const listener of runner.listeners) listener(job);
}

function createJob(runner: RunnerState, input: JobInput): Job {
	const { template } = input;
	const job: Job = {
		id: runner.world.ids.job++,
		type: input.type ?? "job",
		template,
		templateId: input.templateId,
		name: input.name,
		user: input.user,
		created: runner.world.time.now(),
		modified: runner.world.time.now(),
		status: "pending",
		started: null,
		finished: null,
		canceledOn: null,
		explanation: "",
		traceback: "",
		launchType: input.launchType ?? "manual",
		extraVars: input.extraVars ?? {},
		secretVars: input.secretVars ?? new Set(),
		jobType: input.jobType ?? template?.jobType ?? "run",
		limit: input.limit ?? template?.limit ?? "",
		inventory: input.inventory === undefined ? (template?.inventory ?? null) : input.inventory,
		prompts: input.prompts ?? {},
		verbosity: input.verbosity ?? template?.verbosity ?? 0,
		credentials: input.credentials ?? template?.credentials ?? [],
		parent: input.parent ?? null,
		slice: input.slice ?? null,
		script: null,
		events: 0,
		firstEventId: 0,
		stored: new Float64Array(0),
		idRank: new Int32Array(0),
		lost: new Set(),
		eventsDoneAt: null,
		nodes: [],
		sliced: input.sliced ?? false,
		oddStatus: null,
		stop: null,
	};
	runner.world.jobs.set(job.id, job);
	return job;
}

/** The job that keeps this one from starting. */
function findBlocker(runner: RunnerState, job: Job): Job | undefined {
	if (job.template === null || job.template.simultaneous || job.slice !== null) return undefined;
	for (const other of runner.world.jobs.values()) {
		if (other.id >= job.id) return undefined;
		if (other.templateId === job.templateId && other.type === job.type && isActive(other)) return other;
	}
	return undefined;
}

function scheduleJob(runner: RunnerState, job: Job): void {
	job.stop = runner.world.time.after(runner.world.behaviour.pending_ms, () => tryStartJob(runner, job));
}

function tryStartJob(runner: RunnerState, job: Job): void {
	if (job.status !== "pending" || !runner.world.behaviour.dispatcher) return;
	const other = findBlocker(runner, job);
	if (other !== undefined) {
		const left = job.created + EXPLAINS_AFTER_MS - runner.world.time.now();
		const word = other.type === "workflow_job" ? "workflow_job" : "job";
		if (left <= 0) job.explanation = `waiting for ${word}-${other.id} to finish`;
		else job.stop = runner.world.time.after(left, () => tryStartJob(runner, job));
		return;
	}
	if (job.type === "workflow_job") {
		runJob(runner, job);
		return;
	}
	setStatus(runner, job, "waiting");
	job.stop = runner.world.time.after(runner.world.behaviour.waiting_ms, () => {
		if (runner.world.behaviour.dispatcher) runJob(runner, job);
	});
}

function setStatus(runner: RunnerState, job: Job, status: JobStatus): void {
	job.status = status;
	job.modified = runner.world.time.now();
}

function runJob(runner: RunnerState, job: Job): void {
	job.started = runner.world.time.now();
	job.explanation = "";
	setStatus(runner, job, "running");
	if (job.type === "job") {
		const script = buildJobScript(runner, job);
		job.script = script;
		planEventStorage(runner, job, script.length);
		job.stop = runner.world.time.after(
			script.duration,
			() => runner.world.behaviour.dispatcher && endJob(runner, job, script.status),
		);
	}
	notifyListeners(runner, job);
}

function buildJobScript(runner: RunnerState, job: Job): Script {
	const playbook = job.template?.playbook ?? "";
	const { event_ms: gapMs, finish_ms: finishMs } = runner.world.behaviour;
	const recording = runner.world.recordings.get(playbook);
	if (recording !== undefined) return buildRunScript(recording, gapMs, finishMs);
	const key = `${runner.world.seed}:${job.id}`;
	const played = buildScript({
		playbook,
		key,
		hosts: listHosts(runner.world, job),
		populated: (runner.world.inventories.get(job.inventory ?? 0)?.hosts.length ?? 0) > 0,
		vars: job.extraVars,
		check: job.jobType === "check",
		gapMs,
		finishMs,
	});
	return withWarnings(played, job.extraVars, key);
}

/** Decides when each event is stored, and with which id. */
function planEventStorage(runner: RunnerState, job: Job, count: number): void {
	const { script } = job;
	if (script === null) return;
	const random = createRandom(runner.world.seed + job.id * 7919);
	const { store_ms: late, batch_ms: batch, shuffle } = runner.world.behaviour;
	const stored = new Float64Array(count);
	for (let index = 0; index < count; index++) {
		let at = (job.started ?? 0) + script.at(index).at + late;
		// Four receivers, each with a batch of its own.
		if (shuffle) at += random.next() * (runner.world.behaviour.event_ms * 3 + late);
		if (batch > 0) at = Math.ceil(at / batch) * batch + (shuffle ? random.int(4) * (batch / 4) : 0);
		stored[index] = at;
	}
	const order = Array.from(stored.keys()).sort((a, b) => (stored[a] as number) - (stored[b] as number) || a - b);
	const rank = new Int32Array(count);
	for (const [place, index] of order.entries()) rank[index] = place;
	job.stored = stored;
	job.idRank = rank;
	job.events = count;
	job.firstEventId = runner.world.ids.event;
	job.lost = new Set(runner.world.behaviour.lose);
	runner.world.ids.event += count;
}

function endJob(runner: RunnerState, job: Job, status: JobStatus, explanation = ""): void {
	job.stop?.();
	job.stop = null;
	job.finished = runner.world.time.now();
	if (explanation !== "") job.explanation = explanation;
	const sinceStart = job.finished - (job.started ?? job.finished);
	if (job.script !== null && status === job.script.status && explanation === "") job.events = job.script.length;
	else if (job.script !== null) {
		let happened = 0;
		while (happened < job.script.length && job.script.at(happened).at <= sinceStart) happened++;
		job.events = happened;
	}
	let last = job.finished;
	for (let index = 0; index < job.events; index++) last = Math.max(last, job.stored[index] as number);
	job.eventsDoneAt =
		runner.world.behaviour.flag === "never" || explanation === REAPED || job.lost.size > 0
			? null
			: runner.world.behaviour.flag === "late"
				? last + runner.world.behaviour.flag_ms
				: last;
	setStatus(runner, job, status);
	notifyListeners(runner, job);
	// Checks jobs again that waited for this one.
	for (const other of runner.world.jobs.values()) {
		if (other.status === "pending" && other.templateId === job.templateId && other.id > job.id)
			scheduleJob(runner, other);
	}
}

function cancelJob(runner: RunnerState, job: Job): boolean {
	if (!isActive(job)) return false;
	const first = job.canceledOn === null;
	job.canceledOn ??= runner.world.time.now();
	if (job.status !== "running") {
		endJob(runner, job, "canceled");
		job.eventsDoneAt = job.finished;
	} else if (first && job.type === "job") {
		const script = job.script;
		const left = (job.started ?? 0) + (script?.duration ?? 0) - runner.world.time.now();
		// It may end by itself before the cancel reaches it.
		if (left > runner.world.behaviour.cancel_ms) {
			job.stop?.();
			job.stop = runner.world.time.after(runner.world.behaviour.cancel_ms, () => endJob(runner, job, "canceled"));
		}
	}
	return true;
}

function cancelEarly(runner: RunnerState, job: Job): void {
	const { script } = job;
	if (script === null) return;
	const left = (job.started ?? 0) + script.duration - runner.world.time.now();
	job.stop?.();
	job.canceledOn = runner.world.time.now();
	job.finished = runner.world.time.now();
	setStatus(runner, job, "canceled");
	notifyListeners(runner, job);
	job.stop = runner.world.time.after(Math.max(0, left), () => endJob(runner, job, script.status));
}

function restartJobs(runner: RunnerState): void {
	for (const job of runner.world.jobs.values()) {
		if (job.status === "running" && job.type === "job") endJob(runner, job, "failed", REAPED);
		else if (job.status === "pending" || job.status === "waiting") {
			job.status = "pending";
			scheduleJob(runner, job);
		}
	}
}

function resumeJobs(runner: RunnerState): void {
	for (const job of runner.world.jobs.values()) {
		if (job.status === "pending") scheduleJob(runner, job);
		else if (job.status === "waiting") runJob(runner, job);
		else if (job.status === "running" && job.script !== null) {
			const script = job.script;
			const left = (job.started ?? 0) + script.duration - runner.world.time.now();
			job.stop?.();
			job.stop = runner.world.time.after(Math.max(0, left), () => endJob(runner, job, script.status));
		}
	}
}

export function createRunner(world: World): Runner {
	const runner: RunnerState = { world, listeners: [] };

	return {
		create: (input) => createJob(runner, input),
		begin: (job) => scheduleJob(runner, job),
		end: (job, status, explanation) => endJob(runner, job, status, explanation),
		onChange: (listener) => runner.listeners.push(listener),
		cancel: (job) => cancelJob(runner, job),
		cancelEarly: (job) => cancelEarly(runner, job),
		restart: () => restartJobs(runner),
		resume: () => resumeJobs(runner),
	};
}

/** The hosts of a job's inventory that its limit leaves. */
export function listHosts(world: World, job: Pick<Job, "inventory" | "limit" | "slice">): string[] {
	const names = (world.inventories.get(job.inventory ?? 0)?.hosts ?? []).map(({ name }) => name);
	const wanted = job.limit.split(/[,:]/).map((word) => word.trim());
	const left = job.limit === "" ? names : names.filter((name) => wanted.includes(name));
	const { slice } = job;
	return slice === null ? left : left.filter((_, at) => at % slice.count === slice.number - 1);
}

/** Counters of the events that are stored by now, in the order that is asked for. */
export function listStoredEvents(world: World, job: Job): number[] {
	const now = world.time.now();
	const counters: number[] = [];
	for (let index = 0; index < job.events; index++) {
		if (!job.lost.has(index + 1) && (job.stored[index] as number) <= now) counters.push(index + 1);
	}
	return counters;
}

export const createEventId = (job: Job, counter: number): number => job.firstEventId + (job.idRank[counter - 1] ?? 0);
