/** What a comparison leaves out: attributes that are named, and those that always differ. */
import { toByteString } from "./json-text.ts";
import { VOLATILE } from "./volatile.ts";

export interface IgnoreSpec {
	/** An attribute of every class, or `Class.attribute`. */
	readonly names: readonly string[];
	/** Those of volatile.ts, too. */
	readonly volatile: boolean;
}

/** Whether what changed is left out. Class and key are byte strings; an unknown class is `""`. */
export type Ignore = (className: string, key: string) => boolean;

/** Null where nothing is left out. */
export function createIgnore({ names, volatile }: IgnoreSpec): Ignore | null {
	if (names.length === 0 && !volatile) return null;
	const named = new Set(names.map(toByteString));
	/** By class: its volatile attributes; `all` where each of them is. */
	const known = new Map<string, ReadonlySet<string> | "all">();
	return (className, key) => {
		if (named.has(key) || named.has(`${className}.${key}`)) return true;
		if (!volatile) return false;
		const found = known.get(className) ?? volatileOf(className);
		known.set(className, found);
		return found === "all" || found.has(key);
	};
}

const RULES = VOLATILE.map(({ attribute, classes }) => ({ attribute, classes: classes && new RegExp(classes) }));

function volatileOf(className: string): ReadonlySet<string> | "all" {
	const found = new Set<string>();
	for (const { attribute, classes } of RULES) {
		if (classes && !classes.test(className)) continue;
		if (attribute === null) return "all";
		found.add(attribute);
	}
	return found;
}
