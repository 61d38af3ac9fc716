/** Finds names of a segment, and tells the order of dns, without decoding more names than it must. */
import type { FrontCoded } from "./bytes.ts";
import { type Chunk, type Name, nameAt, readChunk } from "./names.ts";

export interface Ranks {
	/** By number; names of equal dn have equal ranks. */
	ofEntry: Int32Array;
	/** Of the dns that were given. */
	ofMore: Int32Array;
	/** Greater than all. */
	end: number;
}

export interface Names {
	/** Numbers of the names with a dn, ascending. */
	find(dn: string): number[];
	/** -1 where there is none. */
	entryOf(dn: string, className: string): number;
	nameOf(entry: number): Name;
	classOf(entry: number): string;
	/** Where each name and each of some more dns stands in the order of dn. */
	ranks(more: readonly string[]): Ranks;
}

export function createNames(payloads: readonly Uint8Array[]): Names {
	const chunks = payloads.map(readChunk).sort((a, b) => (a.entries[0] ?? 0) - (b.entries[0] ?? 0));

	function* matches(dn: string): Generator<Name> {
		for (const chunk of chunks) {
			const { bounds } = chunk;
			if (bounds !== null && (dn < bounds.first || dn > bounds.last)) continue;
			const { dns } = chunk.open();
			for (let at = lowerBound(dns, dn, 0); at < dns.count && dns.at(at) === dn; at++) yield nameAt(chunk, at);
		}
	}
	/** The chunk that has an entry, and where. */
	function locate(entry: number): { chunk: Chunk; at: number } {
		let low = 0;
		let high = chunks.length;
		while (high - low > 1) {
			const middle = (low + high) >> 1;
			if (((chunks[middle] as Chunk).entries[0] as number) <= entry) low = middle;
			else high = middle;
		}
		const chunk = chunks[low];
		const at = chunk === undefined ? -1 : indexOf(chunk.entries, entry);
		if (chunk === undefined || at < 0) throw new Error(`Entry ${entry} has no name`);
		return { chunk, at };
	}

	/** Where no more dns are given. */
	let own: Ranks | undefined;

	return {
		find: (dn) => Array.from(matches(dn), ({ entry }) => entry),
		entryOf(dn, className) {
			for (const name of matches(dn)) if (name.className === className) return name.entry;
			return -1;
		},
		nameOf(entry) {
			const { chunk, at } = locate(entry);
			return nameAt(chunk, at);
		},
		classOf(entry) {
			const { chunk, at } = locate(entry);
			const { classes, classOf } = chunk.open();
			return classes[classOf[at] as number] as string;
		},
		ranks(more) {
			if (more.length > 0) return rank(chunks, more);
			own ??= rank(chunks, more);
			return own;
		},
	};
}

interface Other {
	dn: string;
	/** The number, or the complement of the position among the dns that were given. */
	target: number;
}

/** Most names come with the first capture, in order: those are numbered without being decoded, and the others put between them. */
function rank(chunks: readonly Chunk[], more: readonly string[]): Ranks {
	const base: Chunk[] = [];
	const others: Other[] = more.map((dn, at) => ({ dn, target: ~at }));
	for (const chunk of chunks) {
		const last = base.at(-1)?.bounds?.last;
		if (chunk.bounds !== null && (last === undefined || chunk.bounds.first > last)) base.push(chunk);
		else
			for (let at = 0; at < chunk.entries.length; at++) {
				const { dn, entry } = nameAt(chunk, at);
				others.push({ dn, target: entry });
			}
	}
	const isSorted = others.every(({ dn }, at) => at === 0 || (others[at - 1] as Other).dn <= dn);
	if (!isSorted) others.sort((a, b) => (a.dn < b.dn ? -1 : a.dn > b.dn ? 1 : 0));

	const size = chunks.reduce((most, { entries }) => Math.max(most, (entries.at(-1) ?? -1) + 1), 0);
	const ofEntry = new Int32Array(size);
	const ofMore = new Int32Array(more.length);
	let next = 0;
	let at = 0;
	/** Gives the next rank to all others that have the dn of the one that is due. */
	function placeOthers(): void {
		const { dn } = others[at] as Other;
		for (; at < others.length && (others[at] as Other).dn === dn; at++) {
			const { target } = others[at] as Other;
			if (target < 0) ofMore[~target] = next;
			else ofEntry[target] = next;
		}
		next++;
	}
	for (const chunk of base) {
		const { entries } = chunk;
		const { last = "" } = chunk.bounds ?? {};
		let from = 0;
		while (at < others.length && (others[at] as Other).dn <= last) {
			const { dn } = others[at] as Other;
			const { dns } = chunk.open();
			const to = lowerBound(dns, dn, from);
			number(chunk, from, to);
			for (from = to; from < dns.count && dns.at(from) === dn; from++) ofEntry[entries[from] as number] = next;
			placeOthers();
		}
		number(chunk, from, entries.length);
	}
	while (at < others.length) placeOthers();
	return { ofEntry, ofMore, end: next };

	/** Ranks names of a chunk between which none of the others stands. */
	function number({ entries, bounds, open }: Chunk, from: number, to: number): void {
		for (let index = from; index < to; index++) {
			const repeats = bounds?.distinct !== true && index > from && open().dns.isRepeated(index);
			ofEntry[entries[index] as number] = repeats ? next - 1 : next++;
		}
	}
}

/** The first index from `from` on whose text is not less. */
function lowerBound(dns: FrontCoded, dn: string, from: number): number {
	let low = from;
	let high = dns.count;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (dns.at(middle) < dn) low = middle + 1;
		else high = middle;
	}
	return low;
}

function indexOf(ascending: Int32Array, value: number): number {
	let low = 0;
	let high = ascending.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((ascending[middle] as number) < value) low = middle + 1;
		else high = middle;
	}
	return ascending[low] === value ? low : -1;
}
