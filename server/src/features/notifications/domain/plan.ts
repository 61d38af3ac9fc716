/** On which ways besides the list somebody is told, and when; and how long a way that fails is left alone. */
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
	/** Milliseconds since 1970; `now` where nothing is to be waited for. */
	readonly dueAt: number;
}

/** What the service can do at all. */
export interface Ways {
	readonly mail: boolean;
	readonly webhooks: boolean;
}

export function planFor(person: Reachable, category: NotificationCategory, now: number, ways: Ways): Planned[] {
	const { email, isActive, timezone, preferences, webhookCategories } = person;
	const planned: Planned[] = [];
	if (!isActive) return planned;
	if (ways.mail && email !== "" && wantsEmail(preferences, category)) {
		planned.push(
			preferences.digest_enabled
				? { channel: "digest", dueAt: nextDigest(preferences, timezone, now) }
				: { channel: "email", dueAt: endOfQuiet(preferences, timezone, now) },
		);
	}
	if (ways.webhooks && webhookCategories.includes(category)) planned.push({ channel: "webhook", dueAt: now });
	return planned;
}

const MINUTE = 60_000;
const PAUSES = [10_000, 30_000, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, 60 * MINUTE];
const LONGEST = 120 * MINUTE;

/** Milliseconds to wait after so many failures in a row. */
export const pauseAfter = (failures: number): number => PAUSES[failures - 1] ?? LONGEST;

/** Tries of one email before it is given up: about a day. */
export const EMAIL_TRIES = 16;
