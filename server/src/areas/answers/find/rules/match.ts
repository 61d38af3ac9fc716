/** How well an object matches a question; as the SQL of the index ranks. */
import { type Network, readNetwork } from "../../../../core/ip-networks.ts";
import type { Question } from "./question.ts";
import { extractTerms, type Term } from "./terms.ts";

export interface Match {
	/** Exact 0, begins with the text 1, contains it 2, contained in the DN only 3. */
	readonly rank: number;
	/** Orders matches of equal rank, ascending. */
	readonly tie: number;
	readonly attribute: string;
	readonly value: string;
}

interface Captured {
	readonly dn: string;
	readonly attributes: Readonly<Record<string, string>>;
}

/** The best match of the object's terms; null if none matches. */
export function matchObject(question: Question, object: Captured): Match | null {
	let best: Match | null = null;
	const keep = (match: Match | null) => {
		if (match !== null && (best === null || compareMatches(match, best) < 0)) best = match;
	};
	for (const term of extractTerms(object)) keep(matchTerm(question, term));
	if (question.kind === "dn" || question.kind === "name") keep(matchDn(question, object.dn));
	return best;
}

export const compareMatches = (a: Match, b: Match): number =>
	a.rank - b.rank || a.tie - b.tie || a.value.length - b.value.length;

function matchTerm({ kind, normalized }: Question, term: Term): Match | null {
	const { attribute, value, net, vlans } = term;
	if (kind === "ip" || kind === "prefix") {
		const [asked, own] = [readNetwork(normalized), net === null ? null : readNetwork(net)];
		if (asked === null || own === null) return null;
		if (kind === "prefix")
			return containsNetwork(asked, own)
				? { rank: own.network === asked.network ? 0 : 1, tie: own.length, attribute, value }
				: null;
		return containsNetwork(own, asked)
			? { rank: own.length === own.bits ? 0 : 1, tie: -own.length, attribute, value }
			: null;
	}
	if (kind === "vlan") {
		const number = Number(normalized.replace("vlan-", ""));
		if (vlans === null || number < vlans[0] || number > vlans[1]) return null;
		return { rank: vlans[0] === vlans[1] ? 0 : 1, tie: vlans[1] - vlans[0] + 1, attribute, value };
	}
	const asked = normalized.toLowerCase();
	if (kind === "mac") return term.term === asked ? { rank: 0, tie: 0, attribute, value } : null;
	const rank = rankText(term.term, asked);
	return rank === null ? null : { rank, tie: value.length, attribute, value };
}

function matchDn({ kind, normalized }: Question, dn: string): Match | null {
	const rank = rankText(dn.toLowerCase(), normalized.toLowerCase());
	if (rank === null) return null;
	return { rank: kind === "dn" && rank < 2 ? rank : 3, tie: dn.length, attribute: "dn", value: dn };
}

/** Shorter texts are not looked for inside others. */
const PART_MIN = 3;

function rankText(text: string, asked: string): number | null {
	if (text === asked) return 0;
	if (text.startsWith(asked)) return 1;
	return asked.length >= PART_MIN && text.includes(asked) ? 2 : null;
}

export function containsNetwork(outer: Network, inner: Network): boolean {
	if (outer.bits !== inner.bits || outer.length > inner.length) return false;
	const host = BigInt(outer.bits - outer.length);
	return outer.value >> host === inner.value >> host;
}
