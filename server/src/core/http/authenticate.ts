/**
 * Decides who makes a request and whether the caller may make it: origin, bearer token, throttle,
 * permission.
 */
import {
	isAccountRoute,
	isAuthenticationRoute,
	isClosedToOwnTokens,
	isReadOnlyRoute,
	type RouteContract,
	type ThrottleScope,
	TOKEN_PREFIX,
} from "@weft/contracts";
import type { FastifyRequest } from "fastify";
import {
	type Caller,
	type Identity,
	isAllowed,
	type Origin,
	type Restriction,
	type TokenRefusal,
	type TokenUse,
} from "../caller.ts";
import { AppError, buildForbiddenError } from "../errors.ts";
import { formatAddressBlock } from "../networks.ts";
import { findClientAddress, type TrustedProxies } from "./client-address.ts";
import type { GiveBack, Throttle } from "./throttle.ts";

export interface AuthenticateParts {
	/**
	 * The identity behind a bearer token; null when the token is not valid (any more).
	 * @param ip the client's address, which an API token may be limited to
	 */
	authenticate(token: string, ip: string): Promise<Identity | TokenRefusal | null>;
	/** Counts one request; throws `buildTooManyError` over the rate. */
	readonly throttle: Throttle;
	readonly trustedProxies: TrustedProxies;
}

/** What the request says about where it comes from. */
export function getOrigin(
	request: FastifyRequest,
	{ audit }: RouteContract,
	{ trustedProxies }: Pick<AuthenticateParts, "trustedProxies">,
): Origin {
	return {
		requestId: request.id,
		ip: findClientAddress(request.socket.remoteAddress, request.headers["x-forwarded-for"], trustedProxies),
		userAgent: String(request.headers["user-agent"] ?? "").slice(0, 512),
		audit,
		trail: { settled: false },
	};
}

/**
 * The signed-in user; undefined on routes that need no token.
 * @throws 401; 403 for an API token on a route of the account itself; 429 where too many requests
 * from this address had no valid token
 */
export async function authenticateRequest(
	request: FastifyRequest,
	contract: RouteContract,
	origin: Origin,
	deps: AuthenticateParts,
): Promise<Caller | undefined> {
	const token = readBearerToken(request.headers.authorization ?? "");
	if (contract.auth !== "bearer") {
		if (isAccountRoute(contract) && token?.startsWith(TOKEN_PREFIX)) throw isClosedToTokens();
		return undefined;
	}
	const found = token === undefined ? null : await deps.authenticate(token, origin.ip);
	if (found !== null && "userId" in found) return { ...found, ...origin };
	await deps.throttle("anon", formatAddressBlock(origin.ip));
	const detail = token === undefined ? "A bearer token is needed." : "The token is not valid or its session has ended.";
	throw new AppError(401, found === null ? { detail } : { ...found }, { "www-authenticate": "Bearer" });
}

const SCHEME = "bearer ";
const MAX_TOKEN_CHARS = 4096;

/** The characters of the token are checked by `deps.authenticate`. */
function readBearerToken(authorization: string): string | undefined {
	if (authorization.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined;
	const token = authorization.slice(SCHEME.length);
	return token === "" || token.length > MAX_TOKEN_CHARS ? undefined : token;
}

/** Scopes of anonymous routes in which requests that succeed do not count. */
const FAILURES_ONLY: ReadonlySet<ThrottleScope> = new Set(["login", "mfa"]);

/**
 * Throttles, then checks the permission, so that an anonymous client learns nothing about
 * permissions. Routes with a tighter scope count in both scopes, exempt routes in none.
 * @param targetId the number in the path's `:id`; NaN where it has none
 * Returns what takes the request out of the count if it succeeds; null where it stays counted.
 * @throws 429, 403
 */
export async function authorizeRequest(
	contract: RouteContract,
	caller: Caller | undefined,
	origin: Origin,
	deps: AuthenticateParts,
	targetId: number,
): Promise<GiveBack | null> {
	const { id, permission, throttle } = contract;
	if (caller === undefined) {
		const giveBack = await deps.throttle(throttle, formatAddressBlock(origin.ip));
		return FAILURES_ONLY.has(throttle) ? giveBack : null;
	}
	checkRestriction(caller, contract);
	if (throttle !== "none") {
		await deps.throttle("user", String(caller.userId));
		if (throttle !== "user") await deps.throttle(throttle, `${caller.userId}:${id}`);
	}
	if (caller.token !== null) {
		checkToken(caller, caller.token, contract, targetId);
		// The chosen permission stands for the right of the owner, who must have it.
		if (isAuthenticationRoute(contract) && caller.token.isOwnerAdmin) return null;
	}
	if (!isAllowed(caller, permission)) throw buildForbiddenError(`You need the permission ${permission} for this.`);
	return null;
}

const RESTRICTIONS: Readonly<Record<Restriction, { readonly routes: RegExp; readonly detail: string }>> = {
	password_change_required: {
		routes: /^\/api\/auth\/(password\/change|profile|logout)\/$/,
		detail: "Choose a new password first: an administrator has set the present one.",
	},
	mfa_setup_required: {
		routes: /^\/api\/auth\/(mfa\/.*|profile\/|logout\/)$/,
		detail: "Set up a second factor first: this service requires one of your account.",
	},
};

/** @throws 403 on routes that the caller's session does not reach yet */
function checkRestriction({ restriction }: Caller, { path }: RouteContract): void {
	if (restriction === null) return;
	const { routes, detail } = RESTRICTIONS[restriction];
	if (!routes.test(path)) throw buildForbiddenError(detail, { code: restriction });
}

const isClosedToTokens = () => buildForbiddenError("API tokens cannot do this. Sign in with your password instead.");

/**
 * @throws 403 on routes that no API token may reach, for changes by a read-only one, and for
 * changes of how a user signs in: of the owner by any token, of others without the chosen right
 */
function checkToken(caller: Caller, token: TokenUse, contract: RouteContract, targetId: number): void {
	if (isAccountRoute(contract)) throw isClosedToTokens();
	if (isClosedToOwnTokens(contract) && targetId === caller.userId) throw isClosedToTokens();
	if (token.isReadOnly && !isReadOnlyRoute(contract)) throw buildForbiddenError("This API token is read-only.");
	if (isAuthenticationRoute(contract) && !(token.hasChosenPermissions && caller.permissions.has("change_user")))
		throw buildForbiddenError(
			"An API token needs the permission change_user for this, chosen when the token was created.",
		);
}
