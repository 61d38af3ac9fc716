/** POSTs over HTTP to addresses that are allowed. */
import { request } from "undici";
import { ADDRESS_REFUSED, createCheckedLookup, type Resolve, readLiteralHost } from "../../core/system/networks.ts";
import { checkHost, createOutgoingAgent, type OutgoingProxy } from "../../core/system/outgoing-proxy.ts";
import { readRetryAfter } from "../../core/system/retry-after.ts";
import { WebhookError, type WebhookFailure, type WebhookSender } from "./port.ts";
import { createTargets, type WebhookTargets } from "./targets.ts";

const CONNECT_MS = 5_000;
const ANSWER_MS = 10_000;
/** Timeout for a whole body that is read. */
const FETCH_MS = 20_000;
/** Timeout for the rest of a short answer, so that the connection can be reused. */
const BODY_MS = 500;
const MAX_BODY_BYTES = 16 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
/** Short, since most addresses are used rarely. */
const KEEP_ALIVE_MS = 4_000;
const SOCKETS_PER_HOST = 4;

interface WebhookSenderOptions {
	/** The name service; the operating system's where absent. */
	readonly resolve?: Resolve;
	/** The web proxy to send through; null or absent: none. */
	readonly proxy?: OutgoingProxy | null;
}

/**
 * A proxy gets the name of the target and resolves it itself. The addresses that the name has for
 * this service are checked first, as without a proxy.
 */
export function createWebhookSender(
	allowed: WebhookTargets,
	{ resolve, proxy = null }: WebhookSenderOptions = {},
): WebhookSender {
	const targets = createTargets(allowed);
	const lookup = createCheckedLookup(targets.isAllowed, resolve);

	const agent = createOutgoingAgent(proxy, {
		connect: { lookup, timeout: CONNECT_MS },
		connections: SOCKETS_PER_HOST,
		keepAliveTimeout: KEEP_ALIVE_MS,
		maxHeaderSize: MAX_HEADER_BYTES,
	});

	function findRefusal(url: string): string | null {
		const host = readLiteralHost(url);
		if (host === null || targets.isAllowed(host)) return null;
		return `The administrator's settings do not allow sending to ${host}.`;
	}

	return {
		refusal: findRefusal,
		async send({ url, headers, body, signal }) {
			const refused = findRefusal(url);
			if (refused !== null) throw new WebhookError("address", refused);
			const timeout = AbortSignal.timeout(ANSWER_MS);
			try {
				if (proxy !== null && readLiteralHost(url) === null) await checkHost(url, lookup);
				const answer = await request(url, {
					method: "POST",
					headers: { ...headers },
					body,
					dispatcher: agent,
					signal: AbortSignal.any([signal, timeout]),
				});
				// The body is not passed on: it may come from a host that the user must not read.
				await answer.body.dump({ limit: MAX_BODY_BYTES, signal: AbortSignal.timeout(BODY_MS) }).catch(() => {});
				const { "retry-after": wait, date } = answer.headers;
				return {
					status: answer.statusCode,
					retryAfterMs: readRetryAfter([wait].flat()[0], Date.parse([date].flat()[0] ?? "")),
				};
			} catch (error) {
				if (signal.aborted) throw error;
				throw classifyFailure(error, new URL(url).hostname, { isLate: timeout.aborted, hasProxy: proxy !== null });
			}
		},
		async fetchText({ url, maxBytes, signal }) {
			const refused = findRefusal(url);
			if (refused !== null) throw new WebhookError("address", refused);
			const timeout = AbortSignal.timeout(FETCH_MS);
			try {
				if (proxy !== null && readLiteralHost(url) === null) await checkHost(url, lookup);
				const { statusCode: status, body } = await request(url, {
					headers: { accept: "text/calendar, text/plain;q=0.5" },
					dispatcher: agent,
					signal: AbortSignal.any([signal, timeout]),
				});
				const pieces: Buffer[] = [];
				let size = 0;
				for await (const piece of body as AsyncIterable<Buffer>) {
					size += piece.length;
					if (size > maxBytes) return { status, text: null };
					pieces.push(piece);
				}
				return { status, text: Buffer.concat(pieces).toString("utf8") };
			} catch (error) {
				if (signal.aborted) throw error;
				throw classifyFailure(error, new URL(url).hostname, { isLate: timeout.aborted, hasProxy: proxy !== null });
			}
		},
		close: () => agent.destroy(),
	};
}

const REASONS: readonly (readonly [RegExp, WebhookFailure, string])[] = [
	[new RegExp(`^${ADDRESS_REFUSED}$`), "address", "leads to an address that the administrator's settings do not allow"],
	[/^(ENOTFOUND|EAI_)/, "dns", "is not a name that can be looked up"],
	[/^ECONNREFUSED$/, "refused", "refused the connection"],
	[/^(UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT)$/, "timeout", "did not answer in time"],
	[
		/CERT|^ERR_(TLS|SSL)|SELF_SIGNED|UNABLE_TO_|ALTNAME/,
		"tls",
		"has a TLS certificate that is not valid, or speaks no TLS",
	],
];

interface FailedRequest {
	readonly isLate: boolean;
	readonly hasProxy: boolean;
}

function classifyFailure(error: unknown, host: string, { isLate, hasProxy }: FailedRequest): WebhookError {
	const hint = hasProxy ? " An outgoing web proxy is set: it may be the cause." : "";
	if (isLate) return new WebhookError("timeout", `${host} did not answer in time.${hint}`);
	const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
	const word = String(code ?? cause?.code ?? "");
	const [, reason, text] = REASONS.find(([pattern]) => pattern.test(word)) ?? [
		null,
		"connection" as const,
		"broke the connection",
	];
	return new WebhookError(reason, `${host} ${text}.${reason === "address" ? "" : hint}`);
}
