/** Operations on a target's cluster: reads of objects, pages, counts and changes. */

import { linkSignals } from "../../core/system/signals.ts";
import { readChanges } from "./changes.ts";
import { type Cluster, createCluster } from "./cluster/cluster.ts";
import type { ClusterEvents } from "./cluster/members.ts";
import { createCompletenessCheck } from "./complete.ts";
import type { ConnectionParts } from "./connection.ts";
import type { createMetering } from "./meter.ts";
import { buildPagedQuery, countQuery } from "./order.ts";
import { readPages } from "./paging.ts";
import type {
	ClusterChange,
	ControllerCall,
	ControllerChanges,
	ControllerChangesQuery,
	ControllerDriver,
	ControllerObject,
	ControllerQuery,
	ControllerTarget,
	ControllerTimings,
} from "./port.ts";
import { ControllerError } from "./port-error.ts";
import { buildControllerCancelledError } from "./transport.ts";

const DEFAULT_PAGE_SIZE = 1_000;

const LARGEST_PAGE_SIZE = 100_000;

/** The clusters that are in use, and the settings of their connections. */
export interface DriverState {
	readonly onUnverified: ((target: ControllerTarget) => void) | undefined;
	readonly concurrency: number;
	readonly bufferBytes: number;
	readonly deps: ConnectionParts;
	readonly metering: ReturnType<typeof createMetering>;
	readonly listeners: ((change: ClusterChange) => void)[];
	readonly byId: Map<string, Cluster>;
	/** Those of `byId`, and retired ones whose last operation has not ended. */
	readonly open: Set<Cluster>;
	readonly closing: AbortController;
	readonly events: ClusterEvents;
}

export function reportChange(
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

export function retireCluster(driver: DriverState, cluster: Cluster) {
	cluster.retire(() => driver.open.delete(cluster));
}

/** Starts an operation: its cluster, linked signal and timings. */
export function beginOperation(
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

export async function* readQueryPages(driver: DriverState, target: ControllerTarget, query: ControllerQuery) {
	const { pageSize = DEFAULT_PAGE_SIZE, limit = Number.POSITIVE_INFINITY } = query;
	const limitFits = limit >= 1 && (Number.isInteger(limit) || limit === Number.POSITIVE_INFINITY);
	if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > LARGEST_PAGE_SIZE || !limitFits) {
		throw new ControllerError(
			"invalid",
			`The page size is 1 to ${LARGEST_PAGE_SIZE}, the limit a whole number from 1 on.`,
		);
	}
	const paged = buildPagedQuery(query.path, query.orderBy);
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

export async function countObjects(
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
	return readWhole(query, async (whole) => {
		let found = 0;
		for await (const page of readQueryPages(driver, target, { ...whole, unread: true })) found += page.rowCount;
		return found;
	});
}

export async function readRows(driver: DriverState, target: ControllerTarget, query: ControllerQuery) {
	const { timings } = driver.metering(query.timings);
	return readWhole(query, async (whole) => {
		const found: ControllerObject[] = [];
		let totalCount: number | null = null;
		for await (const page of readQueryPages(driver, target, { ...whole, timings })) {
			for (const row of page.rows) found.push(row);
			totalCount = page.totalCount;
		}
		return { rows: found, totalCount, timings };
	});
}

export async function readTargetChanges(
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

/** Begins a read again on another member of the cluster when one failed in the middle of it. */
async function readWhole<Query extends ControllerCall, Result>(
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
