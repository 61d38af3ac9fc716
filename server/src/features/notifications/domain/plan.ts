/**
 * Which deliveries a notification has for a user, when they are due, and the backoff after
 * failures.
 */
import type { NotificationCategory, NotificationPreferences } from "@weft/contracts";
import { wantsEmail } from "./preferences.ts";
import { endOfQuiet, nextDigest } from "./quiet-hours.ts";

export interface Reachable {
	readonly email: string;
	readonly isActive: boolean;
	readonly timezone: string;
	readonly preferences: NotificationPreferences;
	/** Categories that their webhook is sent. */
	readonly webhookCategories: readonly NotificationCategory[];
}

export interface Planned {
	readonly channel: "email" | "digest" | "webhook";
	/** Milliseconds since 1970; `now` for an immediate delivery. */
	readonly dueAt: number;
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
	const { email, isActive, timezone, preferences, webhookCategories } = person;
	const planned: Planned[] = [];
	if (!isActive) return planned;
	if (enabled.mail && email !== "" && wantsEmail(preferences, category)) {
		planned.push(
			preferences.digest_enabled
				? { channel: "digest", dueAt: nextDigest(preferences, timezone, now) }
				: { channel: "email", dueAt: endOfQuiet(preferences, timezone, now) },
		);
	}
	if (enabled.webhooks && webhookCategories.includes(category)) planned.push({ channel: "webhook", dueAt: now });
	return planned;
}

const MINUTE = 60_000;
const BACKOFF = [10_000, 30_000, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, 60 * MINUTE];
const BACKOFF_MAX = 120 * MINUTE;

/** Backoff in milliseconds after a number of consecutive failures. */
export const backoffAfter = (failures: number): number => BACKOFF[failures - 1] ?? BACKOFF_MAX;

/** Attempts of one email before it fails for good: about a day. */
export const EMAIL_TRIES = 16;
