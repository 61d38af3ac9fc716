/**
 * Every column type and rule: what passes, what it becomes, and the exact place of what does not.
 */
import type { ColumnType, InputRow, TemplateColumn } from "@weft/contracts";
import { rowExpectation, templateColumn } from "@weft/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findTemplateProblems } from "./columns.ts";
import { isCidr, isIpv6, isMac } from "./formats.ts";
import { compileRules, type References, type TemplateForm } from "./rules.ts";
import { checkRows, countSheetRows, ERRORS_LISTED } from "./validate.ts";

const createColumn = (more: Record<string, unknown> = {}): TemplateColumn =>
	templateColumn.parse({ name: "c", field_type: "text", ...more });
const NONE: References = { lists: new Map(), patterns: new Map(), columns: new Map() };
const createForm = (...schema: TemplateColumn[]): TemplateForm => ({ schema, sheets: [] });

function validateRows(schema: TemplateColumn[], rows: InputRow[], references = NONE) {
	return checkRows(compileRules(createForm(...schema), references), [rows]);
}
/** What a single cell becomes, or the message. */
function validateCell(more: Record<string, unknown>, value: unknown, references = NONE): unknown {
	const { result, rows } = validateRows([createColumn(more)], [value === undefined ? {} : { c: value }], references);
	return result.valid ? { value: rows[0]?.[0]?.c } : result.errors[0]?.message;
}

describe("types", () => {
	const right: [ColumnType, unknown, unknown][] = [
		["text", "a b", "a b"],
		["text", 7, "7"],
		["textarea", "a\nb", "a\nb"],
		["number", 1.5, 1.5],
		["number", " -2e3 ", -2000],
		["number", "0", 0],
		["boolean", false, false],
		["boolean", "Yes", true],
		["password", "p w", "p w"],
		["ip", " 10.0.0.1 ", "10.0.0.1"],
		["ip", "2001:db8::1", "2001:db8::1"],
		["cidr", "10.0.0.1/24", "10.0.0.1/24"],
		["cidr", "::/0", "::/0"],
		["mac", "00:1B:44:11:3a:b7", "00:1B:44:11:3a:b7"],
		["mac", "001b.4411.3ab7", "001b.4411.3ab7"],
		["vlan", 1, 1],
		["vlan", "4094", 4094],
	];
	it.each(right)("%s takes %j", (field_type, given, value) =>
		expect(validateCell({ field_type }, given)).toEqual({ value }),
	);

	const wrong: [ColumnType, unknown][] = [
		["text", "a\nb"],
		["text", true],
		["text", { a: 1 }],
		["text", ["a"]],
		["number", "one"],
		["number", "1,5"],
		["number", "0x10"],
		["number", true],
		["number", Number.NaN],
		["boolean", 1],
		["boolean", "maybe"],
		["ip", "10.0.0.256"],
		["ip", "10.0.0"],
		["ip", "010.0.0.1"],
		["ip", "10.0.0.1/24"],
		["ip", "1::2::3"],
		["ip", ":::"],
		["ip", "fe80::1%eth0"],
		["cidr", "10.0.0.0"],
		["cidr", "10.0.0.0/33"],
		["cidr", "10.0.0.0/08"],
		["cidr", "::/129"],
		["mac", "00:1B:44:11:3a"],
		["mac", "00:1B-44:11:3a:b7"],
		["mac", "001b44113ab7zz"],
		["vlan", 0],
		["vlan", 4095],
		["vlan", 1.5],
		["vlan", "ten"],
	];
	it.each(wrong)("%s refuses %j", (field_type, given) =>
		expect(validateCell({ field_type }, given)).toEqual(expect.any(String)),
	);

	it("enumerations take their choices only", () => {
		const choices = ["prod", "test"];
		expect(validateCell({ field_type: "enum", choices }, " prod ")).toEqual({ value: "prod" });
		expect(validateCell({ field_type: "enum", choices }, "Prod")).toMatch(/one of the choices/);
		expect(validateCell({ field_type: "multi_enum", choices }, "prod, test;prod")).toEqual({ value: ["prod", "test"] });
		expect(validateCell({ field_type: "multi_enum", choices }, ["test"])).toEqual({ value: ["test"] });
		expect(validateCell({ field_type: "multi_enum", choices }, ["test", "x"])).toBe('"x" is not one of the choices.');
		expect(validateCell({ field_type: "multi_enum", choices }, [{}])).toMatch(/list of texts/);
		const { result } = validateRows(
			[createColumn({ field_type: "enum", choices: Array.from({ length: 50 }, (_, n) => `v${n}`) })],
			[{ c: "x" }],
		);
		expect(result.errors[0]?.allowed_values).toHaveLength(10);
	});

	it("IPv6 is exact", () => {
		for (const good of [
			"::",
			"::1",
			"1::",
			"1:2:3:4:5:6:7:8",
			"1:2:3:4:5:6:1.2.3.4",
			"::ffff:10.0.0.1",
			"1::8",
			"1:2:3:4:5:6:7::",
		])
			expect(isIpv6(good), good).toBe(true);
		for (const bad of [
			"",
			":",
			"1",
			"1:2:3:4:5:6:7",
			"1:2:3:4:5:6:7:8:9",
			"1::2:3:4:5:6:7:8",
			"12345::",
			"g::",
			"1.2.3.4",
			"1.2.3.4::",
			"::1.2.3",
			":1::",
			"1::2:",
		])
			expect(isIpv6(bad), bad).toBe(false);
		fc.assert(fc.property(fc.ipV6(), (address) => isIpv6(address)));
		fc.assert(
			fc.property(fc.ipV4(), fc.integer({ min: 0, max: 32 }), (address, length) => isCidr(`${address}/${length}`)),
		);
		expect(isMac("00-1b-44-11-3a-b7")).toBe(true);
	});
});

describe("rules", () => {
	it("required, defaults and empty cells", () => {
		expect(validateCell({ required: true }, "")).toBe("A value is required.");
		expect(validateCell({ required: true }, "  ")).toBe("A value is required.");
		expect(validateCell({ required: true }, undefined)).toBe("A value is required.");
		expect(validateCell({ required: true, default: "x" }, null)).toEqual({ value: "x" });
		expect(validateCell({}, undefined)).toEqual({ value: undefined });
		expect(validateCell({}, "")).toEqual({ value: "" });
		expect(validateCell({ field_type: "number" }, "")).toEqual({ value: null });
		expect(validateCell({ field_type: "number", required: true }, 0)).toEqual({ value: 0 });
		expect(validateCell({ field_type: "boolean", required: true }, false)).toEqual({ value: false });
	});

	it("ranges and lengths", () => {
		expect(validateCell({ field_type: "number", min: 2, max: 3 }, 1)).toBe("Must be at least 2.");
		expect(validateCell({ field_type: "number", min: 2, max: 3 }, 4)).toBe("Must be at most 3.");
		expect(validateCell({ field_type: "vlan", min: 100, max: 9999 }, 4095)).toBe("Must be at most 4094.");
		expect(validateCell({ min_length: 2 }, "x")).toBe("Must be at least 2 characters.");
		expect(validateCell({ max_length: 2 }, "🙂🙂")).toEqual({ value: "🙂🙂" });
		expect(validateCell({ max_length: 2 }, "abc")).toBe("Must be at most 2 characters.");
		expect(validateCell({}, "x".repeat(40_000))).toMatch(/32768/);
	});

	it("patterns match the whole cell, in linear time", () => {
		expect(validateCell({ pattern: "[a-z]+" }, "abc")).toEqual({ value: "abc" });
		expect(validateCell({ pattern: "[a-z]+" }, "abc1")).toBe("Must match [a-z]+");
		const patterns = new Map([["p", { pattern: "tn-.*", flags: "i", name: "Tenant" }]]);
		const by = { regex_pattern: "01890000-0000-7000-8000-000000000000" };
		const known = { ...NONE, patterns: new Map([[by.regex_pattern, patterns.get("p") as never]]) };
		expect(validateCell(by, "TN-one", known)).toEqual({ value: "TN-one" });
		expect(validateCell(by, "one", known)).toBe('Must match the pattern "Tenant".');
		expect(validateCell({ pattern: "(a+)+b" }, "a".repeat(5_000))).toMatch(/Must match/);
	});

	it("lists, with or without regard to case, and their own message", () => {
		const id = "01890000-0000-7000-8000-000000000000";
		const list = { values: ["Alpha", "beta"], case_sensitive: false, error_message: "Ask the desk." };
		const known = { ...NONE, lists: new Map([[id, list]]) };
		expect(validateCell({ validation_list: id }, "ALPHA", known)).toEqual({ value: "ALPHA" });
		expect(validateCell({ validation_list: id }, "gamma", known)).toBe("Ask the desk.");
		expect(validateCell({ validation_list: id, error_message: "No." }, "gamma", known)).toBe("No.");
		const strict = { ...NONE, lists: new Map([[id, { ...list, case_sensitive: true }]]) };
		expect(validateCell({ validation_list: id }, "ALPHA", strict)).toBe("Ask the desk.");
	});

	it("uniqueness, by meaning rather than by spelling", () => {
		const mac = createColumn({ field_type: "mac", unique: true });
		const { result } = validateRows([mac], [{ c: "00:1b:44:11:3a:b7" }, { c: "" }, { c: "" }, { c: "001B.4411.3AB7" }]);
		expect(result.errors).toEqual([
			{
				row: 3,
				column: "c",
				value: "001B.4411.3AB7",
				message: "Must be unique: row 0 has the same value.",
				sheet: null,
			},
		]);
		const number = createColumn({ field_type: "number", unique: true });
		expect(validateRows([number], [{ c: 1 }, { c: "1.0" }]).result.error_count).toBe(1);
	});

	it("templates in cells are refused unless the column allows them", () => {
		for (const value of ["{{ lookup('env') }}", "a {% if x %}"]) {
			expect(validateCell({}, value)).toMatch(/must not contain/i);
			expect(validateCell({ error_message: "No." }, value)).toMatch(/must not contain/i);
			expect(validateCell({ allow_jinja: true }, value)).toEqual({ value });
			expect(validateCell({ field_type: "password" }, value)).toMatch(/must not contain/i);
		}
		expect(validateCell({ field_type: "multi_enum", choices: ["{{x}}"] }, ["{{x}}"])).toMatch(/must not contain/i);
	});

	it("control characters are refused; texts of several lines and passwords may have tabs and line ends", () => {
		for (const value of ["a\u0007", "a\tb", "\u001b[31m", "a\u0085"]) {
			expect(validateCell({}, value)).toBe("Must not contain control characters.");
		}
		for (const field_type of ["textarea", "password"]) {
			expect(validateCell({ field_type }, "a\tb\r\nc")).toEqual({ value: "a\tb\r\nc" });
			expect(validateCell({ field_type }, "a\u0007")).toBe("Must not contain control characters.");
		}
		expect(validateCell({}, "a\nb")).toBe("Must be one line.");
	});

	it("passwords are never echoed; long values are cut", () => {
		const secret = validateRows([createColumn({ field_type: "password", min_length: 20 })], [{ c: "hunter2" }]).result;
		expect(JSON.stringify(secret)).not.toContain("hunter2");
		const long = validateRows([createColumn({ pattern: "x" })], [{ c: "y".repeat(5_000) }]).result.errors[0];
		expect(String(long?.value).length).toBeLessThan(300);
	});

	it("unknown columns are refused: what was not checked is not sent", () => {
		const { result } = validateRows([createColumn()], [{ c: "x", other: 1 }]);
		expect(result.errors).toEqual([
			{ row: 0, column: "other", value: null, message: "The template has no such column.", sheet: null },
		]);
		const proto = validateRows([createColumn({ name: "__proto__" })], [JSON.parse('{"__proto__": "x"}')]);
		expect(JSON.stringify(proto.rows)).toBe('[[{"__proto__":"x"}]]');
	});

	it("counts every error and lists the first", () => {
		const rows = Array.from({ length: 1_500 }, () => ({ c: "" }));
		const { result } = validateRows([createColumn({ required: true })], rows);
		expect([result.error_count, result.errors.length, result.row_count]).toEqual([1_500, ERRORS_LISTED, 1_500]);
		expect(result.errors[7]).toMatchObject({ row: 7, column: "c" });
	});

	it("column templates fill what is left open; a restriction of either counts", () => {
		const id = "01890000-0000-7000-8000-000000000000";
		const base = createColumn({ name: "base", required: true, max_length: 3, error_message: "Base." });
		const known = { ...NONE, columns: new Map([[id, base]]) };
		expect(validateCell({ column_template: id }, "", known)).toBe("A value is required.");
		expect(validateCell({ column_template: id }, "abcd", known)).toBe("Base.");
		expect(validateCell({ column_template: id, max_length: 4 }, "abcd", known)).toEqual({ value: "abcd" });
	});
});

describe("sheets", () => {
	const sheets = [
		{ name: "VLANs", variable: "vlans", min_rows: 1, max_rows: 2, columns: [createColumn()] },
		{ name: "Ports", variable: "ports", min_rows: null, max_rows: null, columns: [createColumn({ required: true })] },
	];
	const rules = compileRules({ schema: [], sheets }, NONE);

	it("are found by name; missing ones are empty, unknown ones refused", () => {
		const found = countSheetRows(rules, { VLANs: [{ c: "a" }] });
		expect(found).toEqual({ rows: [[{ c: "a" }], []] });
		expect(countSheetRows(rules, { Other: [] })).toEqual({
			problem: 'There is no sheet "Other". The template has: VLANs, Ports.',
		});
		expect(countSheetRows(rules, [{ c: "a" }])).toEqual({ problem: expect.stringMatching(/VLANs, Ports/) });
		const one = compileRules(createForm(createColumn()), NONE);
		expect(countSheetRows(one, [{ c: "a" }])).toEqual({ rows: [[{ c: "a" }]] });
		expect(countSheetRows(one, { rows: [{ c: "a" }] })).toEqual({ rows: [[{ c: "a" }]] });
	});

	it("have counts of their own, and limits of rows", () => {
		const { result } = checkRows(rules, [[], [{ c: "" }, { c: "x" }]]);
		expect(result).toMatchObject({
			valid: false,
			error_count: 2,
			row_count: 2,
			sheets: {
				VLANs: { valid: false, row_count: 0, error_count: 1 },
				Ports: { valid: false, row_count: 2, error_count: 1 },
			},
		});
		expect(result.errors).toEqual([
			{ row: null, column: "", value: null, message: "Must have at least 1 rows.", sheet: "VLANs" },
			{ row: 0, column: "c", value: "", message: "A value is required.", sheet: "Ports" },
		]);
		const many = checkRows(rules, [[{}, {}, {}], [{ c: "x" }]]).result.errors;
		expect(many).toMatchObject([{ row: null, message: "Must have at most 2 rows." }]);
	});
});

describe("templates", () => {
	const problems = (more: Partial<Parameters<typeof findTemplateProblems>[0]>) =>
		Object.keys(findTemplateProblems({ schema: [], sheets: [], variable_mappings: {}, expects: [], ...more }, NONE));

	it("refuses expected changes of columns that the template does not have, and names those that it has", () => {
		const schema = [createColumn({ name: "tenant" }), createColumn({ name: "bd" })];
		const sheets = schema.map((column, at) => ({ name: `S${at}`, variable: `v${at}`, columns: [column] }));
		const attributes = { descr: { from: "{bd}", to: "{rack}" } };
		const expects = [{ dn: "uni/tn-{tenant}/BD-{bd}" }, { dn: "uni/tn-{vrf}", attributes }].map((change) =>
			rowExpectation.parse(change),
		);
		for (const form of [{ schema }, { sheets }])
			expect(findTemplateProblems({ schema: [], sheets: [], variable_mappings: {}, expects, ...form }, NONE)).toEqual({
				"expects.1.dn": ['There is no column "vrf". Columns are tenant, bd.'],
				"expects.1.attributes.descr.to": ['There is no column "rack". Columns are tenant, bd.'],
			});
		expect(problems({ expects })).toEqual([
			"expects.0.dn",
			"expects.1.dn",
			"expects.1.attributes.descr.from",
			"expects.1.attributes.descr.to",
		]);
	});

	it("are told where they make no sense", () => {
		const sheet = { name: "S", variable: "v", min_rows: 2, max_rows: 1, columns: [createColumn()] };
		expect(problems({ schema: [createColumn(), createColumn()] })).toEqual(["schema.1.name"]);
		expect(problems({ schema: [createColumn({ field_type: "enum" })] })).toEqual(["schema.0.choices"]);
		expect(problems({ schema: [createColumn({ choices: ["a"] })] })).toEqual(["schema.0.choices"]);
		expect(problems({ schema: [createColumn({ min: 1 })] })).toEqual(["schema.0.min"]);
		expect(problems({ schema: [createColumn({ field_type: "number", min: 2, max: 1 })] })).toEqual(["schema.0.max"]);
		expect(problems({ schema: [createColumn({ field_type: "vlan", max_length: 2 })] })).toEqual([
			"schema.0.max_length",
		]);
		expect(problems({ schema: [createColumn({ pattern: "(" })] })).toEqual(["schema.0.pattern"]);
		expect(problems({ schema: [createColumn({ pattern: "(?=x)" })] })).toEqual(["schema.0.pattern"]);
		expect(problems({ schema: [createColumn({ field_type: "vlan", default: 5000 })] })).toEqual(["schema.0.default"]);
		expect(problems({ schema: [createColumn({ field_type: "password", default: "x" })] })).toEqual([
			"schema.0.default",
		]);
		expect(problems({ schema: [createColumn({ validation_list: "01890000-0000-7000-8000-000000000000" })] })).toEqual([
			"schema.0.validation_list",
		]);
		expect(problems({ schema: [createColumn()], sheets: [sheet] })).toEqual(["sheets", "sheets.0.max_rows"]);
		expect(problems({ sheets: [sheet, sheet] }).sort()).toEqual(
			["sheets.0.max_rows", "sheets.1.max_rows", "sheets.1.name", "sheets.1.variable"].sort(),
		);
		expect(problems({ variable_mappings: { check_mode: true, rows: 1, fine: 2 } })).toEqual([
			"variable_mappings.check_mode",
			"variable_mappings.rows",
		]);
		expect(problems({ schema: [createColumn({ field_type: "vlan", default: 7 })] })).toEqual([]);
	});
});
