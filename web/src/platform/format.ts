/** Numbers, sizes, durations and names as people read them. */
const integer = new Intl.NumberFormat("en");

export const formatCount = (value: number): string => integer.format(value);

/** "1 row", "12,345 rows". */
export const formatPlural = (value: number, one: string, many = `${one}s`): string =>
	`${integer.format(value)} ${value === 1 ? one : many}`;

/** Milliseconds as "84 ms", "2.1 s", "3 min 5 s", "2 h 10 min". */
export function formatDuration(ms: number): string {
	if (ms < 999.5) return `${Math.round(ms)} ms`;
	const seconds = ms / 1000;
	if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
	const whole = Math.round(seconds);
	if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
	return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

export function formatBytes(value: number): string {
	if (value < 1024) return `${value} B`;
	const units = ["KB", "MB", "GB", "TB"];
	let size = value / 1024;
	let unit = 0;
	while (Math.round(size) >= 1024 && unit < units.length - 1) {
		size /= 1024;
		unit++;
	}
	return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}

/** A person's name, or their username. */
export const formatPerson = (user: { username: string; first_name?: string; last_name?: string }): string =>
	`${user.first_name ?? ""} ${user.last_name ?? ""}`.trim() || user.username;

export const getInitials = (name: string): string =>
	name
		.split(/[\s._-]+/)
		.filter((part) => part !== "")
		.slice(0, 2)
		.map((part) => part[0]?.toUpperCase() ?? "")
		.join("");
