/** User management: list, create, change, delete. */
import type { AdminUser, UserCreate, UserList, UserPatch } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import type { Caller } from "../../../core/caller.ts";
import { buildFieldError, buildForbiddenError, buildNotFoundError, buildRefusedError } from "../../../core/errors.ts";
import { markUnchanged } from "../../../core/events.ts";
import { paginateRows } from "../../../core/http/paging.ts";
import { type Db, findBrokenUnique, type Tx } from "../../../core/ports/store.ts";
import { announceUserChange } from "../sign-in/create-sessions.ts";
import { reportEmailChange } from "../sign-in/email-change.ts";
import { endSessions, findLockouts, hashPassword, insertAccount } from "../sign-in/set-credentials.ts";
import { buildUnknownIdsError, checkPermissions } from "./manage-groups.ts";
import { ADMIN_GROUP, canPromote, canTouch } from "./policy.ts";
import { isAdmin, presentUser } from "./present.ts";
import { lockGroups } from "./sql/groups.ts";
import type { UserRow } from "./sql/users.ts";
import {
	findUserRow,
	listUserPage,
	lockSuperusers,
	lockUserRow,
	removeUser,
	setUserGroups,
	setUserPermissions,
	updateUserRow,
} from "./sql/users.ts";

export const buildUserTarget = (id: number) => ({ targetType: "user", targetId: id });

async function presentUsers(ctx: Context, db: Db, rows: readonly UserRow[]): Promise<AdminUser[]> {
	const counts = await ctx.areas.queries.countQueries(
		db,
		rows.map((row) => ({ userId: row.id, isAdmin: isAdmin(row) })),
	);
	const locked = await findLockouts(
		ctx,
		db,
		rows.map((row) => row.username),
	);
	return rows.map((row) => {
		const { query_count, favorite_count } = counts.get(row.id) ?? { query_count: 0, favorite_count: 0 };
		return presentUser(row, { query_count, favorite_count, lockedUntil: locked.get(row.username) ?? null });
	});
}

export async function showUser(ctx: Context, db: Db, id: number): Promise<AdminUser> {
	const row = await findUserRow(db, id);
	const [record] = row === undefined ? [] : await presentUsers(ctx, db, [row]);
	if (record === undefined) throw buildNoUserError();
	return record;
}

/** Locks the user. @throws 404 when there is none; 403 when the caller may not change them */
export async function requireTouchableUser(tx: Tx, caller: Caller, id: number): Promise<UserRow> {
	const row = await lockUserRow(tx, id);
	if (row === undefined) throw buildNoUserError();
	if (!canTouch(caller, row)) throw buildForbiddenError("Only a superuser may do this with a superuser.");
	return row;
}

/**
 * @throws 400 when no active superuser would be left, or the caller would lose their account
 */
export async function guardLoss(
	tx: Tx,
	caller: Caller,
	row: UserRow,
	what: "deactivate" | "delete" | "demote",
): Promise<void> {
	if (row.id === caller.userId && what !== "demote") throw buildRefusedError(`You cannot ${what} yourself.`);
	if (!row.is_superuser || !row.is_active) return;
	const left = (await lockSuperusers(tx)).filter((id) => id !== row.id);
	if (left.length === 0) throw buildRefusedError(`The last active superuser cannot be ${PAST[what]}.`);
}

/** Runs a transaction. @throws 400 under the field whose value another user has */
export async function writeUser<T>(ctx: Context, work: (tx: Tx) => Promise<T>): Promise<T> {
	try {
		return await ctx.store.transaction(work);
	} catch (error) {
		const broken = findBrokenUnique(error);
		if (broken === "users_email") throw buildFieldError("email", "Another user has this email address.");
		if (broken === "users_username_key_key") throw buildFieldError("username", "There is a user of this name already.");
		throw error;
	}
}

/**
 * Locks the groups that a user is to belong to.
 * @param before the names of the groups that the user belongs to now
 * @throws 400 for unknown ids; 403 if membership of `Admin` changes and the caller is no superuser
 */
async function assertAssignableGroups(
	tx: Tx,
	caller: Caller,
	ids: readonly number[],
	before: readonly string[],
): Promise<void> {
	const known = await lockGroups(tx, ids);
	const unknown = ids.filter((id) => !known.has(id));
	if (unknown.length > 0) throw buildUnknownIdsError("group_ids", "group", unknown);
	const names = [...known.values()];
	if (names.includes(ADMIN_GROUP) !== before.includes(ADMIN_GROUP) && !canPromote(caller)) {
		throw buildForbiddenError(`Only a superuser may change who belongs to ${ADMIN_GROUP}.`);
	}
}

/** Sets a user's groups. @throws as `assertAssignableGroups` */
export async function assignGroups(
	tx: Tx,
	caller: Caller,
	id: number,
	ids: readonly number[],
	before: readonly string[],
): Promise<void> {
	await assertAssignableGroups(tx, caller, ids, before);
	await setUserGroups(tx, id, ids);
}

export async function listUsers(ctx: Context, filter: UserList, url: string) {
	const page = await listUserPage(ctx.store.db, filter);
	const records = await presentUsers(ctx, ctx.store.db, page.rows);
	return paginateRows(url, filter, { count: page.count, rows: records }, (record) => record);
}

export const readUser = (ctx: Context, id: number) => showUser(ctx, ctx.store.db, id);

export async function createUser(
	ctx: Context,
	caller: Caller,
	{ password, group_ids, ...fields }: UserCreate,
): Promise<AdminUser> {
	if (fields.is_superuser && !canPromote(caller)) throw buildForbiddenError("Only a superuser may make a superuser.");
	const isService = fields.auth_source === "service";
	if (isService && password !== undefined) throw buildFieldError("password", "A service account has no password.");
	if (!isService && password === undefined) throw buildFieldError("password", "This field is required.");
	const password_hash = password === undefined ? "" : await hashPassword(ctx, password, fields, "password");
	return writeUser(ctx, async (tx) => {
		const id = await insertAccount(ctx, tx, { ...fields, password_hash });
		if (group_ids !== undefined) await assignGroups(tx, caller, id, group_ids, []);
		const user = await showUser(ctx, tx.db, id);
		await ctx.events.changed(tx, caller, {
			...buildUserTarget(id),
			description: `${caller.username} added the ${isService ? "service account" : "user"} ${fields.username}`,
			metadata: { is_superuser: fields.is_superuser, is_active: fields.is_active, groups: user.group_names },
		});
		return user;
	});
}

export async function updateUser(ctx: Context, caller: Caller, id: number, input: UserPatch): Promise<AdminUser> {
	const { group_ids, permission_ids, ...fields } = input;
	const given = Object.entries(fields).filter(([, value]) => value !== undefined);
	const names = Object.entries(input).flatMap(([name, value]) => (value === undefined ? [] : [name]));
	return writeUser(ctx, async (tx) => {
		const row = await requireTouchableUser(tx, caller, id);
		if (names.length === 0) {
			markUnchanged(caller);
			return showUser(ctx, tx.db, id);
		}
		if (fields.is_superuser === true && !row.is_superuser && !canPromote(caller)) {
			throw buildForbiddenError("Only a superuser may make a superuser.");
		}
		if (fields.is_superuser === false) await guardLoss(tx, caller, row, "demote");
		if (fields.is_active === false) await guardLoss(tx, caller, row, "deactivate");
		await updateUserRow(tx, id, {
			...Object.fromEntries(given),
			...(fields.email !== undefined && fields.email !== row.email ? { email_verified: false } : {}),
		});
		if (group_ids !== undefined) await assignGroups(tx, caller, id, group_ids, row.group_names);
		if (permission_ids !== undefined) {
			await checkPermissions(tx.db, permission_ids);
			await setUserPermissions(tx, id, permission_ids);
		}
		if (fields.email !== undefined && fields.email !== row.email) {
			const change = { userId: id, username: row.username, before: row.email, by: caller.username };
			await reportEmailChange(ctx, tx, change);
		}
		await (fields.is_active === false ? endSessions(ctx, tx, id) : announceUserChange(ctx, tx, id));
		await ctx.events.changed(tx, caller, {
			...buildUserTarget(id),
			description: `${caller.username} changed the user ${row.username}`,
			metadata: { fields: names, ...getRights(input) },
		});
		return showUser(ctx, tx.db, id);
	});
}

export async function deleteUser(ctx: Context, caller: Caller, id: number): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		const row = await requireTouchableUser(tx, caller, id);
		await guardLoss(tx, caller, row, "delete");
		await removeUser(tx, id);
		await announceUserChange(ctx, tx, id);
		await ctx.events.changed(tx, caller, {
			...buildUserTarget(id),
			description: `${caller.username} deleted the user ${row.username}`,
			metadata: { username: row.username },
		});
	});
}

const PAST = { deactivate: "deactivated", delete: "deleted", demote: "made an ordinary user" } as const;

export const buildNoUserError = () => buildNotFoundError("There is no such user.");

/** The part of a change that concerns a user's rights, for the audit entry. */
const getRights = ({ is_active, is_superuser, group_ids, permission_ids }: UserPatch) =>
	Object.fromEntries(
		Object.entries({ is_active, is_superuser, group_ids, permission_ids }).filter(([, value]) => value !== undefined),
	);
