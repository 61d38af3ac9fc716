/** When a change window stands in a calendar. Pure. */
import type { WindowState } from "./values.ts";

/** Without an end of its own, settling begins a day after the window opened. */
const DEFAULT_MS = 86_400_000;
/** A window that ended before its planned start is shown with this length. */
const LEAST_MS = 15 * 60_000;
const NOT_SHOWN: ReadonlySet<WindowState> = new Set(["draft", "cancelled", "expired"]);

interface WindowTimes {
	readonly state: WindowState;
	readonly starts_at: string | null;
	readonly ends_at: string | null;
	readonly opened_at: string | null;
	readonly finished_at: string | null;
}

/**
 * The planned times of a window, else those at which it opened and its work ended. Null for a
 * window that has neither, is a draft, or did not take place.
 */
export function findWindowSpan(window: WindowTimes): { readonly starts_at: string; readonly ends_at: string } | null {
	const start = window.starts_at ?? window.opened_at;
	if (start === null || NOT_SHOWN.has(window.state)) return null;
	const from = Date.parse(start);
	const end = window.ends_at ?? window.finished_at;
	const to = end === null ? from + DEFAULT_MS : Math.max(Date.parse(end), from + LEAST_MS);
	return { starts_at: new Date(from).toISOString(), ends_at: new Date(to).toISOString() };
}
