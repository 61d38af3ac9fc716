/** The values that a relative name is made of: `from-[vlan-100]-to-[vlan-110]` has two. */
import { builtInClasses, findBuiltInFacts } from "./class-table.ts";
import { createRnReader, listNamingProperties, splitRnParts } from "./dn.ts";

export interface RnName {
	/** The naming property; null where no known class has names of this form. */
	readonly property: string | null;
	readonly value: string;
}

/** Reads the values of relative names. */
export interface NameReader {
	/**
	 * The values of a relative name, in order. Empty for a name without values, such as `uni`.
	 * @param prefix the text before the dash that the values follow; by default up to the first dash
	 * @param property a naming property: a class that has it is preferred where several classes have
	 * names of this form
	 */
	getNames(rn: string, prefix?: string, property?: string): RnName[];
}

/**
 * The formats that a reader of names needs, each once: those with several values, and those with
 * fewer that begin like one of them.
 * @param formats RN formats of all known classes, such as `vlanns-[{name}]-{allocMode}`
 */
export function listCompoundFormats(formats: readonly string[]): string[] {
	const distinct = [...new Set(formats)];
	const starts = new Set(distinct.filter(isCompound).map(startOfFormat));
	return distinct.filter((format) => starts.has(startOfFormat(format))).sort();
}

/** @param formats as `listCompoundFormats` returns them */
export function createNameReader(formats: readonly string[]): NameReader {
	const byStart = new Map<string, { readonly read: ReturnType<typeof createRnReader>; readonly compound: boolean }[]>();
	for (const format of formats) {
		const start = startOfFormat(format);
		byStart.set(start, [...(byStart.get(start) ?? []), { read: createRnReader(format), compound: isCompound(format) }]);
	}

	/** Undefined where no class has names of this form, or one with a single value has, too. */
	function compoundNames(rn: string, property: string | undefined): RnName[] | undefined {
		const readings: RnName[][] = [];
		for (const { read, compound } of byStart.get(findStart(rn)) ?? []) {
			const values = read(rn);
			if (values === undefined) continue;
			if (!compound) return undefined;
			readings.push([...values].map(([name, value]) => ({ property: name, value })));
		}
		return readings.find((names) => names.some((name) => name.property === property)) ?? readings[0];
	}

	return {
		getNames(rn, prefix, property) {
			const compound = compoundNames(rn, property);
			if (compound !== undefined) return compound;
			const dash = prefix === undefined ? rn.indexOf("-") : prefix.length;
			if (dash < 0) return [];
			const text = rn.slice(dash + 1);
			return readValuesIn(text).map((value) => ({ property: null, value }));
		},
	};
}

/** Knows the names of the built-in classes. */
export const builtInNames: NameReader = createNameReader(
	listCompoundFormats(builtInClasses.map((name) => findBuiltInFacts(name)?.rnFormat ?? "")),
);

function isCompound(format: string): boolean {
	return listNamingProperties(format).length > 1;
}

function startOfFormat(format: string): string {
	return findStart(splitRnParts(format)[0]?.text ?? "");
}

/** What stands before the first dash, which is what users call the prefix. */
function findStart(rn: string): string {
	const dash = rn.indexOf("-");
	return dash < 0 ? rn : rn.slice(0, dash);
}

/** A label and a value behind the only bracket: `-fault-F0123`. */
const LABELLED = /^-[A-Za-z]\w*-(.+)$/s;

/** The values of a name of an unknown form; the whole text where none stand out. */
function readValuesIn(text: string): string[] {
	const bracketed = readBracketed(text);
	const [only, ...more] = bracketed;
	if (only === undefined) return [text];
	if (more.length > 0) return bracketed;
	const rest = text.slice(only.length + 2);
	if (rest === "") return [only];
	const [, labelled] = LABELLED.exec(rest) ?? [];
	return labelled === undefined ? [text] : [only, labelled];
}

/** The texts in outer brackets, where the text begins with one and all brackets are closed. */
function readBracketed(text: string): string[] {
	if (!text.startsWith("[")) return [];
	const found: string[] = [];
	let depth = 0;
	let start = 0;
	for (let at = 0; at < text.length; at += 1) {
		if (text[at] === "[") {
			if (depth === 0) start = at + 1;
			depth += 1;
		} else if (text[at] === "]") {
			depth -= 1;
			if (depth < 0) return [];
			if (depth === 0) found.push(text.slice(start, at));
		}
	}
	return depth === 0 ? found : [];
}
