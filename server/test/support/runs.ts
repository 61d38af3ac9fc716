/**
 * Set-up of tests of runs: the service with its workers, the simulated controller, a user with a
 * connection to it, and short ways to start runs and wait for them.
 */
import { type ControllerOptions, type RunningController, startController } from "@weft/lab";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { createControllerDriver } from "../../src/integrations/apic/index.ts";
import type { ControllerDriver } from "../../src/integrations/apic/port.ts";
import { addConnection, type Row, RUNS, waitForRun } from "./canvases.ts";
import { type Api, startTestApp, type TestApp, type TestUser } from "./harness.ts";

export interface Runs {
	t: TestApp;
	lab: RunningController;
	ada: TestUser;
	/** Ada's, to the lab. */
	connection: string;
	/** Starts a run and returns its id. */
	start(flow_data: unknown, more?: Record<string, unknown>, api?: Api): Promise<string>;
	detail(id: string): ReturnType<typeof waitForRun>;
	/** A run that must succeed, to its end. */
	run(flow_data: unknown, more?: Record<string, unknown>): Promise<Finished>;
	/** Sends a query to the controller itself. */
	ask(path: string): Promise<Row[]>;
}

interface Finished {
	readonly job: Awaited<ReturnType<typeof waitForRun>>;
	/** The first 200. */
	readonly rows: Row[];
	readonly count: number;
}

/** The real driver, without a pause before a retry. */
export const createEagerDriver = (more: Partial<Parameters<typeof createControllerDriver>[0]> = {}): ControllerDriver =>
	createControllerDriver({
		clock: { now: () => Date.now() },
		sleep: async (_ms, signal) => signal.throwIfAborted(),
		...more,
	});

/**
 * Sets up one test file. The returned fields are set before its first test begins. The simulated
 * controller's faults are cleared after each test.
 */
export function useRuns(
	options: { lab?: ControllerOptions; driver?: ControllerDriver; connection?: object } = {},
): Runs {
	const runs = {
		async start(flow_data, more = {}, api = runs.ada.api) {
			const body = { flow_data, controller_connection_id: runs.connection, ...more };
			const answer = await api.post(RUNS, body);
			expect(answer.status, answer.text).toBe(201);
			return answer.body.id;
		},
		detail: async (id) => (await runs.ada.api.get(`${RUNS}${id}/`)).body,
		async run(flow_data, more) {
			const job = await waitForRun(runs.ada.api, await runs.start(flow_data, more));
			expect(job, JSON.stringify(job.errors)).toMatchObject({ status: "completed", progress_percentage: 100 });
			const { body } = await runs.ada.api.get(`${job.results_url}?page_size=200`);
			expect(body.count).toBe(job.total_rows);
			return { job, rows: body.results, count: body.count };
		},
		async ask(path) {
			const { status, body, text } = await runs.ada.api.post("/api/controller/connections/execute_query/", {
				connection_id: runs.connection,
				query_path: path,
				method: "GET",
			});
			expect(status, text).toBe(200);
			return body.data.imdata;
		},
	} as Runs;
	beforeAll(async () => {
		runs.lab = await startController({ size: "small", ...options.lab });
		runs.t = await startTestApp({ work: true, deps: { controllers: options.driver ?? createEagerDriver() } });
		runs.ada = await runs.t.user("ada", ["Editor"]);
		runs.connection = await addConnection(runs.ada.api, runs.lab, { ...options.connection });
	});
	afterAll(async () => {
		await runs.t.close();
		await runs.lab.close();
	});
	afterEach(() => runs.lab.clearFaults());
	return runs;
}
