/**
 * Decides who makes a request and whether the caller may make it: origin, bearer token, throttle,
 * permission.
 */
import type { RouteContract, ThrottleScope } from "@weft/contracts";
import type { FastifyRequest } from "fastify";
import { type Caller, type Identity, isAllowed, type Origin } from "../caller.ts";
import { AppError, forbidden } from "../errors.ts";
import { clientAddress, type TrustedProxies } from "./client-address.ts";

export interface AuthenticateDeps {
	/** The identity behind a bearer token; null when the token is not valid (any more). */
	authenticate(token: string): Promise<Identity | null>;
	/** Counts one request; throws `tooMany` over the rate. */
	throttle(scope: ThrottleScope, key: string): Promise<void>;
	readonly trustedProxies: TrustedProxies;
}

/** What the request says about where it comes from. */
export function originOf(
	request: FastifyRequest,
	{ audit }: RouteContract,
	{ trustedProxies }: Pick<AuthenticateDeps, "trustedProxies">,
): Origin {
	return {
		requestId: request.id,
		ip: clientAddress(request.socket.remoteAddress, request.headers["x-forwarded-for"], trustedProxies),
		userAgent: String(request.headers["user-agent"] ?? "").slice(0, 512),
		audit,
		trail: { settled: false },
	};
}

/**
 * The signed-in user; undefined on routes that need no token.
 * @throws 401, or 429 where too many requests from this address had no valid token
 */
export async function authenticate(
	request: FastifyRequest,
	contract: RouteContract,
	origin: Origin,
	deps: AuthenticateDeps,
): Promise<Caller | undefined> {
	if (contract.auth !== "bearer") return undefined;
	const token = bearerToken(request.headers.authorization ?? "");
	const identity = token === undefined ? null : await deps.authenticate(token);
	if (identity !== null) return { ...identity, ...origin };
	await deps.throttle("anon", origin.ip);
	const detail = token === undefined ? "A bearer token is needed." : "The token is not valid or its session has ended.";
	throw new AppError(401, { detail }, { "www-authenticate": "Bearer" });
}

const SCHEME = "bearer ";
const MAX_TOKEN_CHARS = 4096;

/** The token's characters are not checked here: its signature covers them. */
function bearerToken(authorization: string): string | undefined {
	if (authorization.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined;
	const token = authorization.slice(SCHEME.length);
	return token === "" || token.length > MAX_TOKEN_CHARS ? undefined : token;
}

/**
 * Throttles, then checks the permission, so that an anonymous client learns nothing about
 * permissions. Routes with a tighter scope count in both scopes, exempt routes in none.
 * @throws 429, 403
 */
export async function authorize(
	{ id, permission, throttle }: RouteContract,
	caller: Caller | undefined,
	origin: Origin,
	deps: AuthenticateDeps,
): Promise<void> {
	if (caller === undefined) return deps.throttle(throttle, origin.ip);
	if (throttle !== "none") {
		await deps.throttle("user", String(caller.userId));
		if (throttle !== "user") await deps.throttle(throttle, `${caller.userId}:${id}`);
	}
	if (!isAllowed(caller, permission)) throw forbidden(`You need the permission ${permission} for this.`);
}
