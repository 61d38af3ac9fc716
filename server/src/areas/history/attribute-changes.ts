/**
 * Who changed what: asks the controller for its records between two snapshots, either after a
 * capture, where the result is stored, or for a comparison.
 */
import type { AttributionReason, AttributionSummary } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { type Identity, isAllowed } from "../../core/caller.ts";
import { AppError, buildFieldError, buildForbiddenError } from "../../core/errors.ts";
import type { Tx } from "../../core/ports/store.ts";
import { runWithTimeout } from "../../core/run-with-timeout.ts";
import type {
	ControllerChange,
	ControllerChanges,
	ControllerTarget,
	ControllerTimings,
} from "../../integrations/apic/port.ts";
import { ControllerError } from "../../integrations/apic/port-error.ts";
import { findIdentity } from "../accounts/sign-in/create-sessions.ts";
import { requireTarget } from "../fabrics/manage-connections.ts";
import { readDriftRules } from "../queries/saved/visible-query.ts";
import type { Sides } from "./comparison-sides.ts";
import {
	type Attribution,
	createAttribute,
	joinStored,
	listRecordedObjects,
	type StoredAttribution,
} from "./rules/attribution.ts";
import { findSnapshotBefore, insertAttribution, isAttributionStored, listAttributionSteps } from "./sql/attribution.ts";
import type { SnapshotRow } from "./sql/snapshots.ts";
import { findSnapshot } from "./sql/snapshots.ts";
import type { ChangedObjects, ChangesTask } from "./workers/read.ts";

export const ATTRIBUTE = "time_machine.attribute";

/** Requests and time that a lookup may take. */
interface Limits {
	readonly requests: number;
	readonly ms: number;
}

/** Limits of a lookup that a request waits for. */
const ON_DEMAND: Limits = { requests: 20, ms: 30_000 };
const AT_CAPTURE_MS = 10_000;
/** Share of the run's requests that a lookup at a capture may make; at least LEAST_REQUESTS. */
const AT_CAPTURE_PART = 0.02;
const LEAST_REQUESTS = 2;
/** Changed objects whose records are read for a comparison; of more all records of the time are. */
const MOST_LISTED = 1_000;
const MOST_STORED = 2_000;
/** Steps of a history whose stored records are joined. */
const MOST_STEPS = 50;
const PAGE_BYTES = 16 * 1024 * 1024;

/** The attribution of a comparison. */
export interface SummarizedAttribution {
	readonly attribution: Attribution;
	readonly summary: AttributionSummary;
}

interface Lookup {
	readonly records: readonly ControllerChange[];
	readonly reason: AttributionReason | null;
	readonly summary: AttributionSummary;
}

/** Rejects only if `signal` aborts: failures of the controller are part of the result. */
async function readRecords(
	ctx: Context,
	target: ControllerTarget,
	{ from, to }: Sides,
	{ objects, total }: ChangedObjects,
	limits: Limits,
	signal: AbortSignal,
): Promise<Lookup> {
	const timings: ControllerTimings = { loginMs: 0, controllerMs: 0, localMs: 0, requests: 0, bytes: 0 };
	const summarize = (found: Partial<AttributionSummary>): AttributionSummary => ({
		clock_skew_ms: null,
		requests: timings.requests,
		complete: false,
		error: null,
		...found,
	});
	const wanted = {
		// A run reads before its snapshot is stored.
		from: from.executed_at.getTime() - (from.execution_time_ms ?? 0),
		to: to.executed_at.getTime(),
		dns: objects.length < total ? null : listRecordedObjects(objects),
		requests: limits.requests,
		timings,
	};
	try {
		const found = await runWithTimeout(ctx.clock, limits.ms, signal, (stop) =>
			ctx.controllers.changes(target, { ...wanted, signal: stop }),
		);
		const { clockSkewMs: clock_skew_ms, complete, records } = found;
		return { records, reason: getReason(found), summary: summarize({ clock_skew_ms, complete }) };
	} catch (error) {
		signal.throwIfAborted();
		if (!(error instanceof ControllerError)) throw error;
		const isRefused = error.kind === "permission" || error.kind === "rejected";
		const message =
			error.kind === "cancelled"
				? `The controller's records could not be read within ${limits.ms / 1_000} s.`
				: error.message;
		return { records: [], reason: isRefused ? "not_readable" : null, summary: summarize({ error: message }) };
	}
}

async function findStored(ctx: Context, { from, to }: Sides): Promise<SummarizedAttribution | null> {
	if (from.history_id !== to.history_id || from.position >= to.position) return null;
	const range = { historyId: to.history_id, low: from.position, high: to.position, limit: MOST_STEPS + 1 };
	const steps = await listAttributionSteps(ctx.store.db, range);
	const found = steps.slice(0, MOST_STEPS).flatMap((step) => step.found ?? []);
	const [latest] = found;
	if (latest === undefined) return null;
	const isKnown = steps.every((step) => step.found?.complete ?? hasNoDrift(step.drift));
	return {
		attribution: {
			records: null,
			reason: null,
			stored: joinStored(found.map(({ objects }) => new Map(Object.entries(objects)))),
		},
		summary: {
			clock_skew_ms: latest.clock_skew_ms,
			requests: found.reduce((sum, { requests }) => sum + requests, 0),
			complete: steps.length <= MOST_STEPS && isKnown,
			error: found.find(({ error }) => error !== null)?.error ?? null,
		},
	};
}

/** Throws 400, 403 or 404. */
async function requireTargetFor(ctx: Context, identity: Identity, { from, to }: Sides): Promise<ControllerTarget> {
	if (!isAllowed(identity, "execute_savedquery"))
		throw buildForbiddenError("You need the permission execute_savedquery to ask the controller who changed it.");
	await ctx.quotas.check(identity, "can_execute_queries");
	const { controller_connection_id: id } = to;
	if (id === null) throw buildFieldError("attribution", "The snapshots name no controller connection to ask.");
	if (id !== from.controller_connection_id)
		throw buildFieldError("attribution", "The snapshots are of two connections. Compare two of the same one.");
	return (await requireTarget(ctx, identity, id, "attribution")).target;
}

const listChangedObjects = (
	ctx: Context,
	sides: Sides,
	how: Pick<ChangesTask, "ignore" | "beginnings">,
	most: number,
	signal: AbortSignal,
) =>
	ctx.areas.history.threads.changes(
		{ from: sides.from.id, to: sides.to.id, ...how, most, pageBytes: PAGE_BYTES },
		{ size: Math.max(sides.from.result_size_bytes, sides.to.result_size_bytes), signal },
	);

async function findForCapture(
	ctx: Context,
	{ from, to }: Sides,
	requests: number,
	signal: AbortSignal,
): Promise<StoredAttribution | null> {
	const owner = to.executed_by_id === null ? null : await findIdentity(ctx, to.executed_by_id);
	const rules = to.saved_query_id === null ? null : await readDriftRules(ctx.store.db, to.saved_query_id);
	if (owner === null || rules === null) return null;
	const target = await requireTargetFor(ctx, owner, { from, to });
	const how = { ignore: { names: [], volatile: false, identity: false, rules }, beginnings: null };
	const changed = await listChangedObjects(ctx, { from, to }, how, MOST_STORED, signal);
	if (changed === null || changed.total === 0) return null;
	const limits = { requests: Math.max(LEAST_REQUESTS, Math.floor(requests * AT_CAPTURE_PART)), ms: AT_CAPTURE_MS };
	const { records, reason, summary } = await readRecords(ctx, target, { from, to }, changed, limits, signal);
	// It may succeed when it is asked for in a comparison.
	if (summary.error !== null && reason === null) {
		ctx.log.info({ snapshot: to.id, reason: summary.error }, "the records of a captured drift could not be read");
		return null;
	}
	const attribute = createAttribute({ records, reason, stored: new Map() });
	const objects = Object.fromEntries(
		changed.objects.map((object) => [object.dn, attribute(object) ?? { changed_by: [] }]),
	);
	return { ...summary, complete: summary.complete && changed.objects.length === changed.total, objects };
}

/**
 * Who changed the objects of a comparison: by stored lookups, and with `isAsked` also by the
 * controller's records now. Null if nothing is known. Throws 400, 403 or 404 if the identity
 * must not ask.
 */
export async function findAttributions(
	ctx: Context,
	identity: Identity,
	given: Sides & Pick<ChangesTask, "ignore" | "beginnings"> & { readonly isAsked: boolean },
	signal: AbortSignal,
): Promise<SummarizedAttribution | null> {
	const sides = sortInOrder(given);
	if (!given.isAsked) return findStored(ctx, sides);
	const target = await requireTargetFor(ctx, identity, sides);
	const stored = await findStored(ctx, sides);
	const { ignore, beginnings } = given;
	const isSame = sides.from.result_hash === sides.to.result_hash;
	const changed = isSame
		? { objects: [], total: 0 }
		: await listChangedObjects(ctx, given, { ignore, beginnings }, MOST_LISTED, signal);
	if (changed === null) return null;
	const { records, reason, summary } = await readRecords(ctx, target, sides, changed, ON_DEMAND, signal);
	return { attribution: { records, reason, stored: stored?.attribution.stored ?? new Map() }, summary };
}

/** Has the drift of a new snapshot looked up after the transaction. */
export async function enqueueAttribution(ctx: Context, tx: Tx, snapshotId: string, runRequests: number): Promise<void> {
	await ctx.jobs.enqueue(tx, ATTRIBUTE, { snapshotId, requests: runRequests });
}

/** Looks up who made the drift of a snapshot, and stores it. Safe to repeat. */
export async function lookUpDrift(
	ctx: Context,
	snapshotId: string,
	requests: number,
	signal: AbortSignal,
): Promise<void> {
	const to = await findSnapshot(ctx.store.db, snapshotId);
	const before = to && (await findSnapshotBefore(ctx.store.db, to));
	const from = before && (await findSnapshot(ctx.store.db, before.id));
	if (to === undefined || from === undefined || (await isAttributionStored(ctx.store.db, snapshotId))) return;
	try {
		const found = await findForCapture(ctx, { from, to }, requests, signal);
		if (found === null) return;
		await ctx.store.transaction(async (tx) => {
			await insertAttribution(tx, snapshotId, found);
			await ctx.events.emit(tx, { type: "snapshot_attributed", snapshotId });
		});
	} catch (error) {
		// The owner may not use the connection any more.
		if (!(error instanceof AppError) || error.status >= 500) throw error;
	}
}

function getReason({ complete, reachesBack }: ControllerChanges): AttributionReason | null {
	if (!complete || reachesBack === null) return null;
	return reachesBack ? "no_record" : "rotated";
}

const hasNoDrift = (drift: SnapshotRow["drift"]): boolean =>
	drift !== null && drift.added + drift.deleted + drift.modified === 0;

/** The earlier side first. */
function sortInOrder({ from, to }: Sides): Sides {
	const isReversed =
		from.history_id === to.history_id ? from.position > to.position : from.executed_at > to.executed_at;
	return isReversed ? { from: to, to: from } : { from, to };
}
