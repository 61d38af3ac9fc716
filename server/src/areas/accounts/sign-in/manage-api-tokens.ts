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
import { type Context, getNow } from "../../../context.ts";
import type { Caller, Identity } from "../../../core/caller.ts";
import {
	AppError,
	buildFieldError,
	buildForbiddenError,
	buildInvalidError,
	buildNotFoundError,
	type FieldErrors,
} from "../../../core/errors.ts";
import { type PageQuery, paginateRows } from "../../../core/http/paging.ts";
import { isNetwork } from "../../../core/networks.ts";
import type { Tx } from "../../../core/ports/store.ts";
import { announceUserChange, findIdentity } from "./create-sessions.ts";
import { assertRecentSignIn } from "./reauthenticate-caller.ts";
import { getLink, getSecret, SHOWN_CHARS } from "./rules/api-token.ts";
import type { ApiTokenRow } from "./sql/api-tokens.ts";
import {
	claimExpiringTokens,
	findApiToken,
	insertApiToken,
	listApiTokenPage,
	listPermissions,
	purgeApiTokens,
	revokeApiToken,
} from "./sql/api-tokens.ts";
import type { UserRow } from "./sql/sign-in.ts";
import { findUser } from "./sql/sign-in.ts";

const DAY_MS = 24 * 3_600_000;
const SECRET_BYTES = 32;
const NOTIFY_MS = 7 * DAY_MS;
const NOTIFIED_AT_ONCE = 100;
/** Revoked and expired tokens stay this long: their use is answered by a code of its own. */
const KEPT_MS = 30 * DAY_MS;

/** The life of a token that names none, in days. */
const getUsualDays = ({ tokenMaxDays }: Context): number =>
	Math.min(TOKEN_USUAL_DAYS, tokenMaxDays ?? TOKEN_USUAL_DAYS);

/** @throws 400 under `expires_at` or `expires_in_days` */
function computeExpiry(ctx: Context, { expires_at, expires_in_days }: ApiTokenCreate, now: number): Date | null {
	if (expires_at != null && expires_in_days != null)
		throw buildFieldError("expires_at", "Give expires_at or expires_in_days, not both.");
	const latest = ctx.tokenMaxDays === null ? null : now + ctx.tokenMaxDays * DAY_MS;
	if (expires_at === null && expires_in_days == null) {
		if (latest === null) return null;
		throw buildFieldError("expires_at", `Must not be null: a token may live ${ctx.tokenMaxDays} days at most.`);
	}
	if (expires_at == null && expires_in_days == null) return new Date(now + getUsualDays(ctx) * DAY_MS);
	const field = expires_at == null ? "expires_in_days" : "expires_at";
	const at = expires_at == null ? now + Number(expires_in_days) * DAY_MS : Date.parse(expires_at);
	if (at <= now) throw buildFieldError(field, "Must be in the future.");
	if (latest !== null && at > latest)
		throw buildFieldError(field, `Must be at most ${ctx.tokenMaxDays} days from now.`);
	return new Date(at);
}

/** @throws 400 under `permission_ids` or `allowed_addresses` */
async function checkLimits(ctx: Context, tx: Tx, owner: UserRow, input: ApiTokenCreate): Promise<void> {
	const errors: FieldErrors = {};
	const wrong = (input.allowed_addresses ?? []).filter((network) => !isNetwork(network));
	if (wrong.length > 0) {
		errors.allowed_addresses = wrong.map((text) => `"${text}" is no network. Write one such as 10.1.0.0/16.`);
	} else if (input.allowed_addresses?.length === 0) {
		errors.allowed_addresses = ["Must not be empty. Leave it out to allow every address."];
	}
	if (input.permission_ids != null) {
		const known = new Map((await listPermissions(tx.db)).map(({ id, codename }) => [id, codename]));
		const identity = await findIdentity(ctx, owner.id, tx.db);
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
async function checkQuota(ctx: Context, tx: Tx, caller: Caller, owner: UserRow): Promise<void> {
	const holder = (await findIdentity(ctx, owner.id, tx.db)) ?? { userId: owner.id, isAdmin: false };
	await ctx.quotas.check(holder, "tokens_max", tx).catch((error: unknown) => {
		if (owner.id === caller.userId || !(error instanceof AppError) || error.body.quota === undefined) throw error;
		const detail = error.message.replace("Your quota", `The quota of ${owner.username}`);
		throw buildForbiddenError(detail, { quota: error.body.quota });
	});
}

async function createToken(
	ctx: Context,
	caller: Caller,
	owner: UserRow,
	input: ApiTokenCreate,
): Promise<CreatedApiToken> {
	const now = ctx.clock.now();
	const secret = getSecret(Buffer.from(ctx.ids.token(SECRET_BYTES), "base64url"));
	const expires = computeExpiry(ctx, input, now);
	const id = ctx.ids.uuid();
	return ctx.store.transaction(async (tx) => {
		await assertRecentSignIn(ctx, tx, caller);
		await checkQuota(ctx, tx, caller, owner);
		await checkLimits(ctx, tx, owner, input);
		await insertApiToken(tx, {
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
		await ctx.events.changed(tx, caller, {
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
		const row = await findApiToken(tx.db, id, ctx.tokenMaxDays);
		if (row === undefined) throw buildNotFoundError();
		await ctx.events.emit(tx, {
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

async function revokeToken(ctx: Context, caller: Caller, row: ApiTokenRow | undefined): Promise<void> {
	if (row === undefined) throw buildNoTokenError();
	await ctx.store.transaction(async (tx) => {
		if (!(await revokeApiToken(tx, row.id, getNow(ctx)))) throw buildNoTokenError();
		await announceUserChange(ctx, tx, row.user_id);
		await ctx.events.changed(tx, caller, {
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
async function findVisibleToken(ctx: Context, caller: Identity, id: string): Promise<ApiTokenRow> {
	const row = await findApiToken(ctx.store.db, id, ctx.tokenMaxDays);
	if (row === undefined || (row.user_id !== caller.userId && !caller.isAdmin)) throw buildNoTokenError();
	checkOwner(caller, row);
	return row;
}

/** @throws 404; 403 for a superuser's account where the caller is none */
async function findManageableUser(ctx: Context, caller: Identity, userId: number): Promise<UserRow> {
	const owner = await findUser(ctx.store.db, userId);
	if (owner === undefined) throw buildNotFoundError("There is no such user.");
	checkOwner(caller, owner);
	return owner;
}

async function listTokenPage(ctx: Context, owner: number | "all" | "ordinary", query: PageQuery, url: string) {
	return paginateRows(url, query, await listApiTokenPage(ctx.store.db, owner, query, ctx.tokenMaxDays), presentToken);
}

/** @throws 403 for the tokens of others where the caller is no administrator */
export async function listTokens(ctx: Context, caller: Caller, { owner, ...query }: ApiTokenList, url: string) {
	if (owner === undefined || owner === String(caller.userId)) return listTokenPage(ctx, caller.userId, query, url);
	if (!caller.isAdmin) throw buildForbiddenError("Only administrators see the API tokens of other users.");
	if (owner === "all") return listTokenPage(ctx, caller.isSuperuser ? "all" : "ordinary", query, url);
	return listTokenPage(ctx, (await findManageableUser(ctx, caller, Number(owner))).id, query, url);
}

export async function readTokenOptions(ctx: Context, { isAdmin, permissions }: Caller): Promise<ApiTokenOptions> {
	const all = await listPermissions(ctx.store.db);
	return {
		permissions: all.filter(({ codename }) => isAdmin || permissions.has(codename)),
		max_days: ctx.tokenMaxDays,
		default_days: getUsualDays(ctx),
	};
}

export async function createOwnToken(ctx: Context, caller: Caller, input: ApiTokenCreate) {
	const owner = await findUser(ctx.store.db, caller.userId);
	if (owner === undefined) throw buildNotFoundError();
	return createToken(ctx, caller, owner, input);
}

export const readToken = async (ctx: Context, caller: Caller, id: string) =>
	presentToken(await findVisibleToken(ctx, caller, id));

export const removeToken = async (ctx: Context, caller: Caller, id: string) =>
	revokeToken(ctx, caller, await findVisibleToken(ctx, caller, id));

export async function listManagedTokens(ctx: Context, caller: Caller, userId: number, query: PageQuery, url: string) {
	await findManageableUser(ctx, caller, userId);
	return listTokenPage(ctx, userId, query, url);
}

export async function createManagedToken(ctx: Context, caller: Caller, userId: number, input: ApiTokenCreate) {
	const owner = await findManageableUser(ctx, caller, userId);
	if (owner.auth_source !== "service")
		throw buildFieldError("non_field_errors", "Only service accounts. A user creates tokens in their own settings.");
	return createToken(ctx, caller, owner, input);
}

export async function removeManagedToken(ctx: Context, caller: Caller, userId: number, id: string) {
	await findManageableUser(ctx, caller, userId);
	const row = await findApiToken(ctx.store.db, id, ctx.tokenMaxDays);
	await revokeToken(ctx, caller, row?.user_id === userId ? row : undefined);
}

/** Notifies owners 7 days before a token expires, once on any number of nodes. */
export async function notifyExpiringTokens(ctx: Context): Promise<void> {
	const now = ctx.clock.now();
	await ctx.store.transaction(async (tx) => {
		const due = await claimExpiringTokens(
			tx,
			new Date(now),
			new Date(now + NOTIFY_MS),
			NOTIFIED_AT_ONCE,
			ctx.tokenMaxDays,
		);
		for (const row of due) {
			const owner = await findUser(tx.db, row.user_id);
			const isService = owner?.auth_source === "service";
			const userId = isService ? row.created_by_id : row.user_id;
			if (userId === null) continue;
			await ctx.events.emit(tx, {
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
}

export const purgeTokens = (ctx: Context) => purgeApiTokens(ctx.store.db, new Date(ctx.clock.now() - KEPT_MS));

/** @throws 403 for a superuser's token or account where the caller is no superuser */
function checkOwner(caller: Identity, owner: Pick<UserRow, "is_superuser">): void {
	if (owner.is_superuser && !caller.isSuperuser)
		throw buildForbiddenError("Only a superuser may do this with a superuser.");
}

const buildNoTokenError = () => buildNotFoundError("There is no such API token.");

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
