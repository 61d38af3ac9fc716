/**
 * Documents over HTTP: one pool of kept-alive sockets, one request at a time per socket, within a
 * time and a size.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { LookupFunction } from "node:net";
import type { Dispatcher } from "undici";
import { joinPieces } from "../../core/join-pieces.ts";
import { createOutgoingAgent, type OutgoingProxy } from "../../core/system/outgoing-proxy.ts";
import { readRetryAfter } from "../../core/system/retry-after.ts";
import type { Encoding } from "./port.ts";

export interface HttpAnswer {
	readonly status: number;
	readonly contentType: string;
	/** Milliseconds to wait, as the server asks. */
	readonly retryAfterMs: number | null;
	readonly encoding: Encoding | "unknown";
	readonly body: Uint8Array;
	readonly setCookie: readonly string[];
}

interface HttpRequest {
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

interface HttpOptions {
	readonly url: string;
	readonly sockets: number;
	/** For one request, from its first byte to the answer's last. */
	readonly timeoutMs: number;
	readonly verifyTls: boolean;
	/** Resolves the host; undefined: the system's. */
	readonly lookup?: LookupFunction | undefined;
	/** The web proxy to reach the server through; null: none. */
	readonly proxy: OutgoingProxy | null;
}

export function createHttp({ url, sockets, timeoutMs, verifyTls, lookup, proxy }: HttpOptions): Http {
	const base = new URL(url);
	const prefix = base.pathname.replace(/\/+$/, "");
	const agent = createOutgoingAgent(proxy, {
		connections: sockets,
		pipelining: 1,
		keepAliveTimeout: KEEP_ALIVE_MS,
		headersTimeout: timeoutMs,
		bodyTimeout: timeoutMs,
		connect: {
			timeout: Math.min(CONNECT_MS, timeoutMs),
			rejectUnauthorized: verifyTls,
			...(lookup === undefined ? {} : { lookup }),
		},
	});

	/** Its own handler, one timer and one listener: a crawl asks thousands of times a second. */
	function sendRequest({ path, method = "GET", compressed = false, cookie = null, body, signal }: HttpRequest) {
		return new Promise<HttpAnswer>((resolve, reject) => {
			signal.throwIfAborted();
			const chunks: Buffer[] = [];
			let size = 0;
			let head: { readonly status: number; readonly headers: IncomingHttpHeaders } | null = null;
			let exchange: Dispatcher.DispatchController | null = null;
			let ended = false;

			function endExchange(): void {
				ended = true;
				clearTimeout(timer);
				signal.removeEventListener("abort", onAbort);
			}
			function failExchange(error: Error): void {
				if (ended) return;
				endExchange();
				reject(error);
				exchange?.abort(error);
			}
			const onAbort = (): void => failExchange(signal.reason);
			const timer = setTimeout(
				() => failExchange(new DOMException("The source did not answer in time.", "TimeoutError")),
				timeoutMs,
			);
			signal.addEventListener("abort", onAbort);
			const request: Dispatcher.DispatchOptions = {
				origin: base.origin,
				method,
				path: prefix + path,
				body: body ?? null,
				headers: {
					accept: "application/json",
					"accept-encoding": compressed ? "gzip" : "identity",
					...(cookie === null ? {} : { cookie }),
					...(body === undefined ? {} : { "content-type": "application/json" }),
				},
			};
			agent.dispatch(request, {
				onRequestStart(started) {
					exchange = started;
					if (ended) started.abort(new Error("the request was given up before it was sent"));
				},
				onResponseStart(_, status, headers) {
					head = { status, headers };
				},
				onResponseData(_, chunk) {
					size += chunk.length;
					if (size > MAX_BYTES) failExchange(new Error(`the document is larger than ${MAX_BYTES / 1024 / 1024} MB`));
					else chunks.push(chunk);
				},
				onResponseEnd() {
					if (ended || head === null) return;
					endExchange();
					const { status, headers } = head;
					resolve(joinPieces(chunks).then((body) => getAnswer(status, headers, body)));
				},
				onResponseError: (_, error) => failExchange(error),
			});
		});
	}

	return { send: sendRequest, close: () => agent.destroy() };
}

const getAnswer = (status: number, headers: IncomingHttpHeaders, body: Uint8Array): HttpAnswer => ({
	status,
	body,
	contentType: readHeader(headers["content-type"]).toLowerCase(),
	retryAfterMs: retryAfter(readHeader(headers["retry-after"]), readHeader(headers.date)),
	encoding: getEncoding(readHeader(headers["content-encoding"])),
	setCookie: [headers["set-cookie"] ?? []].flat(),
});

const readHeader = (value: string | string[] | undefined): string => (Array.isArray(value) ? value[0] : value) ?? "";

function getEncoding(name: string): HttpAnswer["encoding"] {
	const plain = name.trim().toLowerCase();
	if (plain === "" || plain === "identity") return "identity";
	return plain === "gzip" || plain === "deflate" || plain === "br" ? plain : "unknown";
}

function retryAfter(value: string, date: string): number | null {
	const wait = readRetryAfter(value, Date.parse(date));
	return wait === null ? null : Math.min(MAX_RETRY_AFTER_MS, wait);
}
