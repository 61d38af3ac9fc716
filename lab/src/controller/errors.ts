/**
 * Errors as the controller reports them: a DME code and a text in an `error` object. The HTTP
 * status is 400, except for the codes 401, 403, 404 and 503, which are also the status.
 */
export class ApiError extends Error {
	readonly code: string;
	readonly status: number;
	/** Milliseconds the refusal takes. */
	readonly delay: number;

	constructor(code: number, text: string, delay = 0) {
		super(text);
		this.delay = delay;
		this.code = String(code);
		this.status = code === 401 || code === 403 || code === 404 || code === 503 ? code : 400;
	}
}

/** An unknown class is reported in three ways, depending on where it stands. */
export const unknownClass = {
	inUrl: (name: string) => new ApiError(400, `Request failed, unresolved class for ${name}`),
	inFilter: (name: string) => new ApiError(122, `class ${name} not found`),
	inBody: (name: string) => new ApiError(122, `unknown managed object class ${name}`),
};

export const buildTokenInvalidError = () => new ApiError(403, "Token was invalid (Error: Token timeout)");
export const buildMissingCookieError = () =>
	new ApiError(
		403,
		"Need a valid webtoken cookie (named APIC-Cookie) or a signed request with signature in the cookie.",
	);
export const loginRefused = () => new ApiError(401, "Username or password is incorrect - FAILED local authentication");
export const buildTooBigError = () => new ApiError(400, "Unable to process the query, result dataset is too big");
export const resolveTimeout = (delay: number) =>
	new ApiError(503, "Unable to deliver the message, Resolve timeout", delay);
export const buildNoSocketError = () => new ApiError(400, "unable to locate opened web socket");
export const buildSubscriptionTimeoutError = () => new ApiError(400, "Subscription refresh timeout");
export const buildOptionError = (name: string, value: string) =>
	new ApiError(400, `Request failed, invalid value '${value}' for option '${name}'`);
