/** Attributes that a comparison ignores: given ones, and those that always differ. */
import { toByteString } from "./json-text.ts";
import { VOLATILE } from "./volatile.ts";

export interface IgnoreSpec {
	/** An attribute of every class, or `Class.attribute`. */
	readonly names: readonly string[];
	/** Whether those of volatile.ts, and flags in another order, are ignored, too. */
	readonly volatile: boolean;
}

/**
 * Whether the change of an attribute is ignored. Class and key are byte strings; an unknown class
 * is `""`. The values are JSON text, null if absent; of values that cannot be the same flags in
 * another order, both may be null.
 */
export type Ignore = (className: string, key: string, old: string | null, now: string | null) => boolean;

/** Attributes whose commas are text of people. */
const FREE_TEXT: ReadonlySet<string> = new Set(["annotation", "descr", "dn", "name", "nameAlias", "rn"]);
/** Flags as controllers write them: `"nd,querier"`. */
const FLAGS = /^"[\w.-]+(?:,[\w.-]+)+"$/;

/** Whether two values are the same flags in another order, which says nothing on a controller. */
function areFlagsReordered(key: string, old: string | null, now: string | null): boolean {
	if (old === null || now === null || old.length !== now.length || FREE_TEXT.has(key)) return false;
	if (!FLAGS.test(old) || !FLAGS.test(now)) return false;
	const sorted = (flags: string): string => flags.slice(1, -1).split(",").sort().join();
	return sorted(old) === sorted(now);
}

/** Null if nothing is ignored. */
export function createIgnore({ names, volatile }: IgnoreSpec): Ignore | null {
	if (names.length === 0 && !volatile) return null;
	const named = new Set(names.map(toByteString));
	/** Volatile attributes by class; `all` if every attribute is. */
	const known = new Map<string, ReadonlySet<string> | "all">();
	return (className, key, old, now) => {
		if (named.has(key) || named.has(`${className}.${key}`)) return true;
		if (!volatile) return false;
		const found = known.get(className) ?? volatileOf(className);
		known.set(className, found);
		return found === "all" || found.has(key) || areFlagsReordered(key, old, now);
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
