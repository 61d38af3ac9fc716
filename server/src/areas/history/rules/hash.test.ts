import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readResult } from "./document.ts";

function computeHash(text: string): string {
	return readResult(Buffer.from(text), { maxBytes: 1 << 24 })?.content?.hash ?? "";
}

function computeSha256(text: string): Buffer {
	return createHash("sha256").update(text).digest();
}

const createBridgeDomain = (dn: string, more: Record<string, unknown> = {}) => ({
	fvBD: { attributes: { dn, ...more } },
});
const formatEnvelope = (...rows: unknown[]) => JSON.stringify({ totalCount: String(rows.length), imdata: rows });

describe("hash", () => {
	test("is the hash of the rows' hashes, sorted by dn, which are those of their canonical text", () => {
		const given =
			'{"imdata":[{"B":{"attributes":{"n":1.50e1,"dn":"uni\\/b"}}},{"x":"no dn"},{"A":{"attributes":{"dn":"uni/a"}}}]}';
		const rows = ['{"A":{"attributes":{"dn":"uni/a"}}}', '{"B":{"attributes":{"dn":"uni/b","n":15}}}', '{"x":"no dn"}'];
		expect(computeHash(given)).toBe(
			createHash("sha256")
				.update(Buffer.concat(rows.map(computeSha256)))
				.digest("hex"),
		);
	});

	test.each([
		[
			"order of rows",
			formatEnvelope(createBridgeDomain("a"), createBridgeDomain("b")),
			formatEnvelope(createBridgeDomain("b"), createBridgeDomain("a")),
		],
		[
			"the envelope",
			formatEnvelope(createBridgeDomain("a")),
			`{"imdata":[${JSON.stringify(createBridgeDomain("a"))}],"totalCount":"7","subscriptionId":"1"}`,
		],
		["an envelope at all", formatEnvelope(createBridgeDomain("a")), `[${JSON.stringify(createBridgeDomain("a"))}]`],
		["key order", '[{"b":1,"a":{"d":1,"c":2}}]', '[{"a":{"c":2,"d":1},"b":1}]'],
		["escapes", '["A/\\u00e9\\n"]', '["\\u0041\\/é\\u000A"]'],
		["a pair of surrogates", '["😀"]', '["\\ud83d\\uDE00"]'],
		["spelling of numbers", "[1,0,100,1500]", "[1.0,-0,1e2,0.15e4]"],
		["huge numbers", "[1e400]", "[10.0E+399]"],
		["order of children", formatNestedResult("a", "b"), formatNestedResult("b", "a")],
		["whitespace", '[{"a":[1,2]}]', ' [ {"a" :[ 1,\t2 ] }\r\n]'],
	])("does not depend on %s", (_, one, other) => {
		expect(computeHash(one)).toBe(computeHash(other));
	});

	test.each([
		["big integers", "[12345678901234567890]", "[12345678901234567891]"],
		["small differences", "[0.1]", "[0.10000000000000000001]"],
		["signs", "[1]", "[-1]"],
		["number and string", "[1]", '["1"]'],
		["null and absent", '[{"a":null}]', "[{}]"],
		["lone surrogates", '["\\ud800"]', '["\\ud801"]'],
		["a lone surrogate and the replacement character", '["\\ud800"]', '["\ufffd"]'],
		["order of equal keys", '[{"a":1,"a":2}]', '[{"a":2,"a":1}]'],
		["order of rows without dn", "[1,2]", "[2,1]"],
		["order of other arrays", '[{"a":[1,2]}]', '[{"a":[2,1]}]'],
		[
			"how often a row occurs",
			formatEnvelope(createBridgeDomain("a")),
			formatEnvelope(createBridgeDomain("a"), createBridgeDomain("a")),
		],
		["exponents beyond reason", "[1e99999999999999999999]", "[1e99999999999999999998]"],
	])("tells apart %s", (_, one, other) => {
		expect(computeHash(one)).not.toBe(computeHash(other));
	});

	test("another order, spacing, escaping or notation leaves it; another value changes it", () => {
		const attributes = fc.dictionary(fc.string({ unit: "binary", maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), {
			maxKeys: 6,
		});
		const rows = fc.uniqueArray(fc.tuple(fc.string({ minLength: 1 }), attributes), {
			selector: ([dn]) => dn,
			minLength: 1,
			maxLength: 6,
		});
		fc.assert(
			fc.property(rows, fc.infiniteStream(fc.nat({ max: 999 })), (given, stream) => {
				const plain = given.map(([dn, more]) => createBridgeDomain(dn, { ...more, dn }));
				const chance = (): number => stream.next().value ?? 0;
				const mixed = plain.map((row) => ({ row, order: chance() })).sort((a, b) => a.order - b.order);
				const before = computeHash(formatEnvelope(...plain));
				expect(computeHash(formatLooseJson({ imdata: mixed.map(({ row }) => row) }, chance))).toBe(before);
				const [dn, more] = given[0] ?? ["", {}];
				const changed = createBridgeDomain(dn, { ...more, dn, longerThanTheOthers: chance() });
				expect(computeHash(formatEnvelope(changed, ...plain.slice(1)))).not.toBe(before);
			}),
			{ numRuns: 150 },
		);
	});
});

function formatNestedResult(...names: string[]): string {
	const children = names.map((name) => ({ fvSubnet: { attributes: { rn: `subnet-${name}` } } }));
	return formatEnvelope({ fvBD: { attributes: { dn: "uni/x" }, children } });
}

/** JSON text of a value in one of its many spellings. */
function formatLooseJson(value: unknown, chance: () => number): string {
	const blank = (): string => ["", "", " ", "\n\t"][chance() % 4] ?? "";
	if (Array.isArray(value))
		return `[${value.map((item) => blank() + formatLooseJson(item, chance)).join(",")}${blank()}]`;
	if (typeof value === "object" && value !== null) {
		const members = Object.entries(value).map(([key, item]) => ({ key, item, order: chance() }));
		members.sort((a, b) => a.order - b.order);
		return `{${members.map(({ key, item }) => `${blank()}${formatLooseJson(key, chance)}${blank()}:${formatLooseJson(item, chance)}`).join(",")}}`;
	}
	if (typeof value === "string") {
		const units = value.split("").map((unit) => {
			const code = unit.charCodeAt(0);
			const spelt = `\\u${code.toString(16).padStart(4, "0")}`;
			return code < 0x20 || code === 0x22 || code === 0x5c || (code & 0xf800) === 0xd800 || chance() % 5 === 0
				? spelt
				: unit;
		});
		return `"${units.join("")}"`;
	}
	// Zero has no spelling with a zero put after it.
	if (typeof value === "number" && Number.isInteger(value) && value !== 0 && Math.abs(value) < 1e15)
		return [`${value}`, `${value}.0`, `${value}e0`, `${value}0e-1`][chance() % 4] ?? "";
	return JSON.stringify(value);
}
