/** Notifications and frames as the wire shows them. */
import type { Notification, NotificationDelivery, Webhook } from "@weft/contracts";
import type { SourceFrame } from "../../core/ws/hub.ts";
import { getHost, isAddressSecret } from "./rules/webhook-address.ts";
import type { ShownDelivery } from "./sql/deliveries.ts";
import type { FrameRow } from "./sql/frames.ts";
import type { NotificationRow } from "./sql/notifications.ts";
import type { WebhookRow } from "./sql/webhooks.ts";

export function presentNotification(row: NotificationRow): Notification {
	return {
		id: row.id,
		category: row.category,
		severity: row.severity,
		title: row.title,
		body: row.body,
		link: row.link,
		read_at: row.read_at?.toISOString() ?? null,
		created_at: row.created_at.toISOString(),
	};
}

export function presentFrame({ type, created_at, notification_id: id, ...row }: FrameRow): SourceFrame {
	const { category, severity, title, body, link } = row;
	const data = type === "notification_created" ? { id, category, severity, title, body, link } : { id };
	return { type, timestamp: created_at, data };
}

export function presentWebhook(row: WebhookRow, available: boolean): Webhook {
	return {
		id: row.id,
		name: row.name,
		format: row.format,
		is_shared: row.user_id === null,
		available,
		enabled: row.enabled,
		url: isAddressSecret(row) ? "" : row.url,
		...(isAddressSecret(row) ? { url_host: getHost(row) } : {}),
		has_secret: row.secret_sealed !== "",
		categories: row.categories,
		last_attempt_at: row.last_attempt_at?.toISOString() ?? null,
		last_success_at: row.last_success_at?.toISOString() ?? null,
		last_error: row.last_error,
		failing_since: row.failing_since?.toISOString() ?? null,
		held_until: row.held_until?.toISOString() ?? null,
		created_at: row.created_at.toISOString(),
		updated_at: row.updated_at.toISOString(),
	};
}

export function presentDelivery(row: ShownDelivery): NotificationDelivery {
	return {
		id: row.id,
		notification_id: row.notification_id,
		category: row.category,
		title: row.title,
		channel: row.channel,
		webhook_id: row.webhook_id,
		state: row.state,
		attempts: row.attempts,
		next_attempt_at: row.state === "pending" ? row.due_at.toISOString() : null,
		response_status: row.response_status,
		error: row.error,
		created_at: row.created_at.toISOString(),
		finished_at: row.finished_at?.toISOString() ?? null,
	};
}
