/** Finds dns by a part of them. */
import { fromByteString } from "./json-text.ts";
import type { Name } from "./names.ts";
import { lastStart } from "./search.ts";
import { blocksWith, indexTrigrams, type Trigrams } from "./trigrams.ts";

/** All dns one after another, as few and large pieces that go from thread to thread at once. */
export interface CompletionData {
	/** In the order of dn, with SEPARATOR in front of each and after the last. */
	dns: string;
	/** Where each begins, and where one more would. */
	starts: Int32Array;
	/** The same in lower case, which can be longer. All in one text is searched many times faster than each by itself. */
	lowered: string;
	loweredStarts: Int32Array;
	/** Of `lowered`, in blocks of so many dns. */
	trigrams: Trigrams;
	classes: string[];
	classOf: Int32Array;
}

export interface Completion {
	/** Up to `limit` dns that contain the text, upper and lower case alike, by dn. */
	find(part: string, limit: number): { dn: string; className: string }[];
	/** Bytes of memory, about. */
	readonly size: number;
}

/** No request may hold it, so that nothing is found across two dns. */
const SEPARATOR = "\u0000";

/** Dns of a block. */
const BLOCK = 16;

/** Of names in the order in which they came: of equal dns the last one's class counts. */
export function completionData(names: Iterable<Pick<Name, "dn" | "className">>): CompletionData {
	const classOf = new Map<string, string>();
	for (const { dn, className } of names) classOf.set(dn, className);
	const sorted = [...classOf.keys()].sort();
	const dns = sorted.map(fromByteString);
	const lowered = dns.map((dn) => dn.toLowerCase());
	const classes = new Map<string, number>();
	const ids = sorted.map((dn) => {
		const name = classOf.get(dn) ?? "";
		const id = classes.get(name) ?? classes.size;
		classes.set(name, id);
		return id;
	});
	const text = joined(lowered);
	const loweredStarts = startsOf(lowered);
	return {
		dns: joined(dns),
		starts: startsOf(dns),
		lowered: text,
		loweredStarts,
		trigrams: indexTrigrams(text, blockStarts(loweredStarts)),
		classes: [...classes.keys()].map(fromByteString),
		classOf: Int32Array.from(ids),
	};
}

const joined = (texts: readonly string[]): string => `${SEPARATOR}${texts.join(SEPARATOR)}${SEPARATOR}`;

function startsOf(texts: readonly string[]): Int32Array {
	const starts = new Int32Array(texts.length + 1);
	let at = 1;
	for (const [index, text] of texts.entries()) {
		starts[index] = at;
		at += text.length + 1;
	}
	starts[texts.length] = at;
	return starts;
}

function blockStarts(starts: Int32Array): number[] {
	const dns = starts.length - 1;
	return Array.from(
		{ length: Math.ceil(dns / BLOCK) + 1 },
		(_, block) => starts[Math.min(block * BLOCK, dns)] as number,
	);
}

export function createCompletion(data: CompletionData): Completion {
	const { dns, starts, lowered, loweredStarts, trigrams, classes, classOf } = data;
	const count = classOf.length;
	const entry = (at: number) => ({
		dn: dns.slice(starts[at], (starts[at + 1] as number) - 1),
		className: classes[classOf[at] as number] as string,
	});
	/** Adds the dns from the one at `first` up to `end` that contain the text, until there are `limit`. */
	function search(
		found: number[],
		wanted: string,
		{ first, end }: { first: number; end: number },
		limit: number,
	): void {
		const from = loweredStarts[first] as number;
		const text = lowered.slice(from, loweredStarts[end]);
		for (let at = first; found.length < limit && at < end; at++) {
			const hit = text.indexOf(wanted, (loweredStarts[at] as number) - from);
			if (hit < 0) return;
			at = lastStart(loweredStarts, from + hit);
			found.push(at);
		}
	}

	return {
		size: (dns.length + lowered.length) * 2 + count * 12 + (trigrams.starts.length + trigrams.blocks.length) * 4,
		find(part, limit) {
			const wanted = part.toLowerCase();
			const found: number[] = [];
			const blocks = blocksWith(trigrams, wanted);
			if (blocks === null) search(found, wanted, { first: 0, end: count }, limit);
			else
				for (const block of blocks) {
					if (found.length >= limit) break;
					const first = block * BLOCK;
					search(found, wanted, { first, end: Math.min(first + BLOCK, count) }, limit);
				}
			return found.map(entry);
		},
	};
}
