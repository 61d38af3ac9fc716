/** Controller connections, as their routes and other areas use them. */
import type { ControllerConnection } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller, Identity } from "../../core/caller.ts";
import type { PageQuery } from "../../core/http/paging.ts";
import type { Db } from "../../core/ports/store.ts";
import type { ControllerTarget } from "../../integrations/apic/port.ts";
import { CONTROLLER_KIND, type UsableConnection } from "./controller-kind.ts";
import {
	changeStoredConnection,
	createStoredConnection,
	findStoredConnection,
	findUsableConnection,
	listStoredConnections,
	type NewConnection,
	readStoredConnection,
	requireUsableConnection,
} from "./manage-stored-connections.ts";
import { findConnectionsByName } from "./sql/stored.ts";
import type { Fields, UnusableConnection } from "./stored-kind.ts";

/** The longest that a save waits for the fabric's identity. */
const IDENTIFY_MS = 2_000;

/** A page of the connections that the caller sees. */
export const listConnections = (
	ctx: Context,
	caller: Identity,
	query: PageQuery & { readonly search?: string | undefined },
	url: string,
) => listStoredConnections(ctx, CONTROLLER_KIND, caller, query, url);

export async function createConnection(
	ctx: Context,
	caller: Caller,
	input: NewConnection,
): Promise<ControllerConnection> {
	return identifyFabric(ctx, caller, await createStoredConnection(ctx, CONTROLLER_KIND, caller, input));
}

export async function changeConnection(
	ctx: Context,
	caller: Caller,
	id: string,
	input: Fields,
): Promise<ControllerConnection> {
	return identifyFabric(ctx, caller, await changeStoredConnection(ctx, CONTROLLER_KIND, caller, id, input));
}

const isUnidentified = ({ alternateUrls = [], fabricId = null }: ControllerTarget): boolean =>
	alternateUrls.length > 0 && fabricId === null;

/**
 * Learns to which fabric a saved connection with several addresses belongs, so that it can be
 * used while `url` is down. Without an answer in time a test or a run learns it.
 */
async function identifyFabric(
	ctx: Context,
	caller: Caller,
	shown: ControllerConnection,
): Promise<ControllerConnection> {
	const found = await findTarget(ctx, shown.id);
	if ("problem" in found || !isUnidentified(found.target)) return shown;
	const waiting = new AbortController();
	const late = ctx.clock.sleep(IDENTIFY_MS, waiting.signal).catch(() => undefined);
	await Promise.race([ctx.controllers.identify(found.target), late]);
	waiting.abort();
	await ctx.areas.fabrics.awaitClusterChanges();
	return readStoredConnection(ctx, CONTROLLER_KIND, caller, shown.id);
}

/**
 * A connection that the caller sees and that is active. With `field` every problem is a 400 under
 * that key, as for the body of a create; without it an invisible connection is a 404, and an
 * inactive one a 400 `{detail}`.
 */
export const requireTarget = (
	ctx: Context,
	identity: Identity,
	id: string,
	field?: string,
): Promise<UsableConnection> => requireUsableConnection(ctx, CONTROLLER_KIND, identity, id, field);

/**
 * The connection for background work, whose right to it was checked before: does not check
 * visibility.
 */
export const findTarget = (ctx: Context, id: string): Promise<UsableConnection | UnusableConnection> =>
	findUsableConnection(ctx, CONTROLLER_KIND, id);

export interface FoundConnection {
	readonly id: string;
	readonly name: string;
	readonly isActive: boolean;
}

/** Null if the identity does not see the connection. */
export async function findVisibleConnection(
	ctx: Context,
	identity: Identity,
	id: string,
): Promise<FoundConnection | null> {
	const row = await findStoredConnection(ctx, CONTROLLER_KIND, identity, id);
	return row === null ? null : { id: row.id, name: row.name, isActive: row.is_active };
}

/** The connections of these names that the identity sees. */
export async function findNamedConnections(
	db: Db,
	identity: Identity,
	names: readonly string[],
): Promise<(FoundConnection & { readonly isOwn: boolean })[]> {
	const rows = await findConnectionsByName(db, "controller_connections", identity, names);
	return rows.map(({ id, name, is_active, created_by }) => ({
		id,
		name,
		isActive: is_active,
		isOwn: created_by === identity.userId,
	}));
}
