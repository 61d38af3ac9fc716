/**
 * Patterns of dns in expectations: `*` matches any characters except a `/` outside of brackets,
 * `**` matches any characters. Case counts.
 */
import type { Expectation } from "@weft/contracts";
import type { RE2JS } from "re2js";
import { type CompilePattern, listRequiredLiterals } from "../../../core/regex.ts";

/** One dn, or a compiled pattern. */
export interface DnPattern {
	readonly isExact: boolean;
	/** Number of characters of the pattern's source. */
	readonly length: number;
	/** Literal texts and wildcards in their order; null for a regular expression. */
	readonly pieces: readonly Piece[] | null;
	/** Texts that every matching dn has, in this order; the whole dn of an exact pattern. */
	readonly literals: readonly string[];
	readonly regex: RE2JS | null;
}

type Piece = { readonly literal: string } | { readonly wildcard: "rn" | "any" };

/** @throws PatternError for a regular expression that RE2 does not know, or that is too large */
export function compileDnPattern(dn: Expectation["dn"], compile: CompilePattern): DnPattern {
	if (typeof dn !== "string") {
		const regex = compile(dn.regex);
		const literals = listRequiredLiterals(dn.regex);
		return { isExact: false, length: dn.regex.length, pieces: null, literals, regex };
	}
	const pieces = dn
		.split(/(\*+)/)
		.filter((text) => text !== "")
		.map((text): Piece => (/^\*+$/.test(text) ? { wildcard: text === "*" ? "rn" : "any" } : { literal: text }));
	const literals = pieces.flatMap((piece) => ("literal" in piece ? [piece.literal] : []));
	return { isExact: !dn.includes("*"), length: dn.length, pieces, literals, regex: null };
}

/** A dn with its separators, which are searched once for all patterns. */
export interface DnText {
	readonly text: string;
	/** For each place, the first slash outside of brackets from there on, or the length of the dn. */
	separators: Uint32Array | null;
}

export const createDnText = (text: string): DnText => ({ text, separators: null });

/** Whether a pattern matches a whole dn. */
export function matchesDn({ isExact, pieces, literals, regex }: DnPattern, dn: DnText): boolean {
	const { text } = dn;
	if (isExact) return text === (literals[0] ?? "");
	if (!hasInOrder(literals, text)) return false;
	return pieces === null ? regex?.matches(text) === true : matchesPieces(pieces, dn);
}

/** Whether a text has all literals, in order. Most dns that do not match lack one of them. */
function hasInOrder(literals: readonly string[], text: string): boolean {
	let from = 0;
	for (const literal of literals) {
		const at = text.indexOf(literal, from);
		if (at < 0) return false;
		from = at + literal.length;
	}
	return true;
}

/** First and last place of a range. */
type Range = readonly [first: number, last: number];

/**
 * Matches without backtracking: after each piece, `reached` has the places of the text where the
 * pieces up to it can end, as ranges in ascending order. Takes linear time for each piece.
 */
function matchesPieces(pieces: readonly Piece[], dn: DnText): boolean {
	const { text } = dn;
	let reached: readonly Range[] = [[0, 0]];
	for (const piece of pieces) {
		const [first] = reached;
		if (first === undefined) return false;
		if ("literal" in piece) reached = passLiteral(reached, piece.literal, text);
		else if (piece.wildcard === "any") reached = [[first[0], text.length]];
		else reached = extendRanges(reached, findSeparators(dn));
	}
	return reached.at(-1)?.[1] === text.length;
}

/** Returns the places after a literal that begins within the ranges. */
function passLiteral(ranges: readonly Range[], literal: string, text: string): Range[] {
	const passed: Range[] = [];
	let at = -1;
	for (const [first, last] of ranges) {
		if (at < first) at = text.indexOf(literal, first);
		if (at < 0) break;
		for (; at >= 0 && at <= last; at = text.indexOf(literal, at + 1))
			passed.push([at + literal.length, at + literal.length]);
	}
	return passed;
}

/** Extends each range up to the next separator, and joins those that touch. */
function extendRanges(ranges: readonly Range[], separators: Uint32Array): Range[] {
	const extended: Range[] = [];
	for (const [first, last] of ranges) {
		const end = separators[last] ?? last;
		const previous = extended.at(-1);
		if (previous !== undefined && first <= previous[1] + 1)
			extended[extended.length - 1] = [previous[0], Math.max(previous[1], end)];
		else extended.push([first, end]);
	}
	return extended;
}

function findSeparators(dn: DnText): Uint32Array {
	if (dn.separators !== null) return dn.separators;
	const { text } = dn;
	const separators = new Uint32Array(text.length + 1).fill(text.length);
	let depth = 0;
	let from = 0;
	for (let at = 0; at < text.length; at++) {
		const sign = text[at];
		if (sign === "[") depth++;
		else if (sign === "]") depth = Math.max(0, depth - 1);
		else if (sign === "/" && depth === 0) {
			separators.fill(at, from, at + 1);
			from = at + 1;
		}
	}
	dn.separators = separators;
	return separators;
}
