/** Jobs of an automation server: relaunches, states, events, output and cancelling. */

import { getError, isObject, type Json } from "./classify.ts";
import type { Connection } from "./connection.ts";
import {
	buildTemplatesPath,
	type DriverState,
	getConnection,
	PAGE,
	readAllPages,
	readIfFound,
	readRows,
} from "./driver-state.ts";
import { sendLaunch } from "./launch.ts";
import {
	AutomationError,
	type AutomationTarget,
	type FoundJob,
	type HostTotals,
	type JobDetail,
	type JobState,
	type LaunchOutcome,
	type ServerJobType,
	type ServerNode,
} from "./port.ts";
import { readDetail, readFound, readNode, readState } from "./read.ts";

export const PATHS: Readonly<Record<ServerJobType, string>> = {
	job: "jobs",
	workflow_job: "workflow_jobs",
	project_update: "project_updates",
	inventory_update: "inventory_updates",
	system_job: "system_jobs",
	ad_hoc_command: "ad_hoc_commands",
	workflow_approval: "workflow_approvals",
};

export async function readEvents(
	driver: DriverState,
	connection: Connection,
	jobId: number,
	after: number,
	limit: number,
): Promise<Json[]> {
	const query = { counter__gt: after, order_by: "counter", no_truncate: 1 };
	const path = `jobs/${jobId}/job_events/`;
	if (!driver.unlimited.has(connection)) {
		try {
			return readRows(await connection.json({ path, query: { ...query, limit } }));
		} catch (error) {
			if (!(error instanceof AutomationError)) throw error;
			// One event may have most of a megabyte: fewer of them fit.
			if (error.kind === "too_big" && limit > 1)
				return readEvents(driver, connection, jobId, after, Math.ceil(limit / 8));
			if (error.kind !== "invalid" || !/limit|no_truncate/.test(error.message)) throw error;
			driver.unlimited.add(connection);
		}
	}
	return readRows(await connection.json({ path, query: { ...query, page_size: Math.min(limit, PAGE) } }));
}

export function relaunchJob(
	driver: DriverState,
	target: AutomationTarget,
	type: ServerJobType,
	jobId: number,
	hosts: "failed" | "all",
): Promise<LaunchOutcome> {
	const body = type === "job" ? { hosts } : {};
	return sendLaunch(getConnection(driver, target), `${PATHS[type]}/${jobId}/relaunch/`, body, target.timeoutMs);
}

export async function countFailedHosts(
	driver: DriverState,
	target: AutomationTarget,
	jobId: number,
): Promise<number | null> {
	const found = await getConnection(driver, target).json({ path: `jobs/${jobId}/relaunch/` });
	const counts = isObject(found.retry_counts) ? found.retry_counts : {};
	return typeof counts.failed === "number" ? counts.failed : null;
}

export async function listLaunchedSince(
	driver: DriverState,
	target: AutomationTarget,
	kind: "job" | "workflow",
	templateId: number,
	since: number,
): Promise<FoundJob[]> {
	const connection = getConnection(driver, target);
	const query = { created__gte: new Date(since).toISOString(), order_by: "-id" };
	const base = `${buildTemplatesPath(kind)}/${templateId}/`;
	if (kind === "workflow")
		return (await readAllPages(connection, { path: `${base}workflow_jobs/`, query })).map(readFound);
	const plain = await readAllPages(connection, { path: `${base}jobs/`, query });
	// Releases before slicing do not have the list.
	const sliced = await readAllPages(connection, { path: `${base}slice_workflow_jobs/`, query }).catch(
		(error: unknown) => {
			if (error instanceof AutomationError && error.kind === "not_found") return [];
			throw error;
		},
	);
	return [...plain, ...sliced].map(readFound);
}

export async function readStates(
	driver: DriverState,
	target: AutomationTarget,
	ids: readonly number[],
): Promise<ReadonlyMap<number, JobState>> {
	const connection = getConnection(driver, target);
	const found = new Map();
	for (let at = 0; at < ids.length; at += PAGE) {
		const query = { id__in: ids.slice(at, at + PAGE).join(","), order_by: "id", page_size: PAGE };
		for (const row of readRows(await connection.json({ path: "unified_jobs/", query }))) {
			const state = readState(row);
			found.set(state.id, state);
		}
	}
	return found;
}

export async function findJob(
	driver: DriverState,
	target: AutomationTarget,
	type: ServerJobType,
	id: number,
): Promise<JobDetail | null> {
	const row = await readIfFound(getConnection(driver, target), { path: `${PATHS[type]}/${id}/` });
	return row === null ? null : readDetail(row);
}

export async function sumHosts(
	driver: DriverState,
	target: AutomationTarget,
	jobId: number,
): Promise<HostTotals | null> {
	const found = await readAllPages(getConnection(driver, target), { path: `jobs/${jobId}/job_host_summaries/` });
	if (found.length === 0) return null;
	const sum = (name: string) => found.reduce((total, row) => total + (Number(row[name]) || 0), 0);
	return { hosts: found.length, ok: sum("ok"), changed: sum("changed"), failed: sum("failures") + sum("dark") };
}

export async function listNodes(
	driver: DriverState,
	target: AutomationTarget,
	workflowJobId: number,
	limit: number,
): Promise<readonly ServerNode[]> {
	const request = { path: `workflow_jobs/${workflowJobId}/workflow_nodes/`, query: { order_by: "id" } };
	return (await readAllPages(getConnection(driver, target), request, limit)).map(readNode);
}

export async function cancelJob(
	driver: DriverState,
	target: AutomationTarget,
	type: ServerJobType,
	id: number,
): Promise<"asked" | "over"> {
	const answer = await getConnection(driver, target).post(
		`${PATHS[type]}/${id}/cancel/`,
		{},
		{
			timeoutMs: target.timeoutMs,
		},
	);
	if (answer.status === 405) return "over";
	if (answer.status < 200 || answer.status > 299) throw getError(answer);
	return "asked";
}

export async function readOutput(
	driver: DriverState,
	target: AutomationTarget,
	type: ServerJobType,
	id: number,
	maxBytes: number,
): Promise<string> {
	const path = `${PATHS[type]}/${id}/stdout/`;
	const request = { path, query: { format: "txt_download" }, accept: "text/plain", maxBytes };
	const answer = await getConnection(driver, target).get(request);
	return answer.mask(answer.body.toString("utf8"));
}
