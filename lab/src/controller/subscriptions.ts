/**
 * Subscriptions push changes of a query's objects over the session's WebSocket. They expire without
 * refresh, and dropped frames are not sent again.
 */
import type { Session } from "./auth/sessions.ts";
import type { Change, ChangeFeed } from "./changes.ts";
import { getParentDn, isWithin } from "./dn.ts";
import { buildNoSocketError, buildSubscriptionTimeoutError } from "./errors.ts";
import type { Registry } from "./model/registry.ts";
import type { Query } from "./query/options.ts";
import type { Scope } from "./query/run.ts";
import { getDn, type Mo } from "./store/mo.ts";
import { listAttributes } from "./store/text.ts";

/** Something frames can be sent to. */
interface PushTarget {
	send(frame: string): void;
}

export interface Subscriptions {
	/** The session's socket: it must be there before the first subscription. */
	attach(session: Session, socket: PushTarget): void;
	detach(socket: PushTarget): void;
	/**
	 * @returns the subscription's id
	 * @throws ApiError 400 without a socket, or without a session (signed requests)
	 */
	add(session: Session | null, scope: Scope, query: Query): string;
	removeScope(session: Session | null, scope: Scope): void;
	/** @throws ApiError 400 when one has run out */
	refresh(session: Session | null, ids: readonly string[]): void;
	/** Forgets a session. */
	drop(session: Session): void;
	size(): number;
}

interface Subscription {
	readonly id: string;
	readonly session: Session;
	readonly scope: Scope;
	readonly query: Query;
	readonly lifetime: number;
	until: number;
}

/** Milliseconds a subscription lives without a refresh. */
const LIFETIME = 60_000;
const FIRST_ID = 72_057_611_234_574_337n;

export function createSubscriptions(feed: ChangeFeed, registry: Registry, now: () => number): Subscriptions {
	const sockets = new Map<Session, PushTarget>();
	const subscriptions = new Map<string, Subscription>();
	let made = 0n;

	function isSubscribed({ scope, query }: Subscription, mo: Mo): boolean {
		const { cls } = mo.shape;
		// Statistics change all the time and are never pushed.
		if (cls === null || cls.facet === "stats") return false;
		const inClasses = query.targetClasses === null || query.targetClasses.has(cls.name);
		if (scope.kind === "class") {
			const added = query.target === "self" && query.targetClasses?.has(cls.name) === true;
			if (!registry.isA(cls, scope.cls) && !added) return false;
			if (scope.within !== null && !isWithin(getDn(mo), scope.within)) return false;
		} else if (scope.kind === "mo") {
			const dn = getDn(mo);
			const fits =
				query.target === "self"
					? dn === scope.dn
					: query.target === "children"
						? getParentDn(dn) === scope.dn
						: isWithin(dn, scope.dn);
			if (!fits || !inClasses) return false;
		} else if (!scope.mos.includes(mo)) return false;
		return query.filter === null || query.filter(mo);
	}

	function listActiveSubscriptions(): Subscription[] {
		const found: Subscription[] = [];
		for (const subscription of subscriptions.values()) {
			if (subscription.until > now()) found.push(subscription);
			else subscriptions.delete(subscription.id);
		}
		return found;
	}

	feed.listen((changes) => {
		const current = listActiveSubscriptions();
		if (current.length === 0) return;
		for (const change of changes) {
			const bySession = new Map<Session, string[]>();
			for (const subscription of current) {
				if (!isSubscribed(subscription, change.mo)) continue;
				const ids = bySession.get(subscription.session);
				if (ids === undefined) bySession.set(subscription.session, [subscription.id]);
				else ids.push(subscription.id);
			}
			// A session that sent its cookie twice gets no frames and no error.
			for (const [session, ids] of bySession)
				if (!session.doubled) sockets.get(session)?.send(formatFrame(ids, change));
		}
	});

	return {
		attach: (session, socket) => void sockets.set(session, socket),
		detach(socket) {
			for (const [session, attached] of sockets) if (attached === socket) sockets.delete(session);
		},
		add(session, scope, query) {
			if (session === null || !sockets.has(session)) throw buildNoSocketError();
			const id = String(FIRST_ID + made++);
			const lifetime = query.refreshTimeout === null ? LIFETIME : query.refreshTimeout * 1000;
			subscriptions.set(id, { id, session, scope, query, lifetime, until: now() + lifetime });
			return id;
		},
		removeScope(session, scope) {
			const key = JSON.stringify({ ...scope, mos: undefined });
			for (const subscription of subscriptions.values()) {
				if (subscription.session === session && JSON.stringify({ ...subscription.scope, mos: undefined }) === key)
					subscriptions.delete(subscription.id);
			}
		},
		refresh(session, ids) {
			const current = listActiveSubscriptions();
			for (const id of ids) {
				const found = current.find((subscription) => subscription.id === id && subscription.session === session);
				if (found === undefined) throw buildSubscriptionTimeoutError();
				found.until = now() + found.lifetime;
			}
		},
		drop(session) {
			sockets.delete(session);
			for (const subscription of subscriptions.values())
				if (subscription.session === session) subscriptions.delete(subscription.id);
		},
		size: () => subscriptions.size,
	};
}

/** Created objects are complete, modified ones hold their changes, deleted ones only the DN. */
function formatFrame(ids: readonly string[], { kind, mo, values }: Change): string {
	const dn = getDn(mo);
	const attributes =
		kind === "created"
			? { ...Object.fromEntries(listAttributes(mo, "top", "all")), rn: "", status: kind }
			: kind === "modified"
				? { childAction: "", dn, rn: "", status: kind, ...Object.fromEntries(values) }
				: { dn, status: kind };
	return JSON.stringify({ subscriptionId: ids, imdata: [{ [mo.shape.cls?.name ?? ""]: { attributes } }] });
}
