/** Webhooks by id: several per user, and shared ones of administrators. */
import * as z from "zod";
import { defineTrimmedText, timestamp } from "../../core/common.ts";
import { notification, notificationFacts } from "../shapes.ts";
import { NOTIFICATION_CATEGORIES } from "../values.ts";
import { notificationWebhook, webhookFields } from "../webhook/shapes.ts";
import { WEBHOOK_FORMATS } from "./values.ts";

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
