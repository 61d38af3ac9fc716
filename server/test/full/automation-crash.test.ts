/**
 * kill -9 between any two steps of a launch and of a watch: the next start leaves exactly one job,
 * and all of its output once.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunningAutomation } from "@weft/lab";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { attachEmbeddedPostgres } from "../../src/storage/embedded-postgres/index.ts";
import { startServer } from "../support/automation.ts";
import { waitUntil } from "../support/harness.ts";
import { type RunningService, startService } from "../support/process.ts";

const LONG_MS = 90_000;
const REQUESTS = "/api/automation/requests/";
let lab: RunningAutomation;
let folder: string;
let service: RunningService;
let connection: string;
let serial = 0;

beforeAll(async () => {
	lab = await startServer();
	folder = await mkdtemp(join(tmpdir(), "weft-automation-"));
	service = await startService(folder);
	const made = await callService("POST", "/api/automation/connections/", {
		name: "Lab",
		base_url: lab.url,
		oauth_token: lab.token,
		timeout: 5,
	});
	connection = made.id;
}, LONG_MS);
afterAll(async () => {
	service.child.kill("SIGTERM");
	await service.ended;
	await lab.close();
	await rm(folder, { recursive: true, force: true });
}, LONG_MS);
beforeEach(() => lab.clearFaults());

/** The service is another process after each kill. */
const callService = (method: string, path: string, body?: unknown) => service.ask(method, path, body);

async function createRequest(template: Record<string, unknown> = {}, more: Record<string, unknown> = {}) {
	const { id } = await callService("POST", "/api/automation/templates/", {
		name: `T${++serial}`,
		automation_connection: connection,
		automation_job_template_id: 22,
		schema: [{ name: "name", field_type: "text" }],
		...template,
	});
	return callService("POST", REQUESTS, { template: id, title: `R${serial}`, input_data: [{ name: "a" }], ...more });
}
type Made = Awaited<ReturnType<typeof createRequest>>;

const executeRequest = ({ id }: Made) => callService("POST", `${REQUESTS}${id}/execute/`);
const findExecution = async ({ id }: Made) =>
	(await callService("GET", `/api/automation/executions/?automation_request=${id}`)).results[0];
const listJobs = async ({ id }: Made) =>
	(await lab.jobs()).filter(({ extra_vars }) => JSON.parse(String(extra_vars)).request_id === id);

async function killService(): Promise<void> {
	service.child.kill("SIGKILL");
	await service.ended;
}
async function restartService(): Promise<void> {
	service = await startService(folder);
}
/**
 * A launch that may have been sent is looked for on the server for 135 s before it is sent again.
 * Nobody waits that long in a test: its mark is made older.
 */
async function wasSearchedLongAgo(): Promise<number | null> {
	const store = new pg.Client((await attachEmbeddedPostgres({ dataDir: folder, log: () => {} })).connection);
	await store.connect();
	const { rowCount } = await store.query(
		"update automation_executions set sent_at = sent_at - interval '10 minutes' where launch_state = 'sending'",
	);
	await store.end();
	return rowCount;
}
const waitForEnd = (made: Made) =>
	waitUntil(
		`${made.title} is over`,
		async () => {
			const found = await callService("GET", `${REQUESTS}${made.id}/`);
			return found.status === "running" || found.status === "pending" ? null : found;
		},
		LONG_MS,
	);
const hasRequest = (method: string, part: string) =>
	lab.requests().some((one) => one.method === method && one.target.includes(part));

describe("killed", () => {
	it(
		"right after the intent is stored",
		async () => {
			const made = await createRequest();
			await executeRequest(made);
			await killService();
			await restartService();
			expect(await waitForEnd(made)).toMatchObject({ status: "successful", executions_total: 1 });
			expect(await listJobs(made)).toHaveLength(1);
		},
		LONG_MS,
	);

	it(
		"while it asks the server for the template",
		async () => {
			const made = await createRequest({}, { scheduled_for: new Date(Date.now() + 1_500).toISOString() });
			lab.resetRequests();
			lab.setFaults({ hang: { match: "job_templates/22/" } });
			await waitUntil("the template is asked for", () => hasRequest("GET", "job_templates/22/"));
			await killService();
			lab.clearFaults();
			await restartService();
			expect(await waitForEnd(made)).toMatchObject({ status: "successful", executions_total: 1 });
			expect(await listJobs(made)).toHaveLength(1);
		},
		LONG_MS,
	);

	it(
		"after the launch was sent, and no job was made of it",
		async () => {
			const made = await createRequest();
			lab.resetRequests();
			lab.setFaults({ hang: { match: "job_templates/22/launch/", method: "POST" } });
			await executeRequest(made);
			await waitUntil("the launch is sent", () => hasRequest("POST", "/launch/"));
			await killService();
			lab.clearFaults();
			expect(await wasSearchedLongAgo()).toBe(1);
			await restartService();
			expect(await waitForEnd(made)).toMatchObject({ status: "successful", executions_total: 1 });
			expect(await listJobs(made)).toHaveLength(1);
		},
		LONG_MS,
	);

	it(
		"after the job was made, before its id is known",
		async () => {
			const made = await createRequest();
			lab.resetRequests();
			lab.setFaults({ launch_hang: {} });
			await executeRequest(made);
			await waitUntil("the job is there", async () => (await listJobs(made)).length === 1);
			await killService();
			lab.clearFaults();
			await restartService();
			expect(await waitForEnd(made)).toMatchObject({ status: "successful", executions_total: 1 });
			expect(await listJobs(made)).toHaveLength(1);
		},
		LONG_MS,
	);

	it(
		"in the middle of the output: every line is there once",
		async () => {
			const variable_mappings = { events: 3_000, every_ms: 1 };
			const made = await createRequest({ automation_job_template_id: 21, variable_mappings });
			await executeRequest(made);
			const path = async () => `/api/automation/executions/${(await findExecution(made)).id}/output/`;
			await waitUntil(
				"some of the output is stored",
				async () => (await callService("GET", await path())).next_offset > 10_000,
			);
			await killService();
			await restartService();
			expect(await waitForEnd(made)).toMatchObject({ status: "successful" });
			const { stdout, complete } = await callService("GET", await path());
			expect(complete).toBe(true);
			const lines = [...stdout.matchAll(/line (\d+) of 2996/g)].map(([, n]) => Number(n));
			expect(lines).toEqual(Array.from({ length: 2_996 }, (_, n) => n));
			expect(await findExecution(made)).toMatchObject({ output_complete: true, lost_events: 0 });
		},
		LONG_MS,
	);

	it(
		"right after a cancel was asked for",
		async () => {
			const made = await createRequest({ automation_job_template_id: 10, variable_mappings: { secs: 600 } });
			await executeRequest(made);
			const { id } = await waitUntil("it runs", async () => {
				const execution = await findExecution(made);
				return execution.status === "running" ? execution : null;
			});
			lab.setFaults({ hang: { match: "/cancel/" } });
			await callService("POST", `/api/automation/executions/${id}/cancel/`);
			await killService();
			lab.clearFaults();
			await restartService();
			expect((await waitForEnd(made)).status).toBe("cancelled");
			expect((await listJobs(made)).map(({ status }) => status)).toEqual(["canceled"]);
		},
		LONG_MS,
	);

	it(
		"again and again while ten are launched",
		async () => {
			const all = await Promise.all(Array.from({ length: 10 }, () => createRequest()));
			for (const made of all) await executeRequest(made);
			for (let kill = 0; kill < 3; kill++) {
				await killService();
				await wasSearchedLongAgo();
				await restartService();
			}
			for (const made of all) {
				expect(await waitForEnd(made)).toMatchObject({ status: "successful", executions_total: 1 });
				expect(await listJobs(made)).toHaveLength(1);
			}
		},
		2 * LONG_MS,
	);
});
