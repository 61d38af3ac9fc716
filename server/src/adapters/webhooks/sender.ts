/** POSTs over HTTP to addresses that are allowed. */
import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { Agent, request } from "undici";
import { WebhookError, type WebhookFailure, type WebhookSender } from "../../ports/webhooks.ts";
import { createTargets, type WebhookTargets } from "./targets.ts";

const CONNECT_MS = 5_000;
const ANSWER_MS = 10_000;
/** The end of a short answer is waited for a moment, so that the connection can be used again. */
const BODY_MS = 500;
const MAX_BODY_BYTES = 16 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
/** One address is not held open for long: most are sent to seldom. */
const KEEP_ALIVE_MS = 4_000;
const SOCKETS_PER_HOST = 4;

const NOT_ALLOWED = "ERR_WEBHOOK_ADDRESS";

export function createWebhookSender(allowed: WebhookTargets): WebhookSender {
	const targets = createTargets(allowed);

	/** Gives the connection only addresses that are allowed, so that the one it takes is one that was checked. */
	const checkedLookup: LookupFunction = (hostname, options, done) => {
		lookup(hostname, { ...options, all: true }, (error, found) => {
			if (error) return done(error, "");
			const usable = found.filter(({ address }) => targets.isAllowed(address));
			const [first] = usable;
			if (first === undefined) return done(Object.assign(new Error("not allowed"), { code: NOT_ALLOWED }), "");
			if (options.all) done(null, usable);
			else done(null, first.address, first.family);
		});
	};

	const agent = new Agent({
		connect: { lookup: checkedLookup, timeout: CONNECT_MS },
		connections: SOCKETS_PER_HOST,
		keepAliveTimeout: KEEP_ALIVE_MS,
		maxHeaderSize: MAX_HEADER_BYTES,
	});

	function refusal(url: string): string | null {
		const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
		// An address that stands for itself is never looked up.
		if (isIP(host) === 0 || targets.isAllowed(host)) return null;
		return `The administrator's settings do not allow sending to ${host}.`;
	}

	return {
		refusal,
		async send({ url, headers, body, signal }) {
			const refused = refusal(url);
			if (refused !== null) throw new WebhookError("address", refused);
			const timeout = AbortSignal.timeout(ANSWER_MS);
			try {
				const answer = await request(url, {
					method: "POST",
					headers: { ...headers },
					body,
					dispatcher: agent,
					signal: AbortSignal.any([signal, timeout]),
				});
				// What it says besides is nobody's business: it may come from a place that its reader may not see.
				await answer.body.dump({ limit: MAX_BODY_BYTES, signal: AbortSignal.timeout(BODY_MS) }).catch(() => {});
				return answer.statusCode;
			} catch (error) {
				throw failureOf(error, new URL(url).hostname, timeout.aborted);
			}
		},
		close: () => agent.destroy(),
	};
}

const REASONS: readonly (readonly [RegExp, WebhookFailure, string])[] = [
	[/^ERR_WEBHOOK_ADDRESS$/, "address", "leads to an address that the administrator's settings do not allow"],
	[/^(ENOTFOUND|EAI_)/, "dns", "is not a name that can be looked up"],
	[/^ECONNREFUSED$/, "refused", "refused the connection"],
	[/^(UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT)$/, "timeout", "did not answer in time"],
	[
		/CERT|^ERR_(TLS|SSL)|SELF_SIGNED|UNABLE_TO_|ALTNAME/,
		"tls",
		"has a TLS certificate that is not valid, or speaks no TLS",
	],
];

/** @returns WebhookError, or the error itself where the caller ended the request */
function failureOf(error: unknown, host: string, late: boolean): unknown {
	if (late) return new WebhookError("timeout", `${host} did not answer in time.`);
	const { name, code, cause } = error as { name?: string; code?: unknown; cause?: { code?: unknown } };
	if (name === "AbortError") return error;
	const word = String(code ?? cause?.code ?? "");
	const [, reason, text] = REASONS.find(([pattern]) => pattern.test(word)) ?? [
		null,
		"connection" as const,
		"broke the connection",
	];
	return new WebhookError(reason, `${host} ${text}.`);
}
