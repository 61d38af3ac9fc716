/**
 * Signs between words, and the letters that stand for them in indexes of trigrams: these consist of
 * letters and digits only.
 */
export const WORD_SIGNS = "/-[]:._ ";
export const SIGN_LETTERS = "qzjjxwvk";

/** The text with letters for its signs, as `translate` writes it in an index. */
export const replaceSigns = (text: string): string =>
	text.replace(/[-/[\]:._ ]/g, (sign) => SIGN_LETTERS.charAt(WORD_SIGNS.indexOf(sign)));

/** A LIKE pattern for a substring; escapes the wildcards in the term. */
export const buildContainsPattern = (term: string): string => `%${term.replace(/[\\%_]/g, "\\$&")}%`;
