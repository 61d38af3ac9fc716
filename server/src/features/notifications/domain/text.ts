/** Words of a notification within what is kept and shown of them. */
import { BODY_MAX, TITLE_MAX } from "@weft/contracts";

/** At most `max` UTF-16 units; what was cut shows it, and no surrogate pair is cut in two. NUL, which the store cannot hold, is left out. */
export function clip(text: string, max: number): string {
	const clean = text.replaceAll("\0", "").toWellFormed();
	return clean.length <= max ? clean : `${clean.slice(0, max - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

export const clipTitle = (title: string): string => clip(title.replace(/\s+/g, " ").trim(), TITLE_MAX);
export const clipBody = (body: string): string => clip(body, BODY_MAX);
