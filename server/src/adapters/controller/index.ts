/**
 * The driver for Cisco ACI APIC controllers: one connection (sockets, session, concurrency limit)
 * per target.
 */

import { parseExact } from "@weft/contracts/exact-json";
import type {
	ControllerAnswer,
	ControllerChanges,
	ControllerChangesQuery,
	ControllerRequest,
	ControllerTestResult,
} from "../../ports/controller.ts";
import {
	type ClusterChange,
	type ControllerCall,
	type ControllerDriver,
	ControllerError,
	type ControllerObject,
	type ControllerQuery,
	type ControllerTarget,
	type ControllerTimings,
} from "../../ports/controller.ts";
import type { OutgoingTargets } from "../system/outgoing.ts";
import { type Deadline, linkSignals, type Sleep, timerDeadline, timerSleep } from "../system/signals.ts";
import { readChanges } from "./changes.ts";
import { type Cluster, createCluster } from "./cluster/cluster.ts";
import type { ClusterEvents, Failover } from "./cluster/members.ts";
import { createCompletenessCheck, notEmptied } from "./complete.ts";
import type { CallRequest, ConnectionDeps } from "./connection.ts";
import { type Inspect, inspectAnswer } from "./inspect.ts";
import { createMetering } from "./meter.ts";
import { countQuery, pagedQuery } from "./order.ts";
import { readPages } from "./paging.ts";
import { optionList, safePath, splitPath } from "./paths.ts";
import { checkPrivateKey } from "./private-key.ts";
import { testCluster } from "./probe.ts";
import { buildControllerCancelledError } from "./transport.ts";
import { addressRefused } from "./transport-error.ts";

export interface ControllerDriverDeps {
	/** Milliseconds since the epoch. */
	readonly clock: { now(): number };
	/** Called once for each operation on a connection whose certificate is not validated. */
	readonly onUnverified?: (target: ControllerTarget) => void;
	/** Called with each request's outcome and duration in milliseconds. */
	readonly onRequest?: ConnectionDeps["onRequest"];
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
const DEFAULT_PAGE_SIZE = 1_000;
const LARGEST_PAGE_SIZE = 100_000;

/** The clusters that are in use, and the settings of their connections. */
interface DriverState {
	readonly onUnverified: ((target: ControllerTarget) => void) | undefined;
	readonly concurrency: number;
	readonly bufferBytes: number;
	readonly deps: ConnectionDeps;
	readonly metering: ReturnType<typeof createMetering>;
	readonly listeners: ((change: ClusterChange) => void)[];
	readonly byId: Map<string, Cluster>;
	/** Those of `byId`, and retired ones whose last operation has not ended. */
	readonly open: Set<Cluster>;
	readonly closing: AbortController;
	readonly events: ClusterEvents;
}

function reportChange(
	driver: DriverState,
	{ id, revision }: ControllerTarget,
	change: Omit<ClusterChange, "targetId" | "revision">,
) {
	for (const listener of driver.listeners) listener({ targetId: id, revision, ...change });
}

function findCluster(driver: DriverState, target: ControllerTarget): Cluster {
	const known = driver.byId.get(target.id);
	if (known?.target.revision === target.revision) {
		known.expect(target.fabricId ?? null);
		return known;
	}
	const cluster = createCluster(target, { ...driver.deps, metering: driver.metering, events: driver.events });
	driver.byId.set(target.id, cluster);
	driver.open.add(cluster);
	if (known) retireCluster(driver, known);
	return cluster;
}

function retireCluster(driver: DriverState, cluster: Cluster) {
	cluster.retire(() => driver.open.delete(cluster));
}

/** Starts an operation: its cluster, linked signal and timings. */
function beginOperation(
	driver: DriverState,
	target: ControllerTarget,
	signal: AbortSignal | undefined,
	timings?: ControllerTimings,
) {
	if (driver.closing.signal.aborted || signal?.aborted) throw buildControllerCancelledError();
	if (!target.verifyTls) driver.onUnverified?.(target);
	const link = linkSignals(signal, driver.closing.signal);
	const cluster = findCluster(driver, target);
	const release = cluster.hold();
	const end = () => {
		release();
		link.done();
	};
	return { cluster, signal: link.signal, meter: driver.metering(timings), end };
}

async function* readQueryPages(driver: DriverState, target: ControllerTarget, query: ControllerQuery) {
	const { pageSize = DEFAULT_PAGE_SIZE, limit = Number.POSITIVE_INFINITY } = query;
	const limitFits = limit >= 1 && (Number.isInteger(limit) || limit === Number.POSITIVE_INFINITY);
	if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > LARGEST_PAGE_SIZE || !limitFits) {
		throw new ControllerError(
			"invalid",
			`The page size is 1 to ${LARGEST_PAGE_SIZE}, the limit a whole number from 1 on.`,
		);
	}
	const paged = pagedQuery(query.path, query.orderBy);
	const { cluster, signal, meter, end } = beginOperation(driver, target, query.signal, query.timings);
	const options = {
		query: paged,
		unread: query.unread === true,
		allowEmpty: query.allowEmpty === true,
		pageSize,
		limit,
		signal,
		meter,
		readAhead: driver.concurrency * 2,
		bufferBytes: driver.bufferBytes,
	};
	try {
		yield* cluster.pages(({ call }) => readPages({ ...options, call }), { ...query, signal });
	} finally {
		end();
	}
}

async function countObjects(
	driver: DriverState,
	target: ControllerTarget,
	query: Parameters<ControllerDriver["count"]>[1],
): Promise<number> {
	const { path, sparse } = countQuery(query.path);
	if (!sparse) {
		const { cluster, signal, meter, end } = beginOperation(driver, target, query.signal, query.timings);
		try {
			const { objects, totalCount } = await cluster.read(
				({ call }) =>
					call({ method: "GET", path, signal, meter, check: createCompletenessCheck({ index: 0, size: 1 }, false) }),
				{ ...query, signal },
			);
			if (totalCount !== null) return totalCount;
			if (objects?.count === 0) return 0;
		} catch (error) {
			if (query.allowEmpty === true && error instanceof ControllerError && error.listedNone) return 0;
			throw error;
		} finally {
			end();
		}
	}
	// The controller reports no count, or counts objects that it drops afterwards: read them.
	return wholeRead(query, async (whole) => {
		let found = 0;
		for await (const page of readQueryPages(driver, target, { ...whole, unread: true })) found += page.rowCount;
		return found;
	});
}

async function readRows(driver: DriverState, target: ControllerTarget, query: ControllerQuery) {
	const { timings } = driver.metering(query.timings);
	return wholeRead(query, async (whole) => {
		const found: ControllerObject[] = [];
		let totalCount: number | null = null;
		for await (const page of readQueryPages(driver, target, { ...whole, timings })) {
			for (const row of page.rows) found.push(row);
			totalCount = page.totalCount;
		}
		return { rows: found, totalCount, timings };
	});
}

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
	const path = safePath(raw);
	const { cluster, signal, meter, end } = beginOperation(driver, target, given, timings);
	try {
		const options = splitPath(path);
		const paged = options.options.some(([name]) => name === "page" || name === "page-size");
		const sparse = optionList(options, "rsp-subtree-include").includes("required");
		const request: CallRequest = {
			method,
			path,
			body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
			signal,
			meter,
			whole: true,
			...(method === "GET" && !paged && !sparse ? { check: notEmptied } : {}),
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

async function readTargetChanges(
	driver: DriverState,
	target: ControllerTarget,
	{ signal: given, timings, ...wanted }: ControllerChangesQuery,
): Promise<ControllerChanges> {
	const { cluster, signal, meter, end } = beginOperation(driver, target, given, timings);
	const call = { signal, timings: meter.timings };
	try {
		// The login's answer shows the controller's time, which the window depends on.
		const connection = await cluster.read(
			async (chosen) => {
				await chosen.session?.token(signal, meter);
				return chosen;
			},
			{ signal },
		);
		return await readChanges(
			{
				rows: (query) => readRows(driver, target, { ...query, ...call }),
				count: (path) => countObjects(driver, target, { path, ...call }),
				clockSkewMs: connection.clockSkewMs,
			},
			wanted,
		);
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
	sleep = timerSleep,
	random = Math.random,
	deadline = timerDeadline,
	targets,
}: ControllerDriverDeps): ControllerDriver {
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
			return host === null ? null : addressRefused(host);
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

/** Begins a read again on another member of the cluster when one failed in the middle of it. */
async function wholeRead<Query extends ControllerCall, Result>(
	query: Query,
	attempt: (query: Query & { readonly failedMembers: Set<string> }) => Promise<Result>,
): Promise<Result> {
	const failedMembers = query.failedMembers ?? new Set();
	for (;;) {
		try {
			return await attempt({ ...query, failedMembers });
		} catch (error) {
			if (!(error instanceof ControllerError && error.interrupted)) throw error;
		}
	}
}
