/**
 * Distinguished names: paths of relative names. A bracketed value may hold slashes or a whole DN.
 */

/** Splits a DN into its RNs. Null for unbalanced brackets or an empty RN. The empty DN has none. */
export function splitDn(dn: string): string[] | null {
	if (dn === "") return [];
	const rns: string[] = [];
	let depth = 0;
	let start = 0;
	for (let at = 0; at < dn.length; at++) {
		const code = dn.charCodeAt(at);
		if (code === 91) depth++;
		else if (code === 93) {
			if (--depth < 0) return null;
		} else if (code === 47 && depth === 0) {
			if (at === start) return null;
			rns.push(dn.slice(start, at));
			start = at + 1;
		}
	}
	if (depth !== 0 || start === dn.length) return null;
	rns.push(dn.slice(start));
	return rns;
}

/** The DN without its last RN; `""` for a root and for a DN that does not split. */
export function getParentDn(dn: string): string {
	const rns = splitDn(dn);
	return rns === null || rns.length < 2 ? "" : dn.slice(0, dn.length - (rns.at(-1) ?? "").length - 1);
}

/** The DN of a child. */
export function joinDn(parent: string, rn: string): string {
	return parent === "" ? rn : `${parent}/${rn}`;
}

/** True when `dn` is `ancestor` or lies below it. Everything lies below the empty DN. */
export function isWithin(dn: string, ancestor: string): boolean {
	return ancestor === "" || dn === ancestor || (dn.startsWith(ancestor) && dn[ancestor.length] === "/");
}

/** How a class writes its RN, e.g. `hports-{name}-typ-{type}` or `subnet-[{ip}]`. */
export interface RnFormat {
	readonly text: string;
	/** Literal pieces around the properties: one more than `props`. */
	readonly literals: readonly string[];
	readonly props: readonly string[];
	readonly pattern: RegExp;
}

export function parseRnFormat(text: string): RnFormat {
	const literals: string[] = [];
	const props: string[] = [];
	let source = "^";
	let rest = text;
	for (;;) {
		const open = rest.indexOf("{");
		if (open < 0) break;
		const close = rest.indexOf("}", open);
		literals.push(rest.slice(0, open));
		props.push(rest.slice(open + 1, close));
		source += `${escapeRegex(rest.slice(0, open))}(.+)`;
		rest = rest.slice(close + 1);
	}
	literals.push(rest);
	return { text, literals, props, pattern: new RegExp(`${source}${escapeRegex(rest)}$`) };
}

/** The RN for these naming values; `null` when one is missing or empty. */
export function buildRn(format: RnFormat, value: (prop: string) => string | undefined): string | null {
	let rn = format.literals[0] ?? "";
	for (const [at, prop] of format.props.entries()) {
		const text = value(prop);
		if (text === undefined || text === "") return null;
		rn += text + (format.literals[at + 1] ?? "");
	}
	return rn;
}

/** The naming values in an RN; `null` when the RN is not of this format. */
export function matchRn(format: RnFormat, rn: string): Map<string, string> | null {
	const found = format.pattern.exec(rn);
	if (found === null) return null;
	return new Map(format.props.map((prop, at) => [prop, found[at + 1] ?? ""]));
}

/** The RN without its outer brackets: what remains names the same object. */
export function withoutBrackets(rn: string): string {
	let depth = 0;
	let text = "";
	for (const char of rn) {
		if (char === "[" && depth++ === 0) continue;
		if (char === "]" && --depth === 0) continue;
		text += char;
	}
	return text;
}

/**
 * The RN as its format has it, if it is of the format or differs from it in brackets only; else
 * `null`.
 */
export function canonicalizeRn(format: RnFormat, rn: string): string | null {
	const values = matchRn(format, rn);
	if (values !== null && ![...values.values()].some((value) => /^\[.*\]$/.test(value))) return rn;
	const bare = matchRn(parseRnFormat(format.text.replace(/[[\]]/g, "")), withoutBrackets(rn));
	return bare === null ? null : buildRn(format, (prop) => bare.get(prop));
}

function escapeRegex(text: string): string {
	return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
