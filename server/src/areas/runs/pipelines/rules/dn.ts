/**
 * Distinguished names: relative names joined by slashes, where a value that may hold slashes stands
 * in brackets, and brackets nest (`…/rspathAtt-[topology/pod-1/paths-101/pathep-[eth1/1]]`).
 */

export function splitDn(dn: string): string[] {
	const rns: string[] = [];
	let depth = 0;
	let start = 0;
	for (let i = 0; i < dn.length; i += 1) {
		const char = dn[i];
		if (char === "[") depth += 1;
		else if (char === "]") depth = Math.max(0, depth - 1);
		else if (char === "/" && depth === 0) {
			rns.push(dn.slice(start, i));
			start = i + 1;
		}
	}
	rns.push(dn.slice(start));
	return rns;
}

/** Every DN above this one, the topmost first. */
export function listAncestors(dn: string): string[] {
	const ancestors: string[] = [];
	let length = 0;
	for (const rn of splitDn(dn).slice(0, -1)) {
		length += rn.length + (length > 0 ? 1 : 0);
		ancestors.push(dn.slice(0, length));
	}
	return ancestors;
}

/** Undefined for the top of the tree. */
export const getParentDn = (dn: string): string | undefined => listAncestors(dn).at(-1);

/** Strictly below: `ancestor` ends at a slash of the DN that is not inside brackets. */
export const isBelow = (dn: string, ancestor: string): boolean =>
	dn.startsWith(`${ancestor}/`) && listAncestors(dn).includes(ancestor);

export interface RnPart {
	text: string;
	/** A naming property; undefined for fixed text. */
	property?: string;
	bracketed?: boolean;
}

/**
 * `vlanns-[{name}]-{allocMode}` → its fixed and variable parts, brackets included in the fixed
 * text.
 */
export function splitRnParts(format: string): RnPart[] {
	return format
		.split(/(\{[^{}]+\})/)
		.filter((text) => text !== "")
		.map((text, i, all) => {
			if (!text.startsWith("{")) return { text };
			const bracketed = (all[i - 1] ?? "").endsWith("[") && (all[i + 1] ?? "").startsWith("]");
			return { text, property: text.slice(1, -1), bracketed };
		});
}

export const listNamingProperties = (format: string): string[] =>
	splitRnParts(format).flatMap(({ property }) => (property === undefined ? [] : [property]));

/**
 * The RN of an object with these naming values; undefined when one is missing or does not fit the
 * format.
 */
export function buildRn(format: string, values: ReadonlyMap<string, string>): string | undefined {
	let rn = "";
	for (const { text, property, bracketed } of splitRnParts(format)) {
		const value = property === undefined ? text : values.get(property);
		if (value === undefined || (property !== undefined && !fitsRn(value, bracketed === true))) return undefined;
		rn += value;
	}
	return fitsPath(rn) ? rn : undefined;
}

/**
 * Whether a DN can be part of a URL's path: no segment that clients and servers resolve or drop.
 */
export const fitsPath = (dn: string): boolean =>
	dn.split("/").every((piece) => piece !== "" && piece !== "." && piece !== "..");

/**
 * Outside brackets a value has no slash and no bracket; inside them its own brackets are balanced.
 */
function fitsRn(value: string, bracketed: boolean): boolean {
	if (value === "") return false;
	if (!bracketed) return !/[/[\]]/.test(value);
	let depth = 0;
	for (const char of value) {
		if (char === "[") depth += 1;
		else if (char === "]") depth -= 1;
		if (depth < 0) return false;
	}
	return depth === 0;
}

/**
 * Reads the naming values of RNs of one format; undefined for an RN of another format. A value in
 * brackets ends at the bracket that closes it; another one reaches as far as the format allows.
 */
export function createRnReader(format: string): (rn: string) => Map<string, string> | undefined {
	const parts = splitRnParts(format);

	function matchRnParts(rn: string, from: number, at: number): [string, string][] | undefined {
		const part = parts[at];
		if (part === undefined) return from === rn.length ? [] : undefined;
		const { text, property, bracketed } = part;
		if (property === undefined)
			return rn.startsWith(text, from) ? matchRnParts(rn, from + text.length, at + 1) : undefined;
		for (const end of bracketed ? findClosingBracket(rn, from) : endsBefore(rn, from, parts[at + 1]?.text)) {
			const value = rn.slice(from, end);
			const rest = fitsRn(value, bracketed === true) ? matchRnParts(rn, end, at + 1) : undefined;
			if (rest !== undefined) return [[property, value], ...rest];
		}
		return undefined;
	}

	return (rn) => {
		const values = matchRnParts(rn, 0, 0);
		return values && new Map(values);
	};
}

/** Where the bracket that opens before `from` is closed; nothing when it is not. */
function findClosingBracket(rn: string, from: number): number[] {
	let depth = 1;
	for (let at = from; at < rn.length; at += 1) {
		if (rn[at] === "[") depth += 1;
		else if (rn[at] === "]") depth -= 1;
		if (depth === 0) return [at];
	}
	return [];
}

/** Where a value may end: at its end, or where the text that follows it occurs, the last first. */
function endsBefore(rn: string, from: number, next: string | undefined): number[] {
	if (next === undefined) return [rn.length];
	const ends: number[] = [];
	for (let at = rn.indexOf(next, from + 1); at >= 0; at = rn.indexOf(next, at + 1)) ends.push(at);
	return ends.reverse();
}
