/** Starts the simulated automation server (AWX), for tests in the same process and for `main`. */
import { createApi } from "./api.ts";
import { createControl, type RecordedRequest } from "./control.ts";
import { type AutomationFaults, createFaults } from "./faults.ts";
import { createLaunch } from "./launch.ts";
import { createNotificationRoutes } from "./notifications.ts";
import { PROFILES, type ProfileName } from "./profiles.ts";
import { createRoutes } from "./routes.ts";
import { createRunner, type Runner } from "./runner.ts";
import { createWorld } from "./seed.ts";
import { startServer } from "./server.ts";
import { createTime } from "./time.ts";
import type { Behaviour } from "./types.ts";
import { createWebhooks } from "./webhooks.ts";
import { createWorkflows } from "./workflows.ts";
import type { World } from "./world.ts";

export interface AutomationOptions {
	/** 0 takes any free port. */
	readonly port?: number;
	readonly host?: string;
	readonly seed?: number;
	readonly username?: string;
	readonly password?: string;
	/**
	 * Of the administrator, for writing. With `-read` at its end it is one for reading only, with
	 * `-auditor` that of a user who may read everything and launch nothing.
	 */
	readonly token?: string;
	/** Which release it is to be. */
	readonly profile?: ProfileName;
	/** Absent: that of the profile. */
	readonly version?: string;
	readonly behaviour?: Partial<Behaviour>;
	/** Milliseconds since 1970. */
	readonly now?: () => number;
	/** Called for each job that starts running, and for each that ends. */
	readonly onJob?: (job: JobNotice) => void;
}

/** A job, for programs that do what its playbook would do. */
export interface JobNotice {
	readonly id: number;
	/** Name of the job's template. */
	readonly template: string;
	readonly status: string;
	readonly check: boolean;
	readonly variables: Readonly<Record<string, unknown>>;
}

export interface RunningAutomation {
	readonly url: string;
	/** The address under which the objects are, with a slash at the end. */
	readonly apiUrl: string;
	readonly product: string;
	readonly version: string;
	readonly username: string;
	readonly password: string;
	readonly token: string;
	setFaults(faults: AutomationFaults): void;
	clearFaults(): void;
	/** Calls a control under `/_lab/`. @throws Error with the control's message */
	control(name: string, body?: Readonly<Record<string, unknown>>): Promise<unknown>;
	/** Requests since the start or the last reset. */
	requests(): readonly RecordedRequest[];
	resetRequests(): void;
	/** The jobs that there are, as the API's lists show them. */
	jobs(): Promise<readonly Readonly<Record<string, unknown>>[]>;
	close(): Promise<void>;
}

const SEEN_MAX = 200_000;

export async function startAutomation(options: AutomationOptions = {}): Promise<RunningAutomation> {
	const { host = "127.0.0.1", seed = 1, username = "admin", password = "weft-lab" } = options;
	const { token = "weft-lab-automation-token", now = Date.now } = options;
	const profile = PROFILES[options.profile ?? "awx_24"];
	const { version = profile.version } = options;
	const faults = createFaults();
	const requests: RecordedRequest[] = [];
	let url = "";

	function createParts() {
		const world: World = createWorld({
			time: createTime(now),
			seed,
			profile,
			version,
			username,
			password,
			token,
			uiUrl: url,
			behaviour: options.behaviour ?? {},
		});
		const runner: Runner = createRunner(world);
		const workflows = createWorkflows(world, runner);
		const webhooks = createWebhooks(world);
		runner.onChange(webhooks.changed);
		runner.onChange(({ id, name, status, jobType, extraVars }) =>
			options.onJob?.({ id, template: name, status, check: jobType === "check", variables: extraVars }),
		);
		const launch = createLaunch(world, runner, workflows);
		const routes = createRoutes({ world, runner, launch, workflows });
		const api = createApi(world, [routes, createNotificationRoutes(world, webhooks)]);
		return { world, runner, api };
	}
	let parts = createParts();

	function resetLab(): void {
		parts.world.time.clear();
		parts = createParts();
		faults.clear();
		requests.length = 0;
	}

	const control = createControl({
		world: () => parts.world,
		runner: () => parts.runner,
		faults,
		requests: () => requests,
		resetRequests: () => {
			requests.length = 0;
		},
		reset: resetLab,
	});
	const server = await startServer(
		{
			world: () => parts.world,
			api: () => parts.api,
			control,
			faults,
			record: (request) => {
				if (requests.length < SEEN_MAX) requests.push(request);
			},
		},
		host,
		options.port ?? 0,
	);
	url = `http://${host.includes(":") ? `[${host}]` : host}:${server.port}`;
	// The address is known only now; it stands in links to the user interface.
	parts = createParts();

	async function callControl(method: string, name: string, body: unknown): Promise<unknown> {
		parts.world.time.settle();
		const reply = await control.handle(method, `/_lab/${name}`, JSON.stringify(body));
		if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
		return reply.body;
	}

	return {
		url,
		apiUrl: url + profile.root,
		product: profile.product,
		version,
		username,
		password,
		token,
		setFaults: (given) => faults.set(given),
		clearFaults: () => faults.clear(),
		control: (name, body = {}) => callControl("POST", name, body),
		requests: () => requests,
		resetRequests: () => {
			requests.length = 0;
		},
		jobs: async () => (await callControl("GET", "jobs", {})) as Record<string, unknown>[],
		async close() {
			parts.world.time.clear();
			await server.close();
		},
	};
}
