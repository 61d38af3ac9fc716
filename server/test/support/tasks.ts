/**
 * Set-up of tests of scheduled tasks: a service whose clock the test moves, the simulated
 * controller, and short ways to make tasks and wait for their executions.
 */
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, expect } from "vitest";
import { addConnection, buildClassNode, connectNodes, QUERIES } from "./canvases.ts";
import { type Api, startTestApp, type TestApp, type TestUser, waitUntil, waitUntilAfter } from "./harness.ts";

export const TASKS = "/api/queries/scheduled-tasks/";
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const isOpen = ({ status }: { status: string }) => status === "pending" || status === "running";
let names = 0;

export async function addQuery(api: Api, fields: Record<string, unknown> = {}): Promise<string> {
	const { status, body, text } = await api.post(QUERIES, {
		name: `Query ${++names}`,
		flow_data: connectNodes(buildClassNode("fvTenant")),
		...fields,
	});
	expect(status, text).toBe(201);
	return body.id;
}

/** Sets up one test file. The members are set once the file's tests begin. */
export function useTasks() {
	const tasks = {
		t: undefined as unknown as TestApp,
		lab: undefined as unknown as RunningController,
		ada: undefined as unknown as TestUser,
		/** Ada's, of tenants. */
		query: "",
		/** Ada's, to the lab. */
		connection: "",
	};
	beforeAll(async () => {
		tasks.lab = await startController({ size: "small" });
		tasks.t = await startTestApp({ work: true });
		tasks.ada = await tasks.t.user("ada", ["Editor"]);
		tasks.query = await addQuery(tasks.ada.api);
		tasks.connection = await addConnection(tasks.ada.api, tasks.lab);
	});
	afterAll(async () => {
		await tasks.t.close();
		await tasks.lab.close();
	});

	const hourly = (fields: Record<string, unknown> = {}) => ({
		name: `Task ${++names}`,
		saved_query: tasks.query,
		controller_connection_ids: [tasks.connection],
		frequency: "hourly",
		minute_of_hour: 0,
		...fields,
	});
	const findTask = async (id: string, api = tasks.ada.api) => (await api.get(`${TASKS}${id}/`)).body;
	const listExecutions = async (id: string) => (await tasks.t.admin.api.get(`${TASKS}${id}/executions/`)).body.results;
	const listNotifications = async (id: string) => {
		const found = "select * from notifications where link like $1 order by created_at";
		return (await tasks.t.pool.query(found, [`%${id}`])).rows;
	};

	/** Waits until a task has this number of executions and all have ended, and returns them. */
	async function waitForExecutions(id: string, count: number) {
		return waitUntil(`${count} executions have ended`, async () => {
			const found = await listExecutions(id);
			return found.length >= count && !found.some(isOpen) ? found : null;
		});
	}

	return Object.assign(tasks, {
		hourly,
		async add(api: Api, fields: Record<string, unknown> = {}) {
			const { status, body, text } = await api.post(TASKS, hourly(fields));
			expect(status, text).toBe(201);
			return body;
		},
		addConnection: (api: Api, fields?: Record<string, unknown>) => addConnection(api, tasks.lab, fields),
		getTask: findTask,
		listExecutions: listExecutions,
		ended: waitForExecutions,
		/** The notifications of a task, once there are any. */
		notified: (id: string) =>
			waitUntil("the owner is notified", async () => {
				const found = await listNotifications(id);
				return found.length > 0 ? found : null;
			}),
		getNotifications: listNotifications,
		/** Moves the clock to a task's next run, and waits for its executions. */
		async runDue(id: string, count: number) {
			const { next_run_at } = await findTask(id, tasks.t.admin.api);
			await tasks.t.clock.advance(Math.max(0, Date.parse(next_run_at) - tasks.t.clock.now()) + 2_000);
			return waitForExecutions(id, count);
		},
		/** Moves the clock on, a second at a time, until a condition holds. */
		tickUntil: (what: string, happened: () => Promise<boolean>) => waitUntilAfter(tasks.t.clock, 1_000, what, happened),
		finished: (id: string) =>
			waitUntil("the run has finished", async () => (await findTask(id, tasks.t.admin.api)).last_run_status),
	});
}
