/** Signs in through a directory. Creates the user, or updates it from the directory, each time. */
import type { Origin } from "../../platform/caller.ts";
import { notFound, unavailable } from "../../platform/errors.ts";
import type { Clock } from "../../ports/clock.ts";
import {
	type Directory,
	type DirectoryPerson,
	type DirectoryRules,
	DirectoryUnavailable,
} from "../../ports/directory.ts";
import type { Log } from "../../ports/log.ts";
import type { Store, Tx } from "../../ports/store.ts";
import { membershipOf } from "./domain/directory-groups.ts";
import { USERNAME, usernameKey } from "./domain/names.ts";
import type { AuthRepo, UserRow } from "./repo.ts";
import type { AuthDeps } from "./service.ts";
import type { createLogin } from "./service-login.ts";

export interface DirectoryLoginDeps {
	readonly store: Store;
	readonly repo: AuthRepo;
	readonly clock: Pick<Clock, "now">;
	readonly log: Log;
	readonly events: AuthDeps["events"];
	readonly sessions: AuthDeps["sessions"];
	readonly logins: Pick<ReturnType<typeof createLogin>, "open" | "fail" | "admit" | "excuse">;
	/** Null when no directory is configured. */
	readonly directory: (Directory & { readonly rules: DirectoryRules }) | null;
}

const NAME_MAX = 150;
const EMAIL_MAX = 254;

export function createDirectoryLogin(deps: DirectoryLoginDeps) {
	const { store, repo, clock, log, events, sessions, logins, directory } = deps;

	/** Creates or updates the person's user. Returns null when the username is a local user's. */
	async function provision(tx: Tx, person: DirectoryPerson, origin: Origin): Promise<UserRow | null> {
		const key = usernameKey(person.username);
		await repo.lockUsername(tx, key);
		const before = await repo.findByKey(tx.db, key);
		if (before !== undefined && (before.auth_source !== "ldap" || !before.is_active)) {
			return before.auth_source === "ldap" ? before : null;
		}
		const fields = {
			first_name: person.first_name.slice(0, NAME_MAX),
			last_name: person.last_name.slice(0, NAME_MAX),
			email: await freeEmail(tx, person.email, before),
		};
		const user =
			before === undefined
				? await repo.insert(tx, {
						...fields,
						username: person.username,
						username_key: key,
						password_hash: "",
						auth_source: "ldap",
						email_verified: fields.email !== "",
						preferences: "{}",
						date_joined: new Date(clock.now()),
					})
				: await repo.update(tx, before.id, {
						...fields,
						email_verified: fields.email !== "" && (before.email_verified || fields.email !== before.email),
					});
		const membership = membershipOf(directory?.rules ?? { groupMap: {}, adminGroup: null }, person.groups);
		const regrouped = await repo.setManagedGroups(tx, user.id, membership);
		const renamed = before !== undefined && FIELDS.some((field) => before[field] !== user[field]);
		if (before === undefined || renamed || regrouped) {
			await sessions.changed(tx, user.id);
			const action = before === undefined ? "directory_user_create" : "directory_user_update";
			await events.changed(
				tx,
				{ ...origin, audit: { category: "user_management", action }, userId: user.id, username: user.username },
				{
					targetType: "user",
					targetId: user.id,
					description: `The directory ${before === undefined ? "brought in" : "changed"} the user ${user.username}`,
					metadata: { groups: membership.member },
				},
			);
		}
		return user;
	}

	/** The directory's email address; the stored one if that is invalid or another user has it. */
	async function freeEmail(tx: Tx, email: string, before: UserRow | undefined): Promise<string> {
		const kept = before?.email ?? "";
		if (email.length > EMAIL_MAX || !/^[^\s@<>]+@[^\s@<>]+$/.test(email)) return kept;
		const owner = await repo.findByEmail(tx.db, email);
		if (owner === undefined || owner.id === before?.id) return email;
		log.warn({ userId: before?.id ?? null }, "the directory gives a user an email address that another one has");
		return kept;
	}

	return {
		async login(input: { username: string; password: string }, origin: Origin) {
			if (directory === null) throw notFound("Signing in through a directory is not configured.");
			const attempt = await logins.open(input.username, origin);
			const person = await directory.authenticate(input.username, input.password).catch(async (error: unknown) => {
				await logins.excuse(attempt, "directory_unavailable");
				if (error instanceof DirectoryUnavailable)
					throw unavailable("The directory cannot be asked. Try again shortly.");
				throw error;
			});
			if (person === null) return logins.fail(attempt, "directory_failed");
			if (!USERNAME.test(person.username)) {
				log.warn({}, "the directory knows somebody by a name that cannot be one here");
				return logins.fail(attempt, "directory_failed");
			}
			const user = await store.transaction((tx) => provision(tx, person, origin));
			if (user === null) {
				log.warn({ username: person.username }, "the directory knows somebody by the name of a local user");
				return logins.fail(attempt, "directory_failed");
			}
			if (!user.is_active) return logins.fail(attempt, "inactive_user");
			return logins.admit(user, attempt);
		},
	};
}

export type DirectoryLogin = ReturnType<typeof createDirectoryLogin>;

const FIELDS = ["email", "first_name", "last_name"] as const;
