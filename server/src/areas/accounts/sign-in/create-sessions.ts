/**
 * Resolves sessions to identities. Each process caches sessions, and evicts them when any node
 * announces a change of the session or its user. Without announcements nothing is cached.
 */
import { LRUCache } from "lru-cache";
import type { Context } from "../../../context.ts";
import type { Identity } from "../../../core/caller.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import { findRestriction } from "./rules/restriction.ts";
import type { UserWithRights } from "./sql/sign-in.ts";
import { findActiveUser, findLiveSession, touchSession } from "./sql/sign-in.ts";

const CACHED_SESSIONS = 20_000;
const CACHED_MS = 60_000;
/** How stale the stored time of the last request may be. */
export const TOUCH_MS = 20_000;
const TOPIC = "session";
const EVERYONE = "*";

interface CachedSession {
	readonly identity: Identity;
	readonly timeoutMs: number;
	readonly expiresAt: number;
	lastSeen: number;
	stored: number;
	/** End of the cache entry's life, in milliseconds since 1970. */
	cachedUntil: number;
}

/** What the cache of sessions uses of the context. */
type SessionsContext = Pick<Context, "store" | "clock" | "log" | "announcements" | "requireMfa">;

export function createSessions({ store, clock, log, announcements, requireMfa }: SessionsContext) {
	const bySession = new LRUCache<string, CachedSession>({ max: CACHED_SESSIONS });

	/**
	 * Incremented by each announcement: a row that was read before one must not be cached after it.
	 */
	let generation = 0;
	const listeners: ((userId: number | null) => void)[] = [];

	function forgetUser(userId: number): void {
		generation++;
		for (const listener of listeners) listener(userId);
		for (const [key, entry] of bySession.entries()) if (entry.identity.userId === userId) bySession.delete(key);
	}
	function forgetAll(): void {
		generation++;
		for (const listener of listeners) listener(null);
		bySession.clear();
	}
	announcements.listen(
		TOPIC,
		(message) => (message === EVERYONE ? forgetAll() : forgetUser(Number(message))),
		forgetAll,
	);

	async function loadSession(sessionId: string): Promise<CachedSession | null> {
		const row = await findLiveSession(store.db, sessionId, new Date(clock.now()));
		if (row === undefined) return null;
		const lastSeen = row.last_seen_at.getTime();
		return {
			identity: { ...getIdentity(row, row.id), restriction: findRestriction(row, requireMfa) },
			timeoutMs: row.session_timeout_minutes * 60_000,
			expiresAt: row.expires_at.getTime(),
			lastSeen,
			stored: lastSeen,
			cachedUntil: clock.now() + CACHED_MS,
		};
	}

	const isIdle = (entry: CachedSession, now: number): boolean =>
		entry.timeoutMs > 0 && now - entry.lastSeen > entry.timeoutMs;

	/**
	 * The identity of a live session, whose idle time restarts; null when it has ended, expired or
	 * timed out.
	 */
	async function resumeSession(
		sessionId: string,
		options: { touch: boolean } = { touch: true },
	): Promise<Identity | null> {
		const now = clock.now();
		const entry = announcements.heard() ? bySession.get(sessionId) : undefined;
		// Another node may have seen the session later than this one.
		if (entry === undefined || entry.cachedUntil <= now || isIdle(entry, now))
			return reloadSession(sessionId, now, options);
		return useCachedSession(sessionId, entry, now, options);
	}

	async function reloadSession(sessionId: string, now: number, options: { touch: boolean }): Promise<Identity | null> {
		const asOf = generation;
		const entry = await loadSession(sessionId);
		const identity = entry && useCachedSession(sessionId, entry, now, options);
		if (entry === null) bySession.delete(sessionId);
		else if (identity !== null && asOf === generation && announcements.heard()) bySession.set(sessionId, entry);
		return identity;
	}

	function useCachedSession(
		sessionId: string,
		entry: CachedSession,
		now: number,
		options: { touch: boolean },
	): Identity | null {
		if (entry.expiresAt <= now || isIdle(entry, now)) {
			bySession.delete(sessionId);
			return null;
		}
		if (options.touch) {
			entry.lastSeen = now;
			if (now - entry.stored >= TOUCH_MS) {
				entry.stored = now;
				touchSession(store.db, sessionId, new Date(now)).catch((error: unknown) =>
					log.warn({ err: error }, "a session's last use was not stored"),
				);
			}
		}
		return entry.identity;
	}

	return {
		resume: resumeSession,
		/** For what else is cached of users: called with the changed user, or null for all. */
		onForget(listener: (userId: number | null) => void): void {
			listeners.push(listener);
		},
		forgetUser,
		forgetAll,
	};
}

export type Sessions = ReturnType<typeof createSessions>;

/** A user's current identity, without a session. Null when the user is deleted or inactive. */
export async function findIdentity(ctx: Context, userId: number, db: Db = ctx.store.db): Promise<Identity | null> {
	const row = await findActiveUser(db, userId);
	return row === undefined ? null : getIdentity(row, "");
}

/** Makes all nodes drop what they cache of a user. A process without sessions needs no more. */
export const announceToNodes = ({ announcements }: Pick<Context, "announcements">, tx: Tx, userId: number) =>
	announcements.announce(tx, TOPIC, String(userId));

/** Must be called in every transaction that changes a user, their groups, rights or sessions. */
export async function announceUserChange(ctx: Context, tx: Tx, userId: number): Promise<void> {
	await announceToNodes(ctx, tx, userId);
	tx.afterCommit(() => ctx.areas.signIn.sessions.forgetUser(userId));
}

/** For a change that may concern any number of users, such as one of a group's rights. */
export async function announceChangeForAll(ctx: Context, tx: Tx): Promise<void> {
	await ctx.announcements.announce(tx, TOPIC, EVERYONE);
	tx.afterCommit(ctx.areas.signIn.sessions.forgetAll);
}

function getIdentity(row: UserWithRights, sessionId: string): Identity {
	return {
		userId: row.user_id,
		username: row.username,
		sessionId,
		token: null,
		isSuperuser: row.is_superuser,
		isAdmin: row.is_superuser || row.group_names.includes("Admin"),
		permissions: new Set(row.permissions),
		restriction: null,
	};
}
