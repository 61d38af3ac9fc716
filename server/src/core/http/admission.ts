/**
 * What happens before the first byte of a body is read: who calls, whether the caller may, and
 * memory for the body.
 */
import type { RouteContract } from "@weft/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller, Origin } from "../caller.ts";
import { AppError } from "../errors.ts";
import { type AuthenticateParts, authenticateRequest, authorizeRequest, getOrigin } from "./authenticate.ts";
import type { BodyPool } from "./body-pool.ts";
import { buildLoggedPath } from "./input.ts";
import { logRefusal } from "./refusal-log.ts";
import type { GiveBack } from "./throttle.ts";

/** A call as the audit log records it. The query string is left out: it may hold search terms. */
export interface Access {
	readonly routeId: string;
	readonly method: string;
	readonly path: string;
	readonly status: number;
}

export interface AdmissionParts extends AuthenticateParts {
	/**
	 * Records a call of a signed-in user after it was handled and before its answer is sent. Must not
	 * reject.
	 */
	recordAccess?(caller: Caller, call: Access): Promise<void>;
	readonly bodies: Pick<BodyPool, "admit">;
}

/** A request that may be handled. */
export interface Admitted {
	readonly caller: Caller | undefined;
	readonly origin: Origin;
	/** Rejects when the body arrives too slowly; null without a body. */
	tooSlow: Promise<never> | null;
	/** Takes a request that succeeded out of the rate's count; null where it stays counted. */
	readonly giveBack: GiveBack | null;
}

declare module "fastify" {
	interface FastifyRequest {
		/** Set once the caller is known to have the right to the route. */
		admitted: Admitted | null;
	}
}

/** @throws 401, 403, 429 */
export async function admitCaller(
	request: FastifyRequest,
	contract: RouteContract,
	deps: AdmissionParts,
): Promise<void> {
	const origin = getOrigin(request, contract, deps);
	request.who = { ip: origin.ip };
	const caller = await authenticateRequest(request, contract, origin, deps);
	if (caller !== undefined) {
		const { userId: user, token } = caller;
		request.who = { ip: origin.ip, user, ...(token === null ? {} : { token: token.id }) };
	}
	let giveBack: GiveBack | null;
	try {
		const { id } = (request.params ?? {}) as { readonly id?: string };
		giveBack = await authorizeRequest(contract, caller, origin, deps, Number(id));
	} catch (error) {
		logRefusal(request, contract, origin, error);
		await recordAccess(request, contract, caller, error instanceof AppError ? error.status : 500, deps);
		throw error;
	}
	request.admitted = { caller, origin, tooSlow: null, giveBack };
}

/** Records the call of a signed-in user. */
export async function recordAccess(
	{ method, url }: FastifyRequest,
	{ id }: RouteContract,
	caller: Caller | undefined,
	status: number,
	deps: Pick<AdmissionParts, "recordAccess">,
): Promise<void> {
	if (caller === undefined) return;
	await deps.recordAccess?.(caller, { routeId: id, method, path: buildLoggedPath(url), status });
}

/** Largest body of a route in bytes where its contract names no other. */
const DEFAULT_BODY_LIMIT = 1024 * 1024;

/** Largest body of a route in bytes. */
export const getBodyLimit = ({ bodyLimit, upload }: RouteContract): number =>
	upload?.maxBytes ?? bodyLimit ?? DEFAULT_BODY_LIMIT;

/**
 * Reserves memory for the body, and lets a client that waits for it go on (RFC 9110, section
 * 10.1.1).
 * @throws 413, 503 when the pool is full
 */
export function admitBody(
	{ raw, admitted }: FastifyRequest,
	reply: FastifyReply,
	contract: RouteContract,
	{ bodies }: Pick<AdmissionParts, "bodies">,
): void {
	if (admitted === null || !hasBody(raw.headers)) return;
	const limit = getBodyLimit(contract);
	// A form is longer than its file, whose size is checked as it arrives.
	if (contract.upload === undefined && Number(raw.headers["content-length"] ?? 0) > limit) {
		throw new AppError(413, { detail: "The body is too large." });
	}
	const tooSlow = bodies.admit(raw, reply.raw, limit, admitted.caller === undefined);
	admitted.tooSlow = tooSlow;
	// Ends the reading of a collected body; one that is parsed as it arrives is raced with it.
	tooSlow.catch((error: unknown) => {
		if (raw.listenerCount("error") > 0) raw.emit("error", error);
	});
	if (raw.headers.expect?.toLowerCase() === "100-continue") reply.raw.writeContinue();
}

function hasBody(headers: FastifyRequest["headers"]): boolean {
	return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
