/** Managing API tokens: one's own, and those that administrators manage. */
import { createHash } from "node:crypto";
import {
	type ApiToken,
	type ApiTokenCreate,
	type ApiTokenList,
	type ApiTokenOptions,
	type CreatedApiToken,
	TOKEN_USUAL_DAYS,
} from "@weft/contracts";
import type { Caller, Identity } from "../../platform/caller.ts";
import {
	AppError,
	buildForbiddenError,
	buildInvalidError,
	type FieldErrors,
	invalidField,
	notFound,
} from "../../platform/errors.ts";
import type { Events } from "../../platform/events.ts";
import { type PageQuery, paginateRows } from "../../platform/http/paging.ts";
import { isNetwork } from "../../platform/networks.ts";
import type { Quotas } from "../../platform/quotas.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Store, Tx } from "../../ports/store.ts";
import { getLink, getSecret, SHOWN_CHARS } from "./domain/api-token.ts";
import type { UserRow } from "./repo.ts";
import { findUser } from "./repo.ts";
import type { ApiTokenRow, ApiTokensRepo } from "./repo-api-tokens.ts";
import type { Reauthentication } from "./service-reauthentication.ts";
import type { Sessions } from "./service-sessions.ts";

const DAY_MS = 24 * 3_600_000;
const SECRET_BYTES = 32;
const NOTIFY_MS = 7 * DAY_MS;
const NOTIFIED_AT_ONCE = 100;
/** Revoked and expired tokens stay this long: their use is answered by a code of its own. */
const KEPT_MS = 30 * DAY_MS;

export interface ApiTokensDeps {
	readonly store: Store;
	readonly apiTokens: ApiTokensRepo;
	readonly sessions: Pick<Sessions, "changed" | "ofUser">;
	readonly clock: Pick<Clock, "now">;
	readonly ids: Ids;
	readonly events: Pick<Events, "changed" | "emit">;
	readonly reauthentication: Pick<Reauthentication, "assertRecent">;
	readonly quotas: Quotas;
	/** Upper bound of a token's life (WEFT_TOKEN_MAX_DAYS); null: none. */
	readonly maxDays: number | null;
}

export function createApiTokens(deps: ApiTokensDeps) {
	const { store, apiTokens, sessions, clock, ids, events, reauthentication, quotas, maxDays } = deps;
	/** The life of a token that names none, in days. */
	const usualDays = Math.min(TOKEN_USUAL_DAYS, maxDays ?? TOKEN_USUAL_DAYS);

	/** @throws 400 under `expires_at` or `expires_in_days` */
	function computeExpiry({ expires_at, expires_in_days }: ApiTokenCreate, now: number): Date | null {
		if (expires_at != null && expires_in_days != null)
			throw invalidField("expires_at", "Give expires_at or expires_in_days, not both.");
		const latest = maxDays === null ? null : now + maxDays * DAY_MS;
		if (expires_at === null && expires_in_days == null) {
			if (latest === null) return null;
			throw invalidField("expires_at", `Must not be null: a token may live ${maxDays} days at most.`);
		}
		if (expires_at == null && expires_in_days == null) return new Date(now + usualDays * DAY_MS);
		const field = expires_at == null ? "expires_in_days" : "expires_at";
		const at = expires_at == null ? now + Number(expires_in_days) * DAY_MS : Date.parse(expires_at);
		if (at <= now) throw invalidField(field, "Must be in the future.");
		if (latest !== null && at > latest) throw invalidField(field, `Must be at most ${maxDays} days from now.`);
		return new Date(at);
	}

	/** @throws 400 under `permission_ids` or `allowed_addresses` */
	async function checkLimits(tx: Tx, owner: UserRow, input: ApiTokenCreate): Promise<void> {
		const errors: FieldErrors = {};
		const wrong = (input.allowed_addresses ?? []).filter((network) => !isNetwork(network));
		if (wrong.length > 0) {
			errors.allowed_addresses = wrong.map((text) => `"${text}" is no network. Write one such as 10.1.0.0/16.`);
		} else if (input.allowed_addresses?.length === 0) {
			errors.allowed_addresses = ["Must not be empty. Leave it out to allow every address."];
		}
		if (input.permission_ids != null) {
			const known = new Map((await apiTokens.permissions(tx.db)).map(({ id, codename }) => [id, codename]));
			const identity = await sessions.ofUser(owner.id, tx.db);
			const missing = input.permission_ids.filter((id) => {
				const name = known.get(id);
				return name === undefined || !(identity?.isAdmin || identity?.permissions.has(name));
			});
			if (missing.length > 0) {
				errors.permission_ids = missing.map((id) =>
					known.has(id)
						? `${owner.username} does not have the permission ${known.get(id)}.`
						: `There is no permission ${id}.`,
				);
			}
		}
		if (Object.keys(errors).length > 0) throw buildInvalidError(errors);
	}

	/** @throws 403 `{detail, quota}` when the owner has no room for another token */
	async function checkQuota(tx: Tx, caller: Caller, owner: UserRow): Promise<void> {
		const holder = (await sessions.ofUser(owner.id, tx.db)) ?? { userId: owner.id, isAdmin: false };
		await quotas.check(holder, "tokens_max", tx).catch((error: unknown) => {
			if (owner.id === caller.userId || !(error instanceof AppError) || error.body.quota === undefined) throw error;
			const detail = error.message.replace("Your quota", `The quota of ${owner.username}`);
			throw buildForbiddenError(detail, { quota: error.body.quota });
		});
	}

	async function createToken(caller: Caller, owner: UserRow, input: ApiTokenCreate): Promise<CreatedApiToken> {
		const now = clock.now();
		const secret = getSecret(Buffer.from(ids.token(SECRET_BYTES), "base64url"));
		const expires = computeExpiry(input, now);
		const id = ids.uuid();
		return store.transaction(async (tx) => {
			await reauthentication.assertRecent(tx, caller);
			await checkQuota(tx, caller, owner);
			await checkLimits(tx, owner, input);
			await apiTokens.insert(tx, {
				id,
				user_id: owner.id,
				created_by_id: caller.userId,
				name: input.name,
				prefix: secret.slice(0, SHOWN_CHARS),
				secret_hash: createHash("sha256").update(secret).digest(),
				permission_ids: input.permission_ids ?? null,
				read_only: input.read_only,
				allowed_addresses: input.allowed_addresses ?? null,
				created_at: new Date(now),
				expires_at: expires,
				expiry_notified_at: null,
				revoked_at: null,
				last_used_at: null,
				last_used_ip: null,
			});
			await events.changed(tx, caller, {
				targetType: "api_token",
				targetId: id,
				description: `${caller.username} created the API token "${input.name}" of ${owner.username}`,
				metadata: {
					owner: owner.username,
					read_only: input.read_only,
					permission_ids: input.permission_ids ?? null,
					allowed_addresses: input.allowed_addresses ?? null,
					expires_at: expires?.toISOString() ?? null,
				},
			});
			const row = await apiTokens.find(tx.db, id);
			if (row === undefined) throw notFound();
			await events.emit(tx, {
				type: "notification_due",
				category: "system",
				severity: "info",
				title: `The API token "${row.name}" was created`,
				body: `${caller.username} created the token ${row.prefix}… of ${row.username}. Revoke it if you do not know it.`,
				link: getLink(row, owner.auth_source === "service"),
				facts: {
					event: "api_token_created",
					actor: caller.username,
					objects: [{ kind: "api_token", id: row.id, name: row.name }],
				},
				key: `api-token-created:${id}`,
				isPersonal: true,
				userId: owner.auth_source === "service" ? caller.userId : owner.id,
			});
			return { ...presentToken(row), token: secret };
		});
	}

	async function revokeToken(caller: Caller, row: ApiTokenRow | undefined): Promise<void> {
		if (row === undefined) throw noSuchToken();
		await store.transaction(async (tx) => {
			if (!(await apiTokens.revoke(tx, row.id, new Date(clock.now())))) throw noSuchToken();
			await sessions.changed(tx, row.user_id);
			await events.changed(tx, caller, {
				targetType: "api_token",
				targetId: row.id,
				description: `${caller.username} revoked the API token "${row.name}" of ${row.username}`,
				metadata: { owner: row.username },
			});
		});
	}

	/**
	 * A token that the caller may see: their own, and those of others for administrators.
	 * @throws 404; 403 for a superuser's token where the caller is an administrator only
	 */
	async function findVisibleToken(caller: Identity, id: string): Promise<ApiTokenRow> {
		const row = await apiTokens.find(store.db, id);
		if (row === undefined || (row.user_id !== caller.userId && !caller.isAdmin)) throw noSuchToken();
		checkOwner(caller, row);
		return row;
	}

	/** @throws 404; 403 for a superuser's account where the caller is none */
	async function findManageableUser(caller: Identity, userId: number): Promise<UserRow> {
		const owner = await findUser(store.db, userId);
		if (owner === undefined) throw notFound("There is no such user.");
		checkOwner(caller, owner);
		return owner;
	}

	async function listTokenPage(owner: number | "all" | "ordinary", query: PageQuery, url: string) {
		return paginateRows(url, query, await apiTokens.page(store.db, owner, query), presentToken);
	}

	return {
		/** @throws 403 for the tokens of others where the caller is no administrator */
		async list(caller: Caller, { owner, ...query }: ApiTokenList, url: string) {
			if (owner === undefined || owner === String(caller.userId)) return listTokenPage(caller.userId, query, url);
			if (!caller.isAdmin) throw buildForbiddenError("Only administrators see the API tokens of other users.");
			if (owner === "all") return listTokenPage(caller.isSuperuser ? "all" : "ordinary", query, url);
			return listTokenPage((await findManageableUser(caller, Number(owner))).id, query, url);
		},
		async options({ isAdmin, permissions }: Caller): Promise<ApiTokenOptions> {
			const all = await apiTokens.permissions(store.db);
			return {
				permissions: all.filter(({ codename }) => isAdmin || permissions.has(codename)),
				max_days: maxDays,
				default_days: usualDays,
			};
		},
		async create(caller: Caller, input: ApiTokenCreate) {
			const owner = await findUser(store.db, caller.userId);
			if (owner === undefined) throw notFound();
			return createToken(caller, owner, input);
		},
		detail: async (caller: Caller, id: string) => presentToken(await findVisibleToken(caller, id)),
		remove: async (caller: Caller, id: string) => revokeToken(caller, await findVisibleToken(caller, id)),

		async managedList(caller: Caller, userId: number, query: PageQuery, url: string) {
			await findManageableUser(caller, userId);
			return listTokenPage(userId, query, url);
		},
		async managedCreate(caller: Caller, userId: number, input: ApiTokenCreate) {
			const owner = await findManageableUser(caller, userId);
			if (owner.auth_source !== "service")
				throw invalidField("non_field_errors", "Only service accounts. A user creates tokens in their own settings.");
			return createToken(caller, owner, input);
		},
		async managedRemove(caller: Caller, userId: number, id: string) {
			await findManageableUser(caller, userId);
			const row = await apiTokens.find(store.db, id);
			await revokeToken(caller, row?.user_id === userId ? row : undefined);
		},

		/** Notifies owners 7 days before a token expires, once on any number of nodes. */
		async notifyExpiring(): Promise<void> {
			const now = clock.now();
			await store.transaction(async (tx) => {
				const due = await apiTokens.takeExpiring(tx, new Date(now), new Date(now + NOTIFY_MS), NOTIFIED_AT_ONCE);
				for (const row of due) {
					const owner = await findUser(tx.db, row.user_id);
					const isService = owner?.auth_source === "service";
					const userId = isService ? row.created_by_id : row.user_id;
					if (userId === null) continue;
					await events.emit(tx, {
						type: "notification_due",
						category: "system",
						severity: "warning",
						title: `API token "${row.name}" expires soon`,
						body: `The token ${row.prefix}… of ${row.username} expires on ${row.expires_at?.toISOString()}. Create another one for the programs that use it.`,
						link: getLink(row, isService),
						facts: { event: "api_token_expiring", objects: [{ kind: "api_token", id: row.id, name: row.name }] },
						key: `api-token-expiry:${row.id}`,
						isPersonal: true,
						userId,
					});
				}
			});
		},
		purge: () => apiTokens.purge(store.db, new Date(clock.now() - KEPT_MS)),
	};
}

export type ApiTokens = ReturnType<typeof createApiTokens>;

/** @throws 403 for a superuser's token or account where the caller is no superuser */
function checkOwner(caller: Identity, owner: Pick<UserRow, "is_superuser">): void {
	if (owner.is_superuser && !caller.isSuperuser)
		throw buildForbiddenError("Only a superuser may do this with a superuser.");
}

const noSuchToken = () => notFound("There is no such API token.");

function presentToken(row: ApiTokenRow): ApiToken {
	return {
		id: row.id,
		name: row.name,
		prefix: row.prefix,
		permission_ids: row.permission_ids,
		read_only: row.read_only,
		allowed_addresses: row.allowed_addresses,
		expires_at: row.expires_at?.toISOString() ?? null,
		created_at: row.created_at.toISOString(),
		last_used_at: row.last_used_at?.toISOString() ?? null,
		last_used_ip: row.last_used_ip,
		owner: { id: row.user_id, username: row.username },
	};
}
