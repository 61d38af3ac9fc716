/** Users without the API: the first superuser, and commands of the command line. */
import type { Events } from "../../platform/events.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Passwords } from "../../ports/passwords.ts";
import { brokenUnique, type Store } from "../../ports/store.ts";
import { USERNAME, usernameKey } from "./domain/names.ts";
import { passwordErrors } from "./domain/password-policy.ts";
import { endOtherSessions, findUserByKey, forgiveFailures, hasUsers, insertUserRow, updateUser } from "./repo.ts";
import type { ApiTokensRepo } from "./repo-api-tokens.ts";
import { consumeInvitation } from "./repo-invitations.ts";
import { removeChallenges, removeTokens } from "./repo-secrets.ts";
import type { Sessions } from "./service-sessions.ts";

export interface UsersDeps {
	readonly store: Store;
	readonly apiTokens: Pick<ApiTokensRepo, "revokeAll">;
	readonly clock: Clock;
	readonly passwords: Passwords;
	readonly sessions: Sessions;
	readonly events: Pick<Events, "changed">;
}

/** The actor of a command. Access to the machine is the authorization, so there is no user. */
const buildActor = (username: string, action: string) => ({
	userId: null,
	username,
	ip: "",
	userAgent: "",
	requestId: "",
	audit: { category: "user_management", action } as const,
});
const COMMAND_LINE = "command line";

export function createUsers(deps: UsersDeps) {
	const { store, apiTokens, clock, passwords, sessions, events } = deps;

	async function requireUser(username: string) {
		const user = await findUserByKey(store.db, usernameKey(username));
		if (user === undefined) throw new Error(`There is no user ${username}.`);
		return user;
	}

	async function insertUser(input: {
		username: string;
		password: string;
		email?: string;
		superuser: boolean;
		by: string;
	}): Promise<number> {
		if (!USERNAME.test(input.username)) {
			throw new Error("A username has 3 to 150 letters, digits and the characters . @ + - _");
		}
		const password_hash = await passwords.hash(input.password);
		try {
			return await store.transaction(async (tx) => {
				const user = await insertUserRow(tx, {
					username: input.username,
					username_key: usernameKey(input.username),
					email: input.email ?? "",
					first_name: "",
					last_name: "",
					password_hash,
					is_superuser: input.superuser,
					preferences: "{}",
					date_joined: new Date(clock.now()),
				});
				await events.changed(tx, buildActor(input.by, "cli_user_create"), {
					targetType: "user",
					targetId: user.id,
					description: `${input.username} was added without the interface`,
					metadata: { is_superuser: input.superuser },
				});
				return user.id;
			});
		} catch (error) {
			if (brokenUnique(error) === "users_email") throw new Error("Another user has this email address.");
			if (brokenUnique(error) !== null) throw new Error(`There is a user ${input.username} already.`);
			throw error;
		}
	}

	async function checkPassword(password: string, person: { username: string; email: string }): Promise<void> {
		const errors = passwordErrors(
			password,
			{ first_name: "", last_name: "", ...person },
			await passwords.commonCheck(),
		);
		if (errors.length > 0) throw new Error(`The password is not accepted. ${errors.join(" ")}`);
	}

	return {
		/**
		 * Creates the first superuser; null when there is a user already. Safe when processes start
		 * together.
		 */
		async ensureFirst(username: string, password: string): Promise<number | null> {
			if (await hasUsers(store.db)) return null;
			return insertUser({ username, password, superuser: true, by: "first start" }).catch(async (error: unknown) => {
				if (await hasUsers(store.db)) return null;
				throw error;
			});
		},

		async createUser(input: {
			username: string;
			password: string;
			email?: string;
			superuser: boolean;
		}): Promise<number> {
			await checkPassword(input.password, { username: input.username, email: input.email ?? "" });
			return insertUser({ ...input, by: COMMAND_LINE });
		},

		/** Sets a new password and ends all sessions. */
		async resetPassword(username: string, password: string): Promise<void> {
			const user = await requireUser(username);
			await checkPassword(password, user);
			const password_hash = await passwords.hash(password);
			await store.transaction(async (tx) => {
				await updateUser(tx, user.id, { password_hash, must_change_password: false });
				await removeTokens(tx, user.id, ["password_reset", "reset_code"]);
				await consumeInvitation(tx, user.id);
				await removeChallenges(tx, user.id);
				await endOtherSessions(tx, user.id, null, new Date(clock.now()));
				await apiTokens.revokeAll(tx, user.id, new Date(clock.now()));
				await forgiveFailures(tx, user.username_key, null);
				await sessions.changed(tx, user.id);
				await events.changed(tx, buildActor(COMMAND_LINE, "cli_password_reset"), {
					targetType: "user",
					targetId: user.id,
					description: `The password of ${user.username} was set from the command line`,
				});
			});
		},

		/** Ends a lockout and reactivates the user. */
		async unlock(username: string): Promise<void> {
			const user = await requireUser(username);
			await store.transaction(async (tx) => {
				await updateUser(tx, user.id, { is_active: true });
				await forgiveFailures(tx, user.username_key, null);
				await sessions.changed(tx, user.id);
				await events.changed(tx, buildActor(COMMAND_LINE, "cli_user_unlock"), {
					targetType: "user",
					targetId: user.id,
					description: `${user.username} was unlocked from the command line`,
				});
			});
		},
	};
}

export type Users = ReturnType<typeof createUsers>;
