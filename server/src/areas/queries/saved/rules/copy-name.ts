import { dropHalfPair } from "../../../../core/text.ts";

/**
 * Names for copies: the original's with ` (Copy)`, then ` (Copy 2)`, ` (Copy 3)` …, cut to `max`
 * UTF-16 units. Leaves out the names in `taken`.
 */
export function* copyNames(
	name: string,
	max: number,
	taken: ReadonlySet<string> = new Set(),
): Generator<string, never> {
	for (let number = 1; ; number++) {
		const suffix = number === 1 ? " (Copy)" : ` (Copy ${number})`;
		const copy = truncateText(name, max - suffix.length) + suffix;
		if (!taken.has(copy)) yield copy;
	}
}

/** The start of all names for copies of a name. */
export const copyPrefix = (name: string, max: number): string => truncateText(name, max - " (Copy 9999999999)".length);

/** The first `length` UTF-16 units, without half a surrogate pair or a space at the end. */
function truncateText(text: string, length: number): string {
	if (text.length <= length) return text;
	return dropHalfPair(text.slice(0, length)).trimEnd();
}
