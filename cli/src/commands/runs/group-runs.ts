/** One query on several connections: a group execution on the server, followed to its end. */
import type { ConnectionGroup, GroupExecution } from "@weft/contracts";
import {
	connectionGroupRoutes,
	groupExecutionChannel,
	groupExecutionRoutes,
	pipelineRoutes,
} from "@weft/contracts/browser";
import { type WeftClient, WeftError, watch } from "@weft/sdk";
import type { Context } from "../../context.ts";
import type { Collection } from "../../resolve.ts";
import {
	computeNextPause,
	createStatusLine,
	type EndedRun,
	FIRST_PAUSE_MS,
	requirePassing,
	retryRead,
} from "./runs.ts";

export const getGroups = (client: WeftClient): Collection<ConnectionGroup> => ({
	kind: "connection group",
	list: () => client.each(connectionGroupRoutes.list),
	byId: (id) => client.call(connectionGroupRoutes.detail, { params: { id } }),
});

/**
 * Starts a group execution and follows it. Ctrl-C cancels its open runs.
 * @param start must find what a call before with the same key has started
 * @returns the ended runs in the order of the connections, without those whose release lacks a
 * class of the query: these are noted
 */
export async function runTogether(
	context: Context,
	start: (client: WeftClient, key: string) => Promise<GroupExecution>,
): Promise<EndedRun[]> {
	const client = await context.client();
	const started = start(client, context.newId());
	context.onInterrupt(() => cancelGroupRun(context, client, started));
	const group = await started;
	context.note(`Started ${group.id} on ${group.runs.length} connections.`);
	if (group.hidden_count > 0) {
		context.note(`The group has ${group.hidden_count} more connections that you cannot see. They are not run.`);
	}
	const { runs } = await followGroupRun(context, client, group);
	const ended: EndedRun[] = [];
	for (const { controller_connection_id: id, controller_connection_name: name, pipeline_job_id, ...run } of runs) {
		if (run.status === "unsupported") {
			context.note(`${name}: the release does not have a class of the query. ${run.error ?? ""}`);
			continue;
		}
		const params = { id: pipeline_job_id };
		const detail = await retryRead(context, () => client.call(pipelineRoutes.detail, { params }));
		ended.push({ connection: { id, name }, run: detail });
	}
	return ended;
}

/** Follows the channel until the end, and opens it again when it breaks. */
async function followGroupRun(
	context: Context,
	client: WeftClient,
	{ id, runs }: GroupExecution,
): Promise<GroupExecution> {
	const lines = createStatusLine(context);
	const names = new Map(runs.map((run) => [run.controller_connection_id, run.controller_connection_name]));
	const noted = new Map<string, string>();
	for (let pause = FIRST_PAUSE_MS; ; pause = computeNextPause(pause)) {
		try {
			for await (const frame of watch(client, groupExecutionChannel, { id }, context.openSocket)) {
				pause = FIRST_PAUSE_MS;
				if (frame.type !== "run_status") continue;
				const { controller_connection_id: connection, status, total_rows } = frame.data;
				const name = names.get(connection) ?? connection;
				if (status === "pending" || status === "running") {
					lines.set(name, `${name}: ${status} …`);
					continue;
				}
				lines.remove(name);
				if (noted.get(connection) === status) continue;
				noted.set(connection, status);
				context.note(`${name}: ${status}${total_rows === null ? "" : `, ${total_rows} rows`}.`);
			}
		} catch (error) {
			requirePassing(error);
		}
		const group = await retryRead(context, () => client.call(groupExecutionRoutes.detail, { params: { id } }));
		if (group.status !== "running") return group;
		await context.clock.sleep(pause);
	}
}

async function cancelGroupRun(context: Context, client: WeftClient, started: Promise<GroupExecution>): Promise<void> {
	let id = "The group execution";
	try {
		({ id } = await started);
		await client.call(groupExecutionRoutes.cancel, { params: { id } }, { isSafe: true });
		context.note(`${id} cancelled on the server.`);
	} catch (error) {
		// 400: all runs have ended by themselves.
		if (error instanceof WeftError && error.status === 400) return;
		context.note(`${id} could not be cancelled: ${error instanceof Error ? error.message : String(error)}`);
	}
}
