/** Groups of controller connections. Rights are those of connections. */
import type { ConnectionGroup, ConnectionGroupInput, ConnectionGroupPatch } from "@weft/contracts";
import { type Context, getNow } from "../../context.ts";
import type { Caller, Identity } from "../../core/caller.ts";
import { buildFieldError, buildForbiddenError, buildInvalidError, buildNotFoundError } from "../../core/errors.ts";
import { markUnchanged } from "../../core/events.ts";
import { type PageQuery, paginateRows } from "../../core/http/paging.ts";
import { type Db, findBrokenUnique, type Store, type Tx } from "../../core/ports/store.ts";
import { canSee, canWrite } from "./policy.ts";
import { presentGroup } from "./present.ts";
import {
	findConnectionGroup,
	findGroupsByName,
	type GroupRow,
	insertConnectionGroup,
	listConnectionGroups,
	listGroupNames,
	lockConnectionGroup,
	lockVisibleConnections,
	removeConnectionGroup,
	replaceVisibleMembers,
	updateConnectionGroup,
} from "./sql/groups.ts";
import { listConnectionNames } from "./sql/stored.ts";

/** A group as an identity sees it. */
interface FoundGroup {
	readonly id: string;
	readonly name: string;
	/** In order, those that are switched off, too. */
	readonly members: readonly { readonly id: string; readonly name: string }[];
	/** Members that the identity does not see. */
	readonly hiddenCount: number;
}

/** Names that an error about a group lists. */
const NAMES = 20;
const buildGroupTarget = (id: string) => ({ targetType: "connection_group", targetId: id });

/** @throws 404 */
async function readGroup(db: Db, identity: Identity, id: string): Promise<ConnectionGroup> {
	const row = await findConnectionGroup(db, identity, id);
	if (row === undefined || !canSee(identity, row)) throw buildNotFoundError();
	return presentGroup(row, identity);
}

/** Locks the row. @throws 404 if the caller does not see it, 403 if the caller may not do this */
async function lockOwnGroup(tx: Tx, caller: Caller, id: string, verb: "change" | "delete"): Promise<GroupRow> {
	const row = await lockConnectionGroup(tx, id);
	if (row === undefined || !canSee(caller, row)) throw buildNotFoundError();
	if (!canWrite(caller, row, `${verb}_controllerconnection`)) {
		throw buildForbiddenError("Only the owner of a group and administrators may do this.");
	}
	return row;
}

/** @throws 400 for connections that the caller does not see */
async function setMembers(tx: Tx, caller: Caller, groupId: string, members: readonly string[]): Promise<void> {
	const known = await lockVisibleConnections(tx, caller, members);
	const unknown = members.filter((id) => !known.has(id));
	if (unknown.length > 0) {
		throw buildInvalidError({
			connection_ids: unknown.map((id) => `There is no connection ${id} that you can see.`),
		});
	}
	await replaceVisibleMembers(tx, caller, groupId, members);
}

async function writeWithUniqueName<T>(store: Store, work: (tx: Tx) => Promise<T>): Promise<T> {
	return store.transaction(work).catch((error: unknown) => {
		if (findBrokenUnique(error) !== "connection_groups_owner_name") throw error;
		throw buildFieldError("name", "The owner has another group of this name.");
	});
}

export async function listGroups({ store }: Context, caller: Identity, query: PageQuery, url: string) {
	return paginateRows(url, query, await listConnectionGroups(store.db, caller, query), (row) =>
		presentGroup(row, caller),
	);
}

export const readVisibleGroup = ({ store }: Context, caller: Identity, id: string): Promise<ConnectionGroup> =>
	readGroup(store.db, caller, id);

/** Null if there is no such group that the identity sees. */
export async function findVisibleGroup(db: Db, identity: Identity, id: string): Promise<FoundGroup | null> {
	const row = await findConnectionGroup(db, identity, id);
	if (row === undefined || !canSee(identity, row)) return null;
	const names = await listConnectionNames(db, identity, row.connection_ids);
	const members = row.connection_ids.flatMap((member) => {
		const name = names.get(member);
		return name === undefined ? [] : { id: member, name };
	});
	return { id, name: row.name, members, hiddenCount: row.hidden_count };
}

/** The groups of these names that the identity sees. */
export async function findNamedGroups(
	db: Db,
	identity: Identity,
	names: readonly string[],
): Promise<{ id: string; name: string; isOwn: boolean }[]> {
	const rows = await findGroupsByName(db, identity, names);
	return rows.map(({ id, name, created_by }) => ({ id, name, isOwn: created_by === identity.userId }));
}

/** The first names of groups that the identity sees, sorted; at most 20. */
export const listVisibleGroupNames = (db: Db, identity: Identity): Promise<string[]> =>
	listGroupNames(db, identity, NAMES);

export async function createGroup(
	ctx: Context,
	caller: Caller,
	{ connection_ids, ...fields }: ConnectionGroupInput,
): Promise<ConnectionGroup> {
	const id = ctx.ids.uuid();
	return writeWithUniqueName(ctx.store, async (tx) => {
		if (fields.is_public) await ctx.quotas.check(caller, "can_share", tx);
		await ctx.quotas.check(caller, "connection_groups_max", tx);
		const now = getNow(ctx);
		await insertConnectionGroup(tx, { ...fields, id, created_by: caller.userId, created_at: now, updated_at: now });
		await setMembers(tx, caller, id, connection_ids);
		await ctx.events.changed(tx, caller, {
			...buildGroupTarget(id),
			description: `${caller.username} made the connection group "${fields.name}"`,
			metadata: { connection_ids, is_public: fields.is_public },
		});
		return readGroup(tx.db, caller, id);
	});
}

/** Writes only the given fields. */
export async function changeGroup(
	ctx: Context,
	caller: Caller,
	id: string,
	input: ConnectionGroupPatch,
): Promise<ConnectionGroup> {
	const { connection_ids, ...rest } = input;
	const fields = Object.keys(input).filter((name) => input[name as keyof ConnectionGroupPatch] !== undefined);
	return writeWithUniqueName(ctx.store, async (tx) => {
		const before = await lockOwnGroup(tx, caller, id, "change");
		if (fields.length === 0) {
			markUnchanged(caller);
			return readGroup(tx.db, caller, id);
		}
		if (rest.is_public === true && !before.is_public) await ctx.quotas.check(caller, "can_share", tx);
		const values = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
		await updateConnectionGroup(tx, id, { ...values, updated_at: getNow(ctx) });
		if (connection_ids !== undefined) await setMembers(tx, caller, id, connection_ids);
		await ctx.events.changed(tx, caller, {
			...buildGroupTarget(id),
			description: `${caller.username} changed the connection group "${rest.name ?? before.name}"`,
			metadata: { fields, ...(connection_ids === undefined ? {} : { connection_ids }) },
		});
		return readGroup(tx.db, caller, id);
	});
}

export async function removeGroup(ctx: Context, caller: Caller, id: string): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		const row = await lockOwnGroup(tx, caller, id, "delete");
		await removeConnectionGroup(tx, id);
		await ctx.events.changed(tx, caller, {
			...buildGroupTarget(id),
			description: `${caller.username} deleted the connection group "${row.name}"`,
		});
	});
}
