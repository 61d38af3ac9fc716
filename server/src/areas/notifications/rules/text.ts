/** Limits the texts of a notification. */
import { BODY_MAX, TITLE_MAX } from "@weft/contracts";

/**
 * Truncates to `max` UTF-16 units with an ellipsis, never within a surrogate pair. Removes NUL,
 * which the store cannot hold.
 */
export function clipText(text: string, max: number): string {
	const clean = text.replaceAll("\0", "").toWellFormed();
	return clean.length <= max ? clean : `${clean.slice(0, max - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

export const clipTitle = (title: string): string => clipText(title.replace(/\s+/g, " ").trim(), TITLE_MAX);
export const clipBody = (body: string): string => clipText(body, BODY_MAX);
