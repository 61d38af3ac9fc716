/** Reads pictures of a network from snapshots of a moment, and marks changes and failing checks. */
import {
	PICTURE_CLASSES,
	PICTURE_LIMITS,
	type PicturePart,
	type TenantPicture,
	type TenantPictureQuery,
	type TopologyPicture,
	type TopologyQuery,
} from "@weft/contracts";
import type { Context } from "../../../context.ts";
import type { Caller } from "../../../core/caller.ts";
import { buildNotFoundError } from "../../../core/errors.ts";
import { listFailingEvidence } from "../../checks/sql/states.ts";
import { findVisibleConnection } from "../../fabrics/manage-connections.ts";
import { getOldestChange } from "../changes/expand-history.ts";
import { isFeedBehind } from "../changes/sql/cursors.ts";
import { type ReadClasses, readClasses } from "./read-classes.ts";
import type { Drawing, PictureObject } from "./rules/drawing.ts";
import { findDns } from "./rules/evidence.ts";
import { type FailingCheck, markDrawing } from "./rules/marks.ts";
import { drawTenant, findLargestTenant, listTenants } from "./rules/tenant.ts";
import { drawTopology } from "./rules/topology.ts";
import { type ChangedRow, listChangedObjects, listDeletedObjects } from "./sql.ts";

const HOUR_MS = 3_600_000;

export async function readTopology(
	ctx: Context,
	caller: Caller,
	input: TopologyQuery,
	signal: AbortSignal,
): Promise<TopologyPicture> {
	const scene = await readScene(
		ctx,
		caller,
		{ ...input, classes: PICTURE_CLASSES.topology, below: "topology/" },
		signal,
	);
	return presentPicture(scene, drawTopology(scene.objects));
}

export async function readTenant(
	ctx: Context,
	caller: Caller,
	input: TenantPictureQuery,
	signal: AbortSignal,
): Promise<TenantPicture> {
	const scene = await readScene(ctx, caller, { ...input, classes: PICTURE_CLASSES.tenant, below: "uni/tn-" }, signal);
	const tenants = listTenants(scene.objects);
	const tenant = input.tenant ?? findLargestTenant(scene.objects);
	const drawing = tenant === null ? { nodes: [], edges: [] } : drawTenant(scene.objects, tenant);
	return { ...presentPicture(scene, drawing), tenant, tenants };
}

interface Scene extends ReadClasses {
	readonly connection: { readonly id: string; readonly name: string };
	readonly at: string | null;
	readonly since: Date;
	readonly isPending: boolean;
	/** Objects of the snapshots, and objects that were deleted since. */
	readonly objects: PictureObject[];
	readonly changes: readonly ChangedRow[];
	readonly hasMoreChanges: boolean;
	/** Null at a past moment. */
	readonly checks: readonly (FailingCheck & Pick<EvidenceRow, "name" | "severity">)[] | null;
	readonly hasMoreChecks: boolean;
}
type EvidenceRow = Awaited<ReturnType<typeof listFailingEvidence>>[number];

async function readScene(
	ctx: Context,
	caller: Caller,
	input: TopologyQuery & { readonly classes: readonly string[]; readonly below: string },
	signal: AbortSignal,
): Promise<Scene> {
	const { db } = ctx.store;
	const found = await findVisibleConnection(ctx, caller, input.connection);
	if (found === null) throw buildNotFoundError();
	const connection = { id: found.id, name: found.name };
	const at = input.at === undefined ? null : new Date(input.at);
	const read = await readClasses(ctx, caller, { connectionId: found.id, at, classes: input.classes }, signal);
	const until = at ?? new Date(ctx.clock.now());
	const oldest = getOldestChange(ctx);
	const since = new Date(
		Math.max(until.getTime() - input.hours * HOUR_MS, Math.min(oldest.getTime(), until.getTime())),
	);
	const window = { connectionId: found.id, since, until, below: input.below };
	// This is read before the changes, so that it is never false while changes are missing.
	const isPending = await isFeedBehind(db, read.historyIds, oldest);
	const changes = await listChangedObjects(db, caller, { ...window, limit: PICTURE_LIMITS.changes + 1 });
	const known = new Set(read.objects.map(({ dn }) => dn));
	const dns = changes
		.filter(({ dn, first, last }) => last === "deleted" && first !== "added" && !known.has(dn))
		.map(({ dn }) => dn);
	const deleted = await listDeletedObjects(db, caller, { ...window, classes: input.classes, dns, limit: dns.length });
	const evidence =
		at === null ? await listFailingEvidence(db, caller, { connection, limit: PICTURE_LIMITS.checks + 1 }) : null;
	return {
		...read,
		connection,
		at: at?.toISOString() ?? null,
		since,
		isPending,
		objects: [
			...read.objects,
			...deleted.map(({ dn, class_name: className, attributes }) => ({
				dn,
				className,
				attributes: Object.fromEntries(
					attributes.flatMap(([name, before]) => (before === null ? [] : [[name, before]])),
				),
				isGone: true,
			})),
		],
		changes: changes.slice(0, PICTURE_LIMITS.changes),
		hasMoreChanges: changes.length > PICTURE_LIMITS.changes,
		checks: evidence?.slice(0, PICTURE_LIMITS.checks).map((row) => readEvidence(row, connection.name)) ?? null,
		hasMoreChecks: evidence !== null && evidence.length > PICTURE_LIMITS.checks,
	};
}

function readEvidence({ id, name, severity, sample, connection_id }: EvidenceRow, connection: string) {
	return { id, name, severity, dns: findDns(sample, connection_id === null ? connection : null) };
}

function presentPicture(scene: Scene, drawing: Drawing): TopologyPicture {
	const picture = markDrawing(drawing, { changes: scene.changes, checks: scene.checks ?? [] });
	const marked = new Set([...picture.nodes, ...picture.edges].flatMap(({ checks }) => checks));
	const truncated: readonly (readonly [PicturePart, boolean])[] = [
		["objects", scene.hasMore],
		["changes", scene.hasMoreChanges],
		["checks", scene.hasMoreChecks],
	];
	return {
		connection: scene.connection,
		at: scene.at,
		changes_since: scene.since.toISOString(),
		are_changes_pending: scene.isPending,
		classes: scene.classes,
		nodes: picture.nodes,
		edges: picture.edges,
		nodes_total: picture.nodes_total,
		edges_total: picture.edges_total,
		checks: scene.checks?.flatMap(({ id, name, severity }) => (marked.has(id) ? [{ id, name, severity }] : [])) ?? null,
		truncated: [...picture.truncated, ...truncated.flatMap(([part, isCut]) => (isCut ? [part] : []))],
	};
}
