/**
 * Resolves the secrets of API tokens to identities. Each process caches tokens as it caches
 * sessions, and evicts them when any node announces a change of the owner or of a token.
 */
import { createHash } from "node:crypto";
import type { BlockList } from "node:net";
import { LRUCache } from "lru-cache";
import type { Context } from "../../../context.ts";
import type { ApiTokenRefusal, Identity, TokenRefusal } from "../../../core/caller.ts";
import { buildTooManyError } from "../../../core/errors.ts";
import { buildBlockList, isListed } from "../../../core/networks.ts";
import type { Sessions } from "./create-sessions.ts";
import { getLink, getNetwork, isWellFormed } from "./rules/api-token.ts";
import {
	addTokenNetwork,
	findTokenBySecret,
	findTokenWithOwner,
	type TokenWithOwner,
	touchApiToken,
} from "./sql/api-tokens.ts";

const CACHED_TOKENS = 20_000;
const CACHED_MS = 60_000;
/** How stale the stored time of a token's last use may be. */
const TOUCH_MS = 60_000;
/** Networks of one token that are stored and reported. */
const NETWORKS = 200;
/** Unknown secrets of one address and window, after which no secret from there is looked up. */
const UNKNOWN = 60;
const UNKNOWN_WINDOW_MS = 60_000;
const ADDRESSES = 10_000;

const REFUSALS: Readonly<Record<ApiTokenRefusal, string>> = {
	token_malformed: "The API token is malformed: its checksum is wrong. Copy it again.",
	token_unknown: "There is no such API token.",
	token_expired: "The API token has expired. Create another one.",
	token_revoked: "The API token is revoked, or its owner may not sign in.",
	token_address: "The API token cannot be used from this address.",
};

interface CachedToken {
	readonly row: TokenWithOwner;
	readonly identity: Identity;
	readonly allowed: BlockList | null;
	readonly networks: Set<string>;
	stored: number;
	/** End of the cache entry's life, in milliseconds since 1970. */
	readonly cachedUntil: number;
}

/** @param onForget calls back when the sessions of a user, or all (null), are evicted */
export function createTokenIdentities(ctx: Context, onForget: Sessions["onForget"]) {
	const { store, clock, announcements, tokenMaxDays } = ctx;
	const byId = new LRUCache<string, CachedToken>({ max: CACHED_TOKENS });
	const idOfHash = new LRUCache<string, string>({ max: CACHED_TOKENS });
	/** Incremented by each change: a row that was read before one must not be cached after it. */
	let generation = 0;
	/** Unknown secrets by address, with the end of their window in milliseconds since 1970. */
	const unknown = new LRUCache<string, { count: number; readonly until: number }>({ max: ADDRESSES });
	onForget((userId) => {
		generation++;
		if (userId === null) byId.clear();
		else for (const [id, { row }] of byId.entries()) if (row.user_id === userId) byId.delete(id);
	});

	function getCachedToken(id: string | undefined, now: number): CachedToken | undefined {
		const entry = id === undefined || !announcements.heard() ? undefined : byId.get(id);
		return entry === undefined || entry.cachedUntil <= now ? undefined : entry;
	}

	async function loadToken(read: () => Promise<TokenWithOwner | undefined>, now: number): Promise<CachedToken | null> {
		const asOf = generation;
		const row = await read();
		if (row === undefined) return null;
		const entry = {
			row,
			identity: getIdentity(row),
			allowed: row.allowed_addresses === null ? null : buildBlockList(row.allowed_addresses),
			networks: new Set(row.networks),
			stored: row.last_used_at?.getTime() ?? 0,
			cachedUntil: now + CACHED_MS,
		};
		if (asOf === generation && announcements.heard()) byId.set(row.id, entry);
		return entry;
	}

	/** @throws 429 for an address that sent too many unknown secrets: each costs a look-up */
	async function findTokenByHash(hash: Buffer, ip: string, now: number): Promise<CachedToken | null> {
		const past = unknown.get(ip);
		const current = past === undefined || past.until <= now ? { count: 0, until: now + UNKNOWN_WINDOW_MS } : past;
		if (current.count >= UNKNOWN)
			throw buildTooManyError((current.until - now) / 1000, "Too many unknown API tokens from this address.");
		const entry = await loadToken(() => findTokenBySecret(store.db, hash, tokenMaxDays), now);
		if (entry === null) {
			current.count++;
			unknown.set(ip, current);
		}
		return entry;
	}

	return {
		/** @param ip the client's address */
		async identify(secret: string, ip: string): Promise<Identity | TokenRefusal> {
			if (!isWellFormed(secret)) return refuseUse(ctx, "token_malformed", ip);
			const now = clock.now();
			const hash = createHash("sha256").update(secret).digest();
			const key = hash.toString("base64");
			const entry = getCachedToken(idOfHash.get(key), now) ?? (await findTokenByHash(hash, ip, now));
			if (entry === null) return refuseUse(ctx, "token_unknown", ip);
			idOfHash.set(key, entry.row.id);
			const refusal = findRefusal(entry, now);
			if (refusal !== null) return refuseUse(ctx, refusal, ip, entry.row);
			if (entry.allowed !== null && !isListed(entry.allowed, ip)) return refuseUse(ctx, "token_address", ip, entry.row);
			recordUse(ctx, entry, ip, now);
			return entry.identity;
		},

		/** The identity of a token with the rights of now; null when it may not be used any more. */
		async renew(id: string): Promise<Identity | null> {
			const now = clock.now();
			const entry =
				getCachedToken(id, now) ?? (await loadToken(() => findTokenWithOwner(store.db, id, tokenMaxDays), now));
			return entry === null || findRefusal(entry, now) !== null ? null : entry.identity;
		},
	};
}

export type TokenIdentities = ReturnType<typeof createTokenIdentities>;

/** Why the token may not be used now; null if it may. */
function findRefusal({ row }: CachedToken, now: number): ApiTokenRefusal | null {
	if (row.revoked_at !== null || !row.is_active) return "token_revoked";
	return row.expires_at !== null && row.expires_at.getTime() <= now ? "token_expired" : null;
}

/** Stores the use beside the request. */
function recordUse(ctx: Context, entry: CachedToken, ip: string, now: number): void {
	const { row, networks } = entry;
	if (now - entry.stored >= TOUCH_MS) {
		entry.stored = now;
		touchApiToken(ctx.store.db, row.id, { at: new Date(now), ip: ip || null, everyMs: TOUCH_MS }).catch(
			(error: unknown) => ctx.log.warn({ err: error }, "the last use of an API token was not stored"),
		);
	}
	const network = getNetwork(ip);
	if (networks.has(network) || networks.size >= NETWORKS) return;
	networks.add(network);
	recordNetwork(ctx, row, network, ip, now).catch((error: unknown) => {
		networks.delete(network);
		ctx.log.warn({ err: error }, "a network that an API token was used from was not stored");
	});
}

/**
 * Notifies the owner of any network but the token's first; for a service account, who created the
 * token.
 */
async function recordNetwork(
	ctx: Context,
	row: TokenWithOwner,
	network: string,
	ip: string,
	now: number,
): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		const known = await addTokenNetwork(tx, row.id, network, new Date(now));
		if (known === null || known === 1) return;
		const userId = row.is_service ? row.created_by_id : row.user_id;
		if (userId === null) return;
		await ctx.events.emit(tx, {
			type: "notification_due",
			category: "system",
			severity: "warning",
			title: `API token "${row.name}" was used from a new network`,
			body: `The token ${row.prefix}… of ${row.username} was used from ${ip || "an unknown address"}. Revoke it if this was none of your programs.${
				known < NETWORKS ? "" : ` It is network ${known} of this token. Further networks are not reported.`
			}`,
			link: getLink(row, row.is_service),
			facts: { event: "api_token_used_elsewhere", objects: [{ kind: "api_token", id: row.id, name: row.name }] },
			key: `api-token-network:${row.id}:${network}`,
			isPersonal: true,
			userId,
		});
	});
}

/** Logs a refusal, and returns it. */
function refuseUse(ctx: Context, code: ApiTokenRefusal, ip: string, row?: TokenWithOwner): TokenRefusal {
	ctx.log.warn(
		{ code, ip, ...(row === undefined ? {} : { token: row.id, user: row.user_id }) },
		"an API token was refused",
	);
	return { code, detail: REFUSALS[code] };
}

/** The owner with the token's rights: never more than the owner has now. */
function getIdentity(row: TokenWithOwner): Identity {
	const isAdmin = row.is_superuser || row.group_names.includes("Admin");
	const held = new Set(row.permissions);
	const subset = row.subset?.filter((name) => isAdmin || held.has(name));
	return {
		userId: row.user_id,
		username: row.username,
		sessionId: "",
		token: {
			id: row.id,
			name: row.name,
			isReadOnly: row.read_only,
			hasChosenPermissions: row.subset !== null,
			isOwnerAdmin: isAdmin,
		},
		isSuperuser: row.is_superuser && subset === undefined,
		isAdmin: isAdmin && subset === undefined,
		restriction: null,
		permissions: subset === undefined ? held : new Set(subset),
	};
}
