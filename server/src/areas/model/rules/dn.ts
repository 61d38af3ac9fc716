/** Reading a DN by the model: which class each of its parts is of, and the values that name it. */
import { flag } from "./flags.ts";
import type { Model } from "./model.ts";
import { findExactText } from "./scan.ts";

/** Dashes and brackets that are tried as the end of an RN's beginning. */
const LONGEST_BEGINNING = 12;

/**
 * Relative names are joined by slashes; a value that may hold slashes stands in brackets, and
 * brackets nest. Null where they do not balance.
 */
export function splitDn(dn: string): string[] | null {
	const parts: string[] = [];
	let depth = 0;
	let start = 0;
	for (let at = 0; at < dn.length; at++) {
		const mark = dn[at];
		if (mark === "[") depth++;
		else if (mark === "]") depth--;
		else if (mark === "/" && depth === 0) {
			parts.push(dn.slice(start, at));
			start = at + 1;
		}
		if (depth < 0) return null;
	}
	parts.push(dn.slice(start));
	return depth === 0 ? parts : null;
}

/**
 * The values in a relative name of this format, by property; null where it is not of it. One pass:
 * a value ends where the text behind it comes first, outside of brackets that opened within the
 * value.
 */
function readRn(format: string, rn: string): Record<string, string> | null {
	const values: Record<string, string> = {};
	const pieces = format.split(/\{(\w+)\}/);
	// Texts stand at even places, properties at odd ones.
	const [first = ""] = pieces;
	if (!rn.startsWith(first)) return null;
	let at = first.length;
	for (let i = 1; i < pieces.length; i += 2) {
		const behind = pieces[i + 1] ?? "";
		const isLast = i + 2 >= pieces.length;
		const end = isLast ? (rn.endsWith(behind) ? rn.length - behind.length : -1) : findEnd(rn, at, behind);
		if (end <= at) return null;
		values[pieces[i] ?? ""] = rn.slice(at, end);
		at = end + behind.length;
	}
	return at === rn.length ? values : null;
}

/**
 * Where a value that begins at `from` ends: before the text that follows it; -1 where that does not
 * come.
 */
function findEnd(rn: string, from: number, text: string): number {
	let depth = 0;
	for (let at = from; at < rn.length; at++) {
		if (depth === 0 && at > from && text !== "" && rn.startsWith(text, at)) return at;
		if (rn[at] === "[") depth++;
		else if (rn[at] === "]") depth--;
		if (depth < 0) return -1;
	}
	return -1;
}

export interface DnPart {
	readonly rn: string;
	/** -1 where the model has no class for it. */
	readonly id: number;
	readonly naming: Readonly<Record<string, string>>;
}

/** The top root, or where there is none the classes that no other contains. */
function findTopClasses(model: Model): number[] {
	const top = model.find("topRoot");
	if (top >= 0) return [top];
	const found: number[] = [];
	for (let id = 0; id < model.count; id++) if (model.containers(id).length === 0) found.push(id);
	return found;
}

/**
 * Children of a class whose relative names may begin like this one; whose beginning is longest
 * comes first.
 */
function findMatchingChildren(model: Model, parent: number, rn: string): number[] {
	const children = model.rnChildren(parent);
	const found: { id: number; length: number }[] = [];
	for (const [i, text] of model.rnPrefixes(parent).entries()) {
		const prefix = model.strings.text(text);
		if (prefix !== "" && rn.startsWith(prefix)) found.push({ id: children[i] ?? 0, length: prefix.length });
	}
	// Some containers leave a child out of their map.
	for (const id of model.contains(parent)) {
		const rest = model.rn(id).replace(/\{.*$/, "");
		if (rest !== "" && rn.startsWith(rest) && !found.some((one) => one.id === id))
			found.push({ id, length: rest.length });
	}
	return found.sort((a, b) => b.length - a.length).map(({ id }) => id);
}

/**
 * Classes anywhere in the tree whose relative names may begin like this one: by every beginning
 * that ends in a dash or a bracket, and by all of it.
 */
function findClassesByPrefix(model: Model, rn: string): number[] {
	const aliases = model.texts("find.alias");
	const aliased = model.list("find.aliased");
	const ends = [rn.length];
	for (let at = 1; at < rn.length && ends.length < LONGEST_BEGINNING; at++)
		if (rn[at] === "-" || rn[at] === "[") ends.push(at);
	const found = new Set<number>();
	for (const end of ends) {
		const alias = findExactText(aliases, Buffer.from(rn.slice(0, end).toLowerCase()));
		if (alias >= 0) for (const id of aliased(alias)) if (model.rn(id).startsWith(rn.slice(0, end))) found.add(id);
	}
	return [...found].sort((a, b) => a - b);
}

/**
 * Values of an RN that is as its class writes it; an RN that ends before its value (`tn-`) is one
 * whose value is still to be typed.
 */
function matchRn(model: Model, id: number, rn: string, open: boolean): Record<string, string> | null {
	const format = model.rn(id);
	// Of a class without a document only the beginning is known.
	if (format === "") return model.is(id, flag.published) ? null : {};
	const naming = readRn(format, rn);
	if (naming !== null || !open) return naming;
	return format.replace(/\[?\{.*$/, "") === rn.replace(/\[$/, "") ? {} : null;
}

/**
 * Reads the parts of a DN and their classes as far as they match. If no top class fits, the DN may
 * begin anywhere (`tn-a/BD-b`). A part without a class has the id -1.
 * @param open the last RN may be incomplete
 */
export function readDn(model: Model, rns: readonly string[], open = false): DnPart[] {
	const [first = ""] = rns;
	let best: readonly DnPart[] = [];
	const starts = findTopClasses(model).flatMap((top) => [
		// The tops of a model without a root name themselves.
		...(model.rn(top) !== "" || model.find("topRoot") < 0 ? [top] : []),
		...findMatchingChildren(model, top, first),
	]);
	const follow = createPathFollower(model, rns, open);
	for (const start of starts) best = pickLongerParts(best, follow(start, 0));
	if (best.length > 0) return fillUnknownParts(rns, best);
	for (const id of findClassesByPrefix(model, first)) best = pickLongerParts(best, follow(id, 0));
	return fillUnknownParts(rns, best);
}

const pickLongerParts = (a: readonly DnPart[], b: readonly DnPart[]): readonly DnPart[] =>
	b.length > a.length ? b : a;

/**
 * Returns the longest list of parts that match from a class at an index. Memoized, since several
 * paths lead to the same class and index.
 */
function createPathFollower(model: Model, rns: readonly string[], open: boolean) {
	const found = new Map<number, readonly DnPart[]>();
	return function follow(id: number, at: number): readonly DnPart[] {
		const key = at * model.count + id;
		const before = found.get(key);
		if (before !== undefined) return before;
		const rn = rns[at] ?? "";
		const next = rns[at + 1];
		const naming = matchRn(model, id, rn, open && next === undefined);
		let parts: readonly DnPart[] = [];
		if (naming !== null) {
			let best: readonly DnPart[] = [];
			if (next !== undefined)
				for (const child of findMatchingChildren(model, id, next)) best = pickLongerParts(best, follow(child, at + 1));
			parts = [{ rn, id, naming }, ...best];
		}
		found.set(key, parts);
		return parts;
	};
}

function fillUnknownParts(rns: readonly string[], parts: readonly DnPart[]): DnPart[] {
	return rns.map((rn, at) => parts[at] ?? { rn, id: -1, naming: {} });
}
