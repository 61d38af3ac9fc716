/** Creates and updates users from where they sign in: a directory, or an identity provider. */
import { type Context, getNow } from "../../../context.ts";
import type { Origin } from "../../../core/caller.ts";
import type { Tx } from "../../../core/ports/store.ts";
import type { DirectoryPerson, DirectoryRules } from "../../../integrations/ldap/port.ts";
import { announceUserChange } from "./create-sessions.ts";
import { computeMembership, listManaged } from "./rules/directory-groups.ts";
import { buildUsernameKey } from "./rules/names.ts";
import type { UserRow } from "./sql/sign-in.ts";
import { findUserByEmail, insertUserRow, setManagedGroups, updateUser } from "./sql/sign-in.ts";

/** Where users come from. */
interface Source {
	readonly auth_source: "ldap" | "oidc";
	/** In sentences, such as `directory`. */
	readonly name: string;
	/** Begins the audit log's actions. */
	readonly action: string;
	readonly rules: DirectoryRules;
	/** A remedy, in sentences, where the source does not name a person's groups. */
	readonly groupsRemedy: string;
}

interface Person extends DirectoryPerson {
	/** Whether the source vouches for the email address. */
	readonly email_verified: boolean;
}

const NAME_MAX = 150;
const EMAIL_MAX = 254;
const FIELDS = ["email", "first_name", "last_name"] as const;

/** The source's email address; the stored one if that is invalid or another user has it. */
async function chooseEmail(
	ctx: Context,
	tx: Tx,
	email: string,
	before: UserRow | undefined,
	source: Source,
): Promise<string> {
	const kept = before?.email ?? "";
	if (email.length > EMAIL_MAX || !/^[^\s@<>]+@[^\s@<>]+$/.test(email)) return kept;
	const owner = await findUserByEmail(tx.db, email);
	if (owner === undefined || owner.id === before?.id) return email;
	ctx.log.warn({ userId: before?.id ?? null }, `the ${source.name} gives a user an email address that another one has`);
	return kept;
}

/** Logs that the groups of a user are unknown, and tells administrators once for each user. */
async function reportUnknownGroups(ctx: Context, tx: Tx, { name, groupsRemedy }: Source, user: UserRow): Promise<void> {
	ctx.log.warn({ userId: user.id }, `the ${name} does not name the groups of a user, whose memberships are kept`);
	await ctx.events.emit(tx, {
		type: "notification_due",
		audience: "administrators",
		category: "system",
		severity: "warning",
		title: `The groups of ${user.username} are unknown`,
		body:
			`The ${name} did not name the groups of ${user.username} when this user signed in. The memberships here ` +
			`are kept, also those that ended there. ${groupsRemedy}`,
		link: `/api/auth/management/${user.id}/`,
		facts: { event: "groups_unknown", objects: [{ kind: "user", id: user.id, name: user.username }] },
		key: `groups_unknown:${user.id}`,
	});
}

/** Returns whether the user's memberships changed, and the managed groups; null for unknown. */
async function updateGroups(ctx: Context, tx: Tx, source: Source, user: UserRow, groups: Person["groups"]) {
	if (groups === null) {
		if (listManaged(source.rules).length > 0) await reportUnknownGroups(ctx, tx, source, user);
		return { isChanged: false, member: null };
	}
	const membership = computeMembership(source.rules, groups);
	return { isChanged: await setManagedGroups(tx, user.id, membership), member: membership.member };
}

/**
 * Updates `before`, or creates the user if it is undefined: names, email address, groups. The
 * caller has locked the username.
 */
export async function provisionUser(
	ctx: Context,
	tx: Tx,
	source: Source,
	person: Person,
	before: UserRow | undefined,
	origin: Origin,
): Promise<UserRow> {
	const fields = {
		// A source that does not name them leaves the stored ones.
		first_name: person.first_name.slice(0, NAME_MAX) || (before?.first_name ?? ""),
		last_name: person.last_name.slice(0, NAME_MAX) || (before?.last_name ?? ""),
		email: await chooseEmail(ctx, tx, person.email, before, source),
	};
	const isVerified = fields.email === before?.email ? before.email_verified : person.email_verified;
	const email_verified = fields.email !== "" && isVerified;
	const user =
		before === undefined
			? await insertUserRow(tx, {
					...fields,
					username: person.username,
					username_key: buildUsernameKey(person.username),
					password_hash: "",
					auth_source: source.auth_source,
					email_verified,
					preferences: "{}",
					date_joined: getNow(ctx),
				})
			: await updateUser(tx, before.id, { ...fields, email_verified });
	const { isChanged, member } = await updateGroups(ctx, tx, source, user, person.groups);
	const renamed = before !== undefined && FIELDS.some((field) => before[field] !== user[field]);
	if (before === undefined || renamed || isChanged) {
		await announceUserChange(ctx, tx, user.id);
		const action = `${source.action}_user_${before === undefined ? "create" : "update"}`;
		await ctx.events.changed(
			tx,
			{ ...origin, audit: { category: "user_management", action }, userId: user.id, username: user.username },
			{
				targetType: "user",
				targetId: user.id,
				description: `The ${source.name} ${before === undefined ? "brought in" : "changed"} the user ${user.username}`,
				metadata: { groups: member },
			},
		);
	}
	return user;
}
