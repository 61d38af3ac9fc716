/** Signing in and staying signed in: lockout, password, session, tokens. */
import type { FailureReason } from "@weft/contracts";
import { type Context, getNow } from "../../../context.ts";
import type { Origin } from "../../../core/caller.ts";
import { buildTooManyError, buildUnauthenticatedError } from "../../../core/errors.ts";
import { formatAddressBlock } from "../../../core/networks.ts";
import type { Tx } from "../../../core/ports/store.ts";
import {
	CHALLENGE_SECONDS,
	type Consume,
	checkSecondFactor,
	finishChallenge,
	issueChallenge,
	spendChallengeTry,
} from "./check-second-factor.ts";
import { presentSummary } from "./present.ts";
import { computeLockSeconds } from "./rules/lockout.ts";
import { buildUsernameKey } from "./rules/names.ts";
import { REFRESH_SECONDS } from "./sign-tokens.ts";
import type { UserRow } from "./sql/sign-in.ts";
import {
	findUser,
	findUserByKey,
	forgiveFailures,
	insertAttempt,
	insertSession,
	listGroupNames,
	lockFailures,
	removeAttempt,
	updateAttempt,
	updateUser,
} from "./sql/sign-in.ts";

const WRONG = "The username or the password is wrong.";

const WRONG_CODE = "The code is wrong, or the time to give it is over.";

/** A counted login attempt without an outcome. */
interface Attempt {
	readonly id: string;
	/** As it was typed. */
	readonly username: string;
	readonly origin: Origin;
}

/** Thrown when another request has already consumed the second factor. */
class Spent extends Error {}

/**
 * Runs sign-ins of one name from one client one after another: each is reserved as a failure, so
 * that right passwords at the same moment would lock the name.
 */
export const runSignInAlone = <T>(ctx: Context, username: string, { ip }: Origin, work: () => Promise<T>): Promise<T> =>
	ctx.areas.signIn.signInMutex.run(`${formatAddressBlock(ip)} ${buildUsernameKey(username)}`, work);

/**
 * Counts the attempt as a failure before the password is checked, so that parallel guesses cannot
 * outrun the lockout.
 */
export async function openAttempt(ctx: Context, username: string, origin: Origin): Promise<Attempt> {
	const now = getNow(ctx);
	const key = buildUsernameKey(username);
	const attempt = { id: ctx.ids.uuid(), username, username_key: key, success: false };
	const from = { ip_address: origin.ip, user_agent: origin.userAgent, attempted_at: now };
	const wait = await ctx.store.transaction(async (tx) => {
		const locked = computeLockSeconds(await lockFailures(tx, key, now), origin.ip, now.getTime());
		const reason = locked > 0 ? "locked" : "invalid_password";
		await insertAttempt(tx, { ...attempt, ...from, failure_reason: reason, counts: locked === 0 });
		if (locked > 0) await recordFailure(ctx, tx, { id: attempt.id, username, origin }, reason);
		return locked;
	});
	if (wait > 0) throw buildTooManyError(wait / 1000, "Too many failed attempts to sign in.");
	return { id: attempt.id, username, origin };
}

/** The caller is not authenticated, so the entry has the typed username and no user id. */
async function recordFailure(
	ctx: Context,
	tx: Tx,
	{ id, username, origin }: Attempt,
	reason: FailureReason,
): Promise<void> {
	const audit = { category: "authentication", action: "login_failed" } as const;
	await ctx.events.changed(
		tx,
		{ ...origin, audit, userId: null, username },
		{
			targetType: "login_attempt",
			targetId: id,
			description: `Signing in as ${username} failed`,
			metadata: { reason },
		},
	);
}

/** Ends the attempt as a failure, which counts towards the lockout. */
export async function endFailedAttempt(ctx: Context, attempt: Attempt, reason: FailureReason): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		await updateAttempt(tx, attempt.id, { failure_reason: reason });
		await recordFailure(ctx, tx, attempt, reason);
	});
}

export async function rejectAttempt(
	ctx: Context,
	attempt: Attempt,
	reason: FailureReason,
	detail = WRONG,
): Promise<never> {
	await endFailedAttempt(ctx, attempt, reason);
	throw buildUnauthenticatedError(detail);
}

/** Ends the attempt without counting it towards the lockout: the directory was unreachable. */
export async function endUncountedAttempt(ctx: Context, attempt: Attempt, reason: FailureReason): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		await updateAttempt(tx, attempt.id, { failure_reason: reason, counts: false });
		await recordFailure(ctx, tx, attempt, reason);
	});
}

/**
 * Opens a session. `consume` consumes the second factor; null: there was none. @throws Spent when
 * it was consumed before
 */
async function openSession(ctx: Context, user: UserRow, { id, origin }: Attempt, consume: Consume | null = null) {
	const now = getNow(ctx);
	const sessionId = ctx.ids.uuid();
	const [access, refresh] = await Promise.all([
		ctx.areas.signIn.tokens.sign("access", user.id, sessionId),
		ctx.areas.signIn.tokens.sign("refresh", user.id, sessionId),
	]);
	const summary = await ctx.store.transaction(async (tx) => {
		// Locks the user's row first: sign-ins that forgive each other's attempts would deadlock.
		await updateUser(tx, user.id, { last_login: now, gone_since: null });
		if (consume !== null && !(await consume(tx))) throw new Spent();
		await updateAttempt(tx, id, { success: true, failure_reason: null });
		await forgiveFailures(tx, buildUsernameKey(user.username), origin.ip);
		await insertSession(tx, {
			id: sessionId,
			user_id: user.id,
			created_at: now,
			last_seen_at: now,
			expires_at: new Date(now.getTime() + REFRESH_SECONDS * 1000),
			revoked_at: null,
			authenticated_at: null,
			ip_address: origin.ip,
			user_agent: origin.userAgent,
		});
		await ctx.events.changed(
			tx,
			{ ...origin, userId: user.id, username: user.username },
			{
				targetType: "user",
				targetId: user.id,
				description: `${user.username} signed in`,
				metadata: { auth_source: user.auth_source, second_factor: consume !== null },
			},
		);
		return presentSummary(user, await listGroupNames(tx.db, user.id));
	});
	return { access, refresh, user: summary };
}

/** Asks for the second factor after a right password. The attempt is counted with the code. */
async function requestSecondFactor(ctx: Context, user: UserRow, { id, origin }: Attempt) {
	const mfa_token = await ctx.store.transaction(async (tx) => {
		await removeAttempt(tx, id);
		await ctx.events.changed(
			tx,
			{ ...origin, userId: user.id, username: user.username },
			{ targetType: "user", targetId: user.id, description: `${user.username} is asked for the second factor` },
		);
		return issueChallenge(ctx, tx, user.id);
	});
	return { mfa_required: true as const, mfa_token, expires_in: CHALLENGE_SECONDS };
}

/** Ends a login whose password was right: with a session, or a request for the second factor. */
export const admitUser = async (ctx: Context, user: UserRow, attempt: Attempt) =>
	user.mfa_enabled
		? { status: 202 as const, body: await requestSecondFactor(ctx, user, attempt) }
		: { status: 200 as const, body: await openSession(ctx, user, attempt) };

async function finishMfa(ctx: Context, user: UserRow, input: { mfa_token: string; code: string }, origin: Origin) {
	const attempt = await openAttempt(ctx, user.username, origin);
	const consumeCode = await checkSecondFactor(ctx, ctx.store.db, user.id, input.code);
	if (consumeCode === null) return rejectAttempt(ctx, attempt, "mfa_failed", WRONG_CODE);
	// In this order, so that a consumed code leaves the challenge its remaining tries.
	const consume: Consume = async (tx) => (await consumeCode(tx)) && (await finishChallenge(tx, input.mfa_token));
	try {
		return await openSession(ctx, user, attempt, consume);
	} catch (error) {
		if (error instanceof Spent) return rejectAttempt(ctx, attempt, "mfa_failed", WRONG_CODE);
		throw error;
	}
}

export async function loginWithSecondFactor(ctx: Context, input: { mfa_token: string; code: string }, origin: Origin) {
	const userId = await spendChallengeTry(ctx, ctx.store.db, input.mfa_token);
	const user = userId === undefined ? undefined : await findUser(ctx.store.db, userId);
	if (!user?.is_active) throw buildUnauthenticatedError(WRONG_CODE);
	return runSignInAlone(ctx, user.username, origin, () => finishMfa(ctx, user, input, origin));
}

export const loginWithPassword = (ctx: Context, input: { username: string; password: string }, origin: Origin) =>
	runSignInAlone(ctx, input.username, origin, async () => {
		const attempt = await openAttempt(ctx, input.username, origin);
		const user = await findUserByKey(ctx.store.db, buildUsernameKey(input.username));
		const right = await ctx.passwords.verify(user?.password_hash ?? "", input.password);
		if (user === undefined) return rejectAttempt(ctx, attempt, "unknown_user");
		if (!user.is_active) return rejectAttempt(ctx, attempt, "inactive_user");
		if (!right) return rejectAttempt(ctx, attempt, "invalid_password");
		return admitUser(ctx, user, attempt);
	});

/** A new access token; the refresh token stays as it is (interface decisions, section 2). */
export async function refreshAccess(ctx: Context, token: string): Promise<{ access: string }> {
	const claims = await ctx.areas.signIn.tokens.verify("refresh", token);
	const identity = claims === null ? null : await ctx.areas.signIn.sessions.resume(claims.sessionId);
	if (identity === null) throw buildUnauthenticatedError("The refresh token is not valid or its session has ended.");
	return { access: await ctx.areas.signIn.tokens.sign("access", identity.userId, identity.sessionId) };
}
