/** Sends a webhook: a signed POST. A retry differs in its time and signature only. */
import type { Clock } from "../../ports/clock.ts";
import type { Secrets } from "../../ports/secrets.ts";
import { WebhookError, type WebhookFailure, type WebhookSender } from "../../ports/webhooks.ts";
import { signedHeaders } from "./domain/signature.ts";
import type { WebhookRow } from "./repo-webhooks.ts";

export interface Message {
	/** The receiver tells repeats by it. */
	readonly id: string;
	readonly type: "notification_created" | "webhook_test";
	readonly timestamp: Date;
	readonly data: Readonly<Record<string, unknown>>;
}

export type Outcome =
	| { readonly ok: true; readonly status: number }
	| {
			readonly ok: false;
			readonly reason: WebhookFailure | "status" | "secret";
			readonly message: string;
			readonly status: number | null;
	  };

export interface WebhookRequestDeps {
	readonly clock: Pick<Clock, "now">;
	readonly secrets: Pick<Secrets, "open">;
	readonly version: string;
}

export const secretContext = (userId: number): string => `notification_webhooks:${userId}:secret`;

export function createWebhookRequest({ clock, secrets, version }: WebhookRequestDeps) {
	/** @throws only when the signal ends it */
	return async function post(
		sender: WebhookSender,
		row: Pick<WebhookRow, "user_id" | "url" | "secret_sealed">,
		{ id, type, timestamp, data }: Message,
		signal: AbortSignal,
	): Promise<Outcome> {
		let secret: string;
		try {
			secret = secrets.open(row.secret_sealed, secretContext(row.user_id));
		} catch {
			const message = "The stored secret cannot be read any more. Set it again.";
			return { ok: false, reason: "secret", message, status: null };
		}
		const body = JSON.stringify({ type, timestamp: timestamp.toISOString(), data });
		const headers = {
			"content-type": "application/json",
			"user-agent": `Weft/${version}`,
			...signedHeaders(secret, id, clock.now(), body),
		};
		try {
			const status = await sender.send({ url: row.url, headers, body, signal });
			if (status >= 200 && status < 300) return { ok: true, status };
			const hint = status >= 300 && status < 400 ? " Redirects are not followed." : "";
			return { ok: false, reason: "status", message: `The receiver answered ${status}.${hint}`, status };
		} catch (error) {
			if (!(error instanceof WebhookError)) throw error;
			return { ok: false, reason: error.reason, message: error.message, status: null };
		}
	};
}
export type PostWebhook = ReturnType<typeof createWebhookRequest>;
