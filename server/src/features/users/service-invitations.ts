/** Inviting people, and withdrawing their invitations. */
import type { InvitationList, Invite, IssuedInvitation } from "@weft/contracts";
import type { Caller } from "../../platform/caller.ts";
import { buildInvalidError, notFound } from "../../platform/errors.ts";
import { paginateRows } from "../../platform/http/paging.ts";
import type { Tx } from "../../ports/store.ts";
import { findTakenNames, removeUser } from "./repo.ts";
import { buildUserTarget, type UserBasics, type UserManagement, type UsersDeps } from "./service.ts";

export function createInviting({
	store,

	events,
	accounts,
	invitations,
	basics,
	management,
}: UsersDeps & {
	readonly basics: UserBasics;
	readonly management: Pick<UserManagement, "assignGroups">;
}) {
	return {
		/** Invites all people or none. @throws 403, 400 under the person's field */
		async invite(caller: Caller, { people }: Invite): Promise<{ invitations: IssuedInvitation[] }> {
			return basics.write(async (tx) => {
				await invitations.assertRecent(tx, caller);
				await assertFree(tx, people);
				const issued: IssuedInvitation[] = [];
				for (const { username, email, group_ids } of people) {
					const id = await accounts.insert(tx, {
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
					await management.assignGroups(tx, caller, id, group_ids, []);
					issued.push(await invitations.issue(tx, caller, { id, username, email }));
					await events.changed(tx, caller, {
						...buildUserTarget(id),
						description: `${caller.username} invited ${username}`,
						metadata: { group_ids },
					});
				}
				return { invitations: issued };
			});
		},

		async list(filter: InvitationList, url: string) {
			return paginateRows(url, filter, await invitations.page(store.db, filter), (record) => record);
		},

		/** Deletes a user who has not accepted. @throws 404 unless there is such an invitation */
		async withdraw(caller: Caller, id: number): Promise<void> {
			await store.transaction(async (tx) => {
				const row = await basics.touchable(tx, caller, id);
				if (!(await invitations.remove(tx, id))) throw notFound("There is no such invitation.");
				await removeUser(tx, id);
				await accounts.changed(tx, id);
				await events.changed(tx, caller, {
					...buildUserTarget(id),
					description: `${caller.username} withdrew the invitation of ${row.username}`,
					metadata: { username: row.username },
				});
			});
		},
	};
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

export type Inviting = ReturnType<typeof createInviting>;
