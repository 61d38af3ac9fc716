/** Reports in the JUnit format: by Surefire's schema, and as a stock parser reads them. */
import { spawnSync } from "node:child_process";
import { formatJunit, type JunitSuite } from "@weft/contracts/junit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listJunitProblems, parseXml, type XmlElement } from "../../server/test/support/junit-schema.ts";

const HOSTILE = "a <b> & \"c\" 'd' ]]> \u0000\u001b[31m\ufffe \ud800 🧵 `|\r\n\tz";
const READ = "a <b> & \"c\" 'd' ]]> ??[31m? ? 🧵 `|\r\n\tz";
const problem = { type: HOSTILE, message: HOSTILE, text: HOSTILE };
const SUITES: readonly JunitSuite[] = [
	{
		name: HOSTILE,
		properties: { [HOSTILE]: HOSTILE, ticket: "CHG0031337" },
		cases: [
			{ classname: "check", name: HOSTILE },
			{ classname: "check", name: "two failures", failures: [problem, problem], error: problem },
			{ classname: "check", name: "skipped", skipped: HOSTILE },
		],
	},
	{ name: "empty", cases: [] },
];

/** Suites with their cases, as the stock parser of Python gives them; null without Python. */
function readWithPython(xml: string): unknown {
	const program = `
import json, sys, xml.etree.ElementTree as tree
root = tree.fromstring(sys.stdin.buffer.read())
print(json.dumps([[s.get("name"), [[c.get("name"), [[p.tag, p.get("type"), p.get("message"), p.text] for p in c]]
    for c in s.iter("testcase")]] for s in root.iter("testsuite")]))`;
	const { status, stdout, stderr, error } = spawnSync("python3", ["-c", program], { input: xml, encoding: "utf8" });
	if (error !== undefined) return null;
	if (status !== 0) throw new Error(stderr);
	return JSON.parse(stdout);
}

describe("a JUnit report", () => {
	it("fits Surefire's schema and gives every text back, without what XML does not allow", () => {
		const root = parseXml(formatJunit(SUITES));
		expect(listJunitProblems(root)).toEqual([]);
		expect(root.attributes).toEqual({ tests: "3", failures: "1", errors: "1" });
		const [first, empty] = root.children as [XmlElement, XmlElement];
		expect(first.attributes).toMatchObject({ name: READ, tests: "3", failures: "1", errors: "1", skipped: "1" });
		expect(first.children[0]?.children.map(({ attributes }) => attributes)).toEqual([
			{ name: READ, value: READ },
			{ name: "ticket", value: "CHG0031337" },
		]);
		const [, passed, failed, skipped] = first.children;
		expect(passed).toMatchObject({ attributes: { classname: "check", name: READ }, children: [] });
		expect(failed?.children.map(({ name, attributes, text }) => [name, attributes, text])).toEqual(
			["failure", "failure", "error"].map((name) => [name, { type: READ, message: READ }, READ]),
		);
		expect(skipped?.children).toMatchObject([{ name: "skipped", attributes: { message: READ } }]);
		expect(empty.children).toEqual([]);
	});

	it("gives every text back to the stock parser of Python", ({ skip }) => {
		const found = readWithPython(formatJunit(SUITES));
		if (found === null) return skip("There is no python3 to read the report with.");
		const one = [READ, READ, READ];
		expect(found).toEqual([
			[
				READ,
				[
					[READ, []],
					[
						"two failures",
						[
							["failure", ...one],
							["failure", ...one],
							["error", ...one],
						],
					],
					["skipped", [["skipped", null, READ, null]]],
				],
			],
			["empty", []],
		]);
	});

	it("fits Surefire's schema with any texts", () => {
		const text = fc.string({ unit: "binary" });
		fc.assert(
			fc.property(text, text, (name, message) => {
				const failures = [{ type: "failing", message, text: message }];
				const root = parseXml(formatJunit([{ name, cases: [{ classname: "check", name, failures }] }]));
				expect(listJunitProblems(root)).toEqual([]);
			}),
		);
	});
});

describe("the schema of these tests", () => {
	it("refuses every report that Surefire's schema refuses", () => {
		const suite = (inner: string, counts = 'tests="1" errors="0" skipped="0" failures="0"') =>
			`<testsuites><testsuite name="a" ${counts}>${inner}</testsuite></testsuites>`;
		const test = (inner: string) => suite(`<testcase name="a" time="0">${inner}</testcase>`);
		for (const wrong of [
			suite('<testcase name="a"/>'),
			suite('<testcase name="a" time="soon"/>'),
			suite('<testcase name="a" time="0" file="b"/>'),
			suite("", 'tests="1" errors="0" skipped="0" failures="0"'),
			suite("", 'tests="0"'),
			test("text"),
			test('<failure message="a">b</failure>').replace('failures="0"', 'failures="1"'),
			test('<error type="a"/><failure type="a"/>')
				.replace('failures="0"', 'failures="1"')
				.replace('errors="0"', 'errors="1"'),
		])
			expect(listJunitProblems(parseXml(wrong)), wrong).not.toEqual([]);
		for (const broken of ["<a>&b;</a>", "<a>\u0001</a>", "<a>", "<a></b>", "<a/><b/>", '<a b="<"/>', "<a>&#1;</a>"])
			expect(() => parseXml(broken), broken).toThrow();
	});
});
