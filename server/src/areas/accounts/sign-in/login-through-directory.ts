/** Signs in through a directory. Creates the user, or updates it from the directory, each time. */
import type { Context } from "../../../context.ts";
import type { Origin } from "../../../core/caller.ts";
import { buildNotFoundError, buildUnavailableError } from "../../../core/errors.ts";
import type { Tx } from "../../../core/ports/store.ts";
import { type DirectoryPerson, type DirectoryRules, DirectoryUnavailable } from "../../../integrations/ldap/port.ts";
import { admitUser, endUncountedAttempt, openAttempt, rejectAttempt, runSignInAlone } from "./login-with-password.ts";
import { provisionUser } from "./provisioning.ts";
import { buildUsernameKey, USERNAME } from "./rules/names.ts";
import type { UserRow } from "./sql/sign-in.ts";
import { findUserByKey, lockUsername } from "./sql/sign-in.ts";

const SOURCE = {
	auth_source: "ldap",
	name: "directory",
	action: "directory",
	groupsRemedy:
		"Its search for groups failed, ended at a limit, or is not configured: see the service's log. " +
		"Check WEFT_LDAP_GROUP_BASE, and the rights and limits of WEFT_LDAP_BIND_DN.",
} as const;

/** Creates or updates the person's user. Returns null when the username is another account's. */
async function findOrProvision(
	ctx: Context,
	tx: Tx,
	rules: DirectoryRules,
	person: DirectoryPerson,
	origin: Origin,
): Promise<UserRow | null> {
	const key = buildUsernameKey(person.username);
	await lockUsername(tx, key);
	const before = await findUserByKey(tx.db, key);
	if (before !== undefined && before.auth_source !== "ldap") return null;
	if (before !== undefined && !before.is_active) return before;
	return provisionUser(ctx, tx, { ...SOURCE, rules }, { ...person, email_verified: true }, before, origin);
}

async function signInThroughDirectory(
	ctx: Context,
	source: NonNullable<Context["directory"]>,
	input: { username: string; password: string },
	origin: Origin,
) {
	const attempt = await openAttempt(ctx, input.username, origin);
	const person = await source.authenticate(input.username, input.password).catch(async (error: unknown) => {
		await endUncountedAttempt(ctx, attempt, "directory_unavailable");
		if (error instanceof DirectoryUnavailable)
			throw buildUnavailableError("The directory cannot be asked. Try again shortly.");
		throw error;
	});
	if (person === null) return rejectAttempt(ctx, attempt, "directory_failed");
	if (!USERNAME.test(person.username)) {
		ctx.log.warn({}, "the directory returned a person whose name is no valid username");
		return rejectAttempt(ctx, attempt, "directory_failed");
	}
	const user = await ctx.store.transaction((tx) => findOrProvision(ctx, tx, source.rules, person, origin));
	if (user === null) {
		ctx.log.warn({ username: person.username }, "the directory returned a person with the name of a local user");
		return rejectAttempt(ctx, attempt, "directory_failed");
	}
	if (!user.is_active) return rejectAttempt(ctx, attempt, "inactive_user");
	return admitUser(ctx, user, attempt);
}

export async function loginThroughDirectory(
	ctx: Context,
	input: { username: string; password: string },
	origin: Origin,
) {
	const { directory } = ctx;
	if (directory === null) throw buildNotFoundError("Signing in through a directory is not configured.");
	return runSignInAlone(ctx, input.username, origin, () => signInThroughDirectory(ctx, directory, input, origin));
}
