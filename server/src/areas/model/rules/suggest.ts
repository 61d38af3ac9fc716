/**
 * Suggests classes for a question in free words: finds the words in labels, names and descriptions,
 * weighted by their rarity.
 */
import { flag } from "./flags.ts";
import type { Model, Texts } from "./model.ts";
import { findExactText, findPrefixRange, findSimilarTexts } from "./scan.ts";
import { FIELD, getPosting } from "./search-sections.ts";
import { singularizeWord, splitWords } from "./terms.ts";
import { createTopList } from "./top.ts";

export interface Suggestion {
	readonly id: number;
	/** 0 to 1. */
	readonly score: number;
	readonly reason: string;
}

const WEIGHT: readonly number[] = [0, 1, 2.2, 3];
const WHERE: readonly string[] = ["", "description", "name", "label"];
/** What the field calls a class says more than any word. */
const ALIAS_WEIGHT = 5;
/** Of a word that many begin with, and of one that is spelt wrongly. */
const PREFIX_PART = 0.5;
const TYPO_PART = 0.35;
const PREFIXES = 20;
const LONGEST_PHRASE = 3;

export function createSuggester(model: Model) {
	const words = model.texts("find.word");
	const postings = model.list("find.posting");
	const aliases = model.texts("find.alias");
	const aliased = model.list("find.aliased");

	const rarity = (word: number): number => Math.log(1 + model.count / (1 + postings(word).length));

	/** Words of the model that may be meant, and how surely. */
	function matchWords(word: string): { id: number; part: number }[] {
		const piece = Buffer.from(word);
		const exact = findExactText(words, piece);
		if (exact >= 0) return [{ id: exact, part: 1 }];
		const [from, to] = word.length >= 3 ? findPrefixRange(words, piece) : [0, 0];
		if (to > from) {
			return Array.from({ length: Math.min(PREFIXES, to - from) }, (_, i) => ({ id: from + i, part: PREFIX_PART }));
		}
		return findSimilarTexts(words, piece)
			.sort((a, b) => a.far - b.far)
			.slice(0, 3)
			.map(({ id, far }) => ({ id, part: TYPO_PART / far }));
	}

	function suggestClasses(text: string, limit: number): Suggestion[] {
		const scores = new Map<number, number>();
		const reasons = new Map<number, { weight: number; reason: string }>();
		const add = (id: number, weight: number, reason: string) => {
			scores.set(id, (scores.get(id) ?? 0) + weight);
			if ((reasons.get(id)?.weight ?? 0) < weight) reasons.set(id, { weight, reason });
		};
		for (const phrase of collectPhrases(text)) {
			const alias = findExactText(aliases, Buffer.from(phrase));
			if (alias < 0) continue;
			const ids = aliased(alias);
			for (const id of ids) {
				const share =
					ALIAS_WEIGHT * Math.log(1 + model.count / ids.length) * (model.is(id, flag.configurable) ? 1 : 0.7);
				add(id, share, `“${phrase}” is another name of it`);
			}
		}
		for (const word of new Set(splitWords(text))) {
			for (const { id: found, part } of matchWords(word)) {
				const rare = rarity(found);
				for (const posting of postings(found)) {
					const [id, field] = getPosting(posting);
					add(id, rare * (WEIGHT[field] ?? 0) * part, `“${words.text(found)}” is in its ${WHERE[field]}`);
				}
			}
		}
		const top = createTopList<{ id: number; score: number }>(limit);
		for (const [id, sum] of scores) {
			const score = sum * weighClass(model, id);
			if (top.takes(score)) top.put({ id, score });
		}
		const most = top.all()[0]?.score ?? 1;
		return top.all().map(({ id, score }) => ({ id, score: score / most, reason: reasons.get(id)?.reason ?? "" }));
	}

	/**
	 * Classes that have every one of these words: in the label, anywhere, or spelt wrongly (3, 2, 1).
	 */
	function withAll(all: readonly string[]): Map<number, number> {
		let kept: Map<number, number> | null = null;
		for (const word of all) {
			const found = new Map<number, number>();
			for (const { id: known, part } of matchWords(word)) {
				for (const posting of postings(known)) {
					const [id, field] = getPosting(posting);
					const before = kept === null ? 3 : (kept.get(id) ?? 0);
					const quality = part < PREFIX_PART ? 1 : field === FIELD.label ? 3 : 2;
					const both = Math.min(before, quality);
					if (both > (found.get(id) ?? 0)) found.set(id, both);
				}
			}
			kept = found;
		}
		return kept ?? new Map();
	}

	return {
		suggest: suggestClasses,
		withAll,
		words: words as Texts,
		/** Classes with this word in their label. */
		labelledWith(word: number): number[] {
			return Array.from(postings(word))
				.map(getPosting)
				.filter(([, field]) => field === FIELD.label)
				.map(([id]) => id);
		},
	};
}

/**
 * People ask for objects that they know: configured ones, not relations, not what only groups
 * others.
 */
function weighClass(model: Model, id: number): number {
	return (
		(model.is(id, flag.configurable) ? 1.3 : 1) *
		(model.is(id, flag.abstract) ? 0.5 : 1) *
		(model.is(id, flag.relation) ? 0.6 : 1) *
		(model.is(id, flag.hidden) ? 0.5 : 1)
	);
}

/** All runs of up to three words, as they stand and in the singular. */
function collectPhrases(text: string): Set<string> {
	const words = text
		.toLowerCase()
		.split(/[^\p{L}\p{N}]+/u)
		.filter((word) => word !== "");
	const found = new Set<string>();
	for (let from = 0; from < words.length; from++) {
		for (let length = 1; length <= LONGEST_PHRASE && from + length <= words.length; length++) {
			const phrase = words.slice(from, from + length);
			found.add(phrase.join(" "));
			found.add([...phrase.slice(0, -1), singularizeWord(phrase.at(-1) ?? "")].join(" "));
		}
	}
	// Words that mean nothing here are short, and so are many beginnings of relative names.
	for (const word of STOPPED) found.delete(word);
	return found;
}

const STOPPED = new Set(
	"a an and any are as at be by can do does for from get has have how i if in into is it its me my of on or to the all with which what who".split(
		" ",
	),
);
