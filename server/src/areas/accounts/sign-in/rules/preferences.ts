/** A user's preferences: stored values over the defaults. */
import type { Preferences } from "@weft/contracts";

const DEFAULTS: Preferences = {
	timezone: "UTC",
	date_format: "YYYY-MM-DD",
	time_format: "24h",
	theme: "system",
	class_browser_sections: {},
	default_controller_connection_id: null,
};

export function completePreferences(stored: Readonly<Record<string, unknown>>): Preferences {
	return { ...DEFAULTS, ...stored };
}
