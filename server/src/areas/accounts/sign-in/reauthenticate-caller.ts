/** A recent sign-in: required where an API token is made, and renewed by a password or a code. */
import { type Context, getNow } from "../../../context.ts";
import type { Caller } from "../../../core/caller.ts";
import {
	buildFieldError,
	buildForbiddenError,
	buildInvalidError,
	buildNotFoundError,
	buildUnavailableError,
} from "../../../core/errors.ts";
import type { Tx } from "../../../core/ports/store.ts";
import { DirectoryUnavailable } from "../../../integrations/ldap/port.ts";
import type { Consume } from "./check-second-factor.ts";
import { checkSecondFactor } from "./check-second-factor.ts";
import { buildUsernameKey } from "./rules/names.ts";
import type { UserRow } from "./sql/sign-in.ts";
import { findAuthenticatedAt, findUser, setAuthenticatedAt } from "./sql/sign-in.ts";

const RECENT_MS = 15 * 60_000;
const WRONG_CODE = "Is not a code of this moment, or a backup code that is left.";

/** Whether this is the user's password, here or in the directory. */
export async function verifyPassword(ctx: Context, user: UserRow, password: string): Promise<boolean> {
	if (user.auth_source === "local") return ctx.passwords.verify(user.password_hash, password);
	if (user.auth_source === "oidc") {
		throw buildFieldError("password", "You have no password here. An administrator can remove your second factor.");
	}
	const person = await ctx.directory?.authenticate(user.username, password).catch((error: unknown) => {
		if (error instanceof DirectoryUnavailable)
			throw buildUnavailableError("The directory cannot be asked. Try again shortly.");
		throw error;
	});
	return person !== undefined && person !== null && buildUsernameKey(person.username) === user.username_key;
}

/** Returns what consumes the proof in the transaction. @throws 400 under the field */
async function checkProof(ctx: Context, user: UserRow, input: Proof): Promise<Consume> {
	if (input.password !== undefined) {
		if (!(await verifyPassword(ctx, user, input.password)))
			throw buildFieldError("password", "Is not the current password.");
		return async () => true;
	}
	const consume = await checkSecondFactor(ctx, ctx.store.db, user.id, input.code ?? "");
	if (consume === null) throw buildFieldError("code", WRONG_CODE);
	return consume;
}

/** @throws 403 unless the session's user signed in or proved who they are within 15 minutes */
export async function assertRecentSignIn(ctx: Context, tx: Tx, caller: Caller): Promise<void> {
	const at = await findAuthenticatedAt(tx.db, caller.sessionId);
	if (at !== undefined && ctx.clock.now() - at.getTime() <= RECENT_MS) return;
	throw buildForbiddenError(
		"Your last sign-in is more than 15 minutes ago. Confirm your password, or sign in again, and repeat this.",
		{ code: "reauthentication_required" },
	);
}

export async function reauthenticateCaller(ctx: Context, caller: Caller, input: Proof): Promise<void> {
	if ((input.password === undefined) === (input.code === undefined))
		throw buildInvalidError({ non_field_errors: ["Give either the password or a code of the second factor."] });
	const user = await findUser(ctx.store.db, caller.userId);
	if (user === undefined) throw buildNotFoundError();
	const consume = await checkProof(ctx, user, input);
	await ctx.store.transaction(async (tx) => {
		if (!(await consume(tx))) throw buildFieldError("code", WRONG_CODE);
		await setAuthenticatedAt(tx, caller.sessionId, getNow(ctx));
		await ctx.events.changed(tx, caller, {
			targetType: "user",
			targetId: caller.userId,
			description: `${caller.username} confirmed their sign-in with ${input.code === undefined ? "the password" : "a code"}`,
		});
	});
}

interface Proof {
	readonly password?: string | undefined;
	readonly code?: string | undefined;
}
