/** An account's credentials and sessions, as user management changes them. */
import type { EndedAccess } from "@weft/contracts";
import { type Context, getNow } from "../../../context.ts";
import { buildInvalidError } from "../../../core/errors.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import { announceUserChange } from "./create-sessions.ts";
import { computeLockSeconds, WINDOW_MS } from "./rules/lockout.ts";
import { buildUsernameKey } from "./rules/names.ts";
import { listPasswordErrors, type Person } from "./rules/password-policy.ts";
import { revokeApiTokens } from "./sql/api-tokens.ts";
import { consumeInvitation } from "./sql/invitations.ts";
import { removeChallenges, removeMfa, removeTokens } from "./sql/secrets.ts";
import { endOtherSessions, forgiveFailures, insertUserRow, listFailures, updateUser } from "./sql/sign-in.ts";

export async function endSessions(ctx: Context, tx: Tx, userId: number): Promise<number> {
	const ended = await endOtherSessions(tx, userId, null, getNow(ctx));
	await removeChallenges(tx, userId);
	await announceUserChange(ctx, tx, userId);
	return ended;
}

/** @throws 400 under the field when the policy refuses the password */
export async function hashPassword(ctx: Context, password: string, person: Person, field: string): Promise<string> {
	const errors = listPasswordErrors(password, person, await ctx.passwords.commonCheck());
	if (errors.length > 0) throw buildInvalidError({ [field]: errors });
	return ctx.passwords.hash(password);
}

/**
 * A new local user or service account, who joins `Users`. Rejects on a taken username or email
 * (unique violation).
 */
export async function insertAccount(
	ctx: Context,
	tx: Tx,
	user: Person & {
		readonly password_hash: string;
		readonly auth_source: string;
		readonly is_active: boolean;
		readonly is_superuser: boolean;
		readonly must_change_password: boolean;
	},
): Promise<number> {
	const { id } = await insertUserRow(tx, {
		...user,
		username_key: buildUsernameKey(user.username),
		preferences: "{}",
		date_joined: getNow(ctx),
	});
	return id;
}

/**
 * Resets a password. Ends all sessions and, unless they are to stay, API tokens. Voids links
 * and codes, and ends a lockout.
 * @param mustChange whether the user must choose another password at the next sign-in
 */
export async function setPassword(
	ctx: Context,
	tx: Tx,
	user: { readonly id: number; readonly username: string },
	password_hash: string,
	revokesTokens: boolean,
	mustChange = false,
): Promise<EndedAccess> {
	await updateUser(tx, user.id, { password_hash, must_change_password: mustChange });
	await removeTokens(tx, user.id, ["password_reset", "reset_code"]);
	await consumeInvitation(tx, user.id);
	await forgiveFailures(tx, buildUsernameKey(user.username), null);
	const tokens_revoked = revokesTokens ? await revokeApiTokens(tx, user.id, getNow(ctx)) : 0;
	return { sessions_ended: await endSessions(ctx, tx, user.id), tokens_revoked };
}

/** Whether there was a second factor, or the beginning of one. */
export async function removeSecondFactor(ctx: Context, tx: Tx, userId: number): Promise<boolean> {
	const removed = await removeMfa(tx, userId);
	await updateUser(tx, userId, { mfa_enabled: false });
	await announceUserChange(ctx, tx, userId);
	return removed;
}

/** The end of each username's lockout, from any address; absent for those not locked. */
export async function findLockouts(ctx: Context, db: Db, usernames: readonly string[]): Promise<Map<string, Date>> {
	const at = ctx.clock.now();
	const failures = await listFailures(db, usernames.map(buildUsernameKey), new Date(at - WINDOW_MS));
	const locked = new Map<string, Date>();
	for (const username of usernames) {
		const own = failures.filter((failure) => failure.usernameKey === buildUsernameKey(username));
		const wait = Math.max(0, ...[...new Set(own.map(({ ip }) => ip))].map((ip) => computeLockSeconds(own, ip, at)));
		if (wait > 0) locked.set(username, new Date(at + wait));
	}
	return locked;
}
