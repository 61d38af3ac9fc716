/** `weft schedule`. */

import { Option } from "@commander-js/extra-typings";
import type { ScheduledExecution, ScheduledTask } from "@weft/contracts";
import { pipelineRoutes, scheduleRoutes, TASK_STATUSES } from "@weft/contracts/browser";
import { type WeftClient, WeftError } from "@weft/sdk";
import type { Context } from "../../context.ts";
import { buildInputError, CliError, EXIT } from "../../errors.ts";
import { addExamples, appendValue, getNoun, type Register } from "../../frame.ts";
import type { View } from "../../output.ts";
import { type Collection, resolveNameOrId } from "../../resolve.ts";
import { getQueries } from "../queries/query-source.ts";
import { findConnectionIds } from "../runs/connection-options.ts";
import { retryRead } from "../runs/runs.ts";
import { buildCadence, EVERY } from "./cadence.ts";

const SCHEDULES: View<ScheduledTask> = {
	name: "schedules",
	columns: [
		{ title: "name", value: ({ name }) => name },
		{ title: "query", value: ({ query_name }) => query_name },
		{ title: "schedule", value: ({ schedule_description }) => schedule_description },
		{ title: "status", value: ({ status }) => status },
		{ title: "last_run_at", value: ({ last_run_at }) => last_run_at },
		{ title: "last_run_status", value: ({ last_run_status }) => last_run_status },
		{ title: "next_run_at", value: ({ next_run_at }) => next_run_at },
		{ title: "id", value: ({ id }) => id },
	],
};

const EXECUTIONS: View<ScheduledExecution> = {
	name: "schedule run",
	columns: [
		{ title: "connection", value: ({ controller_connection_name }) => controller_connection_name },
		{ title: "status", value: ({ status }) => status },
		{ title: "rows", value: ({ result_count }) => result_count },
		{ title: "snapshot_id", value: ({ snapshot_id }) => snapshot_id },
		{ title: "error", value: ({ error_message }) => error_message },
		{ title: "id", value: ({ id }) => id },
	],
	failure: ({ status, error_message }) => (hasFailed(status) ? (error_message ?? `The run is ${status}.`) : null),
};

const PAUSE_MS = 500;
/** Upper bound of the wait after Ctrl-C for pending runs: a run is cancelled once it has begun. */
const BEGIN_TIMEOUT_MS = 5_000;
const REMEDY = "Cancel it on the page Runs.";

const getSchedules = (client: WeftClient): Collection<ScheduledTask> => ({
	kind: "schedule",
	list: (search) => client.each(scheduleRoutes.list, { query: search === undefined ? {} : { search } }),
	byId: (id) => client.call(scheduleRoutes.detail, { params: { id } }),
});

const isOpen = ({ status }: ScheduledExecution): boolean => status === "pending" || status === "running";
const hasFailed = (status: ScheduledExecution["status"]): boolean => status === "failed" || status === "cancelled";

export const registerSchedule: Register = (program, run) => {
	const noun = getNoun(program, "schedule", "Saved queries on a schedule.");
	addExamples(noun, "weft schedule list");
	const list = noun
		.command("list")
		.description("List the schedules that you can see.")
		.addOption(new Option("--status <status>", "those with the status").choices(TASK_STATUSES))
		.action(run(showSchedules));
	addExamples(list, "weft schedule list", "weft schedule list --status paused --format json");
	const add = noun
		.command("add")
		.description("Run a saved query on a schedule, which evaluates the query's checks.")
		.argument("<query>", "name or id of a saved query")
		.option("--connection <name>", "connection to run on; may be given several times", appendValue, [])
		.addOption(new Option("--every <time>", "how often").choices(EVERY).makeOptionMandatory())
		.option("--name <text>", "name of the schedule; without it that of the query")
		.action(run(addSchedule));
	addExamples(add, 'weft schedule add "Tenants of production" --connection fab-1 --every 15m');
	const start = noun
		.command("run")
		.description("Run a schedule now and wait for its end. Ends with 5 if a run fails.")
		.argument("<schedule>", "name or id")
		.option("--no-wait", "end once the runs are started")
		.action(run(runNow));
	addExamples(start, 'weft schedule run "Nightly tenants"', 'weft schedule run "Nightly tenants" --no-wait');
	const pause = noun
		.command("pause")
		.description("Stop a schedule from running; retries that wait are given up.")
		.argument("<schedule>", "name or id")
		.action(run((context, name) => changeSchedule(context, name, scheduleRoutes.pause)));
	addExamples(pause, 'weft schedule pause "Nightly tenants"');
	const resume = noun
		.command("resume")
		.description("Let a paused schedule run again.")
		.argument("<schedule>", "name or id")
		.action(run((context, name) => changeSchedule(context, name, scheduleRoutes.resume)));
	addExamples(resume, 'weft schedule resume "Nightly tenants"');
};

async function showSchedules(
	{ client: open, output }: Context,
	options: { status?: ScheduledTask["status"] },
): Promise<void> {
	const client = await open();
	const query = { ordering: "name", ...(options.status === undefined ? {} : { status: options.status }) };
	await output.list(client.each(scheduleRoutes.list, { query }), SCHEDULES);
}

interface AddOptions {
	readonly connection: readonly string[];
	readonly every: string;
	readonly name?: string | undefined;
}

async function addSchedule(context: Context, text: string, { connection, every, name }: AddOptions): Promise<void> {
	if (connection.length === 0) throw buildInputError("Name at least one connection with --connection.");
	const client = await context.client();
	const query = await resolveNameOrId(getQueries(client), text);
	const body = {
		name: name ?? query.name,
		saved_query: query.id,
		controller_connection_ids: await findConnectionIds(context, client, { connection, group: [] }),
		email_on_failure: true,
		...buildCadence(every),
	};
	await context.output.one(await client.call(scheduleRoutes.create, { body }), SCHEDULES);
}

type Change = typeof scheduleRoutes.pause | typeof scheduleRoutes.resume;

async function changeSchedule(context: Context, name: string, route: Change): Promise<void> {
	const client = await context.client();
	const { id } = await resolveNameOrId(getSchedules(client), name);
	const { message } = await client.call(route, { params: { id } });
	context.note(message);
	await context.output.one(await client.call(scheduleRoutes.detail, { params: { id } }), SCHEDULES);
}

async function runNow(context: Context, name: string, { wait }: { wait: boolean }): Promise<void> {
	const client = await context.client();
	const { id } = await resolveNameOrId(getSchedules(client), name);
	const started = client.call(scheduleRoutes.executeNow, { params: { id } });
	const read = async () => listExecutions(client, id, new Set((await started).executions));
	// Also Ctrl-C before the answer cancels what the server started.
	if (wait)
		context.onInterrupt(() =>
			cancelAll(context, client, read).catch((error: unknown) =>
				context.note(`Not all runs of "${name}" were cancelled: ${getMessage(error)} ${REMEDY}`),
			),
		);
	const { length } = (await started).executions;
	context.note(`${length} ${length === 1 ? "run" : "runs"} started.`);
	if (!wait) return context.output.list(await read(), EXECUTIONS);
	const ended = await waitUntilEnded(context, read);
	await context.output.list(ended, EXECUTIONS);
	const failed = ended.filter(({ status }) => hasFailed(status));
	if (failed.length > 0) throw new CliError(EXIT.runFailed, `${failed.length} of ${ended.length} runs failed.`);
}

async function waitUntilEnded(
	context: Context,
	read: () => Promise<ScheduledExecution[]>,
): Promise<readonly ScheduledExecution[]> {
	for (;;) {
		const executions = await retryRead(context, read);
		const open = executions.filter(isOpen);
		if (open.length === 0) return executions;
		context.progress(open.map((one) => `${one.controller_connection_name}: ${one.status} …`).join("  "));
		await context.clock.sleep(PAUSE_MS);
	}
}

/** The executions with the ids, which are among the newest of the task. */
async function listExecutions(client: WeftClient, id: string, ids: ReadonlySet<string>): Promise<ScheduledExecution[]> {
	const found: ScheduledExecution[] = [];
	if (ids.size === 0) return found;
	for await (const one of client.each(scheduleRoutes.taskExecutions, { params: { id } })) {
		if (ids.has(one.id)) found.push(one);
		if (found.length === ids.size) break;
	}
	return found;
}

/** Cancels the open runs, also those that begin within a few seconds. Notes each that goes on. */
async function cancelAll(
	context: Context,
	client: WeftClient,
	read: () => Promise<ScheduledExecution[]>,
): Promise<void> {
	const start = context.clock.now();
	const handled = new Set<string>();
	for (;;) {
		const open = (await read()).filter((one) => isOpen(one) && !handled.has(one.id));
		const begun = open.filter(({ pipeline_job_id }) => pipeline_job_id !== null);
		await Promise.all(begun.map((one) => cancelExecution(context, client, one)));
		for (const { id } of begun) handled.add(id);
		const pending = open.filter(({ id }) => !handled.has(id));
		if (pending.length === 0) return;
		if (context.clock.now() - start >= BEGIN_TIMEOUT_MS) {
			for (const { controller_connection_name: name } of pending)
				context.note(`${name}: The run has not begun and was not cancelled. ${REMEDY}`);
			return;
		}
		await context.clock.sleep(PAUSE_MS);
	}
}

async function cancelExecution(context: Context, client: WeftClient, execution: ScheduledExecution): Promise<void> {
	const { pipeline_job_id, controller_connection_name: name } = execution;
	const id = pipeline_job_id ?? "";
	try {
		await client.call(pipelineRoutes.cancel, { params: { id } }, { isSafe: true });
		context.note(`${name}: run ${id} cancelled on the server.`);
	} catch (error) {
		// 400: the run has ended by itself.
		if (error instanceof WeftError && error.status === 400) return;
		context.note(`${name}: run ${id} could not be cancelled: ${getMessage(error)} ${REMEDY}`);
	}
}

const getMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));
