/**
 * Scanning texts of a model: all that hold a piece, those that begin with one in sorted texts, and
 * the nearest ones.
 */
import { computeEditDistance, getTypoLimit } from "./fuzzy.ts";
import type { Texts } from "./model.ts";

/** Numbers of the texts that hold the piece, each once, ascending. */
export function findTextsContaining(texts: Texts, piece: Buffer, most = Number.POSITIVE_INFINITY): number[] {
	const found: number[] = [];
	if (piece.length === 0) return found;
	for (let place = texts.bytes.indexOf(piece); place >= 0 && found.length < most; ) {
		const id = texts.holding(place);
		found.push(id);
		place = texts.bytes.indexOf(piece, texts.at[id + 1] ?? texts.bytes.length);
	}
	return found;
}

/** The texts that begin with this, in texts that are sorted by their bytes: a half-open range. */
export function findPrefixRange(texts: Texts, prefix: Buffer): readonly [from: number, to: number] {
	const from = findFirstNotBelow(texts, prefix, false);
	return [from, findFirstNotBelow(texts, prefix, true, from)];
}

/**
 * @param past the first text behind all that begin with the prefix, else the first that is not
 * before it
 */
function findFirstNotBelow(texts: Texts, prefix: Buffer, past: boolean, from = 0): number {
	let [low, high] = [from, texts.length];
	while (low < high) {
		const middle = (low + high) >>> 1;
		const order = texts.part(middle).subarray(0, prefix.length).compare(prefix);
		if (order < 0 || (past && order === 0)) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** The number of exactly this text in sorted texts; -1 where it is not among them. */
export function findExactText(texts: Texts, wanted: Buffer): number {
	const at = findFirstNotBelow(texts, wanted, false);
	return at < texts.length && texts.part(at).equals(wanted) ? at : -1;
}

/** Texts within the typing errors that the word may have, with their distance. */
export function findSimilarTexts(texts: Texts, word: Buffer): { id: number; far: number }[] {
	const bound = getTypoLimit(word.length);
	const found: { id: number; far: number }[] = [];
	if (bound === 0) return found;
	for (let id = 0; id < texts.length; id++) {
		const length = (texts.at[id + 1] ?? 0) - (texts.at[id] ?? 0) - 1;
		if (Math.abs(length - word.length) > bound) continue;
		const far = computeEditDistance(texts.part(id), word, bound);
		if (far <= bound) found.push({ id, far });
	}
	return found;
}
