/** One's own account: profile, preferences, password, sessions, WebSocket ticket. */
import type { EndedAccess, preferencesPatch, profilePatch } from "@weft/contracts";
import type * as z from "zod";
import { type Context, getNow } from "../../../context.ts";
import type { Caller, Identity } from "../../../core/caller.ts";
import { buildFieldError, buildInvalidError, buildNotFoundError } from "../../../core/errors.ts";
import type { Tx } from "../../../core/ports/store.ts";
import { findBrokenUnique } from "../../../core/ports/store.ts";
import { announceUserChange, TOUCH_MS } from "./create-sessions.ts";
import { reportEmailChange } from "./email-change.ts";
import { isAdmin, presentPreferences, presentProfile, presentSession } from "./present.ts";
import { listPasswordErrors } from "./rules/password-policy.ts";
import { revokeApiTokens } from "./sql/api-tokens.ts";
import { removeChallenges, removeTokens } from "./sql/secrets.ts";
import type { UserRow } from "./sql/sign-in.ts";
import {
	endOtherSessions,
	endSession,
	findUser,
	listGroupNames,
	listLiveSessions,
	mergePreferences,
	updateUser,
} from "./sql/sign-in.ts";

const TICKET_SECONDS = 60;
const TICKET_BYTES = 32;
/** What a ticket holds for an API token, before its id; otherwise it holds the session's id. */
const TOKEN_HOLDER = "token:";
const buildTicketKey = (ticket: string): string => `ws-ticket:${ticket}`;

async function requireCallerUser(ctx: Context, caller: Identity): Promise<UserRow> {
	const user = await findUser(ctx.store.db, caller.userId);
	if (user === undefined) throw buildNotFoundError();
	return user;
}

async function buildProfile(ctx: Context, user: UserRow, { permissions }: Identity) {
	const groups = await listGroupNames(ctx.store.db, user.id);
	const counts = await ctx.areas.queries.queryCounts({ userId: user.id, isAdmin: isAdmin(user, groups) });
	return presentProfile(user, groups, counts, permissions);
}

/** Ends all other sessions and, unless they are to stay, API tokens. */
async function endOtherAccess(ctx: Context, tx: Tx, caller: Caller, revokesTokens: boolean): Promise<EndedAccess> {
	const sessions_ended = await endOtherSessions(tx, caller.userId, caller.sessionId, getNow(ctx));
	const tokens_revoked = revokesTokens ? await revokeApiTokens(tx, caller.userId, getNow(ctx)) : 0;
	await announceUserChange(ctx, tx, caller.userId);
	return { sessions_ended, tokens_revoked };
}

export async function readProfile(ctx: Context, caller: Caller) {
	return buildProfile(ctx, await requireCallerUser(ctx, caller), caller);
}

export async function updateProfile(ctx: Context, caller: Caller, input: z.output<typeof profilePatch>) {
	const before = await requireCallerUser(ctx, caller);
	const emailChanged = input.email !== undefined && input.email !== before.email;
	const values = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
	const user = await ctx.store
		.transaction(async (tx) => {
			const row = await updateUser(tx, caller.userId, {
				...values,
				...(emailChanged ? { email_verified: false } : {}),
				username: before.username,
			});
			await ctx.events.changed(tx, caller, {
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
				await reportEmailChange(ctx, tx, change);
			}
			return row;
		})
		.catch((error: unknown) => {
			if (findBrokenUnique(error) === "users_email")
				throw buildFieldError("email", "Another user has this email address.");
			throw error;
		});
	return buildProfile(ctx, user, caller);
}

export async function readPreferences(ctx: Context, caller: Caller) {
	return presentPreferences(await requireCallerUser(ctx, caller));
}

export async function updatePreferences(ctx: Context, caller: Caller, input: z.output<typeof preferencesPatch>) {
	return ctx.store.transaction(async (tx) => {
		const user = await mergePreferences(tx, caller.userId, input);
		await ctx.events.changed(tx, caller, {
			targetType: "user",
			targetId: caller.userId,
			description: `${caller.username} changed their preferences`,
			metadata: { fields: Object.keys(input) },
		});
		return presentPreferences(user);
	});
}

export async function readSessionTimeout(ctx: Context, caller: Caller) {
	return { session_timeout_minutes: (await requireCallerUser(ctx, caller)).session_timeout_minutes };
}

export async function setSessionTimeout(ctx: Context, caller: Caller, minutes: number) {
	return ctx.store.transaction(async (tx) => {
		await updateUser(tx, caller.userId, { session_timeout_minutes: minutes });
		await announceUserChange(ctx, tx, caller.userId);
		await ctx.events.changed(tx, caller, {
			targetType: "user",
			targetId: caller.userId,
			description: `${caller.username} set the session timeout to ${minutes} minutes`,
		});
		return { session_timeout_minutes: minutes };
	});
}

export async function changePassword(
	ctx: Context,
	caller: Caller,
	input: { old_password: string; new_password: string; revoke_tokens?: boolean | undefined },
) {
	const user = await requireCallerUser(ctx, caller);
	if (user.auth_source !== "local") {
		throw buildFieldError("old_password", "You have no password here: change it where you sign in.");
	}
	if (!(await ctx.passwords.verify(user.password_hash, input.old_password))) {
		throw buildFieldError("old_password", "Is not the current password.");
	}
	const errors = listPasswordErrors(input.new_password, user, await ctx.passwords.commonCheck());
	if (errors.length > 0) throw buildInvalidError({ new_password: errors });
	const password_hash = await ctx.passwords.hash(input.new_password);
	const ended = await ctx.store.transaction(async (tx) => {
		await updateUser(tx, caller.userId, { password_hash, must_change_password: false });
		const ended = await endOtherAccess(ctx, tx, caller, input.revoke_tokens ?? true);
		await removeTokens(tx, caller.userId, ["password_reset", "reset_code"]);
		await removeChallenges(tx, caller.userId);
		await ctx.events.changed(tx, caller, {
			targetType: "user",
			targetId: caller.userId,
			description: `${caller.username} changed their password`,
			metadata: { ...ended },
		});
		return ended;
	});
	if (input.revoke_tokens !== undefined) return ended;
	return { message: "The password was changed. All other sessions and your API tokens have ended." };
}

export async function listSessions(ctx: Context, caller: Caller) {
	const rows = await listLiveSessions(ctx.store.db, caller.userId, getNow(ctx), TOUCH_MS);
	return rows.map((row) => presentSession(row, caller));
}

export async function revokeSession(ctx: Context, caller: Caller, sessionId: string): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		if (!(await endSession(tx, caller.userId, sessionId, getNow(ctx)))) throw buildNotFoundError();
		await announceUserChange(ctx, tx, caller.userId);
		await ctx.events.changed(tx, caller, {
			targetType: "session",
			targetId: sessionId,
			description: `${caller.username} ended ${sessionId === caller.sessionId ? "this session" : "another session"}`,
		});
	});
}

export async function revokeOtherAccess(ctx: Context, caller: Caller, revokesTokens: boolean): Promise<EndedAccess> {
	return ctx.store.transaction(async (tx) => {
		const ended = await endOtherAccess(ctx, tx, caller, revokesTokens);
		await ctx.events.changed(tx, caller, {
			targetType: "user",
			targetId: caller.userId,
			description: `${caller.username} ended all other sessions${revokesTokens ? " and their API tokens" : ""}`,
			metadata: { ...ended },
		});
		return ended;
	});
}

export async function issueTicket(ctx: Context, caller: Caller) {
	const ticket = ctx.ids.token(TICKET_BYTES);
	const holder = caller.token === null ? caller.sessionId : `${TOKEN_HOLDER}${caller.token.id}`;
	await ctx.cache.set(buildTicketKey(ticket), holder, TICKET_SECONDS * 1000);
	return { ticket, expires_in: TICKET_SECONDS, ttl: TICKET_SECONDS };
}

/** Who a one-shot ticket belongs to; a second try finds nothing. */
export async function redeemTicket(ctx: Context, ticket: string): Promise<Identity | null> {
	if (!/^[\w-]{16,128}$/.test(ticket)) return null;
	const holder = await ctx.cache.take(buildTicketKey(ticket));
	if (holder === null) return null;
	return holder.startsWith(TOKEN_HOLDER)
		? ctx.areas.signIn.tokenIdentities.renew(holder.slice(TOKEN_HOLDER.length))
		: ctx.areas.signIn.sessions.resume(holder);
}
