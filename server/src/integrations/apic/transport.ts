/**
 * The HTTP connection pool of one controller. Reads whole answers within a timeout and a size
 * limit.
 */
import type { Pool } from "undici";
import { joinPieces } from "../../core/join-pieces.ts";
import { createPinnedConnector } from "../../core/system/certificates.ts";
import type { OutgoingTargets } from "../../core/system/outgoing.ts";
import { type Deadline, linkSignals } from "../../core/system/signals.ts";
import type { ControllerTarget } from "./port.ts";
import { ControllerError } from "./port-error.ts";
import { buildAddressRefusedError, buildTransportError, getHost } from "./transport-error.ts";

export interface RawRequest {
	readonly method: "GET" | "POST" | "PUT" | "DELETE";
	/** From /api/ on, encoded. */
	readonly path: string;
	readonly cookie?: string;
	readonly body?: string;
	readonly signal: AbortSignal;
}

export interface RawAnswer {
	readonly status: number;
	readonly contentType: string;
	readonly retryAfter: string | undefined;
	readonly location: string | undefined;
	/** The answer's `Date` header. */
	readonly date: string | undefined;
	readonly body: Buffer;
}

export interface Transport {
	/**
	 * Rejects with ControllerError: refused, dns, tls, timeout, reset, not_a_controller, too_big,
	 * cancelled.
	 */
	send(request: RawRequest): Promise<RawAnswer>;
	/** Lets in-flight requests finish. */
	close(): Promise<void>;
	/** Ends in-flight requests with `cancelled`. */
	destroy(): Promise<void>;
}

interface TransportOptions {
	readonly target: Pick<ControllerTarget, "url" | "verifyTls" | "pinnedCertificates" | "timeoutMs">;
	readonly sockets: number;
	readonly maxBodyBytes: number;
	readonly deadline: Deadline;
	/** Undefined: every address. */
	readonly targets?: OutgoingTargets | undefined;
}

/** A controller on the same network accepts connections within milliseconds. */
const CONNECT_TIMEOUT_MS = 10_000;
/**
 * Shorter than the web server's idle timeout, so that requests rarely use a socket that is being
 * closed.
 */
const KEEP_ALIVE_MS = 10_000;

export function createTransport({ target, sockets, maxBodyBytes, deadline, targets }: TransportOptions): Transport {
	const base = new URL(target.url);
	const prefix = base.pathname.replace(/\/+$/, "");
	const host = getHost(base);
	const shutdown = new AbortController();
	const connect = {
		timeout: Math.min(CONNECT_TIMEOUT_MS, target.timeoutMs),
		...(targets === undefined ? {} : { lookup: targets.lookup }),
	};
	const pins = target.pinnedCertificates ?? [];
	let opening: Promise<Pool> | undefined;

	/** The library is loaded with the first request, which a start does not wait for. */
	async function openPool(): Promise<Pool> {
		const { Pool } = await import("undici");
		return new Pool(base.origin, {
			connections: sockets,
			pipelining: 1,
			keepAliveTimeout: KEEP_ALIVE_MS,
			headersTimeout: 0,
			bodyTimeout: 0,
			connect:
				target.verifyTls && pins.length > 0
					? await createPinnedConnector(pins, connect)
					: { ...connect, rejectUnauthorized: target.verifyTls },
		});
	}

	async function exchangeRequest(request: RawRequest, signal: AbortSignal): Promise<RawAnswer> {
		opening ??= openPool();
		const pool = await opening;
		const { statusCode, headers, body } = await pool.request({
			method: request.method,
			path: prefix + request.path,
			headers: {
				accept: "application/json",
				...(request.cookie === undefined ? {} : { cookie: request.cookie }),
				...(request.body === undefined ? {} : { "content-type": "application/json" }),
			},
			body: request.body ?? null,
			signal,
		});
		const chunks: Buffer[] = [];
		let size = Number(getFirst(headers["content-length"]) ?? 0);
		if (size <= maxBodyBytes) {
			size = 0;
			for await (const chunk of body as AsyncIterable<Buffer>) {
				size += chunk.length;
				if (size > maxBodyBytes) break;
				chunks.push(chunk);
			}
		} else body.destroy();
		if (size > maxBodyBytes) throw buildTooLargeError(maxBodyBytes, statusCode);
		return {
			status: statusCode,
			contentType: getFirst(headers["content-type"])?.toLowerCase() ?? "",
			retryAfter: getFirst(headers["retry-after"]),
			location: getFirst(headers.location),
			date: getFirst(headers.date),
			body: await joinPieces(chunks),
		};
	}

	return {
		async send(request) {
			// An address that stands for itself is not looked up.
			const refused = targets?.refusedHost(base) ?? null;
			if (refused !== null) throw new ControllerError("address", buildAddressRefusedError(refused));
			const link = linkSignals(request.signal, shutdown.signal);
			let expired = false;
			const cancelDeadline = deadline(target.timeoutMs, () => {
				expired = true;
				link.controller.abort();
			});
			try {
				return await exchangeRequest(request, link.signal);
			} catch (error) {
				if (error instanceof ControllerError) throw error;
				if (request.signal.aborted || shutdown.signal.aborted) throw buildControllerCancelledError();
				if (expired) throw buildTimeoutError(host, target.timeoutMs);
				throw buildTransportError(error, base);
			} finally {
				cancelDeadline();
				link.done();
			}
		},
		async close() {
			await (await opening)?.close();
		},
		async destroy() {
			shutdown.abort();
			await (await opening)?.destroy();
		},
	};
}

function getFirst(value: string | string[] | undefined): string | undefined {
	return Array.isArray(value) ? value[0] : value;
}

export function buildControllerCancelledError(): ControllerError {
	return new ControllerError("cancelled", "The request was cancelled.");
}

function buildTimeoutError(host: string, timeoutMs: number): ControllerError {
	const message = `${host} did not answer completely within ${timeoutMs / 1000} s. Narrow the query, or raise the timeout of the connection.`;
	return new ControllerError("timeout", message, { retryable: true });
}

function buildTooLargeError(limit: number, status: number): ControllerError {
	const message = `One answer of the controller is above ${Math.round(limit / 1_048_576)} MB. Read less at once: a filter, no rsp-subtree=full, or classes (target-subtree-class) so that it can be read in pages.`;
	return new ControllerError("too_big", message, { status });
}
