/**
 * Patterns of dns in expectations: `*` matches any characters except a `/` outside of brackets,
 * `**` matches any characters. Case counts.
 */
import type { Expectation } from "@weft/contracts";
import type { RE2JS } from "re2js";
import type { CompilePattern } from "../../../core/regex.ts";

/** One dn, or a compiled pattern. */
export interface DnPattern {
	/** The characters with which every matching dn begins; the whole dn of an exact pattern. */
	readonly beginning: string;
	readonly isExact: boolean;
	/** Number of characters of the pattern's source. */
	readonly length: number;
	/** Literal texts and wildcards after the beginning; null for a regular expression. */
	readonly pieces: readonly Piece[] | null;
	/** The characters with which every matching dn ends. */
	readonly ending: string;
	readonly regex: RE2JS | null;
}

type Piece = { readonly literal: string } | { readonly wildcard: "rn" | "any" };

/** @throws PatternError for a regular expression that RE2 does not know, or that is too large */
export function compileDnPattern(dn: Expectation["dn"], compile: CompilePattern): DnPattern {
	if (typeof dn !== "string") {
		const regex = compile(dn.regex);
		const beginning = findRegexBeginning(dn.regex);
		return { beginning, isExact: false, length: dn.regex.length, pieces: null, ending: "", regex };
	}
	const [beginning = "", ...rest] = dn.split(/(\*+)/);
	const pieces = rest
		.filter((text) => text !== "")
		.map((text): Piece => (/^\*+$/.test(text) ? { wildcard: text === "*" ? "rn" : "any" } : { literal: text }));
	const last = pieces.at(-1);
	const ending = last !== undefined && "literal" in last ? last.literal : "";
	return { beginning, isExact: pieces.length === 0, length: dn.length, pieces, ending, regex: null };
}

/** Finds the literal start of an expression; empty if the expression has alternatives. */
function findRegexBeginning(source: string): string {
	if (/\||\(\?/.test(source)) return "";
	const [, letters = "", next = ""] = /^\^?([\w/-]*)(.?)/.exec(source) ?? [];
	return "*?{".includes(next) && next !== "" ? letters.slice(0, -1) : letters;
}

/** Whether a pattern matches a whole dn. The time is linear in the dn's length for each piece. */
export function matchesDn({ beginning, isExact, pieces, ending, regex }: DnPattern, dn: string): boolean {
	if (isExact) return dn === beginning;
	if (!dn.startsWith(beginning) || !dn.endsWith(ending)) return false;
	if (pieces === null) return regex?.matches(dn) === true;
	if (!hasInOrder(pieces, dn, beginning.length)) return false;
	return matchesPieces(pieces, dn.slice(beginning.length), listSeparators(dn).subarray(beginning.length));
}

/** Whether a dn has all literal texts of a pattern, in order. Most other dns lack one of them. */
function hasInOrder(pieces: readonly Piece[], dn: string, start: number): boolean {
	let from = start;
	for (const piece of pieces) {
		if (!("literal" in piece)) continue;
		const at = dn.indexOf(piece.literal, from);
		if (at < 0) return false;
		from = at + piece.literal.length;
	}
	return true;
}

/**
 * Matches without backtracking: after each piece, `reached` marks the places of the text where the
 * pieces up to it can end.
 */
function matchesPieces(pieces: readonly Piece[], text: string, separators: Uint8Array): boolean {
	let reached = new Uint8Array(text.length + 1);
	reached[0] = 1;
	for (const piece of pieces) {
		const next = new Uint8Array(text.length + 1);
		if ("literal" in piece) {
			const { literal } = piece;
			for (let at = 0; at + literal.length <= text.length; at++)
				if (reached[at] === 1 && text.startsWith(literal, at)) next[at + literal.length] = 1;
		} else {
			let isOpen = false;
			for (let at = 0; at <= text.length; at++) {
				if (reached[at] === 1) isOpen = true;
				if (isOpen) next[at] = 1;
				if (piece.wildcard === "rn" && separators[at] === 1) isOpen = false;
			}
		}
		reached = next;
	}
	return reached[text.length] === 1;
}

/** Returns 1 for each place of a dn with a slash outside of brackets, else 0. */
function listSeparators(dn: string): Uint8Array {
	const found = new Uint8Array(dn.length);
	let depth = 0;
	for (let at = 0; at < dn.length; at++) {
		const sign = dn[at];
		if (sign === "[") depth++;
		else if (sign === "]") depth = Math.max(0, depth - 1);
		else if (sign === "/" && depth === 0) found[at] = 1;
	}
	return found;
}
