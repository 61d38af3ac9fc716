/** Texts for people: joined, cut and ordered. */

const LIST = new Intl.ListFormat("en", { type: "conjunction" });

/** Such as `a and b`, or `a, b, and c`. */
export const joinWords = (words: readonly string[]): string => LIST.format(words);

/** Removes the first half of a surrogate pair from the end of a text that was cut. */
export const dropHalfPair = (text: string): string => text.replace(/[\uD800-\uDBFF]$/, "");

/** Cuts a text to `max` UTF-16 units. An ellipsis after them replaces the rest. */
export const clipText = (text: string, max: number): string =>
	text.length <= max ? text : `${dropHalfPair(text.slice(0, max))}…`;

/** Orders texts by their UTF-16 units, which is the same order in every locale. */
export const compareCodeUnits = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
