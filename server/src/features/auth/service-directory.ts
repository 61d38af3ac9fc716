/** Signs in through a directory. Creates the user, or updates it from the directory, each time. */
import type { Origin } from "../../platform/caller.ts";
import { buildUnavailableError, notFound } from "../../platform/errors.ts";
import {
	type Directory,
	type DirectoryPerson,
	type DirectoryRules,
	DirectoryUnavailable,
} from "../../ports/directory.ts";
import type { Log } from "../../ports/log.ts";
import type { Store, Tx } from "../../ports/store.ts";
import { USERNAME, usernameKey } from "./domain/names.ts";
import type { Provision } from "./provisioning.ts";
import type { UserRow } from "./repo.ts";
import { findUserByKey, lockUsername } from "./repo.ts";
import type { createLogin } from "./service-login.ts";

export interface DirectoryLoginDeps {
	readonly store: Store;
	readonly log: Log;
	readonly provision: Provision;
	readonly logins: Pick<ReturnType<typeof createLogin>, "inTurn" | "open" | "fail" | "admit" | "excuse">;
	/** Null when no directory is configured. */
	readonly directory: (Directory & { readonly rules: DirectoryRules }) | null;
}

const SOURCE = {
	auth_source: "ldap",
	name: "directory",
	action: "directory",
	groupsRemedy:
		"Its search for groups failed, ended at a limit, or is not configured: see the service's log. " +
		"Check WEFT_LDAP_GROUP_BASE, and the rights and limits of WEFT_LDAP_BIND_DN.",
} as const;

export function createDirectoryLogin(deps: DirectoryLoginDeps) {
	const { store, log, provision, logins, directory } = deps;

	/** Creates or updates the person's user. Returns null when the username is another account's. */
	async function findOrProvision(
		tx: Tx,
		rules: DirectoryRules,
		person: DirectoryPerson,
		origin: Origin,
	): Promise<UserRow | null> {
		const key = usernameKey(person.username);
		await lockUsername(tx, key);
		const before = await findUserByKey(tx.db, key);
		if (before !== undefined && before.auth_source !== "ldap") return null;
		if (before !== undefined && !before.is_active) return before;
		return provision(tx, { ...SOURCE, rules }, { ...person, email_verified: true }, before, origin);
	}

	async function signIn(
		source: NonNullable<DirectoryLoginDeps["directory"]>,
		input: { username: string; password: string },
		origin: Origin,
	) {
		const attempt = await logins.open(input.username, origin);
		const person = await source.authenticate(input.username, input.password).catch(async (error: unknown) => {
			await logins.excuse(attempt, "directory_unavailable");
			if (error instanceof DirectoryUnavailable)
				throw buildUnavailableError("The directory cannot be asked. Try again shortly.");
			throw error;
		});
		if (person === null) return logins.fail(attempt, "directory_failed");
		if (!USERNAME.test(person.username)) {
			log.warn({}, "the directory returned a person whose name is no valid username");
			return logins.fail(attempt, "directory_failed");
		}
		const user = await store.transaction((tx) => findOrProvision(tx, source.rules, person, origin));
		if (user === null) {
			log.warn({ username: person.username }, "the directory returned a person with the name of a local user");
			return logins.fail(attempt, "directory_failed");
		}
		if (!user.is_active) return logins.fail(attempt, "inactive_user");
		return logins.admit(user, attempt);
	}

	return {
		async login(input: { username: string; password: string }, origin: Origin) {
			if (directory === null) throw notFound("Signing in through a directory is not configured.");
			return logins.inTurn(input.username, origin, () => signIn(directory, input, origin));
		},
	};
}

export type DirectoryLogin = ReturnType<typeof createDirectoryLogin>;
