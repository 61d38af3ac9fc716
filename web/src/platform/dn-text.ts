/** Parts of a distinguished name for display. Pure. */

/** Splits a DN before its last relative name; slashes inside brackets do not count. */
export function splitDn(dn: string): { above: string; last: string } {
	let depth = 0;
	for (let at = dn.length - 1; at > 0; at--) {
		if (dn[at] === "]") depth++;
		else if (dn[at] === "[") depth--;
		else if (dn[at] === "/" && depth === 0) return { above: dn.slice(0, at + 1), last: dn.slice(at + 1) };
	}
	return { above: "", last: dn };
}

/** Characters of a DN that are always shown, at most. */
const DN_TAIL = 30;

/** Splits a DN for a narrow place: the tail is its last relative name, or the end of a long one. */
export function splitDnParts(dn: string): { head: string; tail: string } {
	const cut = dn.length - Math.min(DN_TAIL, splitDn(dn).last.length + 1);
	return cut <= 0 ? { head: "", tail: dn } : { head: dn.slice(0, cut), tail: dn.slice(cut) };
}

/** Whether an attribute holds the DN of an object: its own, or that of another one. */
export const isDnAttribute = (name: string, value: string): boolean => /^dn$|Dn$/.test(name) && value.includes("/");
