/** Groups with their permissions and quotas, and the list of permissions. */
import type { Group, GroupCreate, GroupPatch, Quota } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import type { Caller } from "../../../core/caller.ts";
import { buildFieldError, buildNotFoundError, buildRefusedError } from "../../../core/errors.ts";
import { markUnchanged } from "../../../core/events.ts";
import { type PageQuery, paginateRows } from "../../../core/http/paging.ts";
import { type Db, findBrokenUnique, type Tx } from "../../../core/ports/store.ts";
import { announceChangeForAll } from "../sign-in/create-sessions.ts";
import { ADMIN_GROUP, FIXED_GROUPS } from "./policy.ts";
import { presentGroup } from "./present.ts";
import { buildRoleTemplates } from "./rules/roles.ts";
import {
	addGroupPermissions,
	findGroup,
	GROUP_NAMES,
	type GroupRow,
	insertGroup,
	listGroupPage,
	listKnownPermissions,
	listPermissionPage,
	listPermissions,
	lockGroup,
	removeGroup,
	removeGroupPermissions,
	renameGroup,
	setGroupPermissions,
} from "./sql/groups.ts";
import { removeGroupQuota, setGroupQuota } from "./sql/quotas.ts";

async function readGroup(db: Db, id: number): Promise<Group> {
	const row = await findGroup(db, id);
	if (row === undefined) throw buildNotFoundError("There is no such group.");
	return presentGroup(row);
}

/**
 * Runs `work` on one group, and records the change.
 * @param work returns the verb and the metadata of the audit entry; null when nothing changed
 */
async function changeGroup<T>(
	ctx: Context,
	caller: Caller,
	id: number,
	work: (tx: Tx, row: GroupRow) => Promise<{ text: string; metadata?: Record<string, unknown> } | null>,
	answer: (tx: Tx) => Promise<T>,
): Promise<T> {
	return checkNames(
		ctx.store.transaction(async (tx) => {
			const row = await lockGroup(tx, id);
			if (row === undefined) throw buildNotFoundError("There is no such group.");
			const done = await work(tx, row);
			if (done === null) markUnchanged(caller);
			else {
				await announceChangeForAll(ctx, tx);
				await ctx.events.changed(tx, caller, {
					...buildGroupTarget(id),
					description: `${caller.username} ${done.text} the group "${row.name}"`,
					metadata: done.metadata ?? {},
				});
			}
			return answer(tx);
		}),
	);
}

async function createGroup(
	ctx: Context,
	caller: Caller,
	name: string,
	fill: (tx: Tx, id: number) => Promise<string>,
	metadata: Record<string, unknown>,
): Promise<Group> {
	return checkNames(
		ctx.store.transaction(async (tx) => {
			const id = await insertGroup(tx, name);
			const text = await fill(tx, id);
			await ctx.events.changed(tx, caller, {
				...buildGroupTarget(id),
				description: `${caller.username} ${text}`,
				metadata,
			});
			return readGroup(tx.db, id);
		}),
	);
}

export const listGroupsOfUsers = async (ctx: Context, query: PageQuery, url: string) =>
	paginateRows(url, query, await listGroupPage(ctx.store.db, query), presentGroup);

export const readVisibleGroup = (ctx: Context, id: number) => readGroup(ctx.store.db, id);

export const listAllPermissions = async (ctx: Context, query: PageQuery, url: string) =>
	paginateRows(url, query, await listPermissionPage(ctx.store.db, query), (row) => row);

export const listRoleTemplates = async (ctx: Context) => buildRoleTemplates(await listPermissions(ctx.store.db));

export const createNewGroup = (ctx: Context, caller: Caller, { name, permission_ids, quota }: GroupCreate) =>
	createGroup(
		ctx,
		caller,
		name,
		async (tx, id) => {
			await checkPermissions(tx.db, permission_ids);
			await addGroupPermissions(tx, id, permission_ids);
			if (quota) await setGroupQuota(tx, id, quota);
			return `added the group "${name}"`;
		},
		{ permission_ids, ...(quota ? { quota } : {}) },
	);

export const cloneGroup = (ctx: Context, caller: Caller, from: number, name: string) =>
	createGroup(
		ctx,
		caller,
		name,
		async (tx, id) => {
			const source = await lockGroup(tx, from);
			if (source === undefined) throw buildNotFoundError("There is no such group.");
			await addGroupPermissions(
				tx,
				id,
				source.permissions.map((permission) => permission.id),
			);
			if (source.quota) await setGroupQuota(tx, id, source.quota);
			return `added the group "${name}" as a copy of "${source.name}"`;
		},
		{ cloned_from: from },
	);

export const updateGroup = (ctx: Context, caller: Caller, id: number, { name, permission_ids }: GroupPatch) =>
	changeGroup(
		ctx,
		caller,
		id,
		async (tx, row) => {
			const renamed = name !== undefined && name !== row.name;
			if (renamed && FIXED_GROUPS.includes(row.name))
				throw buildRefusedError(`The group ${row.name} cannot be renamed.`);
			if (permission_ids !== undefined) {
				await checkPermissions(tx.db, permission_ids);
				if (row.permissions.some((permission) => !permission_ids.includes(permission.id))) keepAdmin(row);
				await setGroupPermissions(tx, id, permission_ids);
			}
			if (renamed) await renameGroup(tx, id, name);
			if (!renamed && permission_ids === undefined) return null;
			return {
				text: "changed",
				metadata: { ...(renamed ? { name } : {}), ...(permission_ids ? { permission_ids } : {}) },
			};
		},
		(tx) => readGroup(tx.db, id),
	);

export const deleteGroup = (ctx: Context, caller: Caller, id: number): Promise<void> =>
	changeGroup(
		ctx,
		caller,
		id,
		async (tx, row) => {
			if (FIXED_GROUPS.includes(row.name)) throw buildRefusedError(`The group ${row.name} cannot be deleted.`);
			await removeGroup(tx, id);
			return { text: "deleted", metadata: { member_count: row.member_count } };
		},
		async () => {},
	);

export const addPermissionsToGroup = (ctx: Context, caller: Caller, id: number, permission_ids: readonly number[]) =>
	changeGroup(
		ctx,
		caller,
		id,
		async (tx) => {
			await checkPermissions(tx.db, permission_ids);
			await addGroupPermissions(tx, id, permission_ids);
			return { text: "gave permissions to", metadata: { permission_ids } };
		},
		(tx) => readGroup(tx.db, id),
	);

export const removePermissionsFromGroup = (
	ctx: Context,
	caller: Caller,
	id: number,
	permission_ids: readonly number[],
) =>
	changeGroup(
		ctx,
		caller,
		id,
		async (tx, row) => {
			await checkPermissions(tx.db, permission_ids);
			if (permission_ids.length > 0) keepAdmin(row);
			await removeGroupPermissions(tx, id, permission_ids);
			return { text: "took permissions from", metadata: { permission_ids } };
		},
		(tx) => readGroup(tx.db, id),
	);

export async function readGroupQuota(ctx: Context, id: number): Promise<Quota> {
	const { quota } = await readGroup(ctx.store.db, id);
	if (quota === null) throw buildNotFoundError("The group has no quota.");
	return quota;
}

export const setQuota = (ctx: Context, caller: Caller, id: number, quota: Quota): Promise<Quota> =>
	changeGroup(
		ctx,
		caller,
		id,
		async (tx) => {
			await setGroupQuota(tx, id, quota);
			return { text: "set the quota of", metadata: { quota } };
		},
		async () => quota,
	);

export const removeQuota = (ctx: Context, caller: Caller, id: number): Promise<void> =>
	changeGroup(
		ctx,
		caller,
		id,
		async (tx) => {
			if (!(await removeGroupQuota(tx, id))) throw buildNotFoundError("The group has no quota.");
			return { text: "removed the quota of" };
		},
		async () => {},
	);

const buildGroupTarget = (id: number) => ({ targetType: "group", targetId: id });

/** Members of `Admin` have all permissions by rule, so removing some would have no effect. */
function keepAdmin(row: GroupRow): void {
	if (row.name === ADMIN_GROUP) throw buildRefusedError(`The group ${ADMIN_GROUP} always has all permissions.`);
}

/** @throws 400 when one of the ids is not a permission's */
export async function checkPermissions(db: Db, ids: readonly number[]): Promise<void> {
	const known = await listKnownPermissions(db, ids);
	const unknown = ids.filter((id) => !known.has(id));
	if (unknown.length > 0) throw buildUnknownIdsError("permission_ids", "permission", unknown);
}

export const buildUnknownIdsError = (field: string, what: string, ids: readonly number[]) =>
	buildFieldError(field, `There is no ${what} with the id ${ids.slice(0, 10).join(", ")}.`);

function checkNames<T>(work: Promise<T>): Promise<T> {
	return work.catch((error: unknown) => {
		if (!GROUP_NAMES.includes(findBrokenUnique(error) ?? "")) throw error;
		throw buildFieldError("name", "There is a group of this name already.");
	});
}
