/** Sessions. A token lives for the refresh timeout, a session for the maximum lifetime. */
import { randomBytes } from "node:crypto";

export interface Session {
	readonly id: string;
	readonly user: string;
	readonly createdAt: number;
	/** Sent with each request when the login asked for it. */
	readonly urlToken: string | null;
	/** The client once sent the cookie twice: reads work on, but nothing is pushed any more. */
	doubled: boolean;
}

export interface SessionTimes {
	readonly refreshTimeoutSeconds: number;
	readonly maximumLifetimeSeconds: number;
}

export interface Sessions {
	open(user: string, withUrlToken: boolean): { readonly session: Session; readonly token: string };
	/** The session of a token; `undefined` when it never was, has run out, or was closed. */
	find(token: string): Session | undefined;
	/**
	 * A new token; undefined after the maximum lifetime. The old token stays valid until it expires.
	 */
	refresh(session: Session): string | undefined;
	close(session: Session): void;
	closeAll(): void;
	size(): number;
}

export function createSessions(times: SessionTimes, now: () => number): Sessions {
	const tokens = new Map<string, { readonly session: Session; readonly until: number }>();

	function issueToken(session: Session): string {
		// Shaped like the JWTs of recent releases: three dotted parts of base64url.
		const token = `eyJhbGciOiJSUzI1NiJ9.${randomBytes(96).toString("base64url")}.${randomBytes(128).toString("base64url")}`;
		const end = session.createdAt + times.maximumLifetimeSeconds * 1000;
		tokens.set(token, { session, until: Math.min(now() + times.refreshTimeoutSeconds * 1000, end) });
		return token;
	}

	function closeSession(session: Session): void {
		for (const [token, entry] of tokens) if (entry.session === session) tokens.delete(token);
	}

	return {
		open(user, withUrlToken) {
			const urlToken = withUrlToken ? randomBytes(32).toString("hex") : null;
			const session: Session = {
				id: randomBytes(16).toString("base64"),
				user,
				createdAt: now(),
				urlToken,
				doubled: false,
			};
			return { session, token: issueToken(session) };
		},
		find(token) {
			const entry = tokens.get(token);
			if (entry === undefined) return undefined;
			if (entry.until > now()) return entry.session;
			tokens.delete(token);
			return undefined;
		},
		refresh(session) {
			return now() < session.createdAt + times.maximumLifetimeSeconds * 1000 ? issueToken(session) : undefined;
		},
		close: closeSession,
		closeAll: () => tokens.clear(),
		size: () => new Set([...tokens.values()].map((entry) => entry.session)).size,
	};
}
