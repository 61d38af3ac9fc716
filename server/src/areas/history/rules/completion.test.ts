import fc from "fast-check";
import { expect, test } from "vitest";
import { buildCompletionData, createCompletion } from "./completion.ts";
import { toByteString } from "./json-text.ts";

const createTestCompletion = (names: { dn: string; className: string }[]) =>
	createCompletion(
		buildCompletionData(
			names.map(({ dn, className }) => ({ dn: toByteString(dn), className: toByteString(className) })),
		),
	);

test("finds what plain code finds, in any case and any script", () => {
	const text = fc.oneof(
		fc.constantFrom("uni/tn-A", "uni/tn-a/BD-ü", "İx", "ſ", "😀/x", "a\u0000b", "\ud800"),
		fc.string(),
	);
	const names = fc.array(fc.record({ dn: text, className: fc.constantFrom("fvBD", "fvTenant", "ü") }), {
		maxLength: 20,
	});
	fc.assert(
		fc.property(names, fc.oneof(text, fc.constantFrom("", "N", "ü", "x")), fc.nat({ max: 8 }), (given, part, limit) => {
			const q = part.replaceAll("\u0000", "");
			const byDn = new Map(given.map(({ dn, className }) => [dn, className]));
			const code = (dn: string) => Buffer.from(toByteString(dn), "latin1");
			const expected = [...byDn]
				.filter(([dn]) => dn.toLowerCase().includes(q.toLowerCase()))
				.sort(([a], [b]) => code(a).compare(code(b)))
				.map(([dn, className]) => ({ dn, className }));
			expect(createTestCompletion(given).find(q, limit)).toEqual(expected.slice(0, limit));
		}),
		{ numRuns: 300 },
	);
});

test("finds a part of any of many", () => {
	const step = fc.constantFrom("tn-a", "tn-B", "bd-1", "bd-12", "epg-x", "ü");
	const dn = fc.array(step, { minLength: 1, maxLength: 4 }).map((steps) => `uni/${steps.join("/")}`);
	const given = fc.uniqueArray(dn, { minLength: 1, maxLength: 120 });
	fc.assert(
		fc.property(given, fc.nat(), fc.nat(), fc.integer({ min: 1, max: 9 }), (dns, which, from, length) => {
			const of = dns[which % dns.length] as string;
			const part = of.slice(from % of.length).slice(0, length);
			const expected = dns.filter((dn) => dn.toLowerCase().includes(part.toLowerCase()));
			const found = createTestCompletion(dns.map((dn) => ({ dn, className: "fvBD" }))).find(part, dns.length);
			expect(found.map(({ dn }) => dn)).toEqual(expected.sort());
		}),
	);
});

test("nothing is found across two dns", () => {
	const found = createTestCompletion([
		{ dn: "ab", className: "x" },
		{ dn: "cd", className: "x" },
	]);
	expect(found.find("bc", 5)).toEqual([]);
	expect(found.find("", 5)).toHaveLength(2);
	expect(createTestCompletion([]).find("", 5)).toEqual([]);
});
