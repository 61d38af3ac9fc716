/** Signing in and staying signed in: lockout, password, session, tokens. */
import type { FailureReason } from "@weft/contracts";
import type { Origin } from "../../platform/caller.ts";
import { buildUnauthenticatedError, tooMany } from "../../platform/errors.ts";
import { createKeyedMutex } from "../../platform/keyed-mutex.ts";
import { formatAddressBlock } from "../../platform/networks.ts";
import type { Tx } from "../../ports/store.ts";
import { lockedFor } from "./domain/lockout.ts";
import { usernameKey } from "./domain/names.ts";
import { presentSummary } from "./present.ts";
import type { UserRow } from "./repo.ts";
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
} from "./repo.ts";
import type { AuthDeps } from "./service.ts";
import { CHALLENGE_SECONDS, type Consume, type SecondFactor } from "./service-second-factor.ts";
import { REFRESH_SECONDS } from "./service-tokens.ts";

const WRONG = "The username or the password is wrong.";

const WRONG_CODE = "The code is wrong, or the time to give it is over.";

export interface LoginDeps extends AuthDeps {
	readonly secondFactor: SecondFactor;
}

/** A counted login attempt without an outcome. */
export interface Attempt {
	readonly id: string;
	/** As it was typed. */
	readonly username: string;
	readonly origin: Origin;
}

/** Thrown when another request has already consumed the second factor. */
class Spent extends Error {}

export function createLogin(deps: LoginDeps) {
	const mutex = createKeyedMutex();

	/**
	 * Runs sign-ins of one name from one client one after another: each is reserved as a failure, so
	 * that right passwords at the same moment would lock the name.
	 */
	const inTurn = <T>(username: string, { ip }: Origin, work: () => Promise<T>): Promise<T> =>
		mutex.run(`${formatAddressBlock(ip)} ${usernameKey(username)}`, work);

	const { store, clock, ids, passwords, tokens, sessions, events, secondFactor } = deps;

	/**
	 * Counts the attempt as a failure before the password is checked, so that parallel guesses cannot
	 * outrun the lockout.
	 */
	async function openAttempt(username: string, origin: Origin): Promise<Attempt> {
		const now = new Date(clock.now());
		const key = usernameKey(username);
		const attempt = { id: ids.uuid(), username, username_key: key, success: false };
		const from = { ip_address: origin.ip, user_agent: origin.userAgent, attempted_at: now };
		const wait = await store.transaction(async (tx) => {
			const locked = lockedFor(await lockFailures(tx, key, now), origin.ip, now.getTime());
			const reason = locked > 0 ? "locked" : "invalid_password";
			await insertAttempt(tx, { ...attempt, ...from, failure_reason: reason, counts: locked === 0 });
			if (locked > 0) await recordFailure(tx, { id: attempt.id, username, origin }, reason);
			return locked;
		});
		if (wait > 0) throw tooMany(wait / 1000, "Too many failed attempts to sign in.");
		return { id: attempt.id, username, origin };
	}

	/** The caller is not authenticated, so the entry has the typed username and no user id. */
	async function recordFailure(tx: Tx, { id, username, origin }: Attempt, reason: FailureReason): Promise<void> {
		const audit = { category: "authentication", action: "login_failed" } as const;
		await events.changed(
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
	async function endFailedAttempt(attempt: Attempt, reason: FailureReason): Promise<void> {
		await store.transaction(async (tx) => {
			await updateAttempt(tx, attempt.id, { failure_reason: reason });
			await recordFailure(tx, attempt, reason);
		});
	}

	async function rejectAttempt(attempt: Attempt, reason: FailureReason, detail = WRONG): Promise<never> {
		await endFailedAttempt(attempt, reason);
		throw buildUnauthenticatedError(detail);
	}

	/** Ends the attempt without counting it towards the lockout: the directory was unreachable. */
	async function endUncountedAttempt(attempt: Attempt, reason: FailureReason): Promise<void> {
		await store.transaction(async (tx) => {
			await updateAttempt(tx, attempt.id, { failure_reason: reason, counts: false });
			await recordFailure(tx, attempt, reason);
		});
	}

	/**
	 * Opens a session. `consume` consumes the second factor; null: there was none. @throws Spent when
	 * it was consumed before
	 */
	async function openSession(user: UserRow, { id, origin }: Attempt, consume: Consume | null = null) {
		const now = new Date(clock.now());
		const sessionId = ids.uuid();
		const [access, refresh] = await Promise.all([
			tokens.sign("access", user.id, sessionId),
			tokens.sign("refresh", user.id, sessionId),
		]);
		const summary = await store.transaction(async (tx) => {
			// Locks the user's row first: sign-ins that forgive each other's attempts would deadlock.
			await updateUser(tx, user.id, { last_login: now, gone_since: null });
			if (consume !== null && !(await consume(tx))) throw new Spent();
			await updateAttempt(tx, id, { success: true, failure_reason: null });
			await forgiveFailures(tx, usernameKey(user.username), origin.ip);
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
			await events.changed(
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
	async function requestSecondFactor(user: UserRow, { id, origin }: Attempt) {
		const mfa_token = await store.transaction(async (tx) => {
			await removeAttempt(tx, id);
			await events.changed(
				tx,
				{ ...origin, userId: user.id, username: user.username },
				{ targetType: "user", targetId: user.id, description: `${user.username} is asked for the second factor` },
			);
			return secondFactor.challenge(tx, user.id);
		});
		return { mfa_required: true as const, mfa_token, expires_in: CHALLENGE_SECONDS };
	}

	/** Ends a login whose password was right: with a session, or a request for the second factor. */
	const admit = async (user: UserRow, attempt: Attempt) =>
		user.mfa_enabled
			? { status: 202 as const, body: await requestSecondFactor(user, attempt) }
			: { status: 200 as const, body: await openSession(user, attempt) };

	async function finishMfa(user: UserRow, input: { mfa_token: string; code: string }, origin: Origin) {
		const attempt = await openAttempt(user.username, origin);
		const consumeCode = await secondFactor.check(store.db, user.id, input.code);
		if (consumeCode === null) return rejectAttempt(attempt, "mfa_failed", WRONG_CODE);
		// In this order, so that a consumed code leaves the challenge its remaining tries.
		const consume: Consume = async (tx) =>
			(await consumeCode(tx)) && (await secondFactor.finishChallenge(tx, input.mfa_token));
		try {
			return await openSession(user, attempt, consume);
		} catch (error) {
			if (error instanceof Spent) return rejectAttempt(attempt, "mfa_failed", WRONG_CODE);
			throw error;
		}
	}

	return {
		inTurn,
		open: openAttempt,
		fail: rejectAttempt,
		settle: endFailedAttempt,
		excuse: endUncountedAttempt,
		admit,

		async mfaLogin(input: { mfa_token: string; code: string }, origin: Origin) {
			const userId = await secondFactor.tryChallenge(store.db, input.mfa_token);
			const user = userId === undefined ? undefined : await findUser(store.db, userId);
			if (!user?.is_active) throw buildUnauthenticatedError(WRONG_CODE);
			return inTurn(user.username, origin, () => finishMfa(user, input, origin));
		},

		login: (input: { username: string; password: string }, origin: Origin) =>
			inTurn(input.username, origin, async () => {
				const attempt = await openAttempt(input.username, origin);
				const user = await findUserByKey(store.db, usernameKey(input.username));
				const right = await passwords.verify(user?.password_hash ?? "", input.password);
				if (user === undefined) return rejectAttempt(attempt, "unknown_user");
				if (!user.is_active) return rejectAttempt(attempt, "inactive_user");
				if (!right) return rejectAttempt(attempt, "invalid_password");
				return admit(user, attempt);
			}),

		/** A new access token; the refresh token stays as it is (interface decisions, section 2). */
		async refresh(token: string): Promise<{ access: string }> {
			const claims = await tokens.verify("refresh", token);
			const identity = claims === null ? null : await sessions.resume(claims.sessionId);
			if (identity === null)
				throw buildUnauthenticatedError("The refresh token is not valid or its session has ended.");
			return { access: await tokens.sign("access", identity.userId, identity.sessionId) };
		},
	};
}
