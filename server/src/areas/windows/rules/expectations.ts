/**
 * Matches differences with expectations. Expectations are compiled once for a connection; a
 * difference is then compared only with those that have a literal of its dn.
 */
import { CHANGE_LIMITS, type Expectation } from "@weft/contracts";
import { createPatternCompiler, PatternError } from "../../../core/regex.ts";
import { compileDnPattern, createDnText, matchesDn } from "./dn-pattern.ts";
import { buildLiteralIndex, findByLiterals, type LiteralIndex } from "./literal-index.ts";
import type {
	ClassGroup,
	CompiledExpectation,
	CompiledExpectations,
	Difference,
	Judging,
	PatternGroup,
} from "./types.ts";

/** A difference as one expectation takes it. */
export interface TakenDifference {
	readonly expectation: Expectation;
	/** Attributes that the expectation takes, with values that it allows. */
	readonly attributes: Difference["attributes"];
	/** Attributes that have another value than the declared one, or that did not change. */
	readonly wrong: readonly WrongAttribute[];
}

export interface WrongAttribute {
	readonly name: string;
	/** Undefined if any value is allowed; null if the attribute must be absent. */
	readonly from: string | null | undefined;
	readonly to: string | null | undefined;
	/** The values before and after; null if the attribute did not change. */
	readonly found: { readonly before: string | null; readonly after: string | null } | null;
}

/** A difference that was declared. */
export interface DeclaredDifference {
	/** At least one. Expectations declared before the start come first. */
	readonly taken: readonly TakenDifference[];
	/** Attributes that no expectation takes. */
	readonly rest: Difference["attributes"];
	/** Number of further attributes that are not listed; 0 if an expectation takes all attributes. */
	readonly omitted: number;
}

/** @throws PatternError for a regular expression that RE2 does not know, or that is too large */
export function compileExpectations(expectations: readonly Expectation[]): CompiledExpectations {
	const compile = createPatternCompiler();
	const compiled = expectations.map((expectation, place): CompiledExpectation => {
		const { attributes } = expectation;
		return { expectation, attributes: attributes && Object.entries(attributes), place };
	});
	const bySource = groupBy(compiled, ({ expectation }) => [JSON.stringify(expectation.dn)]);
	const exact = new Map<string, PatternGroup>();
	const patterns: PatternGroup[] = [];
	for (const [source, members] of bySource) {
		const dn: Expectation["dn"] = JSON.parse(source);
		const group = { pattern: compileDnPattern(dn, compile), byClass: groupByClass(members) };
		if (group.pattern.isExact && typeof dn === "string") exact.set(dn, group);
		else patterns.push(group);
	}
	return { exact, patterns: indexByRarestLiteral(patterns) };
}

function groupByClass(members: readonly CompiledExpectation[]): Map<string | null, ClassGroup> {
	const byClass = groupBy(members, ({ expectation }) => [expectation.class_name]);
	const buildGroup = (all: readonly CompiledExpectation[]): ClassGroup => ({
		all,
		anyAttribute: all.filter(({ attributes }) => attributes === null),
		byAttribute: groupBy(all, ({ attributes }) => (attributes ?? []).map(([name]) => name)),
	});
	return new Map([...byClass].map(([className, all]) => [className, buildGroup(all)]));
}

function groupBy<Key, Value>(values: readonly Value[], listKeys: (value: Value) => readonly Key[]): Map<Key, Value[]> {
	const groups = new Map<Key, Value[]>();
	for (const value of values)
		for (const key of listKeys(value)) {
			const same = groups.get(key);
			if (same === undefined) groups.set(key, [value]);
			else same.push(value);
		}
	return groups;
}

/** Indexed literals are cut to this length, so that the index stays small. */
const MAX_LITERAL = 64;

/**
 * Indexes each pattern by the literal that it shares with the fewest other patterns, of these the
 * longest. Patterns that differ somewhere are then distinguished, wherever that is.
 */
function indexByRarestLiteral(groups: readonly PatternGroup[]): LiteralIndex<PatternGroup> {
	const listKeys = ({ pattern }: PatternGroup) =>
		new Set(pattern.literals.flatMap((literal) => [literal.slice(0, MAX_LITERAL), literal.slice(-MAX_LITERAL)]));
	const counts = new Map<string, number>();
	for (const group of groups) for (const key of listKeys(group)) counts.set(key, (counts.get(key) ?? 0) + 1);
	const pickKey = (group: PatternGroup): string => {
		let best = "";
		let count = Number.POSITIVE_INFINITY;
		for (const key of listKeys(group)) {
			const found = counts.get(key) ?? 0;
			if (found > count || (found === count && key.length <= best.length)) continue;
			best = key;
			count = found;
		}
		return best;
	};
	return buildLiteralIndex(groups.map((group) => [pickKey(group), group]));
}

/** @throws PatternError for a regular expression that RE2 does not know, or that is too large */
export const createJudging = (given: Omit<Judging, "compiled">): Judging => ({
	failOn: given.failOn,
	expectations: given.expectations,
	implementers: given.implementers,
	compiled: compileExpectations(given.expectations),
});

/** Returns the errors of unusable regular expressions, by their place in the list. */
export function findPatternProblems(dns: readonly Expectation["dn"][]): ReadonlyMap<number, string> {
	const compile = createPatternCompiler();
	const problems = new Map<number, string>();
	for (const [place, dn] of dns.entries())
		try {
			compileDnPattern(dn, compile);
		} catch (error) {
			if (!(error instanceof PatternError)) throw error;
			problems.set(place, error.message);
		}
	return problems;
}

/**
 * Finds the most specific expectation of a difference, or all that are equally specific. An exact
 * dn is more specific than a pattern, a longer pattern than a shorter one.
 * @returns null for a difference that was not declared
 */
export function matchDifference(
	expected: CompiledExpectations,
	difference: Difference,
	connectionId: string,
	item: number,
): DeclaredDifference | null {
	const taken = findBest(expected, difference, connectionId, item);
	if (taken.length === 0) return null;
	if (difference.change !== "modified" || taken.some(({ expectation }) => expectation.attributes === null))
		return { taken, rest: [], omitted: 0 };
	const named = new Set(taken.flatMap(({ attributes, wrong }) => [...attributes, ...wrong].map(({ name }) => name)));
	return {
		taken,
		rest: difference.attributes.filter(({ name }) => !named.has(name)),
		omitted: difference.omitted,
	};
}

/** Finds the most specific expectations of a difference, in the order of `compareMembers`. */
function findBest(
	{ exact, patterns }: CompiledExpectations,
	difference: Difference,
	connectionId: string,
	item: number,
): TakenDifference[] {
	const byName = mapAttributes(difference);
	const takeAll = (group: PatternGroup): Match[] => {
		const found: Match[] = [];
		for (const member of listMembers(group, difference, byName)) {
			if (!isAbout(member, difference, connectionId, item)) continue;
			found.push({ member, taken: takeDifference(member, difference, byName) });
		}
		return found;
	};
	const exactGroup = exact.get(difference.dn);
	const exactMatches = exactGroup === undefined ? [] : takeAll(exactGroup);
	if (exactMatches.length > 0) return sortMatches(exactMatches);
	const text = createDnText(difference.dn);
	const best: Match[] = [];
	let length = 0;
	for (const group of listCandidates(patterns, difference.dn)) {
		if (best.length > 0 && group.pattern.length < length) break;
		if (!matchesDn(group.pattern, text)) continue;
		best.push(...takeAll(group));
		length = group.pattern.length;
	}
	return sortMatches(best);
}

interface Match {
	readonly member: CompiledExpectation;
	readonly taken: TakenDifference;
}

const sortMatches = (found: readonly Match[]): TakenDifference[] =>
	[...found].sort((one, other) => compareMembers(one.member, other.member)).map(({ taken }) => taken);

/** Lists the patterns that have a literal of the dn, the most specific ones first. */
const listCandidates = (patterns: LiteralIndex<PatternGroup>, dn: string): PatternGroup[] =>
	[...findByLiterals(patterns, dn)].sort((one, other) => other.pattern.length - one.pattern.length);

/** Lists the expectations that may take a difference, by its class and attributes. */
function listMembers(
	{ pattern, byClass }: PatternGroup,
	{ className, change }: Difference,
	byName: ReadonlyMap<string, Attribute>,
): Iterable<CompiledExpectation> {
	// Rows of chosen fields have no class: an exact dn is enough for them.
	const classes = className === null && pattern.isExact ? [...byClass.keys()] : new Set([null, className]);
	const members = new Set<CompiledExpectation>();
	const addAll = (list: readonly CompiledExpectation[] = []): void => {
		for (const member of list) members.add(member);
	};
	for (const name of classes) {
		const group = byClass.get(name);
		if (change !== "modified") addAll(group?.all);
		else {
			addAll(group?.anyAttribute);
			for (const attribute of byName.keys()) addAll(group?.byAttribute.get(attribute));
		}
	}
	return members;
}

function isAbout(
	{ expectation }: CompiledExpectation,
	difference: Difference,
	connectionId: string,
	item: number,
): boolean {
	const { change } = expectation;
	if (change !== "any" && change !== difference.change) return false;
	if (expectation.item !== null && expectation.item !== item) return false;
	return isExpectedOn(expectation, connectionId);
}

/** Whether an expectation applies to a connection. */
export const isExpectedOn = ({ connection_ids: ids }: Expectation, connectionId: string): boolean =>
	ids === null || ids.includes(connectionId);

/** Orders equally specific expectations: those declared before the start come first. */
const compareMembers = (one: CompiledExpectation, other: CompiledExpectation): number =>
	Number(one.expectation.late) - Number(other.expectation.late) || one.place - other.place;

type Attribute = Difference["attributes"][number];

/** Takes the attributes of a difference that the expectation names. */
function takeDifference(
	{ expectation, attributes: expected }: CompiledExpectation,
	difference: Difference,
	byName: ReadonlyMap<string, Attribute>,
): TakenDifference {
	if (expected === null) return { expectation, attributes: difference.attributes, wrong: [] };
	const isModified = difference.change === "modified";
	const attributes: Attribute[] = [];
	const wrong: WrongAttribute[] = [];
	for (const [name, { from, to }] of expected) {
		const found = byName.get(name);
		const isUnexpected = (expected: string | null | undefined, value: string | null) =>
			expected !== undefined && !isSameValue(expected, value);
		if (found === undefined) {
			const isWanted = [from, to].some((value) => value !== undefined && (isModified || value !== null));
			if (isWanted && expectation.required) wrong.push({ name, from, to, found: null });
		} else if (isUnexpected(from, found.before) || isUnexpected(to, found.after))
			wrong.push({ name: found.name, from, to, found: { before: found.before, after: found.after } });
		else attributes.push(found);
	}
	return { expectation, attributes, wrong };
}

/**
 * Maps names to attributes. Rows that merge several objects name an attribute `Class.attribute`:
 * each is found with and without its class.
 */
function mapAttributes({ attributes, className }: Difference): ReadonlyMap<string, Attribute> {
	const prefix = `${className}.`;
	const byName = new Map(attributes.map((attribute) => [attribute.name, attribute]));
	for (const attribute of attributes) {
		const { name } = attribute;
		const other = name.startsWith(prefix) ? name.slice(prefix.length) : `${prefix}${name}`;
		if (!byName.has(other)) byName.set(other, attribute);
	}
	return byName;
}

/** Whether a value is the declared one. Long values are recorded without their end. */
const isSameValue = (expected: string | null, value: string | null): boolean =>
	expected === value ||
	(expected !== null &&
		value !== null &&
		expected.length > CHANGE_LIMITS.value &&
		value.endsWith("…") &&
		expected.startsWith(value.slice(0, -1)));
