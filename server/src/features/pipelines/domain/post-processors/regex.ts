/** User patterns, on a linear-time engine: no pattern that a person can write makes a run hang. */
import { RE2JS } from "re2js";

export interface Regex {
	test: (text: string) => boolean;
	/** `$1` and `$<name>` stand for groups. */
	replace: (text: string, replacement: string) => string;
}

/** Throws on a pattern that does not compile; validation has refused those at save. */
export function compileRegex(pattern: string, caseSensitive: boolean): Regex {
	const compiled = RE2JS.compile(pattern, caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE);
	return {
		test: (text) => compiled.matcher(text).find(),
		replace: (text, replacement) => compiled.matcher(text).replaceAll(replacement),
	};
}
