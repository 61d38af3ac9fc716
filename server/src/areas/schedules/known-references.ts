/** Finds references of tasks and checks in the store, or among those that were read in advance. */
import type { Context } from "../../context.ts";
import type { Identity } from "../../core/caller.ts";
import type { Db } from "../../core/ports/store.ts";
import { findVisibleConnection } from "../fabrics/manage-connections.ts";
import { findVisibleGroup } from "../fabrics/manage-groups.ts";
import { loadVisibleQuery, type VisibleQuery } from "../queries/saved/visible-query.ts";

interface NamedReference {
	readonly id: string;
	readonly name: string;
}

interface ConnectionReference extends NamedReference {
	readonly isActive: boolean;
}

/** References that were read in advance, by id. */
export interface KnownReferences {
	/** The transaction or the store from which they were read. */
	readonly db: Db;
	/** Queries that are not stored yet; others are read when they are needed. */
	readonly queries: ReadonlyMap<string, VisibleQuery>;
	/** All connections and groups that the caller may name; null where none were read. */
	readonly connections: ReadonlyMap<string, ConnectionReference> | null;
	readonly groups: ReadonlyMap<string, NamedReference> | null;
}

/** Null if there is no such query that the caller sees. */
export async function findReferredQuery(
	ctx: Context,
	caller: Identity,
	id: string,
	known: KnownReferences | null,
): Promise<VisibleQuery | null> {
	return known?.queries.get(id) ?? loadVisibleQuery(known?.db ?? ctx.store.db, caller, id);
}

/** Null if there is no such connection that the caller sees. */
export async function findReferredConnection(
	ctx: Context,
	caller: Identity,
	id: string,
	known: KnownReferences | null,
): Promise<ConnectionReference | null> {
	if (known === null || known.connections === null) return findVisibleConnection(ctx, caller, id);
	return known.connections.get(id) ?? null;
}

/** Null if there is no such connection group that the caller sees. */
export async function findReferredGroup(
	ctx: Context,
	caller: Identity,
	id: string,
	known: KnownReferences | null,
): Promise<NamedReference | null> {
	if (known === null || known.groups === null) return findVisibleGroup(known?.db ?? ctx.store.db, caller, id);
	return known.groups.get(id) ?? null;
}
