/** Completes dns: finds those that contain a part. */
import { decodeByteString } from "./json-text.ts";
import type { Name } from "./names.ts";
import { findLastStart } from "./search.ts";

/**
 * All dns of a query's snapshots, in the order of dn, as a few large values: they are transferred
 * between threads, and searching one text is many times faster than searching each dn.
 */
export interface CompletionData {
	/** The dns, with SEPARATOR in front of each and after the last. */
	dns: string;
	/** Position of each dn in `dns`, and of one more that would follow. */
	starts: Int32Array;
	/** The same in lower case, which can be longer. */
	lowered: string;
	loweredStarts: Int32Array;
	classes: string[];
	/** Index of each dn's class in `classes`. */
	classNumbers: Int32Array;
}

export interface Completion {
	/** Up to `limit` dns that contain a part, ignoring case, in the order of dn. */
	find(part: string, limit: number): { dn: string; className: string }[];
	/** Approximate memory in bytes. */
	readonly size: number;
}

/** Requests cannot contain it, so no match spans two dns. */
const SEPARATOR = "\u0000";

/** @param names oldest first: of equal dns the class of the last one counts */
export function buildCompletionData(names: Iterable<Pick<Name, "dn" | "className">>): CompletionData {
	const classByDn = new Map<string, string>();
	for (const { dn, className } of names) classByDn.set(dn, className);
	const sorted = [...classByDn.keys()].sort();
	const dns = sorted.map(decodeByteString);
	const lowered = dns.map((dn) => dn.toLowerCase());
	const classes = [...new Set(classByDn.values())];
	const indexOfClass = new Map(classes.map((name, index) => [name, index]));
	return {
		dns: joinTexts(dns),
		starts: getStarts(dns),
		lowered: joinTexts(lowered),
		loweredStarts: getStarts(lowered),
		classes: classes.map(decodeByteString),
		classNumbers: Int32Array.from(sorted, (dn) => indexOfClass.get(classByDn.get(dn) ?? "") ?? 0),
	};
}

const joinTexts = (texts: readonly string[]): string => `${SEPARATOR}${texts.join(SEPARATOR)}${SEPARATOR}`;

function getStarts(texts: readonly string[]): Int32Array {
	const starts = new Int32Array(texts.length + 1);
	let at = 1;
	for (const [index, text] of texts.entries()) {
		starts[index] = at;
		at += text.length + 1;
	}
	starts[texts.length] = at;
	return starts;
}

export function createCompletion(data: CompletionData): Completion {
	const { dns, starts, lowered, loweredStarts, classes, classNumbers } = data;
	return {
		size: (dns.length + lowered.length) * 2 + classNumbers.length * 12,
		find(part, limit) {
			const wanted = part.toLowerCase();
			const found: { dn: string; className: string }[] = [];
			for (let at = 0; found.length < limit && at < classNumbers.length; at++) {
				const hit = lowered.indexOf(wanted, loweredStarts[at]);
				if (hit < 0) break;
				at = findLastStart(loweredStarts, hit);
				const dn = dns.slice(starts[at], (starts[at + 1] as number) - 1);
				found.push({ dn, className: classes[classNumbers[at] as number] as string });
			}
			return found;
		},
	};
}
