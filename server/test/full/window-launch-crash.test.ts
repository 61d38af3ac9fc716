/**
 * kill -9 between the gate of a change window and the launch of its job, and before and after: the
 * next start leaves exactly one job, one window, and its verdict.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningAutomation, type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer } from "../support/automation.ts";
import { buildClassNode, connectNodes, output } from "../support/canvases.ts";
import { waitUntil } from "../support/harness.ts";
import { type RunningService, startService } from "../support/process.ts";

const LONG_MS = 120_000;
const REQUESTS = "/api/automation/requests/";
let lab: RunningAutomation;
let controller: RunningController;
let folder: string;
let service: RunningService;
let template: string;
let plan: string;
let fabric: string;
let serial = 0;

/** The service is another process after each kill. */
const callService = (method: string, path: string, body?: unknown) => service.ask(method, path, body);

beforeAll(async () => {
	[lab, controller] = await Promise.all([startServer(), startController({ size: "small" })]);
	folder = await mkdtemp(join(tmpdir(), "weft-windows-"));
	service = await startService(folder);
	const server = await callService("POST", "/api/automation/connections/", {
		name: "Lab",
		base_url: lab.url,
		oauth_token: lab.token,
		timeout: 5,
	});
	fabric = (
		await callService("POST", "/api/controller/connections/", {
			name: "Fabric",
			url: controller.url,
			username: controller.username,
			password: controller.password,
			verify_ssl: false,
		})
	).id;
	const query = await callService("POST", "/api/queries/saved-queries/", {
		name: "Bridge domains",
		flow_data: connectNodes(buildClassNode("fvBD"), output),
		enable_time_machine: true,
	});
	plan = (
		await callService("POST", "/api/change-plans/", {
			name: "Domains",
			items: [{ query: query.id }],
			settle: { delay_s: 0, interval_s: 1, stable_rounds: 1, timeout_s: 30 },
		})
	).id;
	template = (
		await callService("POST", "/api/automation/templates/", {
			name: "Rows",
			automation_connection: server.id,
			automation_job_template_id: 22,
			schema: [{ name: "name", field_type: "text" }],
		})
	).id;
}, LONG_MS);
afterAll(async () => {
	service.child.kill("SIGTERM");
	await service.ended;
	await Promise.all([lab.close(), controller.close()]);
	await rm(folder, { recursive: true, force: true });
}, LONG_MS);

async function restartService(): Promise<void> {
	service.child.kill("SIGKILL");
	await service.ended;
	lab.clearFaults();
	controller.clearFaults();
	service = await startService(folder);
}

async function executeRequest() {
	const made = await callService("POST", REQUESTS, {
		template,
		title: `R${++serial}`,
		input_data: [{ name: "a" }],
		target_controller: fabric,
		change_plan: plan,
	});
	await callService("POST", `${REQUESTS}${made.id}/execute/`);
	const { results } = await callService("GET", `/api/automation/executions/?automation_request=${made.id}`);
	return results[0];
}
type Execution = Awaited<ReturnType<typeof executeRequest>>;

const readWindow = ({ change_window }: Execution) => callService("GET", `/api/change-windows/${change_window}/`);
const listJobs = async ({ automation_request }: Execution) =>
	(await lab.jobs()).filter(({ extra_vars }) => JSON.parse(String(extra_vars)).request_id === automation_request);

async function expectOneJob(execution: Execution): Promise<void> {
	const window = await waitUntil(
		"the window is judged",
		async () => {
			const found = await readWindow(execution);
			return found.state === "judged" ? found : null;
		},
		LONG_MS,
	);
	expect(window).toMatchObject({ verdict: "passed", executions: [execution.id] });
	expect(await listJobs(execution)).toHaveLength(1);
	const { count } = await callService("GET", "/api/change-windows/?page_size=50");
	expect(count).toBe(serial);
}

describe("killed", () => {
	it(
		"while the state before the work is taken: the job is launched once",
		async () => {
			controller.setFaults({ latency: { ms: 1_500, match: "fvBD" } });
			const execution = await executeRequest();
			expect(execution.launch_state).toBe("waiting_before");
			await restartService();
			await expectOneJob(execution);
		},
		LONG_MS,
	);

	it(
		"between the opening of the window and the launch: the job is launched once",
		async () => {
			controller.setFaults({ latency: { ms: 1_500, match: "fvBD" } });
			const execution = await executeRequest();
			// The launch asks for the template first. The request that made it wait has asked before.
			lab.setFaults({ hang: { match: "job_templates/22/" } });
			await waitUntil("the window is open", async () => (await readWindow(execution)).state === "open");
			expect(await listJobs(execution)).toHaveLength(0);
			await restartService();
			await expectOneJob(execution);
		},
		LONG_MS,
	);

	it(
		"after the job was made, before its id is known: the job is launched once",
		async () => {
			lab.setFaults({ launch_hang: {} });
			const execution = await executeRequest();
			await waitUntil("the job is there", async () => (await listJobs(execution)).length === 1);
			await restartService();
			await expectOneJob(execution);
		},
		LONG_MS,
	);
});
