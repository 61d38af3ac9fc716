/**
 * How Weft talks to a fabric's controller (Cisco ACI APIC): reads in pages, counts, single requests, connection tests.
 * A driver keeps one session and one pool of sockets per connection and revision.
 */

/**
 * Bytes of a request's path and options, encoded; a driver sends no longer ones (kind `limit`). The controller's web server refuses
 * request lines somewhere between 4 and 8 KB, depending on the release: plan with less.
 */
export const MAX_CONTROLLER_PATH_BYTES = 8_192;

export interface ControllerTarget {
	/** The connection's id; one session is kept per id. */
	readonly id: string;
	/** Changes whenever url, credentials, verifyTls or timeoutMs change: the session of an earlier revision is dropped. */
	readonly revision: string;
	/** http(s) base URL; a path is kept as a prefix of every request. */
	readonly url: string;
	readonly username: string;
	readonly password: string;
	readonly verifyTls: boolean;
	/** Limit for one request, from its first byte sent to its last byte read; 5,000 to 300,000. */
	readonly timeoutMs: number;
}

export type ControllerErrorKind =
	/** Nothing listens there, or no route to it. */
	| "refused"
	| "dns"
	| "tls"
	/** No answer within the connection's timeout, or the controller gave up on its own (its limit is 90 s). */
	| "timeout"
	/** The connection dropped before the answer was complete. */
	| "reset"
	| "credentials"
	| "not_a_controller"
	/** It has the objects but did not send them; never to be read as "no objects". */
	| "busy"
	/** The controller refuses to build so large an answer, or one page of it is above the driver's limit. */
	| "too_big"
	| "throttled"
	| "server"
	/** The controller answered with an error object: `code` and `text` are its own. */
	| "rejected"
	| "permission"
	| "cancelled"
	/** Not an answer of the expected form: cut off, not JSON, no imdata. */
	| "bad_answer"
	/** A limit of the driver: request line or answer too long. */
	| "limit"
	/** Objects kept coming and going while they were read, so that completeness could not be shown. */
	| "unstable"
	/** The driver refuses to send this request (path outside /api/, `..`, control characters …). */
	| "invalid";

/** What went wrong, in words for a network engineer. No message ever holds a password, token or cookie. */
export class ControllerError extends Error {
	override readonly name = "ControllerError";
	readonly kind: ControllerErrorKind;
	/** HTTP status of the answer, when there was one. */
	readonly status: number | undefined;
	/** The controller's own error code (kind `rejected` and others that came with an error object), or the system's (ECONNREFUSED …). */
	readonly code: string | undefined;
	/** The controller's own words, when it answered with an error object. */
	readonly text: string | undefined;
	/** Whether the same request may succeed later without any change. The driver's own retries are over by then. */
	readonly retryable: boolean;

	constructor(
		kind: ControllerErrorKind,
		message: string,
		details: {
			readonly status?: number | undefined;
			readonly code?: string | undefined;
			readonly text?: string | undefined;
			readonly retryable?: boolean;
		} = {},
	) {
		super(message);
		this.kind = kind;
		this.status = details.status;
		this.code = details.code;
		this.text = details.text;
		this.retryable = details.retryable ?? false;
	}
}

/**
 * Time and traffic, added up. Overlapping requests are counted once: `loginMs` and `controllerMs` are the time in which at
 * least one request was under way, so their sum does not exceed the time that passed.
 */
export interface ControllerTimings {
	loginMs: number;
	controllerMs: number;
	/** Parsing and checking answers. */
	localMs: number;
	/** HTTP requests sent, logins and repetitions included. */
	requests: number;
	/** Bytes of answers read. */
	bytes: number;
}

/** One managed object: its class name is the only key. Nested objects usually have an `rn` instead of a `dn`, or neither. */
export interface ControllerObject {
	readonly [className: string]: {
		readonly attributes: Readonly<Record<string, string>>;
		readonly children?: readonly ControllerObject[];
	};
}

export interface ControllerPage {
	/** 0, 1, 2 … in the order of delivery. */
	readonly index: number;
	readonly rowCount: number;
	readonly rows: readonly ControllerObject[];
	/** The first rows, `count` at most: a few of them cost less than `rows`, which may not have been read yet. */
	first(count: number): readonly ControllerObject[];
	/** The class of all rows, where it is known without reading `rows`; else null. */
	readonly className: string | null;
	/** What the controller said the whole answer holds (its latest word); null when it said nothing. */
	readonly totalCount: number | null;
	/** The answer's bytes as received, known to be JSON; null when `rows` is not exactly its `imdata` (repeated or surplus objects were left out). */
	readonly raw: Uint8Array | null;
	/**
	 * True for objects that came to light on a second reading because the set changed during the first; they stand
	 * outside of the requested order.
	 */
	readonly late: boolean;
}

/**
 * Common to all calls: when `signal` aborts, the call ends at once with kind `cancelled` and sends nothing more; a GET that is
 * under way at the controller is let to end, but does not keep others out for long. `timings` is added to while the call runs; it may be shared by many calls.
 */
export interface ControllerCall {
	readonly signal?: AbortSignal | undefined;
	readonly timings?: ControllerTimings | undefined;
}

export interface ControllerRequest extends ControllerCall {
	readonly method: "GET" | "POST" | "PUT" | "DELETE";
	/** Starts with `/api/`, with options. */
	readonly path: string;
	/** Sent as JSON; a string is sent as it is. */
	readonly body?: unknown;
}

export interface ControllerAnswer {
	readonly status: number;
	/** Parsed JSON, or text where the answer is not JSON (`.xml`). */
	readonly data: unknown;
	readonly timings: ControllerTimings;
}

export interface ControllerQuery extends ControllerCall {
	/** Starts with `/api/`, with options except page, page-size. An order-by in it counts as `orderBy`. */
	readonly path: string;
	/** `fvBD.name|desc,fvBD.scope`; the dn is always appended, so that pages neither repeat nor lose objects. */
	readonly orderBy?: string | undefined;
	/** Objects per request, 1 to 100,000; default 1,000. Made smaller when the controller or the page limit says "too big". */
	readonly pageSize?: number | undefined;
	/** Stop after so many objects. */
	readonly limit?: number | undefined;
	/**
	 * Few of the objects will be looked at, if any: they may be checked without being parsed, which then happens when their
	 * page's `rows` are read.
	 */
	readonly unread?: boolean | undefined;
}

export interface ControllerRows {
	readonly rows: readonly ControllerObject[];
	readonly totalCount: number | null;
	readonly timings: ControllerTimings;
}

export type ControllerTestResult =
	| { readonly ok: true; readonly version: string | null; readonly latencyMs: number }
	| { readonly ok: false; readonly kind: ControllerErrorKind; readonly message: string };

export interface ControllerDriver {
	/** Logs in on a socket and session of its own, once, without retries. Rejects only with kind `cancelled`. */
	test(target: ControllerTarget, signal?: AbortSignal): Promise<ControllerTestResult>;
	/**
	 * One request, not paged, for pass-through. GET is repeated on throttling and dropped connections; other methods only
	 * after a refused token. Rejects with ControllerError for every answer that is an error.
	 */
	request(target: ControllerTarget, request: ControllerRequest): Promise<ControllerAnswer>;
	/** How many objects a query has, from `totalCount` of a page of one (the controller's own count option is not reliable). */
	count(target: ControllerTarget, query: ControllerCall & { readonly path: string }): Promise<number>;
	/**
	 * Every object of a query once, page by page in order, read ahead within bounds. Ends normally only when all objects
	 * that the controller announced were delivered. Leaving the loop early starts nothing more; reads under way
	 * are let to end, and dropped.
	 */
	pages(target: ControllerTarget, query: ControllerQuery): AsyncIterable<ControllerPage>;
	/** All rows of `pages` in memory: for answers known to be small, or with a limit. */
	rows(target: ControllerTarget, query: ControllerQuery): Promise<ControllerRows>;
	/** Drops the session of a connection; requests under way still finish. */
	forget(targetId: string): void;
	/** Cancels what is under way and closes all sockets. */
	close(): Promise<void>;
}
