/** Names for copies: the original's with ` (Copy)`, then ` (Copy 2)`, ` (Copy 3)` …, cut so that they stay within `max`. */
export function* copyNames(name: string, max: number): Generator<string, never> {
	for (let number = 1; ; number++) {
		const suffix = number === 1 ? " (Copy)" : ` (Copy ${number})`;
		yield cut(name, max - suffix.length) + suffix;
	}
}

/** What every copy of a name begins with. */
export const copyBeginning = (name: string, max: number): string => cut(name, max - " (Copy 9999999999)".length);

/** The first `length` UTF-16 units, without half a surrogate pair or a space at the end. */
function cut(text: string, length: number): string {
	if (text.length <= length) return text;
	return text
		.slice(0, length)
		.replace(/[\uD800-\uDBFF]$/, "")
		.trimEnd();
}
