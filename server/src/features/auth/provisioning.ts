/** Creates and updates users from where they sign in: a directory, or an identity provider. */
import type { Origin } from "../../platform/caller.ts";
import type { Clock } from "../../ports/clock.ts";
import type { DirectoryPerson, DirectoryRules } from "../../ports/directory.ts";
import type { Log } from "../../ports/log.ts";
import type { Tx } from "../../ports/store.ts";
import { membershipOf } from "./domain/directory-groups.ts";
import { usernameKey } from "./domain/names.ts";
import type { AuthRepo, UserRow } from "./repo.ts";
import type { AuthDeps } from "./service.ts";

/** Where users come from. */
export interface Source {
	readonly auth_source: "ldap" | "oidc";
	/** In sentences, such as `directory`. */
	readonly name: string;
	/** Begins the audit log's actions. */
	readonly action: string;
	readonly rules: DirectoryRules;
}

export interface Person extends DirectoryPerson {
	/** Whether the source vouches for the email address. */
	readonly email_verified: boolean;
}

export interface ProvisioningDeps {
	readonly repo: AuthRepo;
	readonly clock: Pick<Clock, "now">;
	readonly log: Log;
	readonly events: AuthDeps["events"];
	readonly sessions: AuthDeps["sessions"];
}

const NAME_MAX = 150;
const EMAIL_MAX = 254;
const FIELDS = ["email", "first_name", "last_name"] as const;

export function createProvisioning({ repo, clock, log, events, sessions }: ProvisioningDeps) {
	/** The source's email address; the stored one if that is invalid or another user has it. */
	async function freeEmail(tx: Tx, email: string, before: UserRow | undefined, source: Source): Promise<string> {
		const kept = before?.email ?? "";
		if (email.length > EMAIL_MAX || !/^[^\s@<>]+@[^\s@<>]+$/.test(email)) return kept;
		const owner = await repo.findByEmail(tx.db, email);
		if (owner === undefined || owner.id === before?.id) return email;
		log.warn({ userId: before?.id ?? null }, `the ${source.name} gives a user an email address that another one has`);
		return kept;
	}

	/**
	 * Updates `before`, or creates the user if it is undefined: names, email address, groups. The
	 * caller has locked the username.
	 */
	return async function provision(
		tx: Tx,
		source: Source,
		person: Person,
		before: UserRow | undefined,
		origin: Origin,
	): Promise<UserRow> {
		const fields = {
			first_name: person.first_name.slice(0, NAME_MAX),
			last_name: person.last_name.slice(0, NAME_MAX),
			email: await freeEmail(tx, person.email, before, source),
		};
		const isVerified = fields.email === before?.email ? before.email_verified : person.email_verified;
		const email_verified = fields.email !== "" && isVerified;
		const user =
			before === undefined
				? await repo.insert(tx, {
						...fields,
						username: person.username,
						username_key: usernameKey(person.username),
						password_hash: "",
						auth_source: source.auth_source,
						email_verified,
						preferences: "{}",
						date_joined: new Date(clock.now()),
					})
				: await repo.update(tx, before.id, { ...fields, email_verified });
		const membership = membershipOf(source.rules, person.groups);
		const regrouped = await repo.setManagedGroups(tx, user.id, membership);
		const renamed = before !== undefined && FIELDS.some((field) => before[field] !== user[field]);
		if (before === undefined || renamed || regrouped) {
			await sessions.changed(tx, user.id);
			const action = `${source.action}_user_${before === undefined ? "create" : "update"}`;
			await events.changed(
				tx,
				{ ...origin, audit: { category: "user_management", action }, userId: user.id, username: user.username },
				{
					targetType: "user",
					targetId: user.id,
					description: `The ${source.name} ${before === undefined ? "brought in" : "changed"} the user ${user.username}`,
					metadata: { groups: membership.member },
				},
			);
		}
		return user;
	};
}

export type Provision = ReturnType<typeof createProvisioning>;
