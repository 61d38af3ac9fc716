/**
 * Logins of all members of a cluster: they share the credentials, and an account is locked after a
 * few refused ones. Until the credentials were accepted once, one member is asked at a time; once
 * they were refused, none is asked for a while.
 */

import { createLimiter } from "./limiter.ts";
import { ControllerError } from "./port-error.ts";

export interface LoginGate {
	/** Runs a login. Rejects as the last refused one did while logins pause. */
	enter<T>(login: () => Promise<T>, signal: AbortSignal): Promise<T>;
	/** Lets a login be tried again although the last one was refused. */
	forgive(): void;
}

/** Delay after a refused login. */
const CREDENTIALS_PAUSE_MS = 60_000;

export function createLoginGate(clock: { now(): number }): LoginGate {
	const oneAtATime = createLimiter(1);
	let isProven = false;
	let refused: { readonly error: ControllerError; readonly until: number } | null = null;

	async function attemptLogin<T>(login: () => Promise<T>): Promise<T> {
		if (refused !== null && clock.now() < refused.until) throw refused.error;
		refused = null;
		try {
			const result = await login();
			isProven = true;
			return result;
		} catch (error) {
			if (error instanceof ControllerError && error.kind === "credentials") {
				isProven = false;
				refused = { error, until: clock.now() + CREDENTIALS_PAUSE_MS };
			}
			throw error;
		}
	}

	return {
		async enter(login, signal) {
			if (isProven) return attemptLogin(login);
			const release = await oneAtATime.acquire(signal);
			try {
				return await attemptLogin(login);
			} finally {
				release();
			}
		},
		forgive() {
			refused = null;
		},
	};
}
