/** The failures that a use case may end with. The HTTP binder turns them into statuses and bodies. */

export type FieldErrors = Record<string, unknown[]>;

export class AppError extends Error {
	override readonly name = "AppError";
	readonly status: number;
	readonly body: Record<string, unknown>;
	readonly headers: Record<string, string>;

	constructor(status: number, body: Record<string, unknown>, headers: Record<string, string> = {}) {
		super(typeof body.detail === "string" ? body.detail : JSON.stringify(body));
		this.status = status;
		this.body = body;
		this.headers = headers;
	}
}

/** 400 with messages by field; `non_field_errors` for the body as a whole. */
export const invalid = (fields: FieldErrors): AppError => new AppError(400, fields);

/** 400 for one field. */
export const invalidField = (field: string, message: string): AppError => invalid({ [field]: [message] });

/** 400 that no field is to blame for: a guard of the resource. */
export const refused = (detail: string): AppError => new AppError(400, { detail });

export const unauthenticated = (detail = "Authentication credentials were missing or are no longer valid."): AppError =>
	new AppError(401, { detail }, { "www-authenticate": "Bearer" });

export const forbidden = (detail = "You are not allowed to do this.", extra: Record<string, unknown> = {}): AppError =>
	new AppError(403, { detail, ...extra });

/** 404: absent, or not visible to the caller - which look the same. */
export const notFound = (detail = "Not found."): AppError => new AppError(404, { detail });

export const conflict = (detail: string, extra: Record<string, unknown> = {}): AppError =>
	new AppError(409, { detail, ...extra });

/** 429; `retryAfterSeconds` is rounded up. */
export const tooMany = (
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
export const unavailable = (detail: string, retryAfterSeconds = 5): AppError =>
	new AppError(503, { detail }, { "retry-after": String(retryAfterSeconds) });

/** 502, or 504 on a timeout: a system behind the service failed. */
export const upstream = (detail: string, options: { timeout?: boolean; status?: number | null } = {}): AppError =>
	new AppError(options.timeout ? 504 : 502, { success: false, detail, upstream_status: options.status ?? null });
