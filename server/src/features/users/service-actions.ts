/** Administrators' actions on one user: credentials, state, direct permissions. */
import type { AdminUser, EffectivePermission, EndedAccess } from "@weft/contracts";
import type { Caller } from "../../platform/caller.ts";
import { buildRefusedError, invalidField } from "../../platform/errors.ts";
import type { Tx } from "../../ports/store.ts";
import type { UserRow } from "./repo.ts";
import {
	addUserPermissions,
	findUserRow,
	listEffectivePermissions,
	removeUserPermissions,
	updateUserRow,
} from "./repo.ts";
import { buildUserTarget, noSuchUser, type UserBasics, type UsersDeps } from "./service.ts";
import { checkPermissions } from "./service-groups.ts";

export function createUserActions(deps: UsersDeps & { readonly basics: UserBasics }) {
	const { store, events, accounts, basics } = deps;

	/**
	 * Runs `work` on a user whom the caller may change, and records the change.
	 * @param text the verb of the audit entry's description
	 * @param getMetadata the audit entry's metadata, from the result of `work`
	 */
	function changeUser<T>(
		caller: Caller,
		id: number,
		text: string,
		work: (tx: Tx, row: UserRow) => Promise<T>,
		getMetadata: (result: T) => Record<string, unknown> = () => ({}),
	): Promise<T> {
		return store.transaction(async (tx) => {
			const row = await basics.touchable(tx, caller, id);
			const result = await work(tx, row);
			await events.changed(tx, caller, {
				...buildUserTarget(id),
				description: `${caller.username} ${text} ${row.username}`,
				metadata: getMetadata(result),
			});
			return result;
		});
	}

	const changePermissions = (
		caller: Caller,
		id: number,
		text: string,
		permission_ids: readonly number[],
		write: (tx: Tx) => Promise<void>,
	): Promise<AdminUser> =>
		changeUser(
			caller,
			id,
			text,
			async (tx) => {
				await checkPermissions(tx.db, permission_ids);
				await write(tx);
				await accounts.changed(tx, id);
				return basics.show(tx.db, id);
			},
			() => ({ permission_ids }),
		);

	return {
		/** @param input without `revoke_tokens` the answer is the user */
		async resetPassword(
			caller: Caller,
			id: number,
			input: {
				readonly new_password: string;
				readonly revoke_tokens?: boolean | undefined;
				readonly must_change_password: boolean;
			},
		): Promise<AdminUser | EndedAccess> {
			// Checked before the expensive hash, and again in the transaction of the change.
			const before = await store.transaction((tx) => basics.touchable(tx, caller, id));
			if (before.auth_source !== "local") {
				throw invalidField("new_password", noPassword(before));
			}
			const hash = await accounts.hash(input.new_password, before, "new_password");
			return changeUser(caller, id, "set the password of", async (tx, row) => {
				const ended = await accounts.setPassword(
					tx,
					row,
					hash,
					input.revoke_tokens ?? true,
					input.must_change_password,
				);
				return input.revoke_tokens === undefined ? basics.show(tx.db, id) : ended;
			});
		},

		async generateResetCode(caller: Caller, id: number): Promise<{ code: string; expires_at: string }> {
			return changeUser(
				caller,
				id,
				"made a password reset code for",
				async (tx, row) => {
					if (row.auth_source !== "local") {
						throw buildRefusedError(noPassword(row));
					}
					const { code, expires_at } = await accounts.issueResetCode(tx, id);
					return { code, expires_at: expires_at.toISOString() };
				},
				// Without the code, which is a secret.
				({ expires_at }) => ({ expires_at }),
			);
		},

		verifyEmail: (caller: Caller, id: number): Promise<AdminUser> =>
			changeUser(caller, id, "took as verified the email of", async (tx, row) => {
				if (row.email === "") throw invalidField("email", "The user has no email address.");
				await updateUserRow(tx, id, { email_verified: true });
				return basics.show(tx.db, id);
			}),

		async disableMfa(caller: Caller, id: number): Promise<AdminUser> {
			let was_enabled = false;
			return changeUser(
				caller,
				id,
				"removed the second factor of",
				async (tx) => {
					was_enabled = await accounts.removeMfa(tx, id);
					return basics.show(tx.db, id);
				},
				() => ({ was_enabled }),
			);
		},

		activate: (caller: Caller, id: number): Promise<AdminUser> =>
			changeUser(caller, id, "activated", async (tx) => {
				await updateUserRow(tx, id, { is_active: true });
				await accounts.changed(tx, id);
				return basics.show(tx.db, id);
			}),

		deactivate: (caller: Caller, id: number): Promise<AdminUser> =>
			changeUser(caller, id, "deactivated", async (tx, row) => {
				await basics.guardLoss(tx, caller, row, "deactivate");
				await updateUserRow(tx, id, { is_active: false });
				await accounts.endSessions(tx, id);
				return basics.show(tx.db, id);
			}),

		addPermissions: (caller: Caller, id: number, ids: readonly number[]) =>
			changePermissions(caller, id, "gave permissions to", ids, (tx) => addUserPermissions(tx, id, ids)),

		removePermissions: (caller: Caller, id: number, ids: readonly number[]) =>
			changePermissions(caller, id, "took permissions from", ids, (tx) => removeUserPermissions(tx, id, ids)),

		async effectivePermissions(id: number): Promise<EffectivePermission[]> {
			if ((await findUserRow(store.db, id)) === undefined) throw noSuchUser();
			return listEffectivePermissions(store.db, id);
		},
	};
}

export type UserActions = ReturnType<typeof createUserActions>;

const noPassword = ({ auth_source }: Pick<UserRow, "auth_source">): string =>
	auth_source === "service"
		? "A service account has no password. Create an API token for it."
		: "The user has no password here: it is changed where the user signs in.";
