/** Webhooks by id: several per user, and shared ones of administrators. */
import * as z from "zod";
import { envelope, paging, timestamp, trimmed, uuidParams } from "./common.ts";
import { notificationWebhook, webhookFields, webhookTestAnswers } from "./notification-webhook.ts";
import { NOTIFICATION_CATEGORIES } from "./notifications.ts";
import { raw, route } from "./route.ts";

/** `json` is Weft's own; the others are those of incoming webhooks of Slack and Microsoft Teams. */
export const WEBHOOK_FORMATS = ["json", "slack", "teams"] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];
/** Webhooks of one user, and shared ones. */
export const WEBHOOKS_MAX = 20;

export const webhook = notificationWebhook.extend({
	id: z.string(),
	name: z.string(),
	format: z.enum(WEBHOOK_FORMATS),
	/** It belongs to the administrators, and gets each event once for all users. */
	is_shared: z.boolean(),
	created_at: timestamp,
	updated_at: timestamp,
});
export type Webhook = z.infer<typeof webhook>;

const name = trimmed(150);
const format = z.enum(WEBHOOK_FORMATS, { error: `Must be one of: ${WEBHOOK_FORMATS.join(", ")}.` });

const input = z.object({
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
export type WebhookInput = z.output<typeof input>;

const patch = z.object({ ...webhookFields, name, format, is_shared: z.boolean() }).partial();
export type WebhookPatch = z.output<typeof patch>;

const path = "/api/notifications/webhooks/";
const one = `${path}:id/` as const;
const common = { auth: "bearer", throttle: "user" } as const;
const read = { permission: "view_notificationpreference", audit: { none: "read" } } as const;
const change = <const Action extends string>(action: Action) =>
	({
		permission: "change_notificationpreference",
		audit: { category: "notification_management", action },
	}) as const;

export const webhookRoutes = {
	list: route({
		...common,
		...read,
		id: "notification_webhooks.list",
		method: "GET",
		path,
		summary: "The caller's webhooks, oldest first, then for administrators the shared ones",
		query: z.object(paging),
		answers: { 200: envelope(webhook) },
	}),
	create: route({
		...common,
		...change("webhook_create"),
		id: "notification_webhooks.create",
		method: "POST",
		path,
		summary: `Add a webhook: at most ${WEBHOOKS_MAX} per user, and as many shared ones, which only administrators may add`,
		body: input,
		answers: { 201: webhook },
	}),
	detail: route({
		...common,
		...read,
		id: "notification_webhooks.detail",
		method: "GET",
		path: one,
		summary: "One webhook, and how its last attempts went",
		params: uuidParams,
		answers: { 200: webhook },
	}),
	replace: route({
		...common,
		...change("webhook_update"),
		id: "notification_webhooks.replace",
		method: "PUT",
		path: one,
		summary: "Replace a webhook's settings; the secret stays if it is left out",
		params: uuidParams,
		body: input,
		answers: { 200: webhook },
	}),
	update: route({
		...common,
		...change("webhook_update"),
		id: "notification_webhooks.update",
		method: "PATCH",
		path: one,
		summary:
			"Change a webhook; what is left out stays. Another host, port or scheme needs the secret again if there is one",
		params: uuidParams,
		body: patch,
		answers: { 200: webhook },
	}),
	remove: route({
		...common,
		...change("webhook_delete"),
		id: "notification_webhooks.delete",
		method: "DELETE",
		path: one,
		summary: "Remove a webhook with its secret; what was still to be sent is not",
		params: uuidParams,
		answers: { 204: raw("", "The webhook is removed") },
	}),
	test: route({
		...common,
		...change("webhook_test"),
		id: "notification_webhooks.test",
		method: "POST",
		path: `${one}test/`,
		summary: "Send a test in the webhook's format now, whether or not it is enabled",
		throttle: "sensitive",
		params: uuidParams,
		answers: webhookTestAnswers,
	}),
} as const;
