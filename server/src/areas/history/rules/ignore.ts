/** Attributes that a comparison ignores: given ones, and those that always differ. */
import type { DriftRules } from "@weft/contracts";
import { RE2JS } from "re2js";
import { compilePattern } from "../../../core/regex.ts";
import { IDENTITY } from "../../../core/rows/identity-attributes.ts";
import { toByteString } from "./json-text.ts";
import type { NameMatch } from "./name-match.ts";
import { TEXT_ATTRIBUTES } from "./parts.ts";
import { VOLATILE, type VolatileRule } from "./volatile.ts";

export interface IgnoreSpec {
	/** An attribute of every class, or `Class.attribute`. */
	readonly names: readonly string[];
	/** Whether those of volatile.ts, and flags in another order, are ignored, too. */
	readonly volatile: boolean;
	/** Whether those of identity.ts are ignored, too. */
	readonly identity: boolean;
	/** Drift rules that apply, too; null for none. */
	readonly rules: DriftRules | null;
}

/**
 * Whether the change of an attribute is ignored. Class and key are byte strings; an unknown class
 * is `""`. The values are JSON text, null if absent; of values that cannot be the same flags in
 * another order, both may be null.
 */
export type Ignore = (className: string, key: string, old: string | null, now: string | null) => boolean;

/** The rules by which the sides of a comparison are compared. */
export interface CompareRules {
	/** Attributes that are left out of modified objects; null: none. */
	readonly ignore: Ignore | null;
	/** Null for a comparison by dn. */
	readonly match: NameMatch | null;
}

/** Flags as controllers write them: `"nd,querier"`. */
const FLAGS = /^"[\w.-]+(?:,[\w.-]+)+"$/;

/** Whether two values are the same flags in another order, which says nothing on a controller. */
function areFlagsReordered(key: string, old: string | null, now: string | null): boolean {
	if (old === null || now === null || old.length !== now.length || TEXT_ATTRIBUTES.has(key)) return false;
	if (!FLAGS.test(old) || !FLAGS.test(now)) return false;
	const sorted = (flags: string): string => flags.slice(1, -1).split(",").sort().join();
	return sorted(old) === sorted(now);
}

/** Whether two values are the same list in another order. */
function isSetReordered(old: string | null, now: string | null): boolean {
	if (old === null || now === null) return false;
	const sorted = (list: string): string =>
		list
			.slice(1, -1)
			.split(",")
			.map((item) => item.trim())
			.sort()
			.join();
	return sorted(old) === sorted(now);
}

type Matches = (className: string, key: string) => boolean;

/** Decisions that are kept: a document has fewer attributes, unless it is made to have more. */
const REMEMBERED = 10_000;

/** Whether an attribute is among names and patterns of `attribute` or `Class.attribute`. */
function createMatcher(entries: readonly string[]): Matches {
	const names = new Set(entries.filter((entry) => !entry.includes("*")).map(toByteString));
	const patterns = entries.filter((entry) => entry.includes("*")).map(compileGlob);
	const known = new Map<string, boolean>();
	return (className, key) => {
		const full = `${className}.${key}`;
		if (names.has(key) || names.has(full)) return true;
		if (patterns.length === 0) return false;
		const found = known.get(full) ?? patterns.some((glob) => glob.matches(key) || glob.matches(full));
		if (known.size < REMEMBERED) known.set(full, found);
		return found;
	};
}

/** `*` stands for any characters. */
const compileGlob = (pattern: string): RE2JS =>
	compilePattern(
		pattern
			.split("*")
			.map((piece) => RE2JS.quote(toByteString(piece)))
			.join(".*"),
		"s",
	);

/**
 * Null if no attribute is ignored.
 * @param match of a comparison by name, which ignores where objects are
 */
export function createIgnore(spec: IgnoreSpec, match: NameMatch | null = null): Ignore | null {
	const ignore = createGivenIgnore(spec);
	if (match === null) return ignore;
	return (className, key, old, now) =>
		match.isPlace(className, key, old, now) || ignore?.(className, key, old, now) === true;
}

/** Ignores what drift rules ignore, and nothing else. */
export const createDriftIgnore = (rules: DriftRules | null): Ignore | null =>
	createIgnore({ names: [], volatile: false, identity: false, rules });

function createGivenIgnore({ names, volatile: always, identity, rules }: IgnoreSpec): Ignore | null {
	const volatile = always || rules?.ignore_volatile === true;
	const sets = rules?.treat_as_set ?? [];
	const ignored = [...names, ...(rules?.ignore ?? [])];
	if (ignored.length === 0 && sets.length === 0 && !volatile && !identity) return null;
	const isNamed = createMatcher(ignored);
	const isSet = createMatcher(sets);
	const listed = [...(volatile ? VOLATILE_RULES : []), ...(identity ? IDENTITY_RULES : [])];
	/** Ignored attributes of the lists by class; `all` if every attribute is. */
	const known = new Map<string, ReadonlySet<string> | "all">();
	return (className, key, old, now) => {
		if (isNamed(className, key)) return true;
		if (sets.length > 0 && isSet(className, key) && isSetReordered(old, now)) return true;
		// Models call these bitmasks; their form tells them without a model.
		if ((volatile || rules !== null) && areFlagsReordered(key, old, now)) return true;
		if (listed.length === 0) return false;
		const found = known.get(className) ?? findListedAttributes(listed, className);
		known.set(className, found);
		return found === "all" || found.has(key);
	};
}

/** Whether drift rules leave an object out. */
export type Exclude = (className: string, dn: string) => boolean;

/** Null if no object is left out. */
export function createExclude(rules: DriftRules | null): Exclude | null {
	if (rules === null || rules.ignore_classes.length + rules.ignore_dns.length === 0) return null;
	const classes = new Set(rules.ignore_classes.filter((entry) => !entry.includes("*")));
	const patterns = rules.ignore_classes.filter((entry) => entry.includes("*")).map(compileGlob);
	const dns = rules.ignore_dns.map((pattern) => compilePattern(pattern));
	return (className, dn) =>
		classes.has(className) ||
		patterns.some((glob) => glob.matches(toByteString(className))) ||
		(dns.length > 0 && dns.some((pattern) => pattern.test(dn)));
}

interface ListedRule {
	readonly attribute: string | null;
	readonly classes: RegExp | null;
}

const compileRules = (rules: readonly VolatileRule[]): ListedRule[] =>
	rules.map(({ attribute, classes }) => ({ attribute, classes: classes === null ? null : new RegExp(classes) }));

const VOLATILE_RULES = compileRules(VOLATILE);
const IDENTITY_RULES = compileRules(IDENTITY);

function findListedAttributes(rules: readonly ListedRule[], className: string): ReadonlySet<string> | "all" {
	const found = new Set<string>();
	for (const { attribute, classes } of rules) {
		if (classes?.test(className) === false) continue;
		if (attribute === null) return "all";
		found.add(attribute);
	}
	return found;
}
