/** Inviting people, and withdrawing their invitations. */
import { type InvitationList, type Invite, type IssuedInvitation, OPEN_INVITATIONS_MAX } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import type { Caller } from "../../../core/caller.ts";
import { buildFieldError, buildInvalidError, buildNotFoundError } from "../../../core/errors.ts";
import { paginateRows } from "../../../core/http/paging.ts";
import type { Tx } from "../../../core/ports/store.ts";
import { issueInvitation, listOpenInvitations } from "../sign-in/accept-invitation.ts";
import { announceUserChange } from "../sign-in/create-sessions.ts";
import { assertRecentSignIn } from "../sign-in/reauthenticate-caller.ts";
import { insertAccount } from "../sign-in/set-credentials.ts";
import { consumeInvitation, countInvitations } from "../sign-in/sql/invitations.ts";
import { assignGroups, buildUserTarget, requireTouchableUser, writeUser } from "./manage-users.ts";
import { findTakenNames, removeUser } from "./sql/users.ts";

/** Invites all people or none. @throws 403, 400 under the person's field */
export async function inviteUsers(
	ctx: Context,
	caller: Caller,
	{ people }: Invite,
): Promise<{ invitations: IssuedInvitation[] }> {
	return writeUser(ctx, async (tx) => {
		await assertRecentSignIn(ctx, tx, caller);
		await assertFree(tx, people);
		await assertPlace(tx, people.length);
		const issued: IssuedInvitation[] = [];
		for (const { username, email, group_ids } of people) {
			const id = await insertAccount(ctx, tx, {
				username,
				email,
				first_name: "",
				last_name: "",
				password_hash: "",
				auth_source: "local",
				is_active: true,
				is_superuser: false,
				must_change_password: false,
			});
			await assignGroups(tx, caller, id, group_ids, []);
			issued.push(await issueInvitation(ctx, tx, caller, { id, username, email }));
			await ctx.events.changed(tx, caller, {
				...buildUserTarget(id),
				description: `${caller.username} invited ${username}`,
				metadata: { group_ids },
			});
		}
		return { invitations: issued };
	});
}

export async function listInvitations(ctx: Context, filter: InvitationList, url: string) {
	const page = await listOpenInvitations(ctx.store.db, filter, ctx.clock.now());
	return paginateRows(url, filter, page, (record) => record);
}

/**
 * Replaces the link, whether it has expired or not: the earlier one is void.
 * @throws 404 unless there is such an invitation
 */
export async function renewInvitation(ctx: Context, caller: Caller, id: number): Promise<IssuedInvitation> {
	return ctx.store.transaction(async (tx) => {
		await assertRecentSignIn(ctx, tx, caller);
		const user = await requireTouchableUser(tx, caller, id);
		if (!(await consumeInvitation(tx, id))) throw buildNotFoundError("There is no such invitation.");
		const issued = await issueInvitation(ctx, tx, caller, user);
		await ctx.events.changed(tx, caller, {
			...buildUserTarget(id),
			description: `${caller.username} made a new link for the invitation of ${user.username}`,
			metadata: { username: user.username },
		});
		return issued;
	});
}

/** Deletes a user who has not accepted. @throws 404 unless there is such an invitation */
export async function withdrawInvitation(ctx: Context, caller: Caller, id: number): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		const row = await requireTouchableUser(tx, caller, id);
		if (!(await consumeInvitation(tx, id))) throw buildNotFoundError("There is no such invitation.");
		await removeUser(tx, id);
		await announceUserChange(ctx, tx, id);
		await ctx.events.changed(tx, caller, {
			...buildUserTarget(id),
			description: `${caller.username} withdrew the invitation of ${row.username}`,
			metadata: { username: row.username },
		});
	});
}

/** @throws 400 where more invitations than the limit would be open */
async function assertPlace(tx: Tx, added: number): Promise<void> {
	const open = await countInvitations(tx.db);
	if (open + added <= OPEN_INVITATIONS_MAX) return;
	throw buildFieldError(
		"people",
		`${open} invitations are open, and at most ${OPEN_INVITATIONS_MAX} may be. Withdraw those that nobody needs.`,
	);
}

/** @throws 400 under each name and address that two of the people have, or another user */
async function assertFree(tx: Tx, people: Invite["people"]): Promise<void> {
	const names = people.map(({ username }) => username.toLowerCase());
	const addresses = people.map(({ email }) => email.toLowerCase());
	const taken = await findTakenNames(
		tx.db,
		names,
		addresses.filter((address) => address !== ""),
	);
	const errors: Record<string, string[]> = {};
	for (const [index, name] of names.entries()) {
		const address = addresses[index] ?? "";
		if (taken.names.has(name)) errors[`people.${index}.username`] = ["There is a user of this name already."];
		else if (names.indexOf(name) < index) errors[`people.${index}.username`] = ["Is named twice."];
		if (address === "") continue;
		if (taken.addresses.has(address)) errors[`people.${index}.email`] = ["Another user has this email address."];
		else if (addresses.indexOf(address) < index) errors[`people.${index}.email`] = ["Is named twice."];
	}
	if (Object.keys(errors).length > 0) throw buildInvalidError(errors);
}
