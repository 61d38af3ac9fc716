/** One object of a connection: attributes, changes, surroundings, and the same elsewhere. */
import { OBJECT_LIMITS, type ObjectAnswer, type ObjectQuery } from "@weft/contracts";
import { type Context, getNow } from "../../../context.ts";
import { type Caller, isAllowed } from "../../../core/caller.ts";
import { buildForbiddenError, buildNotFoundError } from "../../../core/errors.ts";
import { listChecksWithEvidence } from "../../checks/sql/states.ts";
import { findTarget, findVisibleConnection } from "../../fabrics/manage-connections.ts";
import { type LiveControllerObject, readControllerObjects } from "../find/read-controller.ts";
import { getParentDn } from "../find/rules/dn.ts";
import { LIVE_PAGE, listLiveRequests } from "../find/rules/live-requests.ts";
import { getLabel } from "../find/rules/terms.ts";
import { createKey } from "../find/update-index.ts";
import { listFabricDifferences, sortAttributes, type Values } from "./rules/attributes.ts";
import { listSteps, mergeSteps, type ObjectPoint } from "./rules/changes.ts";
import {
	countChildren,
	findClassOfDn,
	listHistorySnapshots,
	listPlaces,
	listRelations,
	listStoredAttributions,
	type ObjectPlace,
} from "./sql.ts";

/** Histories of a connection that are read. */
const HISTORIES_MAX = 100;
/** Histories whose changes are read, the newest first, and snapshots of each. */
const TRACED_HISTORIES = 5;
const TRACED_SNAPSHOTS = 200;
/** Upper bound of a question to the controller, in milliseconds. */
const LIVE_MS = 30_000;

/** The controller's answer about an object and its children. */
interface Live {
	readonly answer: NonNullable<ObjectAnswer["live"]>;
	readonly object: LiveControllerObject | null;
	readonly children: ObjectAnswer["children"];
}

export async function readObject(
	ctx: Context,
	caller: Caller,
	input: ObjectQuery,
	signal: AbortSignal,
): Promise<ObjectAnswer> {
	const { dn } = input;
	const { db } = ctx.store;
	if (input.live !== undefined && !isAllowed(caller, "execute_savedquery"))
		throw buildForbiddenError("You need the permission execute_savedquery to ask the controller.");
	const connection = await findVisibleConnection(ctx, caller, input.connection);
	if (connection === null) throw buildNotFoundError();
	const place = { connectionId: connection.id, dnKey: createKey(dn) };
	const live = input.live === undefined ? null : await readLive(ctx, caller, connection.id, dn, signal);
	const places = await listPlaces(db, caller, { ...place, limit: HISTORIES_MAX });
	const [newest] = places;
	if (newest === undefined && !live?.object) throw buildNotFoundError();
	const className = live?.object?.className ?? newest?.class_name ?? "";
	const values = live?.object?.attributes ?? (newest ? await readValues(ctx, newest, dn, signal) : {});
	const model = await ctx.classModel();
	const relations = await listRelations(db, caller, { ...place, limit: OBJECT_LIMITS.relations });
	const parent = getParentDn(dn);
	const parentPlace = parent === null ? null : { ...place, dnKey: createKey(parent) };
	return {
		connection: { id: connection.id, name: connection.name },
		dn,
		class_name: className,
		label: live?.object ? getLabel(live.object) : (newest?.label ?? ""),
		attributes: sortAttributes(className, values, model?.find(className)?.naming ?? null),
		seen_at: live?.object ? live.answer.at : (newest?.seen_at.toISOString() ?? ""),
		is_current: live?.answer.is_present ?? newest?.is_current ?? false,
		first_seen_at: findFirstSight(places),
		last_seen_at: newest?.seen_at.toISOString() ?? null,
		changes: await listObjectChanges(ctx, places, dn, signal),
		parent:
			parent === null || parentPlace === null
				? null
				: { dn: parent, class_name: (await findClassOfDn(db, caller, parentPlace)) ?? null },
		children: live?.object ? live.children : await countChildren(db, caller, place),
		relations: relations.map(({ class_name, dn: relation, target_dn, direction }) => ({
			class_name,
			dn: relation,
			other_dn: direction === "out" ? target_dn : (getParentDn(relation) ?? relation),
			direction,
		})),
		relations_total: relations[0]?.total ?? 0,
		checks: await listChecksWithEvidence(db, caller, { connection, dn, limit: OBJECT_LIMITS.checks }),
		elsewhere: await listElsewhere(ctx, caller, { ...place, dn, className, values }, signal),
		histories: places.map(({ saved_query_id, query_name, snapshots }) => ({
			saved_query: { id: saved_query_id, name: query_name },
			snapshots,
		})),
		live: live?.answer ?? null,
	};
}

function findFirstSight(places: readonly ObjectPlace[]): string | null {
	const times = places.map(({ first_seen_at }) => first_seen_at.getTime());
	return times.length === 0 ? null : new Date(Math.min(...times)).toISOString();
}

/** The object in some snapshots of a history, oldest first. */
async function tracePoints(
	ctx: Context,
	dn: string,
	snapshots: readonly { id: string; executed_at: Date; bytes: number }[],
	signal: AbortSignal,
): Promise<ObjectPoint[]> {
	const { texts } = await ctx.areas.history.threads.timelines(
		{
			dns: [dn],
			snapshots: snapshots.map(({ id, executed_at: at }) => ({ id, executedAt: at.toISOString() })),
			rules: null,
		},
		{ size: Math.max(0, ...snapshots.map(({ bytes }) => bytes)), signal },
	);
	const text = Buffer.from(texts[0] ?? new Uint8Array()).toString();
	const { points } = JSON.parse(`{${text}}`) as {
		points: { snapshot_id: string; executed_at: string; present: boolean; attributes: Record<string, unknown> }[];
	};
	return points.map(({ snapshot_id, executed_at, present, attributes }) => ({
		snapshotId: snapshot_id,
		at: executed_at,
		attributes: present ? attributes : null,
	}));
}

async function readValues(
	ctx: Context,
	{ snapshot_id, seen_at, bytes }: ObjectPlace,
	dn: string,
	signal: AbortSignal,
): Promise<Values> {
	const [point] = await tracePoints(ctx, dn, [{ id: snapshot_id, executed_at: seen_at, bytes }], signal);
	return point?.attributes ?? {};
}

async function listObjectChanges(
	ctx: Context,
	places: readonly ObjectPlace[],
	dn: string,
	signal: AbortSignal,
): Promise<ObjectAnswer["changes"]> {
	const steps: ReturnType<typeof listSteps> = [];
	for (const { history_id, class_name } of places.slice(0, TRACED_HISTORIES)) {
		const snapshots = await listHistorySnapshots(ctx.store.db, history_id, TRACED_SNAPSHOTS);
		steps.push(...listSteps(class_name, await tracePoints(ctx, dn, snapshots, signal)));
	}
	const shown = mergeSteps(steps).slice(0, OBJECT_LIMITS.changes);
	const stored = await listStoredAttributions(
		ctx.store.db,
		shown.map(({ snapshotId }) => snapshotId),
	);
	return shown.map(({ at, change, attributes, snapshotId }) => {
		const found = stored.get(snapshotId)?.objects[dn];
		return {
			at,
			change,
			attributes: [...attributes],
			changed_by: [...(found?.changed_by ?? [])],
			changed_by_reason: found?.changed_by_reason ?? null,
			snapshot_id: snapshotId,
		};
	});
}

async function listElsewhere(
	ctx: Context,
	caller: Caller,
	of: { connectionId: string; dnKey: string; dn: string; className: string; values: Values },
	signal: AbortSignal,
): Promise<ObjectAnswer["elsewhere"]> {
	const all = await listPlaces(ctx.store.db, caller, { connectionId: null, dnKey: of.dnKey, limit: 1_000 });
	const newest = new Map<string, ObjectPlace>();
	for (const place of all)
		if (place.connection_id !== of.connectionId && place.is_current && !newest.has(place.connection_id))
			newest.set(place.connection_id, place);
	const found: ObjectAnswer["elsewhere"] = [];
	for (const place of [...newest.values()].slice(0, OBJECT_LIMITS.elsewhere)) {
		const values = await readValues(ctx, place, of.dn, signal);
		const differing = listFabricDifferences(of.className, of.values, values);
		const connection = { id: place.connection_id, name: place.connection_name };
		found.push({ connection, dn: of.dn, equal: differing.length === 0, differing });
	}
	return found.sort((a, b) => (a.connection.name < b.connection.name ? -1 : 1));
}

/** A controller that gives no answer is named in the answer; what snapshots have is shown then. */
async function readLive(
	ctx: Context,
	caller: Caller,
	connectionId: string,
	dn: string,
	signal: AbortSignal,
): Promise<Live> {
	await ctx.quotas.check(caller, "can_execute_queries");
	const at = getNow(ctx).toISOString();
	const fail = (error: string): Live => ({ answer: { at, is_present: null, error }, object: null, children: [] });
	const found = await findTarget(ctx, connectionId);
	if ("problem" in found) return fail(found.message);
	const stop = AbortSignal.any([signal, AbortSignal.timeout(LIVE_MS)]);
	const [path = ""] = listLiveRequests({ kind: "dn", normalized: dn });
	try {
		const { objects } = await readControllerObjects(ctx, found.target, path, stop);
		const object = objects.find((one) => one.dn === dn) ?? null;
		const query = `?query-target=children&page=0&page-size=${LIVE_PAGE}`;
		const below = object === null ? null : await readControllerObjects(ctx, found.target, `${path}${query}`, stop);
		const error =
			below !== null && below.total > below.objects.length
				? `The controller has ${below.total} children; ${below.objects.length} of them were counted.`
				: null;
		return { answer: { at, is_present: object !== null, error }, object, children: countByClass(below?.objects ?? []) };
	} catch (error) {
		signal.throwIfAborted();
		if (!(error instanceof Error)) throw error;
		return fail(error.message);
	}
}

function countByClass(objects: readonly LiveControllerObject[]): ObjectAnswer["children"] {
	const counts = new Map<string, number>();
	for (const { className } of objects) counts.set(className, (counts.get(className) ?? 0) + 1);
	return [...counts].sort().map(([class_name, count]) => ({ class_name, count }));
}
