/**
 * The driver for AWX and Ansible Automation Platform: one connection (sockets, root, credentials)
 * per target, and the port's operations on it.
 */
import type { AutomationKind } from "@weft/contracts";
import type { OutgoingTargets } from "../../core/system/outgoing.ts";
import { createTimerDeadline } from "../../core/system/signals.ts";
import { buildAddressRefusedError } from "../apic/transport-error.ts";
import { getJson, isObject } from "./classify.ts";
import { type Connection, createConnection } from "./connection.ts";
import {
	buildTemplatesPath,
	type DriverState,
	getConnection,
	readAllPages,
	readIfFound,
	readPage,
} from "./driver-state.ts";
import {
	cancelJob,
	countFailedHosts,
	findJob,
	listLaunchedSince,
	listNodes,
	PATHS,
	readEvents,
	readOutput,
	readStates,
	relaunchJob,
	sumHosts,
} from "./jobs.ts";
import { sendLaunch } from "./launch.ts";
import type { LaunchOutcome, LaunchPayload } from "./port.ts";
import {
	type AutomationDriver,
	AutomationError,
	type AutomationTarget,
	type AutomationTestResult,
	type LaunchInfo,
} from "./port.ts";
import {
	readCredential,
	readCredentialType,
	readEvent,
	readLaunchNeeds,
	readSurvey,
	readTemplate,
	readTemplateNode,
} from "./read.ts";
import { buildAutomationCancelledError } from "./transport.ts";

interface AutomationDriverParts {
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

/** Characters of a test's message. */
const SHOWN_MAX = 1_000;

/** Rejects with a timeout if the work takes longer; the work itself goes on. */
function limitDuration<T>(work: Promise<T>, ms: number): Promise<T> {
	return new Promise((resolve, reject) => {
		const stop = createTimerDeadline(ms, () => {
			const message = `The automation server did not answer within ${ms / 1000} s.`;
			reject(new AutomationError("timeout", message, { retryable: true }));
		});
		work.then(resolve, reject).finally(stop);
	});
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
	const path = `${buildTemplatesPath(kind)}/${id}/`;
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
	const path = `${buildTemplatesPath(kind)}/${templateId}/launch/`;
	return sendLaunch(getConnection(driver, target), path, body, target.timeoutMs);
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
}: AutomationDriverParts = {}): AutomationDriver {
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
			return host === null ? null : buildAddressRefusedError(host);
		},

		test: (target, signal) => testTarget(driver, target, signal),

		templates: (target, kind, request) =>
			readPage(driver, target, `${buildTemplatesPath(kind)}/`, request, (row) => readTemplate(row, kind)),

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

		nodes: (target, workflowJobId, limit) => listNodes(driver, target, workflowJobId, limit),

		cancel: (target, type, id) => cancelJob(driver, target, type, id),

		output: (target, type, id, maxBytes) => readOutput(driver, target, type, id, maxBytes),

		forget: (targetId) => forgetTarget(driver, targetId),

		close: () => closeDriver(driver),
	};
}
