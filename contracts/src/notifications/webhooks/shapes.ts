/** Webhooks by id: several per user, and shared ones of administrators. */
import * as z from "zod";
import { defineList } from "../../core/bounded.ts";
import { defineTrimmedText, timestamp } from "../../core/common.ts";
import { notification, notificationFacts } from "../shapes.ts";
import { NOTIFICATION_CATEGORIES } from "../values.ts";
import { WEBHOOK_FORMATS } from "./values.ts";

export const webhook = z.object({
	id: z.string(),
	name: z.string(),
	format: z.enum(WEBHOOK_FORMATS),
	/** It belongs to the administrators, and gets each event once for all users. */
	is_shared: z.boolean(),
	/** False where the service's settings allow none. */
	available: z.boolean(),
	enabled: z.boolean(),
	/** Empty where the format is `slack` or `teams`: there the address is a write-only secret. */
	url: z.string(),
	/** Host and port of an address that is a secret; absent where `url` is shown. */
	url_host: z.string().optional(),
	/** Whether there is one; it is never shown. */
	has_secret: z.boolean(),
	categories: z.array(z.enum(NOTIFICATION_CATEGORIES)),
	last_attempt_at: timestamp.nullable(),
	last_success_at: timestamp.nullable(),
	/** Of the last attempt; empty after a success. */
	last_error: z.string(),
	/** When the first of the failures since the last success was. */
	failing_since: timestamp.nullable(),
	/** Nothing is sent before, because the last attempts failed. */
	held_until: timestamp.nullable(),
	created_at: timestamp,
	updated_at: timestamp,
});
export type Webhook = z.infer<typeof webhook>;

const BASE64_SECRET = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const webhookFields = {
	enabled: z.boolean(),
	url: z
		.string()
		.max(2000, "Must be at most 2000 characters.")
		.refine(isTarget, "Must be an http or https address without user name, password and fragment."),
	/** Key of the signature. Write-only. */
	secret: z
		.string()
		.min(16, "Must be at least 16 characters.")
		.max(256, "Must be at most 256 characters.")
		.regex(/^[\x21-\x7e]+$/, "Must be printable ASCII without spaces.")
		.refine(
			(text) => !text.startsWith("whsec_") || BASE64_SECRET.test(text),
			"Must be base64 after whsec_, or begin with something else.",
		),
	categories: defineList(z.enum(NOTIFICATION_CATEGORIES), { max: 100 }).transform((names) =>
		NOTIFICATION_CATEGORIES.filter((name) => names.includes(name)),
	),
};
function isTarget(text: string): boolean {
	if (!URL.canParse(text)) return false;
	const { protocol, username, password, hash, hostname } = new URL(text);
	return /^https?:$/.test(protocol) && hostname !== "" && `${username}${password}${hash}` === "";
}

const name = defineTrimmedText(150);
const format = z.enum(WEBHOOK_FORMATS, { error: `Must be one of: ${WEBHOOK_FORMATS.join(", ")}.` });

export const webhookInput = z.object({
	name,
	url: webhookFields.url,
	/** Needed for `json`. Absent in a PUT: the stored one stays. */
	secret: webhookFields.secret.optional(),
	format: format.default("json"),
	categories: webhookFields.categories.default(() => [...NOTIFICATION_CATEGORIES]),
	enabled: z.boolean().default(true),
	/** For administrators only. */
	is_shared: z.boolean().default(false),
});
export type WebhookInput = z.output<typeof webhookInput>;

export const webhookPatch = z.object({ ...webhookFields, name, format, is_shared: z.boolean() }).partial();
export type WebhookPatch = z.output<typeof webhookPatch>;

export const webhookTestAnswers = {
	200: z.object({ success: z.literal(true), message: z.string(), response_status: z.int(), latency_ms: z.int() }),
	/** `reason` is a code: address, dns, refused, tls, timeout, connection, status, secret. */
	400: z.object({
		success: z.literal(false),
		message: z.string(),
		reason: z.string(),
		response_status: z.int().nullable(),
	}),
} as const;

/** Body of a webhook in the format `json`. */
export const webhookBody = z.object({
	type: z.literal("notification_created"),
	timestamp,
	data: notification.omit({ read_at: true }).extend({
		/** Address of a page of the web interface; null without `WEFT_FRONTEND_URL` or a link. */
		url: z.string().nullable(),
		...notificationFacts.shape,
	}),
});
export type WebhookBody = z.infer<typeof webhookBody>;
