/** Notification preferences: defaults, changes, and their meaning for one notification. */
import {
	NOTIFICATION_CATEGORIES,
	type NotificationCategory,
	type NotificationPreferences,
	type NotificationPreferencesPatch,
} from "@weft/contracts";

/** Everything in the list, and one switch that turns on mail. */
export const DEFAULT_PREFERENCES: NotificationPreferences = {
	in_app_enabled: true,
	email_enabled: false,
	categories: {
		scheduled_task: { in_app: true, email: true },
		automation_execution: { in_app: true, email: true },
		time_machine: { in_app: true, email: true },
		system: { in_app: true, email: true },
	},
	quiet_hours_start: null,
	quiet_hours_end: null,
	digest_enabled: false,
};

/** The preferences after a change; what it leaves out stays. */
export function mergePreferences(
	before: NotificationPreferences,
	patch: NotificationPreferencesPatch,
): NotificationPreferences {
	const { categories = {}, ...rest } = patch;
	const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
	const merged = NOTIFICATION_CATEGORIES.map((name) => {
		const ways = { ...before.categories[name] };
		if (categories[name]?.in_app !== undefined) ways.in_app = categories[name].in_app;
		if (categories[name]?.email !== undefined) ways.email = categories[name].email;
		return [name, ways] as const;
	});
	return {
		...before,
		...given,
		categories: Object.fromEntries(merged) as NotificationPreferences["categories"],
	};
}

/** Errors of the quiet hours by field; null if there are none. */
export function findQuietHoursErrors(preferences: NotificationPreferences): Record<string, string[]> | null {
	const { quiet_hours_start: start, quiet_hours_end: end } = preferences;
	if (start === null && end !== null) {
		return { quiet_hours_start: ["Is needed with quiet_hours_end; set both, or both to null."] };
	}
	if (end === null && start !== null) {
		return { quiet_hours_end: ["Is needed with quiet_hours_start; set both, or both to null."] };
	}
	if (start !== null && start === end) return { quiet_hours_end: ["Must differ from quiet_hours_start."] };
	return null;
}

export const wantsInApp = (preferences: NotificationPreferences, category: NotificationCategory): boolean =>
	preferences.in_app_enabled && preferences.categories[category].in_app;

export const wantsEmail = (preferences: NotificationPreferences, category: NotificationCategory): boolean =>
	preferences.email_enabled && preferences.categories[category].email;
