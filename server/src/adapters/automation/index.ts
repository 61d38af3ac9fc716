/**
 * The driver for AWX and Ansible Automation Platform: one connection (sockets, root, credentials)
 * per target, and the port's operations on it.
 */

import type { AutomationKind } from "@weft/contracts";
import type {
	FoundJob,
	HostTotals,
	JobDetail,
	JobState,
	LaunchOutcome,
	LaunchPayload,
	ServerNode,
} from "../../ports/automation-server.ts";
import {
	type AutomationDriver,
	AutomationError,
	type AutomationTarget,
	type AutomationTestResult,
	type LaunchInfo,
	type PageRequest,
	type ServerJobType,
} from "../../ports/automation-server.ts";
import { addressRefused } from "../controller/transport-error.ts";
import type { OutgoingTargets } from "../system/outgoing.ts";
import { timerDeadline } from "../system/signals.ts";
import { getError, getJson, isObject, type Json } from "./classify.ts";
import { type Connection, createConnection, type Get } from "./connection.ts";
import { sendLaunch } from "./launch.ts";
import {
	readCredential,
	readCredentialType,
	readDetail,
	readEvent,
	readFound,
	readLaunchNeeds,
	readNode,
	readState,
	readSurvey,
	readTemplate,
	readTemplateNode,
} from "./read.ts";
import { buildAutomationCancelledError } from "./transport.ts";

export interface AutomationDriverDeps {
	/** Called once for each operation on a connection whose certificate is not validated. */
	readonly onUnverified?: (target: AutomationTarget) => void;
	/** Requests under way per connection; default 6. */
	readonly concurrency?: number;
	/** 0 ≤ x < 1, for the jitter of repetitions. */
	readonly random?: () => number;
	/** Multiplies the pauses between repetitions; 1 where absent. */
	readonly pace?: number;
	/** Addresses that may be connected to; every address where it is absent. */
	readonly targets?: OutgoingTargets;
}

const PAGE = 200;
const MOST_PAGES = 500;
/** Characters of a test's message. */
const SHOWN_MAX = 1_000;
const PATHS: Readonly<Record<ServerJobType, string>> = {
	job: "jobs",
	workflow_job: "workflow_jobs",
	project_update: "project_updates",
	inventory_update: "inventory_updates",
	system_job: "system_jobs",
	ad_hoc_command: "ad_hoc_commands",
	workflow_approval: "workflow_approvals",
};
/** Rejects with a timeout if the work takes longer; the work itself goes on. */
function limitDuration<T>(work: Promise<T>, ms: number): Promise<T> {
	return new Promise((resolve, reject) => {
		const stop = timerDeadline(ms, () => {
			const message = `The automation server did not answer within ${ms / 1000} s.`;
			reject(new AutomationError("timeout", message, { retryable: true }));
		});
		work.then(resolve, reject).finally(stop);
	});
}

const templatesPath = (kind: AutomationKind): string => (kind === "job" ? "job_templates" : "workflow_job_templates");
const readRows = (body: Json): Json[] => (Array.isArray(body.results) ? body.results.filter(isObject) : []);

/** The connections that are in use, and their settings. */
interface DriverState {
	readonly onUnverified: ((target: AutomationTarget) => void) | undefined;
	readonly options: Parameters<typeof createConnection>[1];
	readonly byId: Map<string, Connection>;
	/** Connections whose server does not know `limit` of events. */
	readonly unlimited: WeakSet<Connection>;
	closed: boolean;
}

function getConnection(driver: DriverState, target: AutomationTarget): Connection {
	if (driver.closed) throw buildAutomationCancelledError();
	if (!target.verifyTls) driver.onUnverified?.(target);
	const known = driver.byId.get(target.id);
	if (known?.revision === target.revision) return known;
	const made = createConnection(target, driver.options);
	driver.byId.set(target.id, made);
	if (known) void known.close().catch(() => undefined);
	return made;
}

async function readPage<Item>(
	driver: DriverState,
	target: AutomationTarget,
	path: string,
	request: PageRequest,
	read: (row: Json) => Item,
) {
	const query = {
		order_by: "name",
		page: request.page,
		page_size: request.pageSize,
		search: request.search || undefined,
	};
	const body = await getConnection(driver, target).json({ path, query });
	return { count: typeof body.count === "number" ? body.count : 0, items: readRows(body).map(read) };
}

/** Every row of a list, page by page. */
async function readAllPages(connection: Connection, request: Get): Promise<Json[]> {
	const found: Json[] = [];
	for (let at = 1; at <= MOST_PAGES; at++) {
		const body = await connection.json({ ...request, query: { ...request.query, page: at, page_size: PAGE } });
		found.push(...readRows(body));
		if (body.next === null || body.next === undefined) return found;
	}
	throw new AutomationError("too_big", `The automation server's list ${request.path} has too many pages.`);
}

async function readIfFound(connection: Connection, request: Get): Promise<Json | null> {
	return connection.json(request).catch((error: unknown) => {
		if (error instanceof AutomationError && error.kind === "not_found") return null;
		throw error;
	});
}

async function readEvents(
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

/**
 * Whether the token may change things: cancels a job that no server has. A token for reading is
 * refused with 403 before the job is looked for, another one gets 404. Null for other answers.
 */
async function probeScope(connection: Connection, timeoutMs: number): Promise<boolean | null> {
	const status = await connection.post(`${PATHS.job}/0/cancel/`, {}, { timeoutMs }).then(
		(answer) => answer.status,
		() => null,
	);
	return status === 403 ? false : status === 404 ? true : null;
}

async function findTemplate(
	driver: DriverState,
	target: AutomationTarget,
	kind: AutomationKind,
	id: number,
): Promise<LaunchInfo> {
	const connection = getConnection(driver, target);
	const path = `${templatesPath(kind)}/${id}/`;
	const answer = await connection.get({ path });
	const row = getJson(answer);
	if (!isObject(row)) throw new AutomationError("bad_answer", "The template cannot be read.");
	const template = readTemplate(row, kind);
	const survey = template.survey_enabled ? readSurvey(await connection.json({ path: `${path}survey_spec/` })) : null;
	const nodes = kind === "workflow" ? await readAllPages(connection, { path: `${path}workflow_nodes/` }) : null;
	// Who may read a template may lack the right to launch it, and with it this answer. A refusal
	// for another reason comes again with the launch itself.
	const launch = await readIfFound(connection, { path: `${path}launch/` }).catch((error: unknown) => {
		if (error instanceof AutomationError && !error.retryable) return null;
		throw error;
	});
	const serverTime = Date.parse(answer.header("date") ?? "");
	return {
		...template,
		extra_vars: typeof row.extra_vars === "string" ? row.extra_vars : "",
		survey_spec: survey,
		launch_needs: launch === null ? null : readLaunchNeeds(launch),
		...(nodes === null ? {} : { workflow_nodes: nodes.map(readTemplateNode) }),
		serverTime: Number.isNaN(serverTime) ? null : serverTime,
		surveyVariables: survey?.spec.map(({ variable }) => variable) ?? [],
	};
}

async function testTarget(
	driver: DriverState,
	target: AutomationTarget,
	signal: AbortSignal | undefined,
): Promise<AutomationTestResult> {
	if (driver.closed || signal?.aborted) throw buildAutomationCancelledError();
	if (!target.verifyTls) driver.onUnverified?.(target);
	const connection = createConnection(target, driver.options);
	const began = performance.now();
	try {
		const { version, root, username, product, capacity } = await connection.session();
		const latencyMs = performance.now() - began;
		const config = await connection.json({ path: "config/" }).catch(() => null);
		const licence = config?.license_info;
		const warnings = [
			...(capacity === 0 ? ["It has no capacity: launched jobs will wait."] : []),
			...(isObject(licence) && Object.keys(licence).length === 0 ? ["It has no licence."] : []),
		];
		const canLaunch = await probeScope(connection, target.timeoutMs);
		return { ok: true, version, root, username, product, latencyMs, canLaunch, warnings };
	} catch (error) {
		if (!(error instanceof AutomationError)) throw error;
		if (error.kind === "cancelled") throw error;
		return { ok: false, kind: error.kind, message: error.message.slice(0, SHOWN_MAX).toWellFormed() };
	} finally {
		await connection.destroy();
	}
}

async function findCredentialKind(driver: DriverState, target: AutomationTarget, id: number): Promise<string | null> {
	const row = await readIfFound(getConnection(driver, target), { path: `credentials/${id}/` }).catch(
		(error: unknown) => {
			if (error instanceof AutomationError && error.kind === "permission") return null;
			throw error;
		},
	);
	return row === null ? null : readCredential(row).kind;
}

function launchTemplate(
	driver: DriverState,
	target: AutomationTarget,
	kind: "job" | "workflow",
	templateId: number,
	payload: LaunchPayload,
): Promise<LaunchOutcome> {
	const body = {
		...payload.prompts,
		extra_vars: payload.extraVars,
		...(payload.credentials ? { credentials: payload.credentials } : {}),
		...(payload.jobType ? { job_type: payload.jobType } : {}),
	};
	const path = `${templatesPath(kind)}/${templateId}/launch/`;
	return sendLaunch(getConnection(driver, target), path, body, target.timeoutMs);
}

function relaunchJob(
	driver: DriverState,
	target: AutomationTarget,
	type: ServerJobType,
	jobId: number,
	hosts: "failed" | "all",
): Promise<LaunchOutcome> {
	const body = type === "job" ? { hosts } : {};
	return sendLaunch(getConnection(driver, target), `${PATHS[type]}/${jobId}/relaunch/`, body, target.timeoutMs);
}

async function countFailedHosts(driver: DriverState, target: AutomationTarget, jobId: number): Promise<number | null> {
	const found = await getConnection(driver, target).json({ path: `jobs/${jobId}/relaunch/` });
	const counts = isObject(found.retry_counts) ? found.retry_counts : {};
	return typeof counts.failed === "number" ? counts.failed : null;
}

async function listLaunchedSince(
	driver: DriverState,
	target: AutomationTarget,
	kind: "job" | "workflow",
	templateId: number,
	since: number,
): Promise<FoundJob[]> {
	const connection = getConnection(driver, target);
	const query = { created__gte: new Date(since).toISOString(), order_by: "-id" };
	const base = `${templatesPath(kind)}/${templateId}/`;
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

async function readStates(
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

async function findJob(
	driver: DriverState,
	target: AutomationTarget,
	type: ServerJobType,
	id: number,
): Promise<JobDetail | null> {
	const row = await readIfFound(getConnection(driver, target), { path: `${PATHS[type]}/${id}/` });
	return row === null ? null : readDetail(row);
}

async function sumHosts(driver: DriverState, target: AutomationTarget, jobId: number): Promise<HostTotals | null> {
	const found = await readAllPages(getConnection(driver, target), { path: `jobs/${jobId}/job_host_summaries/` });
	if (found.length === 0) return null;
	const sum = (name: string) => found.reduce((total, row) => total + (Number(row[name]) || 0), 0);
	return { hosts: found.length, ok: sum("ok"), changed: sum("changed"), failed: sum("failures") + sum("dark") };
}

async function listNodes(
	driver: DriverState,
	target: AutomationTarget,
	workflowJobId: number,
): Promise<readonly ServerNode[]> {
	const path = `workflow_jobs/${workflowJobId}/workflow_nodes/`;
	return (await readAllPages(getConnection(driver, target), { path, query: { order_by: "id" } })).map(readNode);
}

async function cancelJob(
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

async function readOutput(
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

function forgetTarget(driver: DriverState, targetId: string): void {
	const known = driver.byId.get(targetId);
	driver.byId.delete(targetId);
	void known?.close().catch(() => undefined);
}

async function closeDriver(driver: DriverState): Promise<void> {
	driver.closed = true;
	await Promise.all([...driver.byId.values()].map((connection) => connection.destroy()));
	driver.byId.clear();
}

export function createAutomationDriver({
	onUnverified,
	concurrency = 6,
	random = Math.random,
	pace = 1,
	targets,
}: AutomationDriverDeps = {}): AutomationDriver {
	const driver: DriverState = {
		onUnverified,
		options: { concurrency, random, pace, targets },
		byId: new Map(),
		unlimited: new WeakSet(),
		closed: false,
	};

	return {
		refusal(url) {
			const host = targets?.refusedHost(url) ?? null;
			return host === null ? null : addressRefused(host);
		},

		test: (target, signal) => testTarget(driver, target, signal),

		templates: (target, kind, request) =>
			readPage(driver, target, `${templatesPath(kind)}/`, request, (row) => readTemplate(row, kind)),

		template(target, kind, id, withinMs) {
			const work = findTemplate(driver, target, kind, id);
			return withinMs === undefined ? work : limitDuration(work, withinMs);
		},

		credentials: (target, request) => readPage(driver, target, "credentials/", request, readCredential),

		credentialKind: (target, id) => findCredentialKind(driver, target, id),

		credentialTypes: (target, request) => readPage(driver, target, "credential_types/", request, readCredentialType),

		launch: (target, kind, templateId, payload) => launchTemplate(driver, target, kind, templateId, payload),

		relaunch: (target, type, jobId, hosts) => relaunchJob(driver, target, type, jobId, hosts),

		failedHosts: (target, jobId) => countFailedHosts(driver, target, jobId),

		launchedSince: (target, kind, templateId, since) => listLaunchedSince(driver, target, kind, templateId, since),

		states: (target, ids) => readStates(driver, target, ids),

		job: (target, type, id) => findJob(driver, target, type, id),

		async events(target, jobId, after, limit) {
			const found = await readEvents(driver, getConnection(driver, target), jobId, after, limit);
			return found.map(readEvent);
		},

		hostTotals: (target, jobId) => sumHosts(driver, target, jobId),

		nodes: (target, workflowJobId) => listNodes(driver, target, workflowJobId),

		cancel: (target, type, id) => cancelJob(driver, target, type, id),

		output: (target, type, id, maxBytes) => readOutput(driver, target, type, id, maxBytes),

		forget: (targetId) => forgetTarget(driver, targetId),

		close: () => closeDriver(driver),
	};
}
