/**
 * Set-up of tests of automation jobs in change windows: a service with a simulated automation
 * server and a simulated controller of one clock, a plan of bridge domains, and a template whose
 * rows say what they change.
 */
import { type AutomationOptions, type RunningController, startController } from "@weft/lab";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { type Body, EXECUTIONS, REQUESTS, type Rig, startRig } from "./automation.ts";
import { addConnection, buildClassNode, connectNodes, output } from "./canvases.ts";
import type { TestUser } from "./harness.ts";
import { createEagerDriver } from "./runs.ts";
import { addQuery } from "./tasks.ts";
import { PLANS, WINDOWS } from "./windows.ts";

export const JOB_TENANT = "uni/tn-job-test";
const QUICK = { delay_s: 1, interval_s: 1, stable_rounds: 1, timeout_s: 30 };

export interface WindowJobs {
	rig: Rig;
	lab: RunningController;
	/** Asks for requests and windows. */
	alice: TestUser;
	/** An administrator, who approves and overrides. */
	kim: TestUser;
	fabric: string;
	query: string;
	/** Its rows declare bridge domains. */
	template: Body;
	plan(fields?: Body, user?: TestUser): Promise<Body>;
	/** A request of one row, with a new plan unless the fields name something else. */
	request(fields?: Body, template?: Body): Promise<Body>;
	read(path: string): Promise<Body>;
	readWindow(id: string): Promise<Body>;
	/** Executes a request; answers its newest execution. */
	execute(request: Body): Promise<Body>;
	/** Moves the clock until a window is in a state. */
	reach(id: string, state: string): Promise<Body>;
	/** The number of jobs of a request on the automation server. */
	countJobs(request: Body): Promise<number>;
	/** Writes a bridge domain at the controller. */
	writeDomain(name: string): Promise<void>;
	/** Makes the controller refuse what the before-phase reads, until it is called with false. */
	refuseReads(isRefused: boolean): void;
}

/**
 * For one test file. The returned fields are set before its first test begins.
 * @param automation options of the simulated automation server
 */
export function useWindowJobs(automation: AutomationOptions = {}): WindowJobs {
	let serial = 0;
	const jobs = {
		async plan(fields = {}, user = jobs.alice) {
			const plan = { name: `Domains ${++serial}`, items: [{ query: jobs.query }], settle: QUICK, ...fields };
			const answer = await user.api.post(PLANS, plan);
			expect(answer.status, answer.text).toBe(201);
			return answer.body;
		},
		async request(fields = {}, template = jobs.template) {
			const change = "change_window" in fields ? {} : { change_plan: fields.change_plan ?? (await jobs.plan()).id };
			const wanted = { target_controller: jobs.fabric, input_data: [{ name: `bd-${++serial}` }], ...change, ...fields };
			return jobs.rig.request(template, wanted);
		},
		read: async (path) => (await jobs.rig.t.admin.api.get(path)).body,
		readWindow: (id) => jobs.read(`${WINDOWS}${id}/`),
		execute: (request) => jobs.rig.execute(request),
		reach: (id, state) =>
			jobs.rig.settle(
				`the change window is ${state}`,
				async () => {
					const window = await jobs.readWindow(id);
					return window.state === state ? window : null;
				},
				1_000,
			),
		countJobs: async ({ id }) =>
			(await jobs.rig.lab.jobs()).filter((job) => String(job.extra_vars).includes(id)).length,
		async writeDomain(name) {
			const answer = await jobs.rig.t.admin.api.post("/api/controller/connections/execute_query/", {
				connection_id: jobs.fabric,
				query_path: `/api/mo/${JOB_TENANT}/BD-${name}.json`,
				method: "POST",
				data: { fvBD: { attributes: { dn: `${JOB_TENANT}/BD-${name}`, name } } },
			});
			expect(answer.status, answer.text).toBe(200);
		},
		refuseReads: (isRefused) => {
			if (isRefused) jobs.lab.setFaults({ access_denied: { match: "fvBD" } });
			else jobs.lab.clearFaults();
		},
	} as WindowJobs;
	beforeAll(async () => {
		const now = (): number => jobs.rig?.t.clock.now() ?? Date.parse("2026-01-15T10:00:00Z");
		jobs.lab = await startController({ size: "small", now });
		jobs.rig = await startRig({ lab: automation, deps: { controllers: createEagerDriver({ clock: { now } }) } });
		jobs.alice = jobs.rig.alice;
		jobs.kim = await jobs.rig.t.user("kim", ["Admin"]);
		jobs.fabric = await addConnection(jobs.alice.api, jobs.lab, { is_public: true });
		jobs.query = await addQuery(jobs.alice.api, {
			flow_data: connectNodes(buildClassNode("fvBD"), output),
			enable_time_machine: true,
		});
		const tenant = await jobs.rig.t.admin.api.post("/api/controller/connections/execute_query/", {
			connection_id: jobs.fabric,
			query_path: `/api/mo/${JOB_TENANT}.json`,
			method: "POST",
			data: { fvTenant: { attributes: { dn: JOB_TENANT, name: "job-test" } } },
		});
		expect(tenant.status, tenant.text).toBe(200);
		jobs.template = await jobs.rig.template({
			expects: [{ change: "added", class_name: "fvBD", dn: `${JOB_TENANT}/BD-{name}` }],
		});
	});
	afterEach(() => jobs.lab.clearFaults());
	afterAll(async () => {
		await jobs.rig.close();
		await jobs.lab.close();
	});
	return jobs;
}

export const getRequestPath = ({ id }: Body): string => `${REQUESTS}${id}/`;
export const getExecutionPath = ({ id }: Body): string => `${EXECUTIONS}${id}/`;
