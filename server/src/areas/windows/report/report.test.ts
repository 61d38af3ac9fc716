import { readFileSync } from "node:fs";
import { WINDOW_LIMITS, windowReport } from "@weft/contracts";
import { formatCsvCell } from "@weft/contracts/spreadsheet";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { writeJsonReport } from "./build-report.ts";
import { buildSampleReport, buildStoredFinding, buildWindow, EVIDENCE, HOSTILE } from "./report.fixture.ts";
import { writeReportSchema } from "./report-schema.ts";
import { writeCsvReport } from "./write-csv.ts";
import { writeHtmlReport } from "./write-html.ts";
import { writeJunitReport } from "./write-junit.ts";
import { writeMarkdownReport } from "./write-markdown.ts";
import { writeTextReport } from "./write-text.ts";

const REPORT = buildSampleReport();
const LARGE = buildSampleReport({
	findings: Array.from({ length: 20_000 }, (_, i) =>
		buildStoredFinding(`f${i}`, {
			class: i % 2 === 0 ? "undeclared" : "expected",
			dn: `uni/tn-prod/BD-${i} ${HOSTILE}`,
			change: "modified",
			attributes: [{ name: "descr", before: HOSTILE, after: "b" }],
		}),
	),
	limits: ["Only the first 20,000 of 31,000 findings are stored."],
});

/** Characters that cannot be seen, or that turn text, other than ends of lines. */
const HIDDEN = /[^\P{Cc}\n\r]|[\u200b-\u200f\u2028-\u202e\u2060-\u2069]/u;

interface FieldSchema {
	readonly type?: string;
	readonly properties?: Readonly<Record<string, FieldSchema>>;
	readonly items?: FieldSchema;
	readonly anyOf?: readonly FieldSchema[];
}

/** One line for each field at any depth: its path and type. */
function listSchemaFields({ type, properties = {}, items, anyOf = [] }: FieldSchema, path: string): string[] {
	return [
		...(type === undefined || path === "" ? [] : [`${path} ${type}`]),
		...Object.entries(properties).flatMap(([name, field]) => listSchemaFields(field, `${path}.${name}`)),
		...(items === undefined ? [] : listSchemaFields(items, `${path}[]`)),
		...anyOf.flatMap((choice) => listSchemaFields(choice, path)),
	];
}

describe("a report", () => {
	it.each([
		["json", writeJsonReport(REPORT)],
		["markdown", writeMarkdownReport(REPORT)],
		["text", writeTextReport(REPORT)],
		["html", writeHtmlReport(REPORT)],
		["csv", writeCsvReport(REPORT)],
		["junit", writeJunitReport(REPORT)],
	])("matches its golden file as %s", async (format, text) => {
		await expect(text.replaceAll("\r\n", "\n")).toMatchFileSnapshot(`golden/report-${format}.txt`);
	});

	it("contains exactly the declared fields, in every part", () => {
		expect(Object.keys(REPORT)).toEqual([
			"verdict",
			"reasons",
			"window",
			"connections",
			"findings",
			"expected",
			"ignored",
			"snapshots",
			"evidence",
			"versions",
			"exit_code",
		]);
		expect(windowReport.parse(JSON.parse(writeJsonReport(REPORT)))).toEqual(REPORT);
	});

	it("fits the JSON Schema that is published, with and without fields of a later version", () => {
		const schema = JSON.parse(writeReportSchema());
		expect(schema).toMatchObject({
			$schema: "https://json-schema.org/draft/2020-12/schema",
			$id: "/api/schema/change-report-v1.json",
			type: "object",
			required: Object.keys(REPORT).filter((field) => field !== "evidence"),
		});
		const published = z.fromJSONSchema(schema);
		const golden = JSON.parse(readFileSync(new URL("golden/report-json.txt", import.meta.url), "utf8"));
		const { evidence: _, ...earlier } = golden;
		for (const report of [golden, earlier, { ...golden, window: { ...golden.window, later: 1 }, later: {} }])
			expect(published.safeParse(report).error).toBeUndefined();
		for (const wrong of [{ ...golden, exit_code: 2 }, { ...golden, window: {} }, { verdict: "passed" }])
			expect(published.safeParse(wrong).success).toBe(false);
	});

	it("keeps every field that its published schema ever had, with its type", () => {
		const published = readFileSync(new URL("golden/report-fields-v1.txt", import.meta.url), "utf8")
			.trim()
			.split("\n");
		const present = new Set(listSchemaFields(JSON.parse(writeReportSchema()), ""));
		expect(published.length).toBeGreaterThan(150);
		expect(published.filter((field) => !present.has(field))).toEqual([]);
	});

	it("puts undeclared findings first, foreign ones before all, and expected ones apart", () => {
		expect(REPORT.findings.map(({ id }) => id)).toEqual(["f3", "f5", "f4", "f6", "f8", "f7"]);
		expect(REPORT.expected.map(({ id }) => id)).toEqual(["f2", "f1"]);
		expect(REPORT.ignored).toMatchObject({ volatile: 14, rules: 3 });
	});

	it.each([
		["passed", 0],
		["passed_with_warnings", 0],
		["failed", 1],
		["inconclusive", 5],
		[null, 5],
	] as const)("maps the verdict %s to the exit code %i", (verdict, expected) => {
		expect(buildSampleReport({ window: buildWindow({ verdict }) }).exit_code).toBe(expected);
	});

	it("says how many fabrics its reader does not see", () => {
		const report = buildSampleReport({ window: buildWindow({ hidden_count: 2 }) });
		for (const text of [writeMarkdownReport(report), writeTextReport(report), writeHtmlReport(report)])
			expect(text).toContain("2 fabrics that the reader does not see are left out");
	});

	it("states in every text that nothing changed", () => {
		const report = buildSampleReport({ window: buildWindow({ changed: false }) });
		for (const text of [writeMarkdownReport(report), writeTextReport(report), writeHtmlReport(report)])
			expect(text).toContain("Nothing changed.");
	});

	it("names its limits in every text", () => {
		for (const text of [writeMarkdownReport(LARGE), writeTextReport(LARGE), writeHtmlReport(LARGE)])
			expect(text).toContain("31,000");
	});
});

describe("a report in Markdown", () => {
	const large = writeMarkdownReport(LARGE);

	it("keeps to 60,000 characters by default, and names the rows that it leaves out", () => {
		expect(large.length).toBeLessThanOrEqual(60_000);
		expect(large.length).toBeGreaterThan(50_000);
		expect(large).toMatch(/Left out here: \d+ undeclared differences\. The JSON report has them\./);
		expect(large).toMatch(/Left out here: \d+ expected differences\./);
		expect(large).toContain("## Undeclared: 10000\n");
		expect(writeMarkdownReport(LARGE, 100_000).length).toBeGreaterThan(60_000);
	});

	it.each([100, 101, 250, 1_000, 2_000, 4_000, 8_000])("keeps to a requested size of %i characters", (max) => {
		const text = writeMarkdownReport(LARGE, max);
		expect(text.length).toBeLessThanOrEqual(max);
		expect(text.isWellFormed()).toBe(true);
		expect(text).toContain("VLANs of rack 7");
	});

	it("writes the same number of cells in each line of a table, whatever the names contain", () => {
		const tables = writeMarkdownReport(REPORT)
			.split("\n\n")
			.filter((part) => part.startsWith("| "));
		expect(tables.length).toBeGreaterThan(6);
		for (const table of tables) {
			const counts = table.trim().split("\n").map(countCells);
			expect(new Set(counts).size).toBe(1);
		}
	});

	it("escapes markup, links and mentions in names", () => {
		const text = writeMarkdownReport(REPORT);
		expect(text).not.toMatch(/(?<!\\)[`@]|(?<!\\)<(?!br>)|(?<!\\)\[|www\.|https:\/\//);
		expect(text).not.toMatch(HIDDEN);
	});
});

/** Returns the number of cells of a line: its pipes that no backslash escapes, less one. */
const countCells = (line: string): number => line.replace(/\\./g, "").split("|").length - 2;

describe("a report as plain text", () => {
	it("keeps to 4,000 characters, and names each part with its count", () => {
		const text = writeTextReport(LARGE);
		expect(text.length).toBeLessThanOrEqual(4_000);
		expect(text).toContain("Undeclared: 10000\n");
		expect(text).toContain("Expected: 10000\n");
		expect(text).toMatch(/- \d+ more in the JSON report/);
		expect(text).not.toMatch(HIDDEN);
	});
});

describe("a report in HTML", () => {
	it("keeps to 2 MB, and says how many more findings the JSON report has", () => {
		const html = writeHtmlReport(LARGE);
		expect(Buffer.byteLength(html)).toBeLessThanOrEqual(WINDOW_LIMITS.html);
		expect(Buffer.byteLength(html)).toBeGreaterThan(1_500_000);
		expect(html).toMatch(/<td colspan="7">\d+ more in the JSON<\/td>/);
		expect(html.endsWith("</body>\n</html>\n")).toBe(true);
	});

	it("closes each element, and takes no element from a name", () => {
		for (const html of [writeHtmlReport(REPORT), writeHtmlReport(LARGE)]) {
			expect(findUnclosed(html)).toEqual([]);
			expect(html).not.toMatch(/<(script|img|link|a|iframe|object)\b|\bsrc=|\bhref=|url\(|@import/i);
			expect(html).not.toMatch(HIDDEN);
		}
	});

	it("loads nothing, runs nothing and prints on A4", () => {
		const html = writeHtmlReport(REPORT);
		expect(html).toContain("default-src 'none'; style-src 'unsafe-inline'");
		expect(html).toContain("@page { size: A4;");
		expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
	});
});

/** Names of elements that are not closed in the order in which they were opened. */
function findUnclosed(html: string): string[] {
	const open: string[] = [];
	for (const [, end, name = ""] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)) {
		if (name === "meta" || name === "br") continue;
		if (end === "") open.push(name);
		else if (open.at(-1) === name) open.pop();
		else return [...open, `/${name}`];
	}
	return open;
}

describe("a report with results of the pre-upgrade script", () => {
	const SETS = Array.from({ length: 60 }, () => EVIDENCE);
	const many = buildSampleReport({ evidence: SETS });

	it("writes a signed report that has no field of evidence", () => {
		const { evidence: _, ...earlier } = REPORT;
		for (const write of [writeMarkdownReport, writeTextReport, writeHtmlReport, writeJunitReport])
			expect(write(windowReport.parse(earlier))).not.toMatch(/pre-?upgrade/i);
	});

	it("keeps to its size, and names the checks that it leaves out", () => {
		const markdown = writeMarkdownReport(many);
		expect(markdown.length).toBeLessThanOrEqual(60_000);
		expect(markdown).toMatch(/Left out here: \d+ checks\. The JSON report has them\./);
		const text = writeTextReport(many);
		expect(text.length).toBeLessThanOrEqual(4_000);
		expect(text).toContain("Pre-upgrade script: 60\n");
		expect(text).toContain("Undeclared: 2\n");
		expect(Buffer.byteLength(writeHtmlReport(many))).toBeLessThanOrEqual(WINDOW_LIMITS.html);
	});

	it("keeps verdict, exit code and findings", () => {
		const { evidence: _, ...without } = buildSampleReport({ evidence: [] });
		expect(many).toMatchObject(without);
	});
});

describe("a report as CSV", () => {
	it("writes a line for each finding, and neutralizes formulas of spreadsheets", () => {
		const text = writeCsvReport(
			buildSampleReport({ findings: [buildStoredFinding("f1", { dn: "=1+1", detail: "+cmd", reason: HOSTILE })] }),
		);
		const [head, line, end] = text.split("\r\n");
		expect(head?.split(",").slice(0, 4)).toEqual(["id", "class", "severity", "connection_id"]);
		expect(line).toContain(",'=1+1,");
		expect(line).toContain(",'+cmd,");
		expect(line).toContain(formatCsvCell(HOSTILE));
		expect(end).toBe("");
		expect(writeCsvReport(LARGE).split("\r\n")).toHaveLength(20_002);
	});
});

describe("a report as JUnit", () => {
	const xml = writeJunitReport(REPORT);

	it("writes a suite for each fabric, and a failure or an error for each finding that fails a window", () => {
		expect(xml).toContain('<testsuites tests="6" failures="4" errors="1">');
		expect(xml).toContain('<testsuite name="fab-1" tests="5" failures="4" errors="0" skipped="1">');
		for (const [name, kind, type] of [
			["Bridge domains | subnets", "query", "undeclared"],
			["No interface is error-disabled", "check", "worse"],
			["Expected changes", "query", "missing"],
		])
			expect(xml).toMatch(
				new RegExp(
					`<testcase classname="${kind}" name="${name?.replace("|", "\\|")}" time="0"><failure [^>]*type="${type}"`,
				),
			);
		expect(xml).toMatch(/name="Bridge domains \| subnets" time="0"><error [^>]*type="inconclusive"/);
	});

	it("skips the checks before the work if the gate is off", () => {
		expect(xml).toContain(
			'<testcase classname="check" name="All controllers are fit" time="0"><skipped message="The gate is off',
		);
		const window = buildWindow({ plan_gate: { before: "block", fail_on: "warning", quiet_baseline: false } });
		expect(writeJunitReport(buildSampleReport({ window }))).toContain(
			'<testcase classname="check" name="All controllers are fit" time="0"/>',
		);
	});

	it("names ticket, window, verdict and snapshots", () => {
		for (const [name, value] of [
			["ticket", "CHG0031337"],
			["window", "99999999-9999-4999-8999-999999999999"],
			["verdict", "failed"],
			["snapshots", "s1 s2"],
		])
			expect(xml).toContain(`<property name="${name}" value="${value}"/>`);
	});

	it("reports no failure for findings below the severity that fails", () => {
		const window = buildWindow({ plan_gate: { before: "off", fail_on: "critical", quiet_baseline: false } });
		expect(writeJunitReport(buildSampleReport({ window }))).toContain('<testsuites tests="6" failures="2" errors="1">');
	});

	it("writes well-formed XML, whatever the names contain", () => {
		expect(xml).not.toMatch(HIDDEN);
		expect(xml).not.toMatch(/&(?!amp;|lt;|gt;|quot;|#\d+;)/);
		const open: string[] = [];
		for (const [, end, name = "", rest = ""] of xml.matchAll(/<(\/?)([a-z]+)((?:\s+\w+="[^"<]*")*\s*\/?)>/g)) {
			if (end === "/") expect(open.pop()).toBe(name);
			else if (!rest.endsWith("/")) open.push(name);
		}
		expect(open).toEqual([]);
		expect(xml.replace(/<\?xml[^>]*>|<\/?[a-z]+(?:\s+\w+="[^"<]*")*\s*\/?>/g, "")).not.toMatch(/[<>]/);
	});
});
