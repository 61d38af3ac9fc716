/**
 * Users' patterns, on an engine without backtracking (RE2). Its time is linear in the text, but
 * also in the size of the compiled program, which nested repetitions multiply: the size is bounded
 * here, and matching belongs on a worker thread with a deadline.
 */
import { RE2JS } from "re2js";

/** Instructions of a compiled pattern. A pattern of a full host name has about 1,400. */
const PROGRAM_MAX = 1_500;
/**
 * Estimated instructions above which a pattern, or the patterns of one document together, are not
 * even compiled: compiling takes its time on the main thread.
 */
const ESTIMATE_MAX = 20_000;

/** A pattern that cannot be used. The message is for its author. */
export class PatternError extends Error {
	override readonly name = "PatternError";
}

const TOO_LARGE = `The pattern is too large: its repetitions expand to more than ${PROGRAM_MAX.toLocaleString("en")} steps. Repeat less, or use * or + instead of a count.`;

/** Escapes, character classes, the start of a group, repetitions, and single characters. */
const TOKEN =
	/\\Q[\s\S]*?(?:\\E|$)|\\[pP]\{[^}]*\}|\\x\{[^}]*\}|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]|\(\?[^:)]{0,100}[:>)]|\{\d{1,6}(?:,\d{0,6})?\}|[\s\S]/g;

/** Counts one for each element, times the repetitions around it. */
function estimateSize(source: string): number {
	const outer: number[] = [];
	let size = 0;
	let last = 0;
	for (const [token] of source.matchAll(TOKEN)) {
		if (token.startsWith("(") && !token.endsWith(")")) {
			outer.push(size);
			size = 0;
			last = 0;
		} else if (token === ")") {
			last = size + 1;
			size = (outer.pop() ?? 0) + last;
		} else if (/^\{\d/.test(token)) {
			const [least = 0, most = 0] = token.slice(1, -1).split(",").map(Number);
			const times = Math.max(1, least, most);
			size += last * (times - 1);
			last *= times;
		} else {
			last = token.startsWith("\\Q") ? token.length : 1;
			size += last;
		}
		if (size > ESTIMATE_MAX) return size;
	}
	return outer.reduce((sum, more) => sum + more, size);
}

/**
 * Compiles a pattern. `flags` are `i`, `m` and `s`, as in other engines.
 * @throws PatternError for a pattern that RE2 does not know, or that is too large
 */
export function compilePattern(source: string, flags = ""): RE2JS {
	if (estimateSize(source) > ESTIMATE_MAX) throw new PatternError(TOO_LARGE);
	const bits =
		(flags.includes("i") ? RE2JS.CASE_INSENSITIVE : 0) |
		(flags.includes("m") ? RE2JS.MULTILINE : 0) |
		(flags.includes("s") ? RE2JS.DOTALL : 0);
	let compiled: RE2JS;
	try {
		compiled = RE2JS.compile(source, bits);
	} catch (error) {
		const reason = error instanceof Error ? error.message.replace("error parsing regexp: ", "") : "unreadable";
		throw new PatternError(`Not a valid regular expression: ${reason}.`);
	}
	if (compiled.programSize() > PROGRAM_MAX) throw new PatternError(TOO_LARGE);
	return compiled;
}

/** Compiles the patterns of one document, which together are bounded too. */
export type CompilePattern = typeof compilePattern;

export function createPatternCompiler(): CompilePattern {
	let total = 0;
	return (source, flags) => {
		total += estimateSize(source);
		if (total > ESTIMATE_MAX) {
			throw new PatternError("This pattern and those before it are too large together. Use fewer or shorter patterns.");
		}
		return compilePattern(source, flags);
	};
}

const PLAIN = /^[\w/:;,@%&=<>~!"'# -]$/;
const ESCAPED_PLAIN = /^\\[^\w]$/;
const ONE_CHARACTER = /^(?:\.|\[[\s\S]+|\\[dDwWsSbB]|[\^$])$/;
const REPETITION = /^(?:[*?]|\{\d.*)$/;

/**
 * Lists texts that every match of a valid pattern without flags has, in their order. Leaves out
 * what it cannot be sure of: the list is empty for a pattern with alternatives, for example.
 */
export function listRequiredLiterals(source: string): string[] {
	const literals: string[] = [];
	let run = "";
	let depth = 0;
	const endRun = (text: string): void => {
		if (text !== "") literals.push(text);
		run = "";
	};
	for (const [token] of source.matchAll(TOKEN)) {
		if (token === "(" || token === "(?:") {
			depth++;
			endRun(run);
		} else if (token.startsWith("(")) return [];
		else if (token === ")") depth--;
		else if (depth > 0) continue;
		else if (PLAIN.test(token)) run += token;
		else if (ESCAPED_PLAIN.test(token)) run += token.slice(1);
		else if (REPETITION.test(token)) endRun(run.slice(0, -1));
		else if (token === "+" || ONE_CHARACTER.test(token)) endRun(run);
		else return [];
	}
	endRun(run);
	return literals;
}
