/**
 * Sends a webhook: a POST, signed if there is a secret. A retry differs in its time and signature
 * only.
 */
import type { Context } from "../../context.ts";
import { WebhookError, type WebhookFailure, type WebhookSender } from "../../integrations/webhooks/port.ts";
import { getBody, type Message } from "./rules/formats.ts";
import { buildSignedHeaders } from "./rules/signature.ts";
import { buildSecretContext } from "./rules/webhook-secrets.ts";
import type { WebhookRow } from "./sql/webhooks.ts";
import { openAddress } from "./webhook-address.ts";

export type Outcome =
	| { readonly ok: true; readonly status: number }
	| {
			readonly ok: false;
			readonly reason: WebhookFailure | "status" | "secret";
			readonly message: string;
			readonly status: number | null;
			/** Milliseconds for which a busy receiver wants no request; null where it does not say. */
			readonly retryAfterMs: number | null;
	  };

/** Statuses whose Retry-After counts: too many requests, and not available. */
const BUSY: readonly number[] = [429, 503];

/** @throws only when the signal ends it */
export async function postWebhook(
	ctx: Context,
	sender: WebhookSender,
	row: WebhookRow,
	message: Message,
	signal: AbortSignal,
): Promise<Outcome> {
	let secret = "";
	let url: string;
	try {
		url = openAddress(ctx.secrets, row);
		if (row.secret_sealed !== "") secret = ctx.secrets.open(row.secret_sealed, buildSecretContext(row.id));
	} catch {
		const why = "The stored secret or address cannot be read any more. Set it again.";
		return { ok: false, reason: "secret", message: why, status: null, retryAfterMs: null };
	}
	const body = getBody(row.format, message, ctx.frontendUrl);
	const headers = {
		"content-type": "application/json",
		"user-agent": `Weft/${ctx.version}`,
		...(secret === "" ? {} : buildSignedHeaders(secret, message.id, ctx.clock.now(), body)),
	};
	try {
		const { status, retryAfterMs: asked } = await sender.send({ url, headers, body, signal });
		if (status >= 200 && status < 300) return { ok: true, status };
		const hint = status >= 300 && status < 400 ? " Redirects are not followed." : "";
		const retryAfterMs = BUSY.includes(status) ? asked : null;
		return {
			ok: false,
			reason: "status",
			message: `The receiver answered ${status}.${hint}`,
			status,
			retryAfterMs,
		};
	} catch (error) {
		if (!(error instanceof WebhookError)) throw error;
		return { ok: false, reason: error.reason, message: error.message, status: null, retryAfterMs: null };
	}
}
