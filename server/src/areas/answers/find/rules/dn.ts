/** Parts of a DN. Slashes inside brackets belong to the part. */

/** The relative names, from the root on. */
export function splitDn(dn: string): string[] {
	const parts: string[] = [];
	let depth = 0;
	let start = 0;
	for (let at = 0; at < dn.length; at++) {
		const sign = dn[at];
		if (sign === "[") depth++;
		else if (sign === "]") depth = Math.max(0, depth - 1);
		else if (sign === "/" && depth === 0) {
			parts.push(dn.slice(start, at));
			start = at + 1;
		}
	}
	parts.push(dn.slice(start));
	return parts;
}

/** The DN of the object above; null for the root. */
export function getParentDn(dn: string): string | null {
	const last = splitDn(dn).at(-1) ?? "";
	const end = dn.length - last.length - 1;
	return end > 0 ? dn.slice(0, end) : null;
}

/** The texts in outermost brackets of a relative name. */
export function listBracketed(rn: string): string[] {
	const found: string[] = [];
	let depth = 0;
	let start = 0;
	for (let at = 0; at < rn.length; at++) {
		if (rn[at] === "[" && depth++ === 0) start = at + 1;
		if (rn[at] === "]" && depth > 0 && --depth === 0) found.push(rn.slice(start, at));
	}
	return found;
}

/** The naming values of a relative name: those in brackets, or the text behind the first hyphen. */
export function listNamingValues(rn: string): string[] {
	const bracketed = listBracketed(rn);
	if (bracketed.length > 0) return bracketed;
	const hyphen = rn.indexOf("-");
	return hyphen < 0 ? [] : [rn.slice(hyphen + 1)];
}
