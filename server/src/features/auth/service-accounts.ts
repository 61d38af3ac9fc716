/** An account's credentials and sessions, as user management changes them. */
import type { EndedAccess } from "@weft/contracts";
import { buildInvalidError } from "../../platform/errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Passwords } from "../../ports/passwords.ts";
import type { Db, Tx } from "../../ports/store.ts";
import { lockedFor, WINDOW_MS } from "./domain/lockout.ts";
import { usernameKey } from "./domain/names.ts";
import { type Person, passwordErrors } from "./domain/password-policy.ts";
import type { EmailChangeReport } from "./email-change.ts";
import { endOtherSessions, forgiveFailures, insertUserRow, listFailures, updateUser } from "./repo.ts";
import type { ApiTokensRepo } from "./repo-api-tokens.ts";
import { consumeInvitation } from "./repo-invitations.ts";
import { removeChallenges, removeMfa, removeTokens } from "./repo-secrets.ts";
import type { ResetCodes } from "./service-reset-codes.ts";
import type { Sessions } from "./service-sessions.ts";

export interface AccountsDeps {
	readonly apiTokens: Pick<ApiTokensRepo, "revokeAll">;
	readonly clock: Pick<Clock, "now">;
	readonly passwords: Passwords;
	readonly sessions: Sessions;
	readonly codes: ResetCodes;
	readonly reportEmailChange: EmailChangeReport;
}

export function createAccounts(deps: AccountsDeps) {
	const { apiTokens, clock, passwords, sessions, codes, reportEmailChange } = deps;
	const now = () => new Date(clock.now());

	async function endSessions(tx: Tx, userId: number): Promise<number> {
		const ended = await endOtherSessions(tx, userId, null, now());
		await removeChallenges(tx, userId);
		await sessions.changed(tx, userId);
		return ended;
	}

	return {
		/** @throws 400 under the field when the policy refuses the password */
		async hash(password: string, person: Person, field: string): Promise<string> {
			const errors = passwordErrors(password, person, await passwords.commonCheck());
			if (errors.length > 0) throw buildInvalidError({ [field]: errors });
			return passwords.hash(password);
		},

		/**
		 * A new local user or service account, who joins `Users`. Rejects on a taken username or email
		 * (unique violation).
		 */
		async insert(
			tx: Tx,
			user: Person & {
				readonly password_hash: string;
				readonly auth_source: string;
				readonly is_active: boolean;
				readonly is_superuser: boolean;
				readonly must_change_password: boolean;
			},
		): Promise<number> {
			const { id } = await insertUserRow(tx, {
				...user,
				username_key: usernameKey(user.username),
				preferences: "{}",
				date_joined: now(),
			});
			return id;
		},

		/**
		 * Resets a password. Ends all sessions and, unless they are to stay, API tokens. Voids links
		 * and codes, and ends a lockout.
		 * @param mustChange whether the user must choose another password at the next sign-in
		 */
		async setPassword(
			tx: Tx,
			user: { readonly id: number; readonly username: string },
			password_hash: string,
			revokesTokens: boolean,
			mustChange = false,
		): Promise<EndedAccess> {
			await updateUser(tx, user.id, { password_hash, must_change_password: mustChange });
			await removeTokens(tx, user.id, ["password_reset", "reset_code"]);
			await consumeInvitation(tx, user.id);
			await forgiveFailures(tx, usernameKey(user.username), null);
			const tokens_revoked = revokesTokens ? await apiTokens.revokeAll(tx, user.id, now()) : 0;
			return { sessions_ended: await endSessions(tx, user.id), tokens_revoked };
		},

		endSessions,
		reportEmailChange,

		/** Whether there was a second factor, or the beginning of one. */
		async removeMfa(tx: Tx, userId: number): Promise<boolean> {
			const removed = await removeMfa(tx, userId);
			await updateUser(tx, userId, { mfa_enabled: false });
			await sessions.changed(tx, userId);
			return removed;
		},

		/** Issues a new code and voids the earlier ones. */
		issueResetCode: codes.issue,

		/** Makes every node read the user's rights again. */
		changed: sessions.changed,
		everyoneChanged: sessions.everyoneChanged,

		/** The end of each username's lockout, from any address; absent for those not locked. */
		async lockedUntil(db: Db, usernames: readonly string[]): Promise<Map<string, Date>> {
			const at = clock.now();
			const failures = await listFailures(db, usernames.map(usernameKey), new Date(at - WINDOW_MS));
			const locked = new Map<string, Date>();
			for (const username of usernames) {
				const own = failures.filter((failure) => failure.usernameKey === usernameKey(username));
				const wait = Math.max(0, ...[...new Set(own.map(({ ip }) => ip))].map((ip) => lockedFor(own, ip, at)));
				if (wait > 0) locked.set(username, new Date(at + wait));
			}
			return locked;
		},
	};
}

export type Accounts = ReturnType<typeof createAccounts>;
