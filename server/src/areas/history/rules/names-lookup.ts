/**
 * Looks names of a segment up, by dn or by number, without decoding chunks that cannot hold them.
 */
import type { FrontCoded } from "./bytes.ts";
import { type Chunk, type Name, nameAt, openChunk, readChunk } from "./names.ts";
import { lowerBound } from "./search.ts";

export interface Names {
	/** Numbers of the names with a dn (byte string), ascending. */
	find(dn: string): number[];
	/** The number of a name; -1 if there is none. */
	getEntry(dn: string, className: string): number;
	/** Throw if the segment has no such number. */
	getDn(entry: number): string;
	getClass(entry: number): string;
}

export function createNames(payloads: readonly Uint8Array[]): Names {
	const chunks = payloads.map(readChunk).sort((a, b) => (a.entries[0] ?? 0) - (b.entries[0] ?? 0));
	const firstEntries = Int32Array.from(chunks, ({ entries }) => entries[0] ?? 0);

	function* findMatches(dn: string): Generator<Name> {
		for (const chunk of chunks) {
			const { bounds } = chunk;
			if (bounds !== null && (dn < bounds.first || dn > bounds.last)) continue;
			const { dns } = openChunk(chunk);
			for (let at = findFirstAtOrAfter(dns, dn); at < dns.count && dns.at(at) === dn; at++) yield nameAt(chunk, at);
		}
	}
	function locateEntry(entry: number): { chunk: Chunk; at: number } {
		const chunk = chunks[lowerBound(firstEntries, entry + 1) - 1];
		const at = chunk === undefined ? 0 : lowerBound(chunk.entries, entry);
		if (chunk?.entries[at] !== entry) throw new Error(`Name ${entry} is missing`);
		return { chunk, at };
	}

	return {
		find: (dn) => Array.from(findMatches(dn), ({ entry }) => entry),
		getEntry(dn, className) {
			for (const name of findMatches(dn)) if (name.className === className) return name.entry;
			return -1;
		},
		getDn(entry) {
			const { chunk, at } = locateEntry(entry);
			return openChunk(chunk).dns.at(at);
		},
		getClass(entry) {
			const { chunk, at } = locateEntry(entry);
			const { classes, classNumbers } = openChunk(chunk);
			return classes[classNumbers[at] as number] as string;
		},
	};
}

/** The names of a segment with those that a capture adds, which are numbered from `first` on. */
export function joinNames(before: Names, first: number, added: Names): Names {
	const of = (entry: number): Names => (entry >= first ? added : before);
	return {
		find: (dn) => [...before.find(dn), ...added.find(dn)],
		getEntry: (dn, className) => Math.max(before.getEntry(dn, className), added.getEntry(dn, className)),
		getDn: (entry) => of(entry).getDn(entry),
		getClass: (entry) => of(entry).getClass(entry),
	};
}

/** The index of the first dn that is not less than a dn. */
function findFirstAtOrAfter(dns: FrontCoded, dn: string): number {
	let low = 0;
	let high = dns.count;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (dns.at(middle) < dn) low = middle + 1;
		else high = middle;
	}
	return low;
}
