/** Sends to addresses that users choose, within what the administrator allows. */
interface WebhookRequest {
	/** http or https. */
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
	readonly signal: AbortSignal;
}

interface WebhookAnswer {
	/** HTTP status. */
	readonly status: number;
	/** Milliseconds of Retry-After (RFC 9110, section 10.2.3); null without one, or if it is none. */
	readonly retryAfterMs: number | null;
}

export interface WebhookSender {
	/** Why this URL is refused, as far as known without resolving the name; null if allowed. */
	refusal(url: string): string | null;
	/**
	 * One POST. Follows no redirect, and reads no more of the answer than its head.
	 * @throws WebhookError
	 */
	send(request: WebhookRequest): Promise<WebhookAnswer>;
	/**
	 * One GET. Follows no redirect.
	 * @returns the status and the body as text; null: it has more than `maxBytes`
	 * @throws WebhookError
	 */
	fetchText(request: {
		readonly url: string;
		readonly maxBytes: number;
		readonly signal: AbortSignal;
	}): Promise<{ readonly status: number; readonly text: string | null }>;
	close(): Promise<void>;
}

export type WebhookFailure = "address" | "dns" | "refused" | "tls" | "timeout" | "connection";

/** The message names no more of the address than its host. */
export class WebhookError extends Error {
	override readonly name = "WebhookError";
	readonly reason: WebhookFailure;

	constructor(reason: WebhookFailure, message: string) {
		super(message);
		this.reason = reason;
	}
}
