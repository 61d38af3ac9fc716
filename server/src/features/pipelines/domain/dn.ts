/**
 * Distinguished names: relative names joined by slashes, where a value that may hold slashes stands in brackets, and
 * brackets nest (`…/rspathAtt-[topology/pod-1/paths-101/pathep-[eth1/1]]`).
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

/** Undefined for the top of the tree. */
export function parentDn(dn: string): string | undefined {
	const rns = splitDn(dn);
	return rns.length > 1 ? dn.slice(0, dn.length - (rns.at(-1)?.length ?? 0) - 1) : undefined;
}

/** Every DN above this one, the topmost first. */
export function ancestorsOf(dn: string): string[] {
	const ancestors: string[] = [];
	let length = 0;
	for (const rn of splitDn(dn).slice(0, -1)) {
		length += rn.length + (length > 0 ? 1 : 0);
		ancestors.push(dn.slice(0, length));
	}
	return ancestors;
}

/** Strictly below: `ancestor` ends at one of the DN's own slashes, not inside brackets. */
export function isBelow(dn: string, ancestor: string): boolean {
	if (!dn.startsWith(`${ancestor}/`)) return false;
	let depth = 0;
	for (let i = 0; i < ancestor.length; i += 1) {
		if (ancestor[i] === "[") depth += 1;
		else if (ancestor[i] === "]") depth = Math.max(0, depth - 1);
	}
	return depth === 0;
}

export interface RnPart {
	text: string;
	/** A naming property's place; undefined for fixed text. */
	property?: string;
	bracketed?: boolean;
}

/** `vlanns-[{name}]-{allocMode}` → its fixed and variable parts, brackets included in the fixed text. */
export function rnParts(format: string): RnPart[] {
	return format
		.split(/(\{[^{}]+\})/)
		.filter((text) => text !== "")
		.map((text, i, all) => {
			if (!text.startsWith("{")) return { text };
			const bracketed = (all[i - 1] ?? "").endsWith("[") && (all[i + 1] ?? "").startsWith("]");
			return { text, property: text.slice(1, -1), bracketed };
		});
}

export const namingProperties = (format: string): string[] =>
	rnParts(format).flatMap(({ property }) => (property === undefined ? [] : [property]));

/** The RN of an object with these naming values; undefined when one is missing or cannot stand where it belongs. */
export function buildRn(format: string, values: ReadonlyMap<string, string>): string | undefined {
	let rn = "";
	for (const { text, property, bracketed } of rnParts(format)) {
		const value = property === undefined ? text : values.get(property);
		if (value === undefined || (property !== undefined && !fitsRn(value, bracketed === true))) return undefined;
		rn += value;
	}
	return fitsPath(rn) ? rn : undefined;
}

/** Whether a DN can stand in a URL's path: no piece between slashes that clients and servers resolve or drop. */
export const fitsPath = (dn: string): boolean =>
	dn.split("/").every((piece) => piece !== "" && piece !== "." && piece !== "..");

/** Outside brackets a value has no slash and no bracket; inside them its own brackets are balanced. */
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

/** Reads the naming values of RNs of one format; undefined for an RN that is not of it. */
export function rnReader(format: string): (rn: string) => Map<string, string> | undefined {
	const parts = rnParts(format);
	const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
	const source = parts.map(({ text, property }) => (property === undefined ? literal(text) : "(.+)")).join("");
	const pattern = new RegExp(`^${source}$`, "su");
	const places = parts.filter(({ property }) => property !== undefined);
	return (rn) => {
		const match = pattern.exec(rn);
		if (!match) return undefined;
		const values = new Map<string, string>();
		for (const [i, { property = "", bracketed }] of places.entries()) {
			const value = match[i + 1] ?? "";
			if (!fitsRn(value, bracketed === true)) return undefined;
			values.set(property, value);
		}
		return values;
	};
}
