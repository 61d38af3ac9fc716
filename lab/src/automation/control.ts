/** Controls of the simulated AWX under `/_lab/`: JSON, no authentication; not in real servers. */
import { AUTOMATION_FAULTS, type Faults } from "./faults.ts";
import { presentJob } from "./present-jobs.ts";
import { isActive, type Runner } from "./runner.ts";
import { addTemplate } from "./seed.ts";
import type { Ask, Job, Template } from "./types.ts";
import { buildUuid, type World } from "./world.ts";

export interface RecordedRequest {
	readonly method: string;
	readonly target: string;
	readonly status: number;
	/** Milliseconds since 1970, of the simulator's clock. */
	readonly at: number;
}

export interface ControlParts {
	readonly world: () => World;
	readonly runner: () => Runner;
	readonly faults: Faults;
	readonly requests: () => readonly RecordedRequest[];
	readonly resetRequests: () => void;
	/** Back to the start. */
	readonly reset: () => void;
}

interface ControlReply {
	readonly status: number;
	readonly body: unknown;
}

export interface Control {
	handle(method: string, target: string, body: string): Promise<ControlReply>;
}

class BadRequest extends Error {}
type Body = Record<string, unknown>;

type Routes = Readonly<Record<string, (body: Body) => unknown>>;

function getJob(deps: ControlParts, body: Body): Job {
	const job = deps.world().jobs.get(Number(body.id));
	if (job === undefined) throw new BadRequest(`id: there is no job ${body.id}`);
	return job;
}

/** Health, requests, faults, behaviour and time of the simulator. */
function buildSimulatorRoutes(deps: ControlParts): Routes {
	return {
		"GET /_lab/health": () => ({ status: "ok", version: deps.world().version, jobs: deps.world().jobs.size }),
		"GET /_lab/stats": () => {
			const requests = deps.requests();
			return { requests: requests.length, recent: requests.slice(-500), jobs: deps.world().jobs.size };
		},
		"POST /_lab/stats/reset": () => {
			deps.resetRequests();
			return {};
		},
		"GET /_lab/faults": () => ({ faults: deps.faults.list(), known: AUTOMATION_FAULTS }),
		"POST /_lab/faults": (body) => {
			deps.faults.set(body);
			return { faults: deps.faults.list() };
		},
		"POST /_lab/behaviour": (body) => {
			const { behaviour } = deps.world();
			const was = behaviour.dispatcher;
			for (const [name, value] of Object.entries(body)) {
				if (!Object.hasOwn(behaviour, name)) throw new BadRequest(`${name}: there is no such setting`);
				(behaviour as unknown as Body)[name] = value;
			}
			if (!was && behaviour.dispatcher) deps.runner().resume();
			return behaviour;
		},
		"POST /_lab/advance": (body) => {
			const ms = Number(body.ms ?? Number(body.seconds ?? 1) * 1000);
			if (!(ms >= 0 && ms <= 1e12)) throw new BadRequest("ms: expected a number from 0 on");
			deps.world().time.advance(ms);
			return { now: new Date(deps.world().time.now()).toISOString() };
		},
		"POST /_lab/restart": () => {
			deps.runner().restart();
			return {};
		},
		"POST /_lab/reset": () => {
			deps.reset();
			return { status: "ok" };
		},
	};
}

/** Changes of jobs beside their script. */
function buildJobRoutes(deps: ControlParts): Routes {
	return {
		"GET /_lab/jobs": () => [...deps.world().jobs.values()].map((job) => presentJob(deps.world(), job, "list")),
		"POST /_lab/skip_ids": (body) => {
			deps.world().ids.job += Number(body.count ?? 16);
			return { next: deps.world().ids.job };
		},
		"POST /_lab/delete_job": (body) => {
			const job = getJob(deps, body);
			job.stop?.();
			deps.world().jobs.delete(job.id);
			return {};
		},
		/** A status that no release has had; null puts the true one back. */
		"POST /_lab/status": (body) => {
			getJob(deps, body).oddStatus = body.status === null ? null : String(body.status);
			return {};
		},
		/** An update of the project that is over, with a `status` and an `output`. */
		"POST /_lab/project_update": (body) => {
			const [user] = deps.world().users;
			if (user === undefined) throw new BadRequest("there is no user");
			const name = String(body.name ?? "Project");
			const update = deps.runner().create({ type: "project_update", template: null, templateId: 5, name, user });
			deps.runner().end(update, (body.status as Job["status"]) ?? "failed");
			deps.world().updateOutputs.set(update.id, String(body.output ?? ""));
			return { id: update.id };
		},
		"POST /_lab/end": (body) => {
			const job = getJob(deps, body);
			job.traceback = String(body.traceback ?? "");
			if (isActive(job))
				deps.runner().end(job, (body.status as Job["status"]) ?? "failed", String(body.explanation ?? ""));
			return {};
		},
	};
}

/** Templates, recordings and tokens. */
function buildTemplateRoutes(deps: ControlParts): Routes {
	return {
		/** As after a restore from an old backup: ids begin anew, the jobs are gone. */
		"POST /_lab/rebuild": (body) => {
			const { jobs, ids } = deps.world();
			for (const job of jobs.values()) job.stop?.();
			jobs.clear();
			ids.job = Number(body.first_id ?? 1);
			deps.world().installUuid = buildUuid(`rebuilt:${deps.world().time.now()}`);
			return { install_uuid: deps.world().installUuid };
		},
		"POST /_lab/revoke_tokens": () => {
			for (const token of deps.world().tokens) token.revoked = true;
			return {};
		},
		"POST /_lab/grant_tokens": () => {
			for (const token of deps.world().tokens) token.revoked = false;
			return {};
		},
		/**
		 * Changes or creates a template: `asks` is a list of words, other fields have internal names.
		 */
		"POST /_lab/template": (body) => {
			const { asks, id, ...rest } = body;
			const number = Number(id ?? deps.world().ids.template++);
			const known = deps.world().templates.get(number);
			const changed = {
				...rest,
				...(Array.isArray(asks) ? { asks: new Set(asks as Ask[]) } : {}),
			} as Partial<Template>;
			if (known) Object.assign(known, changed);
			else addTemplate(deps.world(), { id: number, name: `Template ${number}`, ...changed });
			return { id: number };
		},
		/** Jobs of the playbook play back a run of ansible-runner: its `events` and its `status`. */
		"POST /_lab/recording": ({ playbook, events, status }) => {
			if (typeof playbook !== "string" || !Array.isArray(events)) throw new BadRequest("expected playbook and events");
			deps.world().recordings.set(playbook, { events, status: status === "successful" ? "successful" : "failed" });
			return { playbook, events: events.length };
		},
	};
}

export function createControl(deps: ControlParts): Control {
	const routes: Routes = { ...buildSimulatorRoutes(deps), ...buildJobRoutes(deps), ...buildTemplateRoutes(deps) };
	return {
		async handle(method, target, text) {
			const route = routes[`${method} ${target.replace(/\?.*$/, "")}`];
			if (route === undefined) return { status: 404, body: { error: "there is nothing at this address" } };
			try {
				const body: unknown = text.trim() === "" ? {} : JSON.parse(text);
				if (typeof body !== "object" || body === null || Array.isArray(body))
					throw new BadRequest("expected an object");
				return { status: 200, body: route(body as Body) };
			} catch (error) {
				if (error instanceof Error) return { status: 400, body: { error: error.message } };
				throw error;
			}
		},
	};
}
