/** Users' patterns in post-processors. They run on a worker thread with a deadline. */
import { compilePattern } from "../../../../../core/regex.ts";
import { buildTooLongValueError, computeValueRoom, limitValue } from "./bounds.ts";

export interface Regex {
	/** `$1` and `$<name>` stand for groups. @throws ProcessorError where the text grows too long */
	replace: (text: string, replacement: string) => string;
}

/** @throws PatternError; validation has refused such patterns at save */
export function compileRegex(pattern: string, caseSensitive: boolean): Regex {
	const compiled = compilePattern(pattern, caseSensitive ? "" : "i");

	function countMatches(text: string): number {
		const matcher = compiled.matcher(text);
		let count = 0;
		while (matcher.find()) count += 1;
		return count;
	}

	return {
		replace(text, replacement) {
			const room = computeValueRoom(text);
			const references = replacement.split("$").length - 1;
			/** Each reference inserts parts of the text; a single match all of it at most. */
			const grown = (matches: number, parts: number) =>
				text.length * (1 + references * parts) + matches * replacement.length;
			if (grown(text.length + 1, 1) > room) {
				const around = /\$[`']/.test(replacement);
				const matches = countMatches(text);
				if (grown(matches, around ? matches : 1) > room) throw buildTooLongValueError();
			}
			return limitValue(compiled.matcher(text).replaceAll(replacement), room);
		},
	};
}
