import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTextsReader } from "../../../core/rows/conditions.ts";
import { createRowReader } from "./row-reader.ts";

const NAMES = ["dn", "name", "descr", "attributes.name", "class", "fvBD.name", "children.fvSubnet.ip"];
const getTexts = (rows: readonly unknown[]) =>
	rows.map((row) => NAMES.map((name) => createTextsReader(name)(row as never)));
const joinRows = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).join(",");

/** The texts and rows that a page of bytes gives, and whether any row was parsed. */
function scanPage(json: string, names: readonly string[] = NAMES, shows = true) {
	const texts: (readonly string[])[][] = [];
	const rows: unknown[] = [];
	createRowReader({ names })(Buffer.from(json), (row) => {
		texts.push(names.map((_, field) => [...row.texts(field)]));
		if (shows) rows.push(row.row());
	});
	return { texts, rows };
}

const createBridgeDomain = (attributes: object, more: object = {}) => ({ fvBD: { attributes, ...more } });

describe("a page of bytes", () => {
	it.each<[string, unknown[]]>([
		["plain rows", [createBridgeDomain({ dn: "a", name: "1" }), createBridgeDomain({ dn: "b", name: "2", descr: "" })]],
		[
			"attributes in another order, or absent",
			[
				createBridgeDomain({ name: "1", dn: "a" }),
				createBridgeDomain({ dn: "b" }),
				createBridgeDomain({}),
				createBridgeDomain({ name: "4" }),
			],
		],
		[
			"quotes and backslashes",
			[
				createBridgeDomain({ descr: 'a","name":"b', name: "c\\" }),
				createBridgeDomain({ descr: '\\"name":"', name: 'x"' }),
			],
		],
		[
			"braces",
			[
				createBridgeDomain({ descr: '}}},{"fvBD":{"attributes":{', name: "1" }),
				createBridgeDomain({ descr: "{", name: "2" }),
			],
		],
		[
			"names within names",
			[createBridgeDomain({ nameAlias: "x", rname: "y", name: "z" }), createBridgeDomain({ 'x"name': "no" })],
		],
		[
			"other letters",
			[createBridgeDomain({ name: "Zürich", descr: "東京" }), createBridgeDomain({ name: "\u0001\n" })],
		],
		[
			"other values",
			[
				createBridgeDomain({ name: 7, descr: ["a", "b"] }),
				createBridgeDomain({ name: null, descr: true, dn: { name: "in" } }),
			],
		],
		["large numbers", [createBridgeDomain({ name: 1, descr: "2" })]],
		[
			"children",
			[createBridgeDomain({ name: "1" }, { children: [{ fvSubnet: { attributes: { ip: "10.0.0.1", name: "no" } } }] })],
		],
		[
			"children of the same class",
			[
				createBridgeDomain(
					{ dn: "x" },
					{ children: [createBridgeDomain({ name: "no" }), createBridgeDomain({ name: "no" })] },
				),
			],
		],
		[
			"children after another",
			[createBridgeDomain({}, { children: [{ fvX: { attributes: {} } }, createBridgeDomain({ name: "no" })] })],
		],
		["several classes", [createBridgeDomain({ name: "1" }), { fvCtx: { attributes: { name: "2" } } }]],
		[
			"flat rows",
			[
				{ name: "1", dn: "a" },
				{ name: ["x"], nested: { name: "no" } },
			],
		],
		[
			"members beside attributes",
			[createBridgeDomain({ dn: "1" }, { name: "no" }), createBridgeDomain({ dn: "2" }, { descr: "}}}" })],
		],
		["no row", []],
	])("of %s reads as its rows do", (_, rows) => {
		expect(scanPage(joinRows(rows))).toEqual({ texts: getTexts(rows), rows });
	});

	it("keeps the digits of numbers that a double does not hold", () => {
		const { texts, rows } = scanPage('{"fvBD":{"attributes":{"name":12345678901234567890}}}', ["name"]);
		expect([texts, rows]).toEqual([
			[[["12345678901234567890"]]],
			[createBridgeDomain({ name: "12345678901234567890" })],
		]);
	});

	it("may have white space", () => {
		const row = createBridgeDomain({ name: "1" });
		expect(scanPage(JSON.stringify(row, null, 2), ["name"])).toEqual({ texts: [[["1"]]], rows: [row] });
	});

	const text = fc.oneof(fc.constantFrom('"name":"x"', "}}},{", "\\", '"', "{", ',"dn":"', "[a]", "é"), fc.string());
	const value = fc.oneof(
		{ weight: 8, arbitrary: fc.array(text, { maxLength: 3 }).map((parts) => parts.join("")) },
		fc.constantFrom<unknown>(1, null, true, ["x", "y"], { name: "in" }, []),
	);
	const attributes = fc.dictionary(fc.constantFrom("dn", "name", "descr", "nameAlias", 'a"name'), value);
	const row = fc.oneof(
		{ weight: 8, arbitrary: attributes.map((own) => createBridgeDomain(own)) },
		attributes.map((own) => createBridgeDomain(own, { children: [createBridgeDomain({ name: "no" })] })),
		attributes,
	);

	it("equals its parsed rows, whatever they hold", () => {
		fc.assert(
			fc.property(fc.array(row, { maxLength: 6 }), fc.boolean(), (rows, shows) => {
				const plain = JSON.parse(JSON.stringify(rows));
				expect(scanPage(joinRows(plain), NAMES, shows)).toEqual({ texts: getTexts(plain), rows: shows ? plain : [] });
			}),
			{ numRuns: 500 },
		);
	});
});
