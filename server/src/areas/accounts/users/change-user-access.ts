/** Administrators' actions on one user: credentials, state, direct permissions. */
import type { AdminUser, EffectivePermission, EndedAccess } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import type { Caller } from "../../../core/caller.ts";
import { buildFieldError, buildRefusedError } from "../../../core/errors.ts";
import type { Tx } from "../../../core/ports/store.ts";
import { announceUserChange } from "../sign-in/create-sessions.ts";
import { issueResetCode } from "../sign-in/issue-reset-codes.ts";
import { endSessions, hashPassword, removeSecondFactor, setPassword } from "../sign-in/set-credentials.ts";
import { checkPermissions } from "./manage-groups.ts";
import { buildNoUserError, buildUserTarget, guardLoss, requireTouchableUser, showUser } from "./manage-users.ts";
import type { UserRow } from "./sql/users.ts";
import {
	addUserPermissions,
	findUserRow,
	listEffectivePermissions,
	removeUserPermissions,
	updateUserRow,
} from "./sql/users.ts";

/**
 * Runs `work` on a user whom the caller may change, and records the change.
 * @param text the verb of the audit entry's description
 * @param getMetadata the audit entry's metadata, from the result of `work`
 */
function changeUser<T>(
	ctx: Context,
	caller: Caller,
	id: number,
	text: string,
	work: (tx: Tx, row: UserRow) => Promise<T>,
	getMetadata: (result: T) => Record<string, unknown> = () => ({}),
): Promise<T> {
	return ctx.store.transaction(async (tx) => {
		const row = await requireTouchableUser(tx, caller, id);
		const result = await work(tx, row);
		await ctx.events.changed(tx, caller, {
			...buildUserTarget(id),
			description: `${caller.username} ${text} ${row.username}`,
			metadata: getMetadata(result),
		});
		return result;
	});
}

const changePermissions = (
	ctx: Context,
	caller: Caller,
	id: number,
	text: string,
	permission_ids: readonly number[],
	write: (tx: Tx) => Promise<void>,
): Promise<AdminUser> =>
	changeUser(
		ctx,
		caller,
		id,
		text,
		async (tx) => {
			await checkPermissions(tx.db, permission_ids);
			await write(tx);
			await announceUserChange(ctx, tx, id);
			return showUser(ctx, tx.db, id);
		},
		() => ({ permission_ids }),
	);

/** @param input without `revoke_tokens` the answer is the user */
export async function resetPassword(
	ctx: Context,
	caller: Caller,
	id: number,
	input: {
		readonly new_password: string;
		readonly revoke_tokens?: boolean | undefined;
		readonly must_change_password: boolean;
	},
): Promise<AdminUser | EndedAccess> {
	// Checked before the expensive hash, and again in the transaction of the change.
	const before = await ctx.store.transaction((tx) => requireTouchableUser(tx, caller, id));
	if (before.auth_source !== "local") {
		throw buildFieldError("new_password", buildNoPasswordError(before));
	}
	const hash = await hashPassword(ctx, input.new_password, before, "new_password");
	return changeUser(ctx, caller, id, "set the password of", async (tx, row) => {
		const ended = await setPassword(ctx, tx, row, hash, input.revoke_tokens ?? true, input.must_change_password);
		return input.revoke_tokens === undefined ? showUser(ctx, tx.db, id) : ended;
	});
}

export async function generateResetCode(
	ctx: Context,
	caller: Caller,
	id: number,
): Promise<{ code: string; expires_at: string }> {
	return changeUser(
		ctx,
		caller,
		id,
		"made a password reset code for",
		async (tx, row) => {
			if (row.auth_source !== "local") {
				throw buildRefusedError(buildNoPasswordError(row));
			}
			const { code, expires_at } = await issueResetCode(ctx, tx, id);
			return { code, expires_at: expires_at.toISOString() };
		},
		// Without the code, which is a secret.
		({ expires_at }) => ({ expires_at }),
	);
}

export const verifyEmail = (ctx: Context, caller: Caller, id: number): Promise<AdminUser> =>
	changeUser(ctx, caller, id, "took as verified the email of", async (tx, row) => {
		if (row.email === "") throw buildFieldError("email", "The user has no email address.");
		await updateUserRow(tx, id, { email_verified: true });
		return showUser(ctx, tx.db, id);
	});

export async function disableMfa(ctx: Context, caller: Caller, id: number): Promise<AdminUser> {
	let was_enabled = false;
	return changeUser(
		ctx,
		caller,
		id,
		"removed the second factor of",
		async (tx) => {
			was_enabled = await removeSecondFactor(ctx, tx, id);
			return showUser(ctx, tx.db, id);
		},
		() => ({ was_enabled }),
	);
}

export const activateUser = (ctx: Context, caller: Caller, id: number): Promise<AdminUser> =>
	changeUser(ctx, caller, id, "activated", async (tx) => {
		await updateUserRow(tx, id, { is_active: true });
		await announceUserChange(ctx, tx, id);
		return showUser(ctx, tx.db, id);
	});

export const deactivateUser = (ctx: Context, caller: Caller, id: number): Promise<AdminUser> =>
	changeUser(ctx, caller, id, "deactivated", async (tx, row) => {
		await guardLoss(tx, caller, row, "deactivate");
		await updateUserRow(tx, id, { is_active: false });
		await endSessions(ctx, tx, id);
		return showUser(ctx, tx.db, id);
	});

export const addPermissions = (ctx: Context, caller: Caller, id: number, ids: readonly number[]) =>
	changePermissions(ctx, caller, id, "gave permissions to", ids, (tx) => addUserPermissions(tx, id, ids));

export const removePermissions = (ctx: Context, caller: Caller, id: number, ids: readonly number[]) =>
	changePermissions(ctx, caller, id, "took permissions from", ids, (tx) => removeUserPermissions(tx, id, ids));

export async function readEffectivePermissions(ctx: Context, id: number): Promise<EffectivePermission[]> {
	if ((await findUserRow(ctx.store.db, id)) === undefined) throw buildNoUserError();
	return listEffectivePermissions(ctx.store.db, id);
}

const buildNoPasswordError = ({ auth_source }: Pick<UserRow, "auth_source">): string =>
	auth_source === "service"
		? "A service account has no password. Create an API token for it."
		: "The user has no password here: it is changed where the user signs in.";
