import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compilePattern } from "../../../core/regex.ts";
import { compileDnPattern, createDnText, matchesDn } from "./dn-pattern.ts";
import { compileExpectations, findPatternProblems, matchDifference } from "./expectations.ts";
import { buildDifference, buildExpectation, buildModified, FABRIC, OTHER_FABRIC } from "./samples.fixture.ts";
import type { Difference } from "./types.ts";

type Expected = ReturnType<typeof buildExpectation>;

const findMatch = (expectations: Expected[], difference: Difference, item = 0, fabric = FABRIC) =>
	matchDifference(compileExpectations(expectations), difference, fabric, item);
const listTakers = (expectations: Expected[], difference: Difference, item = 0, fabric = FABRIC) =>
	findMatch(expectations, difference, item, fabric)?.taken.map(({ expectation }) => expectation.id) ?? [];

const WEB = "uni/tn-prod/BD-web";

describe("an expectation", () => {
	it.each<[string, Partial<Expected>, string[]]>([
		["takes a difference of its dn", {}, ["e1"]],
		["takes a change of its kind", { change: "added" }, ["e1"]],
		["leaves a change of another kind", { change: "deleted" }, []],
		["takes an object of its class", { class_name: "fvBD" }, ["e1"]],
		["leaves an object of another class", { class_name: "fvCtx" }, []],
		["takes a difference of its item", { item: 0 }, ["e1"]],
		["leaves a difference of another item", { item: 1 }, []],
		["takes a difference of its connection", { connection_ids: [FABRIC] }, ["e1"]],
		["leaves a difference of another connection", { connection_ids: [OTHER_FABRIC] }, []],
		["takes a dn that its regular expression matches", { dn: { regex: "uni/tn-[a-z]+/BD-.*" } }, ["e1"]],
		["leaves another dn", { dn: "uni/tn-prod/BD-db" }, []],
	])("%s", (_what, fields, expected) => {
		expect(listTakers([buildExpectation({ dn: WEB, ...fields })], buildDifference(WEB))).toEqual(expected);
	});

	it("takes an object of unknown class only by its exact dn, if it names a class", () => {
		const unknown = buildDifference(WEB, { className: null });
		expect(listTakers([buildExpectation({ dn: WEB, class_name: "fvBD" })], unknown)).toEqual(["e1"]);
		expect(listTakers([buildExpectation({ dn: `${WEB}*`, class_name: "fvBD" })], unknown)).toEqual([]);
	});

	it("takes a difference by an exact dn first, then by the longest pattern", () => {
		const exact = buildExpectation({ dn: WEB }, "exact");
		const long = buildExpectation({ dn: "uni/tn-prod/BD-w*" }, "long");
		const short = buildExpectation({ dn: "uni/tn-prod/**" }, "short");
		expect(listTakers([short, long, exact], buildDifference(WEB))).toEqual(["exact"]);
		expect(listTakers([short, long, exact], buildDifference("uni/tn-prod/BD-wx"))).toEqual(["long"]);
		expect(listTakers([short, long, exact], buildDifference("uni/tn-prod/BD-x"))).toEqual(["short"]);
	});

	it("shares a difference with an equally specific one, the one declared before the start first", () => {
		const late = buildExpectation({ dn: WEB }, "late", true);
		expect(listTakers([late, buildExpectation({ dn: WEB }, "early")], buildDifference(WEB))).toEqual(["early", "late"]);
	});

	it("leaves attributes that it does not name", () => {
		const only = buildExpectation({ dn: WEB, attributes: { arpFlood: {} } });
		const found = findMatch([only], buildModified(WEB, { arpFlood: ["no", "yes"], descr: ["a", "b"] }));
		expect(found?.taken[0]?.attributes.map(({ name }) => name)).toEqual(["arpFlood"]);
		expect(found?.rest.map(({ name }) => name)).toEqual(["descr"]);
	});

	it("leaves a difference to a less specific one if none of its attributes differs", () => {
		const only = buildExpectation({ dn: WEB, attributes: { arpFlood: { to: "yes" } } }, "only");
		const any = buildExpectation({ dn: "uni/**" }, "any");
		expect(listTakers([only, any], buildModified(WEB, { descr: ["a", "b"] }))).toEqual(["any"]);
		expect(listTakers([only], buildModified(WEB, { descr: ["a", "b"] }))).toEqual([]);
	});

	it("takes its attributes beside another one of the same dn", () => {
		const flood = buildExpectation({ dn: WEB, attributes: { arpFlood: {} } }, "flood");
		const text = buildExpectation({ dn: WEB, attributes: { descr: {} } }, "text");
		const found = findMatch([flood, text], buildModified(WEB, { arpFlood: ["no", "yes"], descr: ["a", "b"] }));
		expect(found?.taken).toHaveLength(2);
		expect(found?.rest).toEqual([]);
	});

	it("takes an added object as a whole, even if it names attributes", () => {
		const only = buildExpectation({ dn: WEB, attributes: { arpFlood: { to: "yes" } } });
		const attributes = [
			{ name: "arpFlood", before: null, after: "yes" },
			{ name: "descr", before: null, after: "b" },
		];
		expect(findMatch([only], buildDifference(WEB, { attributes }))).toMatchObject({ rest: [], taken: [{ wrong: [] }] });
	});

	it.each<[string, { from?: string | null; to?: string | null }, readonly [string, string] | null, boolean]>([
		["both values are the declared ones", { from: "no", to: "yes" }, ["no", "yes"], false],
		["any value is allowed", {}, ["no", "flood"], false],
		["the value after is another one", { from: "no", to: "yes" }, ["no", "flood"], true],
		["the value before is another one", { from: "no", to: "yes" }, ["off", "yes"], true],
		["a declared attribute did not change", { to: "yes" }, null, true],
		["an attribute that may change did not change", {}, null, false],
		["the attribute should be absent", { to: null }, ["no", "yes"], true],
	])("checks the values of its attributes if %s", (_what, declared, found, isWrong) => {
		const difference = buildModified(WEB, { descr: ["a", "b"], ...(found === null ? {} : { arpFlood: found }) });
		const both = buildExpectation({ dn: WEB, attributes: { descr: {}, arpFlood: declared } });
		expect(findMatch([both], difference)?.taken[0]?.wrong.map(({ name }) => name)).toEqual(isWrong ? ["arpFlood"] : []);
	});

	it("does not miss an unchanged attribute if it is not required", () => {
		const may = buildExpectation({ dn: WEB, required: false, attributes: { descr: {}, arpFlood: { to: "yes" } } });
		expect(findMatch([may], buildModified(WEB, { descr: ["a", "b"] }))?.taken[0]?.wrong).toEqual([]);
	});

	it("names an attribute of a merged row with or without its class", () => {
		const merged = buildModified(WEB, { "fvBD.arpFlood": ["no", "yes"] });
		for (const name of ["arpFlood", "fvBD.arpFlood"])
			expect(findMatch([buildExpectation({ dn: WEB, attributes: { [name]: { to: "yes" } } })], merged)?.rest).toEqual(
				[],
			);
		const plain = buildModified(WEB, { arpFlood: ["no", "yes"] });
		expect(findMatch([buildExpectation({ dn: WEB, attributes: { "fvBD.arpFlood": {} } })], plain)?.rest).toEqual([]);
	});

	it("recognizes a long value that was recorded without its end", () => {
		const long = "x".repeat(600);
		const only = buildExpectation({ dn: WEB, attributes: { descr: { to: long } } });
		const found = findMatch([only], buildModified(WEB, { descr: ["", `${"x".repeat(500)}…`] }));
		expect(found?.taken[0]?.wrong).toEqual([]);
	});
});

describe("a list of expectations", () => {
	it("names unusable patterns by their place", () => {
		const dns = ["uni/*", { regex: "(?=a)" }, { regex: "uni/.*" }, { regex: "a{1000}{1000}" }];
		expect([...findPatternProblems(dns).keys()]).toEqual([1, 3]);
	});

	it.each<[string, Expected["dn"][], string, string[]]>([
		["that differ in the middle", ["uni/tn-*/BD-a1*", "uni/tn-*/BD-a2*"], "uni/tn-x/BD-a2b", ["e1"]],
		["that differ at the end", ["uni/**/BD-1", "uni/**/BD-21"], "uni/tn-x/BD-21", ["e1"]],
		["that differ in a short text", ["**1**", "**2**"], "uni/tn-2", ["e1"]],
		["without a text", ["**", "*/*"], "uni/tn-2", ["e1"]],
		["longer than an indexed text", [`**${"x".repeat(80)}`, `**y${"x".repeat(79)}`], `y${"x".repeat(79)}`, ["e1"]],
		["of regular expressions", [{ regex: "uni/.*-a1" }, { regex: "uni/.*-a2" }], "uni/tn-a2", ["e1"]],
	])("tells apart patterns %s", (_what, dns, dn, expected) => {
		const expectations = dns.map((one, i) => buildExpectation({ dn: one }, `e${i}`));
		expect(listTakers(expectations, buildDifference(dn))).toEqual(expected);
	});

	it("agrees with a comparison of each expectation", () => {
		const text = fc.array(fc.constantFrom("uni", "/", "tn-a", "BD-b", "[x/y]", "*", "**"), { maxLength: 5 });
		const dn = fc.oneof(
			text.map((parts) => parts.join("") || "uni"),
			fc.constantFrom("uni.*", "[a-z]+/tn-a", "uni/?tn-a", ".*BD-b.*", "uni(/|tn-a)*", "uni|tn-a").map((regex) => ({
				regex,
			})),
		);
		const names = fc.constantFrom("descr", "arpFlood", "fvBD.arpFlood");
		const fields = fc.record({
			dn,
			change: fc.constantFrom("added" as const, "modified" as const, "any" as const),
			class_name: fc.constantFrom(null, "fvBD", "fvCtx"),
			item: fc.constantFrom(null, 0, 1),
			connection_ids: fc.constantFrom<string[] | null>(null, [FABRIC], [OTHER_FABRIC]),
			attributes: fc.option(fc.dictionary(names, fc.constant({ to: "yes" }), { maxKeys: 2 })),
			late: fc.boolean(),
		});
		const object = fc.record({
			parts: fc.array(fc.constantFrom("uni", "/", "tn-a", "BD-b", "[x/y]"), { maxLength: 5 }),
			className: fc.constantFrom(null, "fvBD"),
			change: fc.constantFrom("added" as const, "modified" as const),
			attributes: fc.uniqueArray(names, { maxLength: 2 }),
		});
		fc.assert(
			fc.property(fc.array(fields, { maxLength: 12 }), object, (list, { parts, attributes, ...rest }) => {
				const expectations = list.map(({ late, ...given }, i) => buildExpectation(given, `e${i}`, late));
				const difference = buildDifference(parts.join(""), {
					...rest,
					attributes: attributes.map((name) => ({ name, before: "no", after: "yes" })),
				});
				expect(listTakers(expectations, difference)).toEqual(pickNaively(expectations, difference));
			}),
			{ numRuns: 3_000 },
		);
	});
});

/**
 * Returns the ids of the most specific expectations, those declared before the start first.
 * Compares each one.
 */
function pickNaively(expectations: readonly Expected[], difference: Difference): string[] {
	const { dn, change, className, attributes } = difference;
	const scored = expectations.flatMap((one) => {
		const isExact = typeof one.dn === "string" && !one.dn.includes("*");
		const differs = (name: string) =>
			attributes.some(
				(found) => [name, `${className}.${name}`].includes(found.name) || name === `${className}.${found.name}`,
			);
		const isTaken =
			(one.change === "any" || one.change === change) &&
			(one.class_name === null || one.class_name === className || (isExact && className === null)) &&
			(one.item === null || one.item === 0) &&
			(one.connection_ids === null || one.connection_ids.includes(FABRIC)) &&
			(one.attributes === null || change !== "modified" || Object.keys(one.attributes).some(differs)) &&
			matchesDn(compileDnPattern(one.dn, compilePattern), createDnText(dn));
		if (!isTaken) return [];
		const { length } = typeof one.dn === "string" ? one.dn : one.dn.regex;
		return [{ id: one.id, late: one.late, score: isExact ? Number.POSITIVE_INFINITY : length }];
	});
	const most = Math.max(...scored.map(({ score }) => score));
	const best = scored.filter(({ score }) => score === most);
	return [...best.filter(({ late }) => !late), ...best.filter(({ late }) => late)].map(({ id }) => id);
}
