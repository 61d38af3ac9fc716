/**
 * Matches differences with expectations. Expectations are compiled once for a window; a difference
 * is then compared only with those whose pattern begins like its dn.
 */
import { CHANGE_LIMITS, type Expectation } from "@weft/contracts";
import { createPatternCompiler, PatternError } from "../../../core/regex.ts";
import { compileDnPattern, matchesDn } from "./dn-pattern.ts";
import type { CompiledExpectation, CompiledExpectations, Difference, Judging } from "./types.ts";

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
	const exact = new Map<string, CompiledExpectation[]>();
	const patterns = new Map<number, Map<string, CompiledExpectation[]>>();
	for (const [place, expectation] of expectations.entries()) {
		const pattern = compileDnPattern(expectation.dn, compile);
		const { beginning } = pattern;
		let known = exact;
		if (!pattern.isExact) {
			known = patterns.get(beginning.length) ?? new Map<string, CompiledExpectation[]>();
			patterns.set(beginning.length, known);
		}
		const compiled = { expectation, pattern, place };
		const same = known.get(beginning);
		if (same === undefined) known.set(beginning, [compiled]);
		else same.push(compiled);
	}
	for (const byBeginning of [exact, ...patterns.values()])
		for (const same of byBeginning.values()) same.sort(compareCandidates);
	return { exact, patterns };
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
	const found = findBest(expected, difference, connectionId, item);
	if (found.length === 0) return null;
	const taken = found.map((one) => one.taken);
	if (difference.change !== "modified" || taken.some(({ expectation }) => expectation.attributes === null))
		return { taken, rest: [], omitted: 0 };
	const named = new Set(taken.flatMap(({ attributes, wrong }) => [...attributes, ...wrong].map(({ name }) => name)));
	return {
		taken,
		rest: difference.attributes.filter(({ name }) => !named.has(name)),
		omitted: difference.omitted,
	};
}

interface Match {
	readonly candidate: CompiledExpectation;
	readonly taken: TakenDifference;
}

/** Finds the most specific expectations of a difference, in the order of `compareCandidates`. */
function findBest(
	{ exact, patterns }: CompiledExpectations,
	difference: Difference,
	connectionId: string,
	item: number,
): Match[] {
	const { dn } = difference;
	let best: Match[] = [];
	/** @param candidates the most specific first */
	const search = (candidates: readonly CompiledExpectation[] | undefined): void => {
		for (const candidate of candidates ?? []) {
			const order = best[0] === undefined ? 0 : compareSpecificity(best[0].candidate, candidate);
			if (order < 0) break;
			if (!isAbout(candidate, difference, connectionId, item) || !matchesDn(candidate.pattern, dn)) continue;
			const taken = takeDifference(candidate.expectation, difference);
			if (taken === null) continue;
			if (order > 0) best = [];
			best.push({ candidate, taken });
		}
	};
	search(exact.get(dn));
	for (const [length, byBeginning] of patterns) if (length <= dn.length) search(byBeginning.get(dn.slice(0, length)));
	return best.sort((one, other) => compareCandidates(one.candidate, other.candidate));
}

function isAbout(
	{ expectation, pattern }: CompiledExpectation,
	difference: Difference,
	connectionId: string,
	item: number,
): boolean {
	const { change, class_name: className } = expectation;
	if (change !== "any" && change !== difference.change) return false;
	// Rows of chosen fields have no class: an exact dn is enough for them.
	const isUnknown = difference.className === null && pattern.isExact;
	if (className !== null && className !== difference.className && !isUnknown) return false;
	if (expectation.item !== null && expectation.item !== item) return false;
	return isExpectedOn(expectation, connectionId);
}

/** Whether an expectation applies to a connection. */
export const isExpectedOn = ({ connection_ids: ids }: Expectation, connectionId: string): boolean =>
	ids === null || ids.includes(connectionId);

const compareSpecificity = ({ pattern: one }: CompiledExpectation, { pattern: other }: CompiledExpectation): number =>
	Number(other.isExact) - Number(one.isExact) || other.length - one.length;

const compareCandidates = (one: CompiledExpectation, other: CompiledExpectation): number =>
	compareSpecificity(one, other) ||
	Number(one.expectation.late) - Number(other.expectation.late) ||
	one.place - other.place;

/** Returns null if the expectation names attributes, and none of them differs. */
function takeDifference(expectation: Expectation, difference: Difference): TakenDifference | null {
	if (expectation.attributes === null) return { expectation, attributes: difference.attributes, wrong: [] };
	const isModified = difference.change === "modified";
	const byName = new Map(difference.attributes.map((attribute) => [attribute.name, attribute]));
	const attributes: Difference["attributes"][number][] = [];
	const wrong: WrongAttribute[] = [];
	for (const [name, { from, to }] of Object.entries(expectation.attributes)) {
		const found = findAttribute(byName, difference.className, name);
		const isUnexpected = (expected: string | null | undefined, value: string | null) =>
			expected !== undefined && !isSameValue(expected, value);
		if (found === undefined) {
			const isWanted = [from, to].some((value) => value !== undefined && (isModified || value !== null));
			if (isWanted && expectation.required) wrong.push({ name, from, to, found: null });
		} else if (isUnexpected(from, found.before) || isUnexpected(to, found.after))
			wrong.push({ name: found.name, from, to, found: { before: found.before, after: found.after } });
		else attributes.push(found);
	}
	const isUnrelated = isModified && attributes.length === 0 && wrong.every(({ found }) => found === null);
	return isUnrelated ? null : { expectation, attributes, wrong };
}

/** Rows that merge several objects name an attribute `Class.attribute`. */
function findAttribute<Value>(byName: ReadonlyMap<string, Value>, className: string | null, name: string) {
	const prefix = `${className}.`;
	return byName.get(name) ?? byName.get(name.startsWith(prefix) ? name.slice(prefix.length) : `${prefix}${name}`);
}

/** Whether a value is the declared one. Long values are recorded without their end. */
const isSameValue = (expected: string | null, value: string | null): boolean =>
	expected === value ||
	(expected !== null &&
		value !== null &&
		expected.length > CHANGE_LIMITS.value &&
		value.endsWith("…") &&
		expected.startsWith(value.slice(0, -1)));
