/** The first outgoing webhook of a user, and the status of each delivery by webhook or mail. */
import * as z from "zod";
import { defineList } from "../../core/bounded.ts";
import { paging, timestamp, uuid } from "../../core/common.ts";
import { NOTIFICATION_CATEGORIES } from "../values.ts";
import { DELIVERY_CHANNELS, DELIVERY_STATES } from "./values.ts";

export const notificationWebhook = z.object({
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
	created_at: timestamp.nullable(),
	updated_at: timestamp.nullable(),
});
export type NotificationWebhook = z.infer<typeof notificationWebhook>;

const BASE64_SECRET = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export const webhookFields = {
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
export const notificationWebhookPatch = z.object(webhookFields).partial();
export type NotificationWebhookPatch = z.output<typeof notificationWebhookPatch>;

function isTarget(text: string): boolean {
	if (!URL.canParse(text)) return false;
	const { protocol, username, password, hash, hostname } = new URL(text);
	return /^https?:$/.test(protocol) && hostname !== "" && `${username}${password}${hash}` === "";
}

export const notificationDelivery = z.object({
	id: z.string(),
	notification_id: z.string(),
	category: z.enum(NOTIFICATION_CATEGORIES),
	title: z.string(),
	/** `digest`: the daily email. */
	channel: z.enum(DELIVERY_CHANNELS),
	/** Null: by mail, or stored by a version with one webhook per user. */
	webhook_id: z.string().nullable(),
	state: z.enum(DELIVERY_STATES),
	attempts: z.int(),
	/** Of one that is pending. */
	next_attempt_at: timestamp.nullable(),
	/** What the webhook's receiver answered last. */
	response_status: z.int().nullable(),
	error: z.string(),
	created_at: timestamp,
	finished_at: timestamp.nullable(),
});
export type NotificationDelivery = z.infer<typeof notificationDelivery>;

/** Deliveries of one webhook. */
export const deliveryFilter = z.object({ ...paging, state: z.enum(DELIVERY_STATES).optional() });
export type DeliveryFilter = z.output<typeof deliveryFilter>;

export const deliveryList = deliveryFilter.extend({
	channel: z.enum(DELIVERY_CHANNELS).optional(),
	/** Deliveries to this webhook only. Those to a shared one are listed in no other way. */
	webhook: uuid.optional(),
});
export type DeliveryList = z.output<typeof deliveryList>;

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
