/** `weft schedule`. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { addConnection } from "../../server/test/support/canvases.ts";
import { waitUntil } from "../../server/test/support/harness.ts";
import { createHeldController } from "../../server/test/support/held-controller.ts";
import { addQuery, TASKS } from "../../server/test/support/tasks.ts";
import { useCli } from "./support/cli.ts";

const controller = createHeldController();
const cli = useCli({ driver: controller.driver });
beforeAll(async () => {
	const query = await addQuery(cli.ada.api);
	await addTask("Nightly", query, [cli.connection]);
	const wrong = await addConnection(cli.ada.api, { ...cli.lab, password: "wrong" }, { name: "fab-3" });
	await addTask("Failing", query, [cli.connection, wrong]);
	const other = await addConnection(cli.ada.api, cli.lab, { name: "fab-2" });
	await addTask("Both", query, [cli.connection, other]);
});

async function addTask(name: string, saved_query: string, controller_connection_ids: string[]): Promise<void> {
	const body = {
		name,
		saved_query,
		controller_connection_ids,
		frequency: "daily",
		time_of_day: "03:00",
		retry_enabled: false,
	};
	const { status, text } = await cli.ada.api.post(TASKS, body);
	expect(status, text).toBe(201);
}
const runScheduleCommand = (...args: string[]) => cli.weft("schedule", ...args);

describe("weft schedule", () => {
	it("lists, pauses and resumes", async () => {
		const list = await runScheduleCommand("list", "--format", "json");
		expect(JSON.parse(list.stdout)).toEqual((await cli.ada.api.get(`${TASKS}?ordering=name`)).body.results);
		const paused = await runScheduleCommand("pause", "nightly", "--format", "json");
		expect(paused).toMatchObject({ code: 0, stderr: expect.stringMatching(/\S/) });
		expect(JSON.parse(paused.stdout)).toMatchObject({ name: "Nightly", status: "paused" });
		expect((await runScheduleCommand("list", "--status", "paused")).stdout).toMatch(/^name[\s\S]*\nNightly .*\n$/);
		expect(JSON.parse((await runScheduleCommand("resume", "Nightly", "--format", "json")).stdout).status).toBe(
			"active",
		);
	});

	it("makes one of a saved query, which watches the checks of the query", async () => {
		const { body } = await cli.ada.api.get(`${TASKS}?search=Nightly`);
		const { saved_query, query_name } = body.results[0];
		const made = await runScheduleCommand(
			...["add", query_name, "--connection", "fab-1", "--every", "15m", "--name", "Often", "--format", "json"],
		);
		expect(made, made.stderr).toMatchObject({ code: 0 });
		expect(JSON.parse(made.stdout)).toMatchObject({
			name: "Often",
			saved_query,
			controller_connection_ids: [cli.connection],
			frequency: "minutes",
			interval_minutes: 15,
			status: "active",
		});
		expect(await runScheduleCommand("add", query_name, "--every", "15m")).toMatchObject({ code: 2 });
		expect(await runScheduleCommand("add", "no such", "--connection", "fab-1", "--every", "15m")).toMatchObject({
			stderr: expect.stringContaining("no such"),
		});
		await cli.ada.api.del(`${TASKS}${JSON.parse(made.stdout).id}/`);
	});

	it("runs one now and waits for its end", async () => {
		const good = await runScheduleCommand("run", "Nightly", "--format", "json");
		expect(good).toMatchObject({ code: 0 });
		expect(JSON.parse(good.stdout)).toMatchObject([{ status: "success", controller_connection_name: "fab-1" }]);
		const bad = await runScheduleCommand("run", "Failing", "--format", "junit");
		expect(bad).toMatchObject({ code: 5, stderr: expect.stringContaining("1 of 2 runs failed.") });
		expect(bad.stdout).toContain('<testsuites tests="2" failures="1" errors="0">');
		const started = await runScheduleCommand("run", "Nightly", "--no-wait", "--format", "ndjson");
		expect(started).toMatchObject({ code: 0 });
		expect(JSON.parse(started.stdout)).toMatchObject({ task_name: "Nightly" });
		await waitUntil("it has ended", async () => (await readNewestExecution()).completed_at !== null);
	});

	it("cancels the runs with Ctrl-C", async () => {
		const release = controller.hold(/fvTenant/);
		const started = cli.start(["schedule", "run", "Nightly"]);
		await waitUntil(
			"it runs",
			() => controller.asked.some((path) => path.includes("fvTenant")) && readNewestExecution().then(isRunning),
		);
		started.child.kill("SIGINT");
		const { code, stderr } = await started.ended;
		release();
		expect(code).toBe(130);
		expect(stderr).toMatch(/fab-1: run \S+ cancelled on the server\./);
	});

	it("notes after Ctrl-C the runs that could not be cancelled, and cancels those that begin meanwhile", async () => {
		const { ended, interrupt, release, executions } = await startHeldRun();
		const [first, second] = executions;
		await setExecution(first.id, { pipeline_job_id: randomUUID() });
		await setExecution(second.id, { pipeline_job_id: null, status: "pending" });
		interrupt();
		await sleep(700);
		await setExecution(second.id, { pipeline_job_id: second.pipeline_job_id, status: "running" });
		await waitUntil("the second is cancelled", async () => (await readExecution(second.id)).status === "cancelled");
		await setExecution(first.id, { pipeline_job_id: first.pipeline_job_id });
		release();
		const { code, stderr } = await ended;
		expect(code).toBe(130);
		expect(stderr).toMatch(/^2 runs started\.$/m);
		expect(stderr).toMatch(
			new RegExp(
				`^${first.controller_connection_name}: run \\S+ could not be cancelled: .+ Cancel it on the page Runs\\.$`,
				"m",
			),
		);
		expect(stderr).toContain(`${second.controller_connection_name}: run ${second.pipeline_job_id} cancelled`);
	});

	it("notes after Ctrl-C the runs that have not begun", async () => {
		const { ended, interrupt, release, executions } = await startHeldRun();
		const [first, second] = executions;
		await setExecution(second.id, { pipeline_job_id: null, status: "pending" });
		interrupt();
		await sleep(6_500);
		await setExecution(second.id, { pipeline_job_id: second.pipeline_job_id, status: "running" });
		release();
		const { stderr } = await ended;
		expect(stderr).toContain(`${first.controller_connection_name}: run ${first.pipeline_job_id} cancelled`);
		expect(stderr).toContain(
			`${second.controller_connection_name}: The run has not begun and was not cancelled. Cancel it on the page Runs.\n`,
		);
	});

	it("ends with 2 for an unknown name or status", async () => {
		const unknown = await runScheduleCommand("run", "Nightli");
		expect(unknown).toMatchObject({
			code: 2,
			stderr: 'weft: There is no schedule "Nightli". Did you mean "Nightly"?\n',
		});
		expect(await runScheduleCommand("list", "--status", "gone")).toMatchObject({ code: 2 });
	});
});

async function listNewestExecutions(count: number) {
	return (await cli.ada.api.get(`/api/queries/scheduled-executions/?page_size=${count}`)).body.results;
}
const readNewestExecution = async () => (await listNewestExecutions(1))[0];

/** Starts the schedule "Both", whose runs wait for `release`. */
async function startHeldRun() {
	const release = controller.hold(/fvTenant/);
	let interrupt = () => {};
	const pressed = new Promise<void>((resolve) => {
		interrupt = resolve;
	});
	const ended = cli.run(["schedule", "run", "Both"], { interrupt: pressed });
	const executions = await waitUntil("both run", async () => {
		const newest = await listNewestExecutions(2);
		return newest.length === 2 && newest.every(isRunning) && newest;
	});
	return { release, interrupt: () => interrupt(), ended, executions };
}

async function setExecution(id: string, values: { pipeline_job_id?: string | null; status?: "pending" | "running" }) {
	const { db } = cli.t.app.context.store;
	await db.updateTable("scheduled_executions").set(values).where("id", "=", id).execute();
}

const readExecution = async (id: string) =>
	(await listNewestExecutions(2)).find((one: { id: string }) => one.id === id);

interface Execution {
	readonly status: string;
	readonly pipeline_job_id: string | null;
}
const isRunning = ({ status, pipeline_job_id }: Execution) => status === "running" && pipeline_job_id !== null;
