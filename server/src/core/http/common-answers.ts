/** The errors that the platform and the services answer, whatever a route's contract declares. */
import type { RouteContract } from "@weft/contracts";

/** A schema of the document's components, or null where the answer has no JSON body. */
export type ErrorSchema = "Detail" | "BadRequest" | null;

interface CommonAnswer {
	/** Key under `#/components/responses`. */
	readonly name: string;
	readonly description: string;
	readonly schema: ErrorSchema;
	readonly applies: (route: RouteContract) => boolean;
}

const isAlwaysApplied = (): boolean => true;
const isWriteRoute = (route: RouteContract): boolean => route.method !== "GET";
/** Routes that check a password, a code or a refresh token without a bearer token. */
const needsCredentials = ({ throttle }: RouteContract): boolean =>
	throttle === "login" || throttle === "mfa" || throttle === "token_refresh";

/** Common answers by status. */
export const COMMON_ANSWERS: Readonly<Record<number, CommonAnswer>> = {
	400: {
		name: "BadRequest",
		description: "Invalid input: messages by field, or a detail where no field is to blame",
		schema: "BadRequest",
		applies: (route) => isWriteRoute(route) || Boolean(route.params ?? route.query),
	},
	401: {
		name: "Unauthorized",
		description: "Credentials are missing or not valid",
		schema: "Detail",
		applies: (route) => route.auth !== "anonymous" || needsCredentials(route),
	},
	403: {
		name: "Forbidden",
		description: "The caller is not allowed to do this",
		schema: "Detail",
		applies: (route) => route.auth === "bearer",
	},
	404: {
		name: "NotFound",
		description: "Not found, or not visible to the caller",
		schema: "Detail",
		applies: (route) => route.auth !== "anonymous" || Boolean(route.body),
	},
	408: {
		name: "RequestTimeout",
		description: "The request arrived too slowly",
		schema: "Detail",
		applies: isWriteRoute,
	},
	409: {
		name: "Conflict",
		description: "The state of the resource does not permit this",
		schema: "Detail",
		applies: (route) => route.auth !== "anonymous" && isWriteRoute(route),
	},
	413: {
		name: "ContentTooLarge",
		description: "The body is too large",
		schema: "Detail",
		applies: isWriteRoute,
	},
	415: {
		name: "UnsupportedMediaType",
		description: "The body has another content type than the one listed, or is compressed",
		schema: "Detail",
		applies: isAlwaysApplied,
	},
	417: {
		name: "ExpectationFailed",
		description: "The header Expect has another value than 100-continue",
		schema: null,
		applies: isAlwaysApplied,
	},
	429: {
		name: "TooManyRequests",
		description: "Too many requests, or a quota is used up; see Retry-After",
		schema: "Detail",
		// Requests without a valid token are counted on every route that needs one.
		applies: (route) => route.throttle !== "none" || route.auth === "bearer",
	},
	431: {
		name: "RequestHeaderFieldsTooLarge",
		description: "The headers are too large",
		schema: "Detail",
		applies: isAlwaysApplied,
	},
	500: {
		name: "InternalServerError",
		description: "An error of the service; quote request_id",
		schema: "Detail",
		applies: isAlwaysApplied,
	},
	503: {
		name: "ServiceUnavailable",
		description: "A part of the service cannot be reached or is at its limit; see Retry-After",
		schema: "Detail",
		applies: isAlwaysApplied,
	},
};

/** Whether a route may answer a status: its own contract or the common answers declare it. */
export function declaresStatus(route: RouteContract, status: number): boolean {
	return route.answers[status] !== undefined || COMMON_ANSWERS[status]?.applies(route) === true;
}
