/**
 * Search terms of entries (prefixes of words, values of filters), and bit strings over a segment.
 */

/** Ids in a segment, and entries that are indexed at a time. */
export const SEGMENT = 4_096;
/** Words with fewer letters match whole, others by prefix (`audit_search`). */
const PREFIX_MIN = 3;
/** Longer prefixes are not indexed: they match few entries. */
const PREFIX_MAX = 30;

export const FILTER_TERMS = ["category", "action", "user", "username", "ip"] as const;
export type FilterTerm = (typeof FILTER_TERMS)[number];

/** No word has an equals sign. */
export const filterTerm = (field: FilterTerm, value: string | number): string => `${field}=${value}`;

export interface TermSource {
	readonly id: number;
	readonly category: string;
	readonly action: string;
	readonly user_id: number | null;
	/** In lower case, as the store makes it. */
	readonly username: string;
	readonly ip_address: string;
	/** Lexemes. */
	readonly words: readonly string[];
}

/** Collects the ids of entries by term. Splits each distinct word into its prefixes once. */
export function collectTerms() {
	const filters = new Map<string, number[]>();
	const words = new Map<string, number[]>();
	return {
		/** Each entry once. */
		add({ id, category, action, user_id, username, ip_address, words: own }: TermSource): void {
			pushValue(filters, filterTerm("category", category), id);
			pushValue(filters, filterTerm("action", action), id);
			pushValue(filters, filterTerm("username", username), id);
			pushValue(filters, filterTerm("ip", ip_address), id);
			if (user_id !== null) pushValue(filters, filterTerm("user", user_id), id);
			for (const word of own) pushValue(words, word, id);
		},

		/** The ids of each term. */
		all(): Map<string, readonly number[]> {
			const prefixes = new Map<string, number[][]>();
			for (const [word, ids] of words) for (const term of listPrefixes(word)) pushValue(prefixes, term, ids);
			const found = new Map<string, readonly number[]>(filters);
			for (const [term, [first = [], ...others]] of prefixes)
				found.set(term, others.length === 0 ? first : [...new Set(first.concat(...others))]);
			return found;
		},
	};
}

function listPrefixes(word: string): string[] {
	const letters = [...word];
	if (letters.length < PREFIX_MIN) return [word];
	const lengths = Math.min(letters.length, PREFIX_MAX) - PREFIX_MIN + 1;
	return Array.from({ length: lengths }, (_, more) => letters.slice(0, PREFIX_MIN + more).join(""));
}

export function pushValue<K, V>(map: Map<K, V[]>, key: K, value: V): void {
	const all = map.get(key);
	if (all === undefined) map.set(key, [value]);
	else all.push(value);
}

/** The bits of these ids of one segment, as the store reads a string of bits in hexadecimals. */
export function collectBits(ids: Iterable<number>): string {
	const bytes = Buffer.alloc(SEGMENT / 8);
	for (const id of ids) {
		const place = id % SEGMENT;
		bytes[place >> 3] = (bytes[place >> 3] ?? 0) | (0x80 >> (place & 7));
	}
	return `x${bytes.toString("hex")}`;
}

/** Matching entries, but for the time that is asked for. */
export interface Matches {
	readonly segments: readonly MatchesOfSegment[];
	/** Those that have no bits yet, of any time. */
	readonly fresh: readonly number[];
}

interface MatchesOfSegment {
	readonly ids: readonly number[];
	/** No entry of the segment is older or newer. */
	readonly oldest: Date;
	readonly newest: Date;
	/** None of them can be outside of the time that is asked for. */
	readonly whole: boolean;
}

/** The ids among which the first `reach` matches are, in either order of time. */
export function listIdsWithin({ segments, fresh }: Matches, reach: number, descending: boolean): number[] {
	// Times count in the order's direction.
	const spans = segments
		.map(({ ids, oldest, newest, whole }) => {
			const [first, last] = descending ? [-newest, -oldest] : [+oldest, +newest];
			return { ids, whole, first, last };
		})
		.sort((a, b) => a.last - b.last);
	let end = Number.POSITIVE_INFINITY;
	let sure = 0;
	for (const { ids, whole, last } of spans) {
		if (whole) sure += ids.length;
		if (sure >= reach) {
			end = last;
			break;
		}
	}
	return [...spans.flatMap(({ ids, first }) => (first <= end ? ids : [])), ...fresh];
}

/** The ids of a segment whose bits are set. @param bits zeros and ones, as the store spells them */
export function getIds(segment: number, bits: string): number[] {
	const ids: number[] = [];
	for (let at = bits.indexOf("1"); at >= 0; at = bits.indexOf("1", at + 1)) ids.push(segment * SEGMENT + at);
	return ids;
}
