/** The life cycle of jobs by the clock: waiting, running, ending; cancel, restart, late events. */
import { createRandom } from "../controller/random.ts";
import { buildScript } from "./playbooks.ts";
import { scriptOfRun } from "./recorded-run.ts";
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

export function createRunner(world: World): Runner {
	const { time, behaviour } = world;
	const listeners: ((job: Job) => void)[] = [];
	const tell = (job: Job) => {
		for (const listener of listeners) listener(job);
	};

	function createJob(input: JobInput): Job {
		const { template } = input;
		const job: Job = {
			id: world.ids.job++,
			type: input.type ?? "job",
			template,
			templateId: input.templateId,
			name: input.name,
			user: input.user,
			created: time.now(),
			modified: time.now(),
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
		world.jobs.set(job.id, job);
		return job;
	}

	/** The job that keeps this one from starting. */
	function findBlocker(job: Job): Job | undefined {
		if (job.template === null || job.template.simultaneous || job.slice !== null) return undefined;
		for (const other of world.jobs.values()) {
			if (other.id >= job.id) return undefined;
			if (other.templateId === job.templateId && other.type === job.type && isActive(other)) return other;
		}
		return undefined;
	}

	function scheduleJob(job: Job): void {
		job.stop = time.after(behaviour.pending_ms, () => tryStartJob(job));
	}

	function tryStartJob(job: Job): void {
		if (job.status !== "pending" || !behaviour.dispatcher) return;
		const other = findBlocker(job);
		if (other !== undefined) {
			const left = job.created + EXPLAINS_AFTER_MS - time.now();
			const word = other.type === "workflow_job" ? "workflow_job" : "job";
			if (left <= 0) job.explanation = `waiting for ${word}-${other.id} to finish`;
			else job.stop = time.after(left, () => tryStartJob(job));
			return;
		}
		if (job.type === "workflow_job") {
			runJob(job);
			return;
		}
		setStatus(job, "waiting");
		job.stop = time.after(behaviour.waiting_ms, () => {
			if (behaviour.dispatcher) runJob(job);
		});
	}

	function setStatus(job: Job, status: JobStatus): void {
		job.status = status;
		job.modified = time.now();
	}

	function runJob(job: Job): void {
		job.started = time.now();
		job.explanation = "";
		setStatus(job, "running");
		if (job.type === "job") {
			const script = scriptFor(job);
			job.script = script;
			planEventStorage(job, script.length);
			job.stop = time.after(script.duration, () => behaviour.dispatcher && endJob(job, script.status));
		}
		tell(job);
	}

	function scriptFor(job: Job): Script {
		const playbook = job.template?.playbook ?? "";
		const { event_ms: gapMs, finish_ms: finishMs } = behaviour;
		const recording = world.recordings.get(playbook);
		if (recording !== undefined) return scriptOfRun(recording, gapMs, finishMs);
		const key = `${world.seed}:${job.id}`;
		const played = buildScript({
			playbook,
			key,
			hosts: listHosts(world, job),
			populated: (world.inventories.get(job.inventory ?? 0)?.hosts.length ?? 0) > 0,
			vars: job.extraVars,
			check: job.jobType === "check",
			gapMs,
			finishMs,
		});
		return withWarnings(played, job.extraVars, key);
	}

	/** Decides when each event is stored, and with which id. */
	function planEventStorage(job: Job, count: number): void {
		const { script } = job;
		if (script === null) return;
		const random = createRandom(world.seed + job.id * 7919);
		const { store_ms: late, batch_ms: batch, shuffle } = behaviour;
		const stored = new Float64Array(count);
		for (let index = 0; index < count; index++) {
			let at = (job.started ?? 0) + script.at(index).at + late;
			// Four receivers, each with a batch of its own.
			if (shuffle) at += random.next() * (behaviour.event_ms * 3 + late);
			if (batch > 0) at = Math.ceil(at / batch) * batch + (shuffle ? random.int(4) * (batch / 4) : 0);
			stored[index] = at;
		}
		const order = Array.from(stored.keys()).sort((a, b) => (stored[a] as number) - (stored[b] as number) || a - b);
		const rank = new Int32Array(count);
		for (const [place, index] of order.entries()) rank[index] = place;
		job.stored = stored;
		job.idRank = rank;
		job.events = count;
		job.firstEventId = world.ids.event;
		job.lost = new Set(behaviour.lose);
		world.ids.event += count;
	}

	function endJob(job: Job, status: JobStatus, explanation = ""): void {
		job.stop?.();
		job.stop = null;
		job.finished = time.now();
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
			behaviour.flag === "never" || explanation === REAPED || job.lost.size > 0
				? null
				: behaviour.flag === "late"
					? last + behaviour.flag_ms
					: last;
		setStatus(job, status);
		tell(job);
		// Checks jobs again that waited for this one.
		for (const other of world.jobs.values()) {
			if (other.status === "pending" && other.templateId === job.templateId && other.id > job.id) scheduleJob(other);
		}
	}

	return {
		create: createJob,
		begin: scheduleJob,
		end: endJob,
		onChange: (listener) => listeners.push(listener),
		cancel(job) {
			if (!isActive(job)) return false;
			const first = job.canceledOn === null;
			job.canceledOn ??= time.now();
			if (job.status !== "running") {
				endJob(job, "canceled");
				job.eventsDoneAt = job.finished;
			} else if (first && job.type === "job") {
				const script = job.script;
				const left = (job.started ?? 0) + (script?.duration ?? 0) - time.now();
				// It may end by itself before the cancel reaches it.
				if (left > behaviour.cancel_ms) {
					job.stop?.();
					job.stop = time.after(behaviour.cancel_ms, () => endJob(job, "canceled"));
				}
			}
			return true;
		},
		cancelEarly(job) {
			const { script } = job;
			if (script === null) return;
			const left = (job.started ?? 0) + script.duration - time.now();
			job.stop?.();
			job.canceledOn = time.now();
			job.finished = time.now();
			setStatus(job, "canceled");
			tell(job);
			job.stop = time.after(Math.max(0, left), () => endJob(job, script.status));
		},
		restart() {
			for (const job of world.jobs.values()) {
				if (job.status === "running" && job.type === "job") endJob(job, "failed", REAPED);
				else if (job.status === "pending" || job.status === "waiting") {
					job.status = "pending";
					scheduleJob(job);
				}
			}
		},
		resume() {
			for (const job of world.jobs.values()) {
				if (job.status === "pending") scheduleJob(job);
				else if (job.status === "waiting") runJob(job);
				else if (job.status === "running" && job.script !== null) {
					const script = job.script;
					const left = (job.started ?? 0) + script.duration - time.now();
					job.stop?.();
					job.stop = time.after(Math.max(0, left), () => endJob(job, script.status));
				}
			}
		},
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
export function storedEvents(world: World, job: Job): number[] {
	const now = world.time.now();
	const counters: number[] = [];
	for (let index = 0; index < job.events; index++) {
		if (!job.lost.has(index + 1) && (job.stored[index] as number) <= now) counters.push(index + 1);
	}
	return counters;
}

export const eventId = (job: Job, counter: number): number => job.firstEventId + (job.idRank[counter - 1] ?? 0);
