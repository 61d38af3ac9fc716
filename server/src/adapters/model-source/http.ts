/** Documents over HTTP: one pool of kept-alive sockets, one request at a time per socket, within a time and a size. */
import { Pool } from "undici";
import type { Encoding } from "../../ports/model-source.ts";

export interface HttpAnswer {
	readonly status: number;
	readonly contentType: string;
	/** Milliseconds to wait, as the server asks. */
	readonly retryAfterMs: number | null;
	readonly encoding: Encoding | "unknown";
	readonly body: Uint8Array;
	readonly setCookie: readonly string[];
}

export interface HttpRequest {
	readonly path: string;
	readonly method?: "GET" | "POST";
	readonly compressed?: boolean;
	readonly cookie?: string | null;
	readonly body?: string;
	readonly signal: AbortSignal;
}

export interface Http {
	/** Rejects where there is no complete answer: refused, reset, cut off, too late, too large. */
	send(request: HttpRequest): Promise<HttpAnswer>;
	close(): Promise<void>;
}

/** The largest documents, with tens of thousands of DN forms, have about 10 MB. */
const MAX_BYTES = 64 * 1024 * 1024;
const CONNECT_MS = 15_000;
const KEEP_ALIVE_MS = 30_000;
const MAX_RETRY_AFTER_MS = 120_000;

export interface HttpOptions {
	readonly url: string;
	readonly sockets: number;
	/** For one request, from its first byte to the answer's last. */
	readonly timeoutMs: number;
	readonly verifyTls: boolean;
}

export function createHttp({ url, sockets, timeoutMs, verifyTls }: HttpOptions): Http {
	const base = new URL(url);
	const prefix = base.pathname.replace(/\/+$/, "");
	const pool = new Pool(base.origin, {
		connections: sockets,
		pipelining: 1,
		keepAliveTimeout: KEEP_ALIVE_MS,
		headersTimeout: timeoutMs,
		bodyTimeout: timeoutMs,
		connect: { timeout: Math.min(CONNECT_MS, timeoutMs), rejectUnauthorized: verifyTls },
	});

	return {
		async send({ path, method = "GET", compressed = false, cookie = null, body, signal }) {
			return within(timeoutMs, signal, async (bounded) => {
				const {
					statusCode,
					headers,
					body: stream,
				} = await pool.request({
					method,
					path: prefix + path,
					headers: {
						accept: "application/json",
						"accept-encoding": compressed ? "gzip" : "identity",
						...(cookie === null ? {} : { cookie }),
						...(body === undefined ? {} : { "content-type": "application/json" }),
					},
					body: body ?? null,
					signal: bounded,
				});
				const chunks: Buffer[] = [];
				let size = 0;
				for await (const chunk of stream as AsyncIterable<Buffer>) {
					size += chunk.length;
					if (size > MAX_BYTES) throw new Error(`the document is larger than ${MAX_BYTES / 1024 / 1024} MB`);
					chunks.push(chunk);
				}
				return {
					status: statusCode,
					contentType: text(headers["content-type"]).toLowerCase(),
					retryAfterMs: retryAfter(text(headers["retry-after"])),
					encoding: encodingOf(text(headers["content-encoding"])),
					body: Buffer.concat(chunks),
					setCookie: [headers["set-cookie"] ?? []].flat(),
				};
			});
		},
		close: () => pool.destroy(),
	};
}

/**
 * Runs the work with a signal that follows the given one and aborts with a TimeoutError when the time is over. `AbortSignal.any` with
 * `AbortSignal.timeout` means the same and costs many times as much, which shows with a request for each of 15,000 classes.
 */
async function within<T>(ms: number, signal: AbortSignal, work: (bounded: AbortSignal) => Promise<T>): Promise<T> {
	signal.throwIfAborted();
	const bounded = new AbortController();
	const follow = () => bounded.abort(signal.reason);
	const timer = setTimeout(() => bounded.abort(new DOMException("The time is over.", "TimeoutError")), ms);
	signal.addEventListener("abort", follow);
	try {
		return await work(bounded.signal);
	} finally {
		clearTimeout(timer);
		signal.removeEventListener("abort", follow);
	}
}

const text = (value: string | string[] | undefined): string => (Array.isArray(value) ? value[0] : value) ?? "";

function encodingOf(name: string): HttpAnswer["encoding"] {
	const plain = name.trim().toLowerCase();
	if (plain === "" || plain === "identity") return "identity";
	return plain === "gzip" || plain === "deflate" || plain === "br" ? plain : "unknown";
}

/** Seconds, or a date (RFC 9110, 10.2.3). */
function retryAfter(value: string): number | null {
	if (value === "") return null;
	const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
	return Number.isFinite(ms) ? Math.min(MAX_RETRY_AFTER_MS, Math.max(0, ms)) : null;
}
