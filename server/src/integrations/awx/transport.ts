/**
 * The HTTP connection pool of one automation server. Reads whole answers within a timeout and a
 * size limit; follows no redirects.
 */
import type { Pool } from "undici";
import { joinPieces } from "../../core/join-pieces.ts";
import type { Mask } from "../../core/mask.ts";
import type { OutgoingTargets } from "../../core/system/outgoing.ts";
import { createTimerDeadline, linkSignals } from "../../core/system/signals.ts";
import { buildAddressRefusedError, buildTransportError, getHost } from "../apic/transport-error.ts";
import { AutomationError } from "./port.ts";

interface RawRequest {
	readonly method: "GET" | "POST";
	/** With the API's root, encoded. */
	readonly path: string;
	readonly authorization: string | null;
	readonly accept: string;
	readonly body?: string;
	readonly timeoutMs: number;
	readonly maxBytes: number;
	readonly signal?: AbortSignal | undefined;
}

export interface RawAnswer {
	readonly status: number;
	readonly contentType: string;
	readonly header: (name: string) => string | undefined;
	readonly body: Buffer;
	/** Hides the connection's secrets in a text of the answer. */
	readonly mask: Mask;
}

export interface Transport {
	/** Rejects with AutomationError: refused, dns, tls, timeout, reset, too_big, cancelled. */
	send(request: RawRequest): Promise<RawAnswer>;
	close(): Promise<void>;
	destroy(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;
/**
 * Shorter than the idle timeouts of proxies in front, so that requests rarely use a socket that is
 * being closed.
 */
const KEEP_ALIVE_MS = 4_000;

/** @param targets undefined: every address */
export function createTransport(
	url: URL,
	verifyTls: boolean,
	sockets: number,
	targets: OutgoingTargets | undefined,
	mask: Mask,
): Transport {
	const host = getHost(url);
	const shutdown = new AbortController();
	let opening: Promise<Pool> | undefined;

	/** The library is loaded with the first request, which a start does not wait for. */
	async function openPool(): Promise<Pool> {
		const { Pool } = await import("undici");
		return new Pool(url.origin, {
			connections: sockets,
			pipelining: 1,
			keepAliveTimeout: KEEP_ALIVE_MS,
			headersTimeout: 0,
			bodyTimeout: 0,
			connect: {
				timeout: CONNECT_TIMEOUT_MS,
				rejectUnauthorized: verifyTls,
				...(targets === undefined ? {} : { lookup: targets.lookup }),
			},
		});
	}

	async function exchangeRequest(request: RawRequest, signal: AbortSignal): Promise<RawAnswer> {
		opening ??= openPool();
		const pool = await opening;
		const { statusCode, headers, body } = await pool.request({
			method: request.method,
			path: request.path,
			headers: {
				accept: request.accept,
				...(request.authorization === null ? {} : { authorization: request.authorization }),
				...(request.body === undefined ? {} : { "content-type": "application/json" }),
			},
			body: request.body ?? null,
			signal,
		});
		const header = (name: string): string | undefined => {
			const value = headers[name];
			return Array.isArray(value) ? value[0] : value;
		};
		const chunks: Buffer[] = [];
		let size = 0;
		for await (const chunk of body as AsyncIterable<Buffer>) {
			size += chunk.length;
			if (size > request.maxBytes) {
				body.destroy();
				const mb = Math.round(request.maxBytes / 1_048_576);
				throw new AutomationError("too_big", `One answer of the automation server is above ${mb} MB.`, {
					status: statusCode,
				});
			}
			chunks.push(chunk);
		}
		return {
			status: statusCode,
			header: (name) => {
				const value = header(name);
				return value === undefined ? undefined : mask(value);
			},
			mask,
			body: await joinPieces(chunks),
			contentType: header("content-type")?.toLowerCase() ?? "",
		};
	}

	return {
		async send(request) {
			// IP literals are not looked up, so they are checked here.
			const refused = targets?.refusedHost(url) ?? null;
			if (refused !== null) throw new AutomationError("address", buildAddressRefusedError(refused), { unsent: true });
			const link = linkSignals(request.signal, shutdown.signal);
			let expired = false;
			const stop = createTimerDeadline(request.timeoutMs, () => {
				expired = true;
				link.controller.abort();
			});
			try {
				return await exchangeRequest(request, link.signal);
			} catch (error) {
				if (error instanceof AutomationError) throw error;
				if (expired) {
					const seconds = request.timeoutMs / 1000;
					throw new AutomationError(
						"timeout",
						`${host} did not answer within ${seconds} s. Check the server, or raise the timeout of the connection.`,
						{ retryable: true },
					);
				}
				if (request.signal?.aborted || shutdown.signal.aborted) throw buildAutomationCancelledError();
				throw toAutomationError(error, url);
			} finally {
				stop();
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

export const buildAutomationCancelledError = (): AutomationError =>
	new AutomationError("cancelled", "The request was cancelled.");

/** Errors before the connection was established: nothing was sent. */
const UNSENT = new Set(["UND_ERR_CONNECT_TIMEOUT", "ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL"]);

function toAutomationError(error: unknown, url: URL): AutomationError {
	const { kind, message, code = "", retryable } = buildTransportError(error, url);
	const unsent = kind === "dns" || kind === "address" || kind === "tls" || UNSENT.has(code);
	const word = kind === "not_a_controller" ? "not_an_automation_server" : kind;
	return new AutomationError(word as AutomationError["kind"], message, { retryable, unsent });
}
