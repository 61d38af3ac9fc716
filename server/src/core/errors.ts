/**
 * The failures that a use case may end with. The HTTP binder turns them into statuses and bodies.
 */

export type FieldErrors = Record<string, unknown[]>;

/** Fields, and messages of one field, that an answer has at most. */
const MAX_FIELDS = 100;
const MAX_MESSAGES = 20;
/** Characters of a field's path, and of a message. Both may repeat input. */
const MAX_PATH = 300;
const MAX_TEXT = 2_000;

/** Cuts a text to `max` characters and ends it with an ellipsis if it was longer. */
export const shortenText = (text: string, max: number): string =>
	text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;

export class AppError extends Error {
	override readonly name = "AppError";
	readonly status: number;
	readonly body: Record<string, unknown>;
	readonly headers: Record<string, string>;

	constructor(status: number, body: Record<string, unknown>, headers: Record<string, string> = {}) {
		const detail = typeof body.detail === "string" ? shortenText(body.detail, MAX_TEXT) : undefined;
		super(detail ?? JSON.stringify(body));
		this.status = status;
		this.body = detail === undefined ? body : { ...body, detail };
		this.headers = headers;
	}
}

/**
 * 400 with messages by field; `non_field_errors` for the body as a whole. At most 100 messages of
 * bounded length, so that an answer does not grow with the number of wrong elements.
 */
export function buildInvalidError(fields: FieldErrors): AppError {
	const bounded: FieldErrors = {};
	let left = MAX_FIELDS;
	for (const [path, messages] of Object.entries(fields)) {
		if (left === 0) break;
		const shown = messages.slice(0, Math.min(left, MAX_MESSAGES));
		left -= shown.length;
		bounded[shortenText(path, MAX_PATH)] = shown.map((message) =>
			typeof message === "string" ? shortenText(message, MAX_TEXT) : message,
		);
	}
	return new AppError(400, bounded);
}

/** 400 for one field. */
export const buildFieldError = (field: string, message: string): AppError => buildInvalidError({ [field]: [message] });

/** 400 that no field is to blame for: a guard of the resource. */
export const buildRefusedError = (detail: string): AppError => new AppError(400, { detail });

export const buildUnauthenticatedError = (
	detail = "Authentication credentials were missing or are no longer valid.",
): AppError => new AppError(401, { detail }, { "www-authenticate": "Bearer" });

export const buildForbiddenError = (
	detail = "You are not allowed to do this.",
	extra: Record<string, unknown> = {},
): AppError => new AppError(403, { detail, ...extra });

/** 404: absent, or not visible to the caller - which look the same. */
export const buildNotFoundError = (detail = "Not found."): AppError => new AppError(404, { detail });

/** Turns the 404 of an existing object into a 403: the caller may not see it. */
export function requireAllowed(error: unknown): never {
	if (error instanceof AppError && error.status === 404) throw buildForbiddenError();
	throw error;
}

export const buildConflictError = (detail: string, extra: Record<string, unknown> = {}): AppError =>
	new AppError(409, { detail, ...extra });

/** 429; `retryAfterSeconds` is rounded up. */
export const buildTooManyError = (
	retryAfterSeconds: number,
	what = "Too many requests.",
	extra: Record<string, unknown> = {},
): AppError => {
	const seconds = Math.max(1, Math.ceil(retryAfterSeconds));
	return new AppError(
		429,
		{ detail: `${what} Try again in ${seconds} second${seconds === 1 ? "" : "s"}.`, ...extra },
		{ "retry-after": String(seconds) },
	);
};

/** 503: a part of the service itself (store, cache) cannot be reached. */
export const buildUnavailableError = (detail: string, retryAfterSeconds = 5): AppError =>
	new AppError(503, { detail }, { "retry-after": String(retryAfterSeconds) });

/** 502, or 504 on a timeout: a system behind the service failed. */
export const buildUpstreamError = (
	detail: string,
	options: { timeout?: boolean; status?: number | null } = {},
): AppError =>
	new AppError(options.timeout ? 504 : 502, { success: false, detail, upstream_status: options.status ?? null });
