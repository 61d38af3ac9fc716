/** One's own account: profile, preferences, password, sessions, WebSocket ticket. */
import type { EndedAccess, preferencesPatch, profilePatch } from "@weft/contracts";
import type * as z from "zod";
import type { Caller, Identity } from "../../platform/caller.ts";
import { buildInvalidError, invalidField, notFound } from "../../platform/errors.ts";
import type { Events } from "../../platform/events.ts";
import type { Cache } from "../../ports/cache.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Passwords } from "../../ports/passwords.ts";
import type { Store, Tx } from "../../ports/store.ts";
import { brokenUnique } from "../../ports/store.ts";
import { passwordErrors } from "./domain/password-policy.ts";
import type { EmailChangeReport } from "./email-change.ts";
import { isAdmin, presentPreferences, presentProfile, presentSession } from "./present.ts";
import type { UserRow } from "./repo.ts";
import {
	endOtherSessions,
	endSession,
	findUser,
	listGroupNames,
	listLiveSessions,
	mergePreferences,
	updateUser,
} from "./repo.ts";
import type { ApiTokensRepo } from "./repo-api-tokens.ts";
import { removeChallenges, removeTokens } from "./repo-secrets.ts";
import { type Sessions, TOUCH_MS } from "./service-sessions.ts";
import type { TokenIdentities } from "./service-token-identity.ts";
import type { Tokens } from "./service-tokens.ts";

export interface AuthDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly cache: Pick<Cache, "set" | "take">;
	readonly passwords: Passwords;
	readonly tokens: Tokens;
	readonly sessions: Sessions;
	readonly tokenIdentities: Pick<TokenIdentities, "renew">;
	readonly apiTokens: Pick<ApiTokensRepo, "revokeAll">;
	readonly events: Events;
	readonly reportEmailChange: EmailChangeReport;
	/** What other features know of a user's queries. */
	queryCounts(user: Pick<Identity, "userId" | "isAdmin">): Promise<{ query_count: number; favorite_count: number }>;
}

const TICKET_SECONDS = 60;
const TICKET_BYTES = 32;
/** What a ticket holds for an API token, before its id; otherwise it holds the session's id. */
const TOKEN_HOLDER = "token:";
const ticketKey = (ticket: string): string => `ws-ticket:${ticket}`;

export function createAccount(deps: AuthDeps) {
	const {
		store,

		clock,
		ids,
		cache,
		passwords,
		sessions,
		apiTokens,
		tokenIdentities,
		events,
		reportEmailChange,
	} = deps;
	const now = () => new Date(clock.now());

	async function requireCallerUser(caller: Identity): Promise<UserRow> {
		const user = await findUser(store.db, caller.userId);
		if (user === undefined) throw notFound();
		return user;
	}

	async function buildProfile(user: UserRow, { permissions }: Identity) {
		const groups = await listGroupNames(store.db, user.id);
		const counts = await deps.queryCounts({ userId: user.id, isAdmin: isAdmin(user, groups) });
		return presentProfile(user, groups, counts, permissions);
	}

	/** Ends all other sessions and, unless they are to stay, API tokens. */
	async function endOtherAccess(tx: Tx, caller: Caller, revokesTokens: boolean): Promise<EndedAccess> {
		const sessions_ended = await endOtherSessions(tx, caller.userId, caller.sessionId, now());
		const tokens_revoked = revokesTokens ? await apiTokens.revokeAll(tx, caller.userId, now()) : 0;
		await sessions.changed(tx, caller.userId);
		return { sessions_ended, tokens_revoked };
	}

	return {
		async profile(caller: Caller) {
			return buildProfile(await requireCallerUser(caller), caller);
		},

		async updateProfile(caller: Caller, input: z.output<typeof profilePatch>) {
			const before = await requireCallerUser(caller);
			const emailChanged = input.email !== undefined && input.email !== before.email;
			const values = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
			const user = await store
				.transaction(async (tx) => {
					const row = await updateUser(tx, caller.userId, {
						...values,
						...(emailChanged ? { email_verified: false } : {}),
						username: before.username,
					});
					await events.changed(tx, caller, {
						targetType: "user",
						targetId: caller.userId,
						description: `${caller.username} changed their profile`,
						metadata: { fields: Object.keys(values) },
					});
					if (emailChanged) {
						const change = {
							userId: caller.userId,
							username: caller.username,
							before: before.email,
							by: caller.username,
						};
						await reportEmailChange(tx, change);
					}
					return row;
				})
				.catch((error: unknown) => {
					if (brokenUnique(error) === "users_email")
						throw invalidField("email", "Another user has this email address.");
					throw error;
				});
			return buildProfile(user, caller);
		},

		async preferences(caller: Caller) {
			return presentPreferences(await requireCallerUser(caller));
		},

		async updatePreferences(caller: Caller, input: z.output<typeof preferencesPatch>) {
			return store.transaction(async (tx) => {
				const user = await mergePreferences(tx, caller.userId, input);
				await events.changed(tx, caller, {
					targetType: "user",
					targetId: caller.userId,
					description: `${caller.username} changed their preferences`,
					metadata: { fields: Object.keys(input) },
				});
				return presentPreferences(user);
			});
		},

		async sessionTimeout(caller: Caller) {
			return { session_timeout_minutes: (await requireCallerUser(caller)).session_timeout_minutes };
		},

		async setSessionTimeout(caller: Caller, minutes: number) {
			return store.transaction(async (tx) => {
				await updateUser(tx, caller.userId, { session_timeout_minutes: minutes });
				await sessions.changed(tx, caller.userId);
				await events.changed(tx, caller, {
					targetType: "user",
					targetId: caller.userId,
					description: `${caller.username} set the session timeout to ${minutes} minutes`,
				});
				return { session_timeout_minutes: minutes };
			});
		},

		async changePassword(
			caller: Caller,
			input: { old_password: string; new_password: string; revoke_tokens?: boolean | undefined },
		) {
			const user = await requireCallerUser(caller);
			if (user.auth_source !== "local") {
				throw invalidField("old_password", "You have no password here: change it where you sign in.");
			}
			if (!(await passwords.verify(user.password_hash, input.old_password))) {
				throw invalidField("old_password", "Is not the current password.");
			}
			const errors = passwordErrors(input.new_password, user, await passwords.commonCheck());
			if (errors.length > 0) throw buildInvalidError({ new_password: errors });
			const password_hash = await passwords.hash(input.new_password);
			const ended = await store.transaction(async (tx) => {
				await updateUser(tx, caller.userId, { password_hash, must_change_password: false });
				const ended = await endOtherAccess(tx, caller, input.revoke_tokens ?? true);
				await removeTokens(tx, caller.userId, ["password_reset", "reset_code"]);
				await removeChallenges(tx, caller.userId);
				await events.changed(tx, caller, {
					targetType: "user",
					targetId: caller.userId,
					description: `${caller.username} changed their password`,
					metadata: { ...ended },
				});
				return ended;
			});
			if (input.revoke_tokens !== undefined) return ended;
			return { message: "The password was changed. All other sessions and your API tokens have ended." };
		},

		async sessions(caller: Caller) {
			const rows = await listLiveSessions(store.db, caller.userId, now(), TOUCH_MS);
			return rows.map((row) => presentSession(row, caller));
		},

		async revokeSession(caller: Caller, sessionId: string): Promise<void> {
			await store.transaction(async (tx) => {
				if (!(await endSession(tx, caller.userId, sessionId, now()))) throw notFound();
				await sessions.changed(tx, caller.userId);
				await events.changed(tx, caller, {
					targetType: "session",
					targetId: sessionId,
					description: `${caller.username} ended ${sessionId === caller.sessionId ? "this session" : "another session"}`,
				});
			});
		},

		async revokeOthers(caller: Caller, revokesTokens: boolean): Promise<EndedAccess> {
			return store.transaction(async (tx) => {
				const ended = await endOtherAccess(tx, caller, revokesTokens);
				await events.changed(tx, caller, {
					targetType: "user",
					targetId: caller.userId,
					description: `${caller.username} ended all other sessions${revokesTokens ? " and their API tokens" : ""}`,
					metadata: { ...ended },
				});
				return ended;
			});
		},

		async ticket(caller: Caller) {
			const ticket = ids.token(TICKET_BYTES);
			const holder = caller.token === null ? caller.sessionId : `${TOKEN_HOLDER}${caller.token.id}`;
			await cache.set(ticketKey(ticket), holder, TICKET_SECONDS * 1000);
			return { ticket, expires_in: TICKET_SECONDS, ttl: TICKET_SECONDS };
		},

		/** Who a one-shot ticket belongs to; a second try finds nothing. */
		async redeem(ticket: string): Promise<Identity | null> {
			if (!/^[\w-]{16,128}$/.test(ticket)) return null;
			const holder = await cache.take(ticketKey(ticket));
			if (holder === null) return null;
			return holder.startsWith(TOKEN_HOLDER)
				? tokenIdentities.renew(holder.slice(TOKEN_HOLDER.length))
				: sessions.resume(holder);
		},
	};
}
