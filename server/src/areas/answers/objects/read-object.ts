/** One object of a connection: attributes, changes, surroundings, and the same elsewhere. */
import { OBJECT_LIMITS, OBJECT_PARTS, type ObjectAnswer, type ObjectPart, type ObjectQuery } from "@weft/contracts";
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
import { listChangesOfObject } from "./list-changes.ts";
import { listElsewhere } from "./list-elsewhere.ts";
import { readValues } from "./read-values.ts";
import { sortAttributes } from "./rules/attributes.ts";
import { countChildren, findClassOfDn, listPlaces, listRelations, type ObjectPlace } from "./sql.ts";

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
	const allPlaces = await listPlaces(db, caller, { ...place, limit: OBJECT_LIMITS.histories + 1 });
	const places = allPlaces.slice(0, OBJECT_LIMITS.histories);
	const [newest] = places;
	if (newest === undefined && !live?.object) throw buildNotFoundError();
	const className = live?.object?.className ?? newest?.class_name ?? "";
	const values = live?.object?.attributes ?? (newest ? await readValues(ctx, newest, dn, signal) : {});
	const model = await ctx.classModel();
	const relations = await listRelations(db, caller, { ...place, limit: OBJECT_LIMITS.relations });
	const parent = getParentDn(dn);
	const parentPlace = parent === null ? null : { ...place, dnKey: createKey(parent) };
	const firstSeen = findFirstSight(places);
	const historyIds = places.map(({ history_id }) => history_id);
	const changes = await listChangesOfObject(ctx, caller, { ...place, dn, historyIds, firstSeen });
	const checks = await listChecksWithEvidence(db, caller, { connection, dn, limit: OBJECT_LIMITS.checks + 1 });
	const { elsewhere, hasMore } = await listElsewhere(ctx, caller, { ...place, dn, className, values }, signal);
	const isTruncated: Readonly<Record<ObjectPart, boolean>> = {
		changes: changes.hasMore,
		checks: checks.length > OBJECT_LIMITS.checks,
		elsewhere: hasMore,
		histories: allPlaces.length > OBJECT_LIMITS.histories,
	};
	return {
		connection: { id: connection.id, name: connection.name },
		dn,
		class_name: className,
		label: live?.object ? getLabel(live.object) : (newest?.label ?? ""),
		attributes: sortAttributes(className, values, model?.find(className) ?? null),
		seen_at: live?.object ? live.answer.at : (newest?.seen_at.toISOString() ?? ""),
		is_current: live?.answer.is_present ?? newest?.is_current ?? false,
		first_seen_at: firstSeen?.toISOString() ?? null,
		last_seen_at: newest?.seen_at.toISOString() ?? null,
		changes: changes.changes,
		changes_since: changes.changes_since,
		are_changes_pending: changes.are_changes_pending,
		truncated: OBJECT_PARTS.filter((part) => isTruncated[part]),
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
		checks: checks.slice(0, OBJECT_LIMITS.checks),
		elsewhere,
		histories: places.map(({ saved_query_id, query_name, snapshots }) => ({
			saved_query: { id: saved_query_id, name: query_name },
			snapshots,
		})),
		live: live?.answer ?? null,
	};
}

function findFirstSight(places: readonly ObjectPlace[]): Date | null {
	const times = places.map(({ first_seen_at }) => first_seen_at.getTime());
	return times.length === 0 ? null : new Date(Math.min(...times));
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
