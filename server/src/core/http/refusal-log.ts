/** Logs refused authentications that have no entry in the audit log. */
import { isAccountRoute, type RouteContract } from "@weft/contracts";
import type { FastifyRequest } from "fastify";
import type { Origin } from "../caller.ts";
import { AppError } from "../errors.ts";

const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 429]);
const REFRESH = "auth.refresh";

/** Whether a route proves, renews or changes how a user signs in. */
function isAuthentication(contract: RouteContract): boolean {
	const { audit, auth, id } = contract;
	if ("category" in audit) return audit.category === "authentication";
	return id === REFRESH || (auth !== "bearer" && isAccountRoute(contract));
}

/**
 * Writes one line with the operation, its status, the fields that were refused, and the caller.
 * Values are left out: they are passwords and codes.
 */
export function logRefusal(
	{ log, who }: Pick<FastifyRequest, "log" | "who">,
	contract: RouteContract,
	{ trail }: Pick<Origin, "trail">,
	error: unknown,
): void {
	if (!(error instanceof AppError) || !REFUSALS.has(error.status)) return;
	if (trail?.settled || !isAuthentication(contract)) return;
	const { status, body } = error;
	const fields = status === 400 && body.detail === undefined ? { fields: Object.keys(body) } : {};
	log.warn({ operation: contract.id, status, ...fields, ...who }, "an authentication was refused");
}
