/**
 * Which deliveries a notification has for a user, when they are due, and the backoff after
 * failures.
 */
import type { NotificationCategory, NotificationPreferences } from "@weft/contracts";
import { wantsEmail } from "./preferences.ts";
import { computeNextDigest, endOfQuiet } from "./quiet-hours.ts";

export interface Reachable {
	readonly email: string;
	readonly isActive: boolean;
	readonly timezone: string;
	readonly preferences: NotificationPreferences;
	/** Those that are enabled, with the categories that they are sent. */
	readonly webhooks: readonly { readonly id: string; readonly categories: readonly NotificationCategory[] }[];
}

interface Planned {
	readonly channel: "email" | "digest" | "webhook";
	/** Milliseconds since 1970; `now` for an immediate delivery. */
	readonly dueAt: number;
	/** Of a delivery by webhook. */
	readonly webhookId?: string;
}

/** Channels that the service's configuration allows. */
export interface EnabledChannels {
	readonly mail: boolean;
	readonly webhooks: boolean;
}

export function planFor(
	person: Reachable,
	category: NotificationCategory,
	now: number,
	enabled: EnabledChannels,
): Planned[] {
	const { email, isActive, timezone, preferences, webhooks } = person;
	const planned: Planned[] = [];
	if (!isActive) return planned;
	if (enabled.mail && email !== "" && wantsEmail(preferences, category)) {
		planned.push(
			preferences.digest_enabled
				? { channel: "digest", dueAt: computeNextDigest(preferences, timezone, now) }
				: { channel: "email", dueAt: endOfQuiet(preferences, timezone, now) },
		);
	}
	if (!enabled.webhooks) return planned;
	const wanted = webhooks.filter(({ categories }) => categories.includes(category));
	return [...planned, ...wanted.map(({ id }) => ({ channel: "webhook" as const, dueAt: now, webhookId: id }))];
}

const MINUTE = 60_000;
const BACKOFF = [10_000, 30_000, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, 60 * MINUTE];
const BACKOFF_MAX = 120 * MINUTE;

/** Backoff in milliseconds after a number of consecutive failures. */
export const computeBackoff = (failures: number): number => BACKOFF[failures - 1] ?? BACKOFF_MAX;

/** Attempts of one email before it fails for good: about a day. */
export const EMAIL_TRIES = 16;
