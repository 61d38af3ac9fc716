/** The tables of this area as the query builder sees them. */
import type {
	NotificationCategory,
	NotificationFacts,
	NotificationPreferences,
	Severity,
	WebhookFormat,
} from "@weft/contracts";
import type { ColumnType, Generated } from "kysely";
import type { Json, Time } from "../../core/ports/schema.ts";

declare module "../../core/ports/schema.ts" {
	interface Schema {
		notifications: NotificationsTable;
		notification_inboxes: NotificationInboxesTable;
		notification_frames: NotificationFramesTable;
		notification_preferences: NotificationPreferencesTable;
		webhooks: WebhooksTable;
		webhook_events: WebhookEventsTable;
		notification_deliveries: NotificationDeliveriesTable;
	}
}

export interface NotificationsTable {
	id: string;
	user_id: number;
	category: NotificationCategory;
	severity: Severity;
	title: string;
	body: string;
	link: string;
	/** Null: written by the previous version. */
	facts: ColumnType<NotificationFacts | null, string | null, never>;
	key: string;
	read_at: Time | null;
	created_at: Time;
	deleted_at: Time | null;
}

export interface NotificationInboxesTable {
	user_id: number;
	total: Generated<number>;
	unread: Generated<number>;
	last_frame: Generated<number>;
	digest_due_at: Time | null;
}

export interface NotificationFramesTable {
	user_id: number;
	seq: number;
	type: "notification_created" | "notification_read" | "notification_deleted";
	notification_id: string;
	created_at: Time;
}

export interface NotificationPreferencesTable {
	user_id: number;
	in_app_enabled: boolean;
	email_enabled: boolean;
	categories: Json<NotificationPreferences["categories"]>;
	quiet_hours_start: string | null;
	quiet_hours_end: string | null;
	digest_enabled: boolean;
}

export interface WebhooksTable {
	id: string;
	/** Null: shared. */
	user_id: number | null;
	name: string;
	format: WebhookFormat;
	enabled: boolean;
	/** The address; where that is sealed, its origin. */
	url: string;
	/** The address of a webhook whose format is slack or teams; empty where it is not sealed. */
	url_sealed: Generated<string>;
	secret_sealed: string;
	categories: NotificationCategory[];
	failures: Generated<number>;
	failing_since: Time | null;
	held_until: Time | null;
	last_attempt_at: Time | null;
	last_success_at: Time | null;
	last_error: Generated<string>;
	created_at: Time;
	updated_at: Time;
}

/** The keys of the notifications that a shared webhook was sent. */
export interface WebhookEventsTable {
	webhook_id: string;
	key: string;
	created_at: Time;
}

export interface NotificationDeliveriesTable {
	id: string;
	notification_id: string;
	/** Null: to a shared webhook. */
	user_id: number | null;
	/** Null: by mail, or of the only webhook that the user had in the previous version. */
	webhook_id: ColumnType<string | null, string | null | undefined, never>;
	/** The sender names the webhook, whatever its categories. */
	is_named: Generated<boolean>;
	channel: "email" | "digest" | "webhook";
	/** Of a mail to an address instead of the user, who is the sender. */
	address: ColumnType<string | null, string | null | undefined, never>;
	state: "pending" | "delivered" | "failed" | "cancelled";
	attempts: Generated<number>;
	due_at: Time;
	look_at: Time;
	digest_id: ColumnType<string | null, undefined, string>;
	response_status: ColumnType<number | null, undefined, number | null>;
	error: Generated<string>;
	created_at: Time;
	finished_at: ColumnType<Date | null, undefined, Date>;
}
