/** Deliveries by mail and webhook: one per receiver and notification. */
import * as z from "zod";
import { paging, timestamp, uuid } from "../../core/common.ts";
import { NOTIFICATION_CATEGORIES } from "../values.ts";
import { DELIVERY_CHANNELS, DELIVERY_STATES } from "./values.ts";

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
