/**
 * One session with a controller: a single login or refresh at a time whatever the number of
 * callers, refresh at two thirds of the token's life when it is next needed, a new login when that
 * fails or the session is at its maximum age.
 */
import { runUnlessAborted } from "../../core/system/signals.ts";
import type { Outcome } from "./answer.ts";
import type { Grant } from "./login.ts";
import type { LoginGate } from "./login-gate.ts";
import type { Meter } from "./meter.ts";
import { type Pacing, withRetries } from "./retry.ts";
import { buildControllerCancelledError } from "./transport.ts";

/**
 * Compared by identity: a caller whose token was refused names it, so that only the first one
 * causes a login.
 */
interface SessionToken {
	readonly value: string;
	readonly refreshAt: number;
	readonly expiresAt: number;
	/** After this the controller refuses to refresh. */
	readonly endsAt: number;
}

export interface Session {
	/** A usable token. Rejects with ControllerError; the signal ends only this caller's waiting. */
	token(signal: AbortSignal, meter: Meter): Promise<SessionToken>;
	/** A token other than the refused one. */
	renew(refused: SessionToken, signal: AbortSignal, meter: Meter): Promise<SessionToken>;
	/** DN of the controller that granted the session; null before, or if it did not say. */
	node(): string | null;
	/** Ends a login under way. */
	end(): void;
}

interface SessionParts {
	readonly login: (signal: AbortSignal, meter: Meter) => Promise<Outcome<Grant>>;
	readonly refresh: (token: string, signal: AbortSignal, meter: Meter) => Promise<Outcome<Grant>>;
	readonly clock: { now(): number };
	readonly pacing: Pacing;
	/** Shared by the sessions with all members of a cluster. */
	readonly gate: Pick<LoginGate, "enter">;
}

export function createSession({ login, refresh, clock, pacing, gate }: SessionParts): Session {
	const ending = new AbortController();
	let current: SessionToken | null = null;
	let flight: Promise<SessionToken> | null = null;
	let node: string | null = null;

	function acceptGrant(grant: Grant, endsAt: number): SessionToken {
		const now = clock.now();
		current = {
			value: grant.token,
			refreshAt: now + (grant.refreshTimeoutMs * 2) / 3,
			expiresAt: now + grant.refreshTimeoutMs,
			endsAt,
		};
		return current;
	}

	async function obtainToken(meter: Meter): Promise<SessionToken> {
		const old = current;
		const now = clock.now();
		if (old && now < old.expiresAt && now < old.endsAt) {
			const outcome = await refresh(old.value, ending.signal, meter);
			if (outcome.ok) return acceptGrant(outcome.answer, old.endsAt);
		}
		current = null;
		const grant = await gate.enter(
			() => withRetries(() => login(ending.signal, meter), pacing, ending.signal),
			ending.signal,
		);
		node = grant.node;
		return acceptGrant(grant, clock.now() + grant.maximumLifetimeMs);
	}

	function startTokenRequest(meter: Meter): Promise<SessionToken> {
		const started = obtainToken(meter).finally(() => {
			flight = null;
		});
		// Every caller may have aborted before it fails.
		started.catch(() => undefined);
		flight = started;
		return started;
	}

	async function awaitToken(promise: Promise<SessionToken>, signal: AbortSignal, meter: Meter): Promise<SessionToken> {
		const done = meter.begin("loginMs");
		try {
			return await runUnlessAborted(promise, signal);
		} catch (error) {
			throw signal.aborted || ending.signal.aborted ? buildControllerCancelledError() : error;
		} finally {
			done();
		}
	}

	async function getToken(signal: AbortSignal, meter: Meter): Promise<SessionToken> {
		if (flight) return awaitToken(flight, signal, meter);
		const now = clock.now();
		if (current && now < current.refreshAt && now < current.endsAt) return current;
		return awaitToken(startTokenRequest(meter), signal, meter);
	}

	return {
		token: getToken,
		async renew(old, signal, meter) {
			if (!flight && current === old) current = null;
			return getToken(signal, meter);
		},
		node: () => node,
		end() {
			ending.abort();
		},
	};
}
