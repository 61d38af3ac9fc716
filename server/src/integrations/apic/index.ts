/**
 * The driver for Cisco ACI APIC controllers: one connection (sockets, session, concurrency limit)
 * per target.
 */
import { parseExact } from "@weft/contracts/exact-json";
import type { OutgoingTargets } from "../../core/system/outgoing.ts";
import {
	createTimerDeadline,
	type Deadline,
	linkSignals,
	type Sleep,
	sleepByTimer,
} from "../../core/system/signals.ts";
import type { ClusterEvents, Failover } from "./cluster/members.ts";
import { assertNotEmptied } from "./complete.ts";
import type { CallRequest, ConnectionParts } from "./connection.ts";
import { type Inspect, inspectAnswer } from "./inspect.ts";
import { createMetering } from "./meter.ts";
import {
	beginOperation,
	countObjects,
	type DriverState,
	readQueryPages,
	readRows,
	readTargetChanges,
	reportChange,
	retireCluster,
} from "./operations.ts";
import { listOptionValues, requireSafePath, splitPath } from "./paths.ts";
import type { ControllerAnswer, ControllerDriver, ControllerRequest, ControllerTarget } from "./port.ts";
import type { ControllerTestResult } from "./port-test-result.ts";
import { checkPrivateKey } from "./private-key.ts";
import { testCluster } from "./probe.ts";
import { buildControllerCancelledError } from "./transport.ts";
import { buildAddressRefusedError } from "./transport-error.ts";

export interface ControllerDriverParts {
	/** Milliseconds since the epoch. */
	readonly clock: { now(): number };
	/** Called once for each operation on a connection whose certificate is not validated. */
	readonly onUnverified?: (target: ControllerTarget) => void;
	/** Called with each request's outcome and duration in milliseconds. */
	readonly onRequest?: ConnectionParts["onRequest"];
	/** Called when a request goes on from a member of a cluster that failed to another. */
	readonly onFailover?: (target: ControllerTarget, failover: Failover) => void;
	/** Parses one answer's bytes, possibly on another thread; parseExact by default. */
	readonly parseJson?: (body: Buffer) => Promise<unknown>;
	/** Inspects answers that are passed through, possibly on another thread. */
	readonly inspect?: Inspect;
	/** Concurrent requests per connection; default 6. */
	readonly concurrency?: number;
	/** The largest single answer or page; default 64 MB. */
	readonly maxBodyBytes?: number;
	/** Pages read ahead of the consumer hold about this many bytes at most; default 64 MB. */
	readonly bufferBytes?: number;
	/** Milliseconds that an abandoned read keeps its concurrency slot; default 3,000. */
	readonly lingerMs?: number;
	readonly sleep?: Sleep;
	/** 0 ≤ x < 1, for the jitter of retries. */
	readonly random?: () => number;
	readonly deadline?: Deadline;
	/** Addresses that may be connected to; every address where it is absent. */
	readonly targets?: OutgoingTargets;
}

const MB = 1_048_576;

async function testTarget(
	driver: DriverState,
	target: ControllerTarget,
	signal: AbortSignal | undefined,
): Promise<ControllerTestResult> {
	if (driver.closing.signal.aborted || signal?.aborted) throw buildControllerCancelledError();
	if (!target.verifyTls) driver.onUnverified?.(target);
	const link = linkSignals(signal, driver.closing.signal);
	try {
		const result = await testCluster(target, driver.deps, link.signal);
		const known = driver.byId.get(target.id);
		if (result.ok && known?.target.revision === target.revision) known.forgive();
		return result;
	} finally {
		link.done();
	}
}

async function sendRequest(
	driver: DriverState,
	target: ControllerTarget,
	{ method, path: raw, body, signal: given, timings, ...call }: ControllerRequest,
): Promise<ControllerAnswer> {
	const path = requireSafePath(raw);
	const { cluster, signal, meter, end } = beginOperation(driver, target, given, timings);
	try {
		const options = splitPath(path);
		const paged = options.options.some(([name]) => name === "page" || name === "page-size");
		const sparse = listOptionValues(options, "rsp-subtree-include").includes("required");
		const request: CallRequest = {
			method,
			path,
			body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
			signal,
			meter,
			whole: true,
			...(method === "GET" && !paged && !sparse ? { check: assertNotEmptied } : {}),
		};
		const perform = method === "GET" ? cluster.read : cluster.send;
		const { status, data, json, text } = await perform((connection) => connection.call(request), {
			...call,
			signal,
		});
		return {
			status,
			json: json ?? null,
			text: text ?? null,
			get data() {
				if (text !== undefined) return text.toString("utf8");
				return json === undefined ? data : parseExact(json.toString("utf8"));
			},
			timings: meter.timings,
		};
	} finally {
		end();
	}
}

async function identifyTarget(driver: DriverState, target: ControllerTarget): Promise<void> {
	const { cluster, end } = beginOperation(driver, target, undefined);
	try {
		await cluster.identify();
	} finally {
		end();
	}
}

function forgetTarget(driver: DriverState, targetId: string): void {
	const known = driver.byId.get(targetId);
	if (!known) return;
	driver.byId.delete(targetId);
	retireCluster(driver, known);
}

async function closeDriver(driver: DriverState): Promise<void> {
	driver.closing.abort();
	await Promise.all([...driver.open].map((cluster) => cluster.destroy()));
	driver.open.clear();
	driver.byId.clear();
}

export function createControllerDriver({
	clock,
	onUnverified,
	onRequest,
	onFailover = () => {},
	parseJson = async (body) => parseExact(body.toString("utf8")),
	inspect = async (body) => inspectAnswer(body),
	concurrency = 6,
	maxBodyBytes = 64 * MB,
	bufferBytes = 64 * MB,
	lingerMs = 3_000,
	sleep = sleepByTimer,
	random = Math.random,
	deadline = createTimerDeadline,
	targets,
}: ControllerDriverParts): ControllerDriver {
	const events: ClusterEvents = {
		onMember: (target, { url, state, lastError, since }) =>
			reportChange(driver, target, { member: { url, state, lastError, since } }),
		onFabric: (target, fabricId) => reportChange(driver, target, { fabricId }),
		onFailover,
	};
	const driver: DriverState = {
		onUnverified,
		concurrency,
		bufferBytes,
		deps: {
			clock,
			pacing: { sleep, random },
			deadline,
			targets,
			parseJson,
			inspect,
			concurrency,
			maxBodyBytes,
			onRequest,
			lingerMs,
		},
		metering: createMetering(clock),
		listeners: [],
		byId: new Map(),
		open: new Set(),
		closing: new AbortController(),
		events,
	};

	return {
		checkPrivateKey,

		refusal(url) {
			const host = targets?.refusedHost(url) ?? null;
			return host === null ? null : buildAddressRefusedError(host);
		},

		test: (target, signal) => testTarget(driver, target, signal),

		request: (target, request) => sendRequest(driver, target, request),

		count: (target, query) => countObjects(driver, target, query),

		pages: (target, query) => readQueryPages(driver, target, query),

		rows: (target, query) => readRows(driver, target, query),

		changes: (target, query) => readTargetChanges(driver, target, query),

		identify: (target) => identifyTarget(driver, target),

		onClusterChange(listener) {
			driver.listeners.push(listener);
		},

		forget: (targetId) => forgetTarget(driver, targetId),

		close: () => closeDriver(driver),
	};
}
