/**
 * Set-up of tests of automation: the service, a simulated automation server with a connection to
 * it, and short ways to make templates and requests and to wait for their executions.
 */
import { type AutomationOptions, profileNamed, type RunningAutomation, startAutomation } from "@weft/lab";
import { expect } from "vitest";
import { createAutomationDriver } from "../../src/integrations/awx/index.ts";
import type { AutomationDriver } from "../../src/integrations/awx/port.ts";
import { startTestApp, type TestApp, type TestOptions, type TestUser, waitUntilAfter } from "./harness.ts";

export const API = "/api/automation/";
export const REQUESTS = `${API}requests/`;
export const EXECUTIONS = `${API}executions/`;

// The tests say what they expect of it.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Body = any;

export interface Rig {
	readonly t: TestApp;
	readonly lab: RunningAutomation;
	/** An operator, who made the connection and the templates. */
	readonly alice: TestUser;
	readonly connection: string;
	/** A template for a template of the lab: 22 takes rows and runs any number of jobs at once. */
	template(more?: Record<string, unknown>, user?: TestUser): Promise<Body>;
	/** A request with some rows; answers it. */
	request(template: Body, more?: Record<string, unknown>, user?: TestUser): Promise<Body>;
	/** Executes a request; answers its newest execution. */
	execute(request: Body, user?: TestUser): Promise<Body>;
	/** Moves the clock until the condition holds. */
	settle<T>(what: string, condition: () => Promise<T> | T, stepMs?: number): Promise<NonNullable<T>>;
	/**
	 * Waits until a request is over; answers it. The clock moves by half a second until there is a
	 * job, then by `stepMs`; from the beginning where the launch `isSent`.
	 */
	over(request: Body, stepMs?: number, isSent?: boolean): Promise<Body>;
	execution(id: string): Promise<Body>;
	listExecutions(request: Body): Promise<Body[]>;
	close(): Promise<void>;
}

/** Starts a server of the release that LAB_AUTOMATION_PROFILE names; absent: the lab chooses. */
export function startServer(options: AutomationOptions = {}): Promise<RunningAutomation> {
	const name = process.env.LAB_AUTOMATION_PROFILE;
	if (name === undefined) return startAutomation(options);
	const profile = profileNamed(name);
	if (profile === undefined) throw new Error(`LAB_AUTOMATION_PROFILE: there is no profile "${name}".`);
	return startAutomation({ profile, ...options });
}

let serial = 0;

interface RigOptions extends TestOptions {
	readonly lab?: AutomationOptions;
	/** Replaces calls of the driver; they may call the given one. */
	readonly changeDriver?: (driver: AutomationDriver) => Partial<AutomationDriver>;
}

export async function startRig(options: RigOptions = {}): Promise<Rig> {
	const { lab: labOptions, changeDriver = () => ({}), ...app } = options;
	const driver = createAutomationDriver({ pace: 0 });
	const deps = { automation: { ...driver, ...changeDriver(driver) }, ...app.deps };
	const [t, lab] = await Promise.all([startTestApp({ work: true, ...app, deps }), startServer(labOptions)]);
	const alice = await t.user("alice", ["Operator"]);
	const made = await alice.api.post(`${API}connections/`, {
		name: "Lab",
		base_url: lab.url,
		oauth_token: lab.token,
		username: "admin",
		is_public: true,
		is_default: true,
	});
	expect(made.status, made.text).toBe(201);
	const connection: string = made.body.id;

	const settle: Rig["settle"] = (what, condition, stepMs = 500) => waitUntilAfter(t.clock, stepMs, what, condition);
	const execution = async (id: string) => (await t.admin.api.get(`${EXECUTIONS}${id}/`)).body;
	const listExecutions = async ({ id }: Body): Promise<Body[]> =>
		(await t.admin.api.get(`${EXECUTIONS}?automation_request=${id}&ordering=created_at`)).body.results;

	return {
		t,
		lab,
		alice,
		connection,
		settle,
		execution,
		listExecutions,
		async template(more = {}, user = alice) {
			const { status, body, text } = await user.api.post(`${API}templates/`, {
				name: `Template ${++serial}`,
				automation_connection: connection,
				automation_job_template_id: 22,
				schema: [
					{ name: "name", field_type: "text", required: true },
					{ name: "rc", field_type: "number" },
					{ name: "skip", field_type: "boolean" },
					{ name: "unreachable", field_type: "boolean" },
				],
				...more,
			});
			expect(status, text).toBe(201);
			return body;
		},
		async request(template, more = {}, user = alice) {
			const { status, body, text } = await user.api.post(REQUESTS, {
				template: template.id,
				title: `Request ${++serial}`,
				input_data: [{ name: "r1" }, { name: "r2" }],
				...more,
			});
			expect(status, text).toBe(201);
			return body;
		},
		async execute(request, user = alice) {
			const { status, text } = await user.api.post(`${REQUESTS}${request.id}/execute/`);
			expect(status, text).toBe(202);
			return (await listExecutions(request)).at(-1);
		},
		async over(request, stepMs, isSent = false) {
			const read = async () => (await t.admin.api.get(`${REQUESTS}${request.id}/`)).body;
			const isOver = ({ status }: Body) => ["successful", "failed", "cancelled", "rejected"].includes(status);
			if (stepMs !== undefined && !isSent) {
				// A launch is given up after some seconds: long steps are for what follows it.
				await settle(`the request ${request.title} has its job`, async () => {
					const body = await read();
					return body.automation_job_id !== null || isOver(body);
				});
			}
			return settle(
				`the request ${request.title} is over`,
				async () => {
					const body = await read();
					return isOver(body) ? body : null;
				},
				stepMs,
			);
		},
		async close() {
			await t.close();
			await lab.close();
		},
	};
}
