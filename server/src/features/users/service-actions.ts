/** What administrators do with one user: credentials, state, direct permissions. Each answers the user's record. */
import type { AdminUser, EffectivePermission } from "@weft/contracts";
import type { Caller } from "../../platform/caller.ts";
import { invalidField, refused } from "../../platform/errors.ts";
import type { Tx } from "../../ports/store.ts";
import type { UserRow } from "./repo.ts";
import { noSuchUser, target, type UserBasics, type UsersDeps } from "./service.ts";
import { unknownIds } from "./service-groups.ts";

export function createUserActions(deps: UsersDeps & { readonly basics: UserBasics }) {
	const { store, users, groups, events, accounts, basics } = deps;

	/** One change of a user the caller may touch, and what the log says of it. */
	async function act<T = AdminUser>(
		caller: Caller,
		id: number,
		text: string,
		work: (tx: Tx, row: UserRow) => Promise<Record<string, unknown> | undefined>,
		answer: (tx: Tx) => Promise<T>,
	): Promise<T> {
		return store.transaction(async (tx) => {
			const row = await basics.touchable(tx, caller, id);
			const metadata = await work(tx, row);
			await events.changed(tx, caller, {
				...target(id),
				description: `${caller.username} ${text} ${row.username}`,
				...(metadata ? { metadata } : {}),
			});
			return answer(tx);
		});
	}

	const record = (id: number) => (tx: Tx) => basics.show(tx.db, id);

	async function checkPermissions(tx: Tx, ids: readonly number[]): Promise<void> {
		const known = await groups.knownPermissions(tx.db, ids);
		const unknown = ids.filter((id) => !known.has(id));
		if (unknown.length > 0) throw unknownIds("permission_ids", "permission", unknown);
	}

	return {
		async resetPassword(caller: Caller, id: number, password: string): Promise<AdminUser> {
			// Whether the caller may at all is asked before the work of hashing, and again in the transaction.
			const before = await store.transaction((tx) => basics.touchable(tx, caller, id));
			if (before.auth_source !== "local") {
				throw invalidField("new_password", "The password of a directory user is changed in the directory.");
			}
			const hash = await accounts.hash(password, before, "new_password");
			return act(
				caller,
				id,
				"set the password of",
				async (tx, row) => {
					await accounts.setPassword(tx, row, hash);
					return undefined;
				},
				record(id),
			);
		},

		async generateResetCode(caller: Caller, id: number): Promise<{ code: string; expires_at: string }> {
			let issued: { code: string; expires_at: Date } | undefined;
			return act(
				caller,
				id,
				"made a password reset code for",
				async (tx, row) => {
					if (row.auth_source !== "local") {
						throw refused("The password of a directory user is changed in the directory.");
					}
					issued = await accounts.issueResetCode(tx, id);
					return { expires_at: issued.expires_at.toISOString() };
				},
				async () => ({ code: issued?.code ?? "", expires_at: issued?.expires_at.toISOString() ?? "" }),
			);
		},

		verifyEmail: (caller: Caller, id: number) =>
			act(
				caller,
				id,
				"took as verified the email of",
				async (tx, row) => {
					if (row.email === "") throw invalidField("email", "The user has no email address.");
					await users.update(tx, id, { email_verified: true });
					return undefined;
				},
				record(id),
			),

		disableMfa: (caller: Caller, id: number) =>
			act(
				caller,
				id,
				"removed the second factor of",
				async (tx) => ({ was_enabled: await accounts.removeMfa(tx, id) }),
				record(id),
			),

		activate: (caller: Caller, id: number) =>
			act(
				caller,
				id,
				"activated",
				async (tx) => {
					await users.update(tx, id, { is_active: true });
					await accounts.changed(tx, id);
					return undefined;
				},
				record(id),
			),

		deactivate: (caller: Caller, id: number) =>
			act(
				caller,
				id,
				"deactivated",
				async (tx, row) => {
					await basics.guardLoss(tx, caller, row, "deactivate");
					await users.update(tx, id, { is_active: false });
					await accounts.endSessions(tx, id);
					return undefined;
				},
				record(id),
			),

		addPermissions: (caller: Caller, id: number, permission_ids: readonly number[]) =>
			act(
				caller,
				id,
				"gave permissions to",
				async (tx) => {
					await checkPermissions(tx, permission_ids);
					await users.addPermissions(tx, id, permission_ids);
					await accounts.changed(tx, id);
					return { permission_ids };
				},
				record(id),
			),

		removePermissions: (caller: Caller, id: number, permission_ids: readonly number[]) =>
			act(
				caller,
				id,
				"took permissions from",
				async (tx) => {
					await checkPermissions(tx, permission_ids);
					await users.removePermissions(tx, id, permission_ids);
					await accounts.changed(tx, id);
					return { permission_ids };
				},
				record(id),
			),

		async effectivePermissions(id: number): Promise<EffectivePermission[]> {
			if ((await users.find(store.db, id)) === undefined) throw noSuchUser();
			return users.effective(store.db, id);
		},
	};
}

export type UserActions = ReturnType<typeof createUserActions>;
