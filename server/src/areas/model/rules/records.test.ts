import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DocumentError } from "./document.ts";
import { PROPERTY_KEYS, readProperty } from "./property.ts";
import { createRecords, readRecords, type StoredRecord } from "./records.ts";

/** Bytes of the property cache: allocating a large one for each case would dominate the test. */
const ROOM = 100_000;

const buildDocument = (properties: string) =>
	Buffer.from(`{"fv:BD": {"rnFormat": "BD-{name}", "properties": ${properties}}}`);
const listLines = ({ properties, line }: StoredRecord): string[] => properties.map((_, at) => String(line(at)));
function getForms({ eachForm }: StoredRecord): string[] {
	const forms: string[] = [];
	eachForm((bytes, start, end) => forms.push(bytes.toString("utf8", start, end)));
	return forms;
}
/** Edges with names instead of words. */
const getEdges = ({ edges }: StoredRecord) =>
	JSON.parse(JSON.stringify(edges, (_, value) => (typeof value?.flat === "string" ? value.flat : value)));
const getParts = (record: StoredRecord) => ({
	name: record.facts.name,
	label: record.facts.label,
	edges: getEdges(record),
	head: String(record.head),
	forms: getForms(record),
	lines: listLines(record),
});

/** Properties' lines as the model keeps them, of a document with these properties. */
function formatLines(properties: string): string[] {
	const records = createRecords(ROOM);
	const { record } = records.add("fvBD", buildDocument(properties), "611");
	expect([...readRecords([records.bytes()])].map(getParts)).toEqual([getParts(record)]);
	return listLines(record);
}

const text = fc.oneof(
	fc.constantFrom("", " ", "auto", "string", "include", "NA", "null", "defaultValue", "scalar:Bool", "é ", " a \u00a0"),
	fc.constantFrom("a\nb", 'q"q', "back\\slash", "\u0001", "\u2028", " x ", "address:MAC"),
	fc.string(),
);
const scalar = fc.oneof(
	text,
	fc.boolean(),
	fc.constant(null),
	fc.integer(),
	fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const anything = fc.oneof(scalar, fc.array(scalar, { maxLength: 2 }), fc.constant({}), fc.constant({ a: 1 }));
const createRecordArbitrary = (keys: readonly string[], value: fc.Arbitrary<unknown>) =>
	fc.dictionary(fc.constantFrom(...keys), value, { noNullPrototype: true });
const FLAGS = PROPERTY_KEYS.filter((key) => /^is|Only$|^secure$|^mandatory$/.test(key));
const TEXTS = PROPERTY_KEYS.filter((key) => /Type$|^uitype$|^label$|^versions$|^likeProp$|^default$/.test(key));

/**
 * Properties as documents have them, with something else in the place of each value now and then,
 * or never.
 */
function buildProperty(odd: fc.Arbitrary<unknown> | null): fc.Arbitrary<Record<string, unknown>> {
	const or = (usual: fc.Arbitrary<unknown>) => (odd === null ? usual : fc.oneof({ weight: 9, arbitrary: usual }, odd));
	const words = or(odd === null ? plainText : text);
	const among = (value: fc.Arbitrary<unknown>) => or(fc.array(or(value), { maxLength: 3 }));
	const comment = or(fc.array(words, { minLength: odd === null ? 1 : 0, maxLength: odd === null ? 1 : 2 }));
	const rule = createRecordArbitrary(["regex", "type", "more"], words);
	const bound = or(fc.integer({ min: -2, max: 99 }));
	const validator = fc
		.tuple(
			createRecordArbitrary(["min", "max"], bound),
			createRecordArbitrary(["regexs"], among(rule)),
			createRecordArbitrary(odd === null ? ["more"] : ["regex"], words),
		)
		.map((parts) => Object.assign({}, ...parts));
	const choice = fc
		.tuple(
			createRecordArbitrary(["value", "localName", "label", "platformFlavors"], words),
			createRecordArbitrary(["comment"], comment),
		)
		.map((parts) => Object.assign({}, ...parts));
	return fc
		.tuple(
			createRecordArbitrary(FLAGS, or(fc.boolean())),
			createRecordArbitrary(TEXTS, words),
			createRecordArbitrary(["comment"], comment),
			createRecordArbitrary(["platformFlavors"], among(words)),
			createRecordArbitrary(["validValues"], among(choice)),
			createRecordArbitrary(["validators"], among(validator)),
			createRecordArbitrary(["validateAsMAC", "more", "é"], or(fc.constant(true))),
		)
		.map((parts) => Object.assign({}, ...parts) as Record<string, unknown>);
}
const plainText = fc.constantFrom(
	"",
	" ",
	"  ab cd ",
	"auto",
	"string",
	"include",
	"defaultValue",
	"scalar:Bool",
	"aébcd",
);
const property = fc.oneof(buildProperty(null), buildProperty(anything));

/** JSON text with blanks, and with escapes that nobody needs. */
const formatLooseJson = (value: unknown, isEscaped: boolean): string => {
	const json = JSON.stringify(value, null, "\t");
	return isEscaped ? json.replace(/[gio]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`) : json;
};

describe("a property's line is what reading it as a value gives", () => {
	test("of any properties", () => {
		fc.assert(
			fc.property(
				fc.dictionary(fc.string({ minLength: 1 }), fc.oneof({ weight: 9, arbitrary: property }, anything), {
					maxKeys: 3,
				}),
				fc.boolean(),
				(properties, isEscaped) => {
					const lines = formatLines(formatLooseJson(properties, isEscaped)).sort();
					// By JSON.parse, for which some names are special.
					const parsed = JSON.parse(JSON.stringify(properties)) as Record<string, unknown>;
					const expected = Object.entries(parsed).map(([name, value]) => JSON.stringify(readProperty(name, value)));
					expect(lines).toEqual(expected.sort());
				},
			),
			{ numRuns: 500 },
		);
	});

	test("of properties that were met before, and of those that nearly were", () => {
		const number = fc.constantFrom("1", "22", "", "x", "1\\u0031");
		const versions = fc.constantFrom("1.0(1e)-", "1.0(1e)-,5.2", "1");
		const spelling = fc.record({
			name: fc.constantFrom("a", "b", "\\u0061"),
			number,
			versions,
			gap: fc.constantFrom("", " "),
		});
		const text = ({ name, number, versions, gap }: { name: string; number: string; versions: string; gap: string }) =>
			`"${name}":${gap}{"propGlobalId": "${number}"${gap}, "versions": "${versions}"}`;
		const document = fc.array(spelling.map(text), { maxLength: 4 }).map((members) => `{${members.join()}}`);
		fc.assert(
			fc.property(
				fc.array(fc.array(document, { maxLength: 4 }), { maxLength: 4 }),
				fc.boolean(),
				(batches, isCramped) => {
					const records = createRecords(isCramped ? 500 : ROOM);
					const written: Buffer[] = [];
					const numbers = new Map<number, string>();
					const check = (record: StoredRecord, seen: Map<number, string>) => {
						for (const [at, line] of listLines(record).entries()) {
							const number = record.properties[at] as number;
							expect(seen.get(number) ?? line).toBe(line);
							seen.set(number, line);
						}
					};
					for (const batch of batches) {
						records.clear();
						for (const properties of batch) {
							const { record } = records.add("fvBD", buildDocument(properties), "611");
							check(record, numbers);
							expect(listLines(record)).toEqual(formatLines(properties));
						}
						written.push(Buffer.from(records.bytes()));
					}
					const stored = new Map<number, string>();
					const read = [...readRecords(written)];
					for (const record of read) check(record, stored);
					expect(read.map(listLines)).toEqual(batches.flat().map(formatLines));
				},
			),
			{ numRuns: 500 },
		);
	});

	test("a property that is no object is not taken for one that begins with the same letters", () => {
		const records = createRecords(ROOM);
		for (const value of ["1", "12", '"x"', '"x y"', "true", "[1]", "{}"]) {
			const { record } = records.add("fvBD", buildDocument(`{"a": ${value}, "b": {"label": "B"}}`), "611");
			expect(listLines(record).map((line) => JSON.parse(line))).toEqual([
				readProperty("a", JSON.parse(value)),
				readProperty("b", { label: "B" }),
			]);
		}
	});

	test("what is the same in a batch is written once", () => {
		const records = createRecords();
		const properties = `{"a": ${JSON.stringify({ comment: ["x".repeat(1000)], propGlobalId: "1" })}}`;
		const [first, second] = [properties, properties.replace('"1"', '"234"')].map((text) => {
			const before = records.bytes().length;
			records.add("fvBD", buildDocument(text), "611");
			return records.bytes().length - before;
		});
		expect(first).toBeGreaterThan(1000);
		expect(second).toBeLessThan(1000);
		records.clear();
		records.add("fvBD", buildDocument(properties), "611");
		expect(records.bytes().length).toBe(first);
	});

	test("of keys that come twice the last counts, of properties too", () => {
		const lines = formatLines(
			'{"a": {"label": "x", "label": "y", "more": true, "more": false}, "b": {}, "a": {"secure": true}}',
		);
		expect(lines.map((line) => JSON.parse(line))).toEqual([readProperty("a", { secure: true }), readProperty("b", {})]);
		const [line] = formatLines('{"a": {"label": "x", "label": "y", "more": true, "more": false}}');
		expect(JSON.parse(line as string)).toEqual(readProperty("a", { label: "y" }));
	});
});

test("forms of DN are all texts that are not blank, however they are spelled, and stay so when they are stored", () => {
	const form = fc.oneof(
		text,
		fc.constantFrom("uni/tn-{name}", "/odd", "uni//x/", "\u00a0", "\u3000 \t", "\u007f", "ü/é-{x}"),
	);
	fc.assert(
		fc.property(fc.array(fc.oneof({ weight: 9, arbitrary: form }, anything)), fc.boolean(), (forms, isEscaped) => {
			const records = createRecords(ROOM);
			const document = `{"fv:BD": {"rnFormat": "BD-{name}", "dnFormats": ${formatLooseJson(forms, isEscaped)}}}`;
			const { record } = records.add("fvBD", Buffer.from(document), "611");
			const expected = forms.filter((one) => typeof one === "string" && one.trim() !== "");
			expect(getForms(record)).toEqual(expected);
			expect([...readRecords([records.bytes()])].map(getForms)).toEqual([expected]);
		}),
	);
});

describe("a document", () => {
	const records = createRecords();
	const add = (text: string, name = "fvBD") => records.add(name, Buffer.from(text), "611");

	test.each([
		["<html></html>", "a page instead of a document"],
		["", "not JSON: Unexpected end at byte 0"],
		['{"fv:BD": {}', "not JSON: Unexpected end at byte 12"],
		['{"fv:BD": {"rnFormat": ""}} x', 'not JSON: Unexpected "x" at byte 28'],
		["[]", "not an object"],
		['{"fv:Ctx": {}}', "a document of fv:Ctx"],
		["{}", "a document of nothing"],
		['{"fv:BD": 1}', "the class is not an object"],
		['{"fv:BD": {"properties": []}}', "nothing that a class document has"],
	])("%s is refused, and leaves nothing behind", (text, message) => {
		records.clear();
		expect(() => add(text)).toThrow(new DocumentError(message));
		expect(records.bytes().length).toBe(0);
	});

	test("what is not understood is kept", () => {
		records.clear();
		const doc = {
			className: "BD",
			isStat: true,
			isNew: true,
			isOld: false,
			none: "",
			hints: { é: [1, 1.5e300] },
			contains: { "fv:Subnet": "", "fv:BD": "" },
			relationTo: { "fv:RsCtx": "fv:Ctx", odd: 1 },
			rnMap: { "subnet-": "fv:Subnet" },
			superClasses: ["pol:Obj", 7],
			subClasses: ["fv:Sub"],
			faults: { F1: "x" },
			events: {},
			dnFormats: ["uni/a", " "],
			comment: ["NA"],
			label: " Bridge Domain ",
			relationInfo: { type: "named", fromMo: "fv:A", toMo: "fv:B", enforceable: true },
			properties: {},
		};
		const written = add(JSON.stringify({ "fv:BD": doc }, null, 4));
		expect([...written.named].sort()).toEqual(["fvA", "fvB", "fvCtx", "fvRsCtx", "fvSub", "fvSubnet", "polObj"]);
		const [record] = [...readRecords([Buffer.from(records.bytes())])];
		expect(record?.facts).toMatchObject({ label: "Bridge Domain", description: "", relation: true });
		expect(record && getEdges(record)).toMatchObject({
			contains: ["fvSubnet", "fvBD"],
			to: [["fvRsCtx", "fvCtx"]],
			rnMap: [["subnet-", "fvSubnet"]],
			supers: ["polObj"],
			subs: ["fvSub"],
		});
		expect(record && getForms(record)).toEqual(["uni/a"]);
		expect(JSON.parse(String(record?.head))).toMatchObject({
			traits: ["isStat", "isNew"],
			other: { hints: { é: [1, 1.5e300] } },
			faults: { F1: "x" },
			events: {},
			relation: { type: "named", from_class: "fvA", to_class: "fvB", enforceable: true, cardinality: "" },
		});
	});

	test("any number of flags is kept, of equal ones the last", () => {
		records.clear();
		const flags = Array.from({ length: 1_000 }, (_, at) => `is${at}`);
		const members = flags.map((name) => `"${name}": true`).join();
		add(`{"fv:BD": {"rnFormat": "", ${members}, "is7": false, "is900": "", "hint": [1], "hint": {}}}`);
		const [record] = [...readRecords([Buffer.from(records.bytes())])];
		const expected = flags.filter((name) => name !== "is7" && name !== "is900");
		expect(JSON.parse(String(record?.head))).toMatchObject({ traits: expected, other: {} });
	});
});

test("a property that its document calls mandatory is required", () => {
	expect(readProperty("x", { mandatory: true }).required).toBe(true);
	expect(readProperty("x", { mandatory: "true" }).required).toBe(false);
	expect(JSON.parse(formatLines('{"x": {"mandatory": true}}')[0] ?? "")).toMatchObject({ name: "x", required: true });
});
