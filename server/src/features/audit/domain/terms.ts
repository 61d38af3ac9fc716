/** What entries are found by: beginnings of words, and values of filters; and strings of bits, one for each entry of a segment. */

/** Ids in a segment, and entries that are put into the index at a time. */
export const SEGMENT = 4_096;
/** Letters of a word: searches take shorter ones as they are, longer ones as beginnings (`audit_search`). */
const BEGINNING = 3;
/** Longer beginnings are not distinguished; whoever searches for one finds few entries. */
const LONGEST = 30;

export const FILTER_TERMS = ["category", "action", "user", "username", "ip"] as const;
export type FilterTerm = (typeof FILTER_TERMS)[number];

/** No word has an equals sign. */
export const filterTerm = (field: FilterTerm, value: string | number): string => `${field}=${value}`;

export interface TermSource {
	readonly category: string;
	readonly action: string;
	readonly user_id: number | null;
	/** In lower case, as the store makes it. */
	readonly username: string;
	readonly ip_address: string;
	/** Lexemes. */
	readonly words: readonly string[];
}

export function termsOf({ category, action, user_id, username, ip_address, words }: TermSource): Set<string> {
	const terms = new Set([
		filterTerm("category", category),
		filterTerm("action", action),
		filterTerm("username", username),
		filterTerm("ip", ip_address),
	]);
	if (user_id !== null) terms.add(filterTerm("user", user_id));
	for (const word of words) {
		const letters = [...word];
		if (letters.length < BEGINNING) terms.add(word);
		for (let end = BEGINNING; end <= Math.min(letters.length, LONGEST); end++)
			terms.add(letters.slice(0, end).join(""));
	}
	return terms;
}

/** The bits of these ids of one segment, as the store reads a string of bits in hexadecimals. */
export function bitsOf(ids: Iterable<number>): string {
	const bytes = Buffer.alloc(SEGMENT / 8);
	for (const id of ids) {
		const place = id % SEGMENT;
		bytes[place >> 3] = (bytes[place >> 3] ?? 0) | (0x80 >> (place & 7));
	}
	return `x${bytes.toString("hex")}`;
}

/** The ids of a segment whose bits are set. @param bits zeros and ones, as the store spells them */
export function idsOf(segment: number, bits: string): number[] {
	const ids: number[] = [];
	for (let at = bits.indexOf("1"); at >= 0; at = bits.indexOf("1", at + 1)) ids.push(segment * SEGMENT + at);
	return ids;
}
