/** Names of time zones in calendars: those of IANA, with a vendor's prefix, and of Windows. */

/** Common zones of Windows (CLDR, windowsZones.xml, territory 001). */
const WINDOWS: Readonly<Record<string, string>> = {
	"Dateline Standard Time": "Etc/GMT+12",
	"Hawaiian Standard Time": "Pacific/Honolulu",
	"Alaskan Standard Time": "America/Anchorage",
	"Pacific Standard Time": "America/Los_Angeles",
	"US Mountain Standard Time": "America/Phoenix",
	"Mountain Standard Time": "America/Denver",
	"Central America Standard Time": "America/Guatemala",
	"Central Standard Time": "America/Chicago",
	"Central Standard Time (Mexico)": "America/Mexico_City",
	"Canada Central Standard Time": "America/Regina",
	"SA Pacific Standard Time": "America/Bogota",
	"Eastern Standard Time": "America/New_York",
	"US Eastern Standard Time": "America/Indiana/Indianapolis",
	"Atlantic Standard Time": "America/Halifax",
	"SA Western Standard Time": "America/La_Paz",
	"Newfoundland Standard Time": "America/St_Johns",
	"E. South America Standard Time": "America/Sao_Paulo",
	"Argentina Standard Time": "America/Buenos_Aires",
	"SA Eastern Standard Time": "America/Cayenne",
	"Azores Standard Time": "Atlantic/Azores",
	UTC: "UTC",
	"GMT Standard Time": "Europe/London",
	"Greenwich Standard Time": "Atlantic/Reykjavik",
	"W. Europe Standard Time": "Europe/Berlin",
	"Central Europe Standard Time": "Europe/Budapest",
	"Romance Standard Time": "Europe/Paris",
	"Central European Standard Time": "Europe/Warsaw",
	"W. Central Africa Standard Time": "Africa/Lagos",
	"GTB Standard Time": "Europe/Bucharest",
	"FLE Standard Time": "Europe/Kiev",
	"E. Europe Standard Time": "Europe/Chisinau",
	"Egypt Standard Time": "Africa/Cairo",
	"South Africa Standard Time": "Africa/Johannesburg",
	"Israel Standard Time": "Asia/Jerusalem",
	"Turkey Standard Time": "Europe/Istanbul",
	"Russian Standard Time": "Europe/Moscow",
	"Arab Standard Time": "Asia/Riyadh",
	"Arabic Standard Time": "Asia/Baghdad",
	"E. Africa Standard Time": "Africa/Nairobi",
	"Iran Standard Time": "Asia/Tehran",
	"Arabian Standard Time": "Asia/Dubai",
	"Pakistan Standard Time": "Asia/Karachi",
	"India Standard Time": "Asia/Kolkata",
	"Nepal Standard Time": "Asia/Kathmandu",
	"Bangladesh Standard Time": "Asia/Dhaka",
	"SE Asia Standard Time": "Asia/Bangkok",
	"China Standard Time": "Asia/Shanghai",
	"Singapore Standard Time": "Asia/Singapore",
	"Taipei Standard Time": "Asia/Taipei",
	"W. Australia Standard Time": "Australia/Perth",
	"Tokyo Standard Time": "Asia/Tokyo",
	"Korea Standard Time": "Asia/Seoul",
	"Cen. Australia Standard Time": "Australia/Adelaide",
	"AUS Central Standard Time": "Australia/Darwin",
	"E. Australia Standard Time": "Australia/Brisbane",
	"AUS Eastern Standard Time": "Australia/Sydney",
	"New Zealand Standard Time": "Pacific/Auckland",
};

function isKnownZone(name: string): boolean {
	try {
		new Intl.DateTimeFormat("en", { timeZone: name });
		return true;
	} catch {
		return false;
	}
}

/** Returns the IANA name of a zone; null if it is not known. */
export function resolveZone(name: string): string | null {
	const plain = name.trim().replace(/^"|"$/g, "");
	const windows = WINDOWS[plain];
	if (windows !== undefined) return windows;
	// A vendor's prefix is left out, as in /mozilla.org/20050126_1/Europe/Berlin.
	const parts = plain.split("/").filter((part) => part !== "");
	for (let from = 0; from < parts.length; from++) {
		const candidate = parts.slice(from).join("/");
		if (/^[A-Za-z0-9_+/-]{1,64}$/.test(candidate) && isKnownZone(candidate)) return candidate;
	}
	return null;
}
