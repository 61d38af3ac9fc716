import { EVIDENCE_LIMITS, type EvidenceFile } from "@weft/contracts";
import { describe, expect, it } from "vitest";
import { buildMetaFile, buildObjectFile, buildRuleFile, buildSummaryFile, toFile } from "./evidence.fixture.ts";
import { EvidenceError, readEvidence } from "./read-evidence.ts";

/** Returns the result and the word of the only check of a file. */
function readOne(file: EvidenceFile) {
	const { checks, format } = readEvidence([file]);
	expect(checks).toHaveLength(1);
	return { format, result: checks[0]?.result, word: checks[0]?.result_text };
}

/** Returns the problems of files that cannot be read, by their index. */
function findProblems(files: readonly EvidenceFile[]): Record<string, string> {
	try {
		readEvidence(files);
	} catch (error) {
		if (error instanceof EvidenceError) return Object.fromEntries(error.problems);
		throw error;
	}
	return {};
}

const FAIL_TYPES = [
	["FAIL - UPGRADE FAILURE!!", "upgrade_failure"],
	["FAIL - OUTAGE WARNING!!", "outage_warning"],
	["ERROR !!", "error"],
	["MANUAL CHECK REQUIRED", "manual_check"],
	["POST UPGRADE CHECK REQUIRED", "post_upgrade_check"],
	["FAIL - SOMETHING NEW", "failed"],
	["", "failed"],
] as const;

describe("a check of the pre-upgrade script", () => {
	it.each(FAIL_TYPES)("with the word %j in a file with ruleId has the result %s", (failType, result) => {
		const file = buildRuleFile("one", { ruleStatus: "failed", failureDetails: { failType } });
		expect(readOne(file)).toEqual({ format: "checks", result, word: failType });
	});

	it.each(FAIL_TYPES)("with the word %j in an object of the controller has the result %s", (failType, result) => {
		const file = buildObjectFile("one", { passed: false, failureDetails: { failType } });
		expect(readOne(file)).toEqual({ format: "maintenance_objects", result, word: failType });
	});

	it.each([
		["passed", true, "passed"],
		["passed", false, "not_applicable"],
		["in-progress", true, "unknown"],
		["in-progress", false, "unknown"],
		["skipped", true, "unknown"],
		[null, true, "unknown"],
	] as const)("with the status %j and showValidation %j has the result %s", (ruleStatus, showValidation, result) => {
		expect(readOne(buildRuleFile("one", { ruleStatus, showValidation })).result).toBe(result);
	});

	it.each([
		[true, true, "passed"],
		[true, false, "not_applicable"],
		[false, true, "failed"],
		["yes", true, "unknown"],
		[undefined, true, "unknown"],
	] as const)("with passed %j and showValidation %j has the result %s", (passed, showValidation, result) => {
		expect(readOne(buildObjectFile("one", { passed, showValidation })).result).toBe(result);
	});

	it("counts a check as failed if its details have the word of a failure", () => {
		const details = { failureDetails: { failType: "ERROR !!" } };
		expect(readOne(buildRuleFile("one", { ruleStatus: "passed", ...details })).result).toBe("error");
		expect(readOne(buildObjectFile("one", { passed: true, ...details })).result).toBe("error");
	});

	it("keeps texts and rows, in the order of the header, whatever other keys there are", () => {
		const { checks } = readEvidence([
			buildRuleFile("vlan_check", {
				name: "Overlapping VLANs",
				severity: "critical",
				ruleStatus: "failed",
				reason: "See Failure Details.",
				sub_reason: "Two pools",
				recommended_action: "Resolve them",
				docUrl: "https://docs.example/#vlans",
				later: { key: 1 },
				failureDetails: {
					failType: "FAIL - OUTAGE WARNING!!",
					header: ["Tenant", "VLAN"],
					data: [{ VLAN: 7, Tenant: "prod", Node: null }, ["test", 8], "lonely"],
					unformatted_header: ["Line"],
					unformatted_data: [{ Line: "unreadable" }],
				},
			}),
		]);
		expect(checks).toEqual([
			{
				id: "vlan_check",
				name: "Overlapping VLANs",
				description: "",
				result: "outage_warning",
				result_text: "FAIL - OUTAGE WARNING!!",
				severity: "critical",
				reason: "See Failure Details.",
				sub_reason: "Two pools",
				recommended_action: "Resolve them",
				doc_url: "https://docs.example/#vlans",
				tables: [
					{
						columns: ["Tenant", "VLAN", "Node"],
						rows: [
							["prod", "7", ""],
							["test", "8", ""],
							["lonely", "", ""],
						],
						row_count: 3,
						is_formatted: true,
					},
					{ columns: ["Line"], rows: [["unreadable"]], row_count: 1, is_formatted: false },
				],
			},
		]);
	});

	it("cuts long texts and tables of a check, and counts the cuts in the notes", () => {
		const { rows, columns, cell, text } = EVIDENCE_LIMITS;
		const row = Object.fromEntries(Array.from({ length: columns + 2 }, (_, i) => [`c${i}`, "v"]));
		const { checks, notes } = readEvidence([
			buildRuleFile("large", {
				name: "Large",
				ruleStatus: "failed",
				reason: "r".repeat(text + 1),
				failureDetails: {
					failType: "ERROR !!",
					data: [{ ...row, c0: "x".repeat(cell + 1) }, ...Array.from({ length: rows }, () => row)],
				},
			}),
		]);
		expect(checks[0]?.reason).toHaveLength(text + 1);
		expect(checks[0]?.tables[0]).toMatchObject({ row_count: rows + 1 });
		expect(checks[0]?.tables[0]?.rows).toHaveLength(rows);
		expect(checks[0]?.tables[0]?.columns).toHaveLength(columns);
		expect(notes).toEqual([
			"Large: 2 texts were cut.",
			`Large: rows left out: 1. The first ${rows} are stored.`,
			`Large: columns left out: 2. The first ${columns} are stored.`,
		]);
	});

	it("replaces characters that the store refuses", () => {
		const { checks } = readEvidence([
			toFile("a.json", '{"ruleId":"a","ruleStatus":"passed","name":"n\\u0000","reason":"\\ud800"}'),
		]);
		expect(checks[0]).toMatchObject({ name: "n\uFFFD", reason: "\uFFFD" });
	});
});

describe("the files of one run of the pre-upgrade script", () => {
	const FOUR = [
		buildRuleFile("b_passed", { ruleStatus: "passed" }),
		buildRuleFile("a_passed", { ruleStatus: "passed" }),
		buildRuleFile("c_manual", {
			ruleStatus: "failed",
			severity: "warning",
			failureDetails: { failType: "MANUAL CHECK REQUIRED" },
		}),
		buildRuleFile("d_failed", {
			ruleStatus: "failed",
			severity: "critical",
			failureDetails: { failType: "FAIL - UPGRADE FAILURE!!" },
		}),
	];

	it("marks a run as complete if it has as many checks as the script counts, and lists failed ones first", () => {
		expect(readEvidence([...FOUR, buildMetaFile({ total_checks: 4 })])).toMatchObject({
			format: "checks",
			script_version: "v3.1.0",
			started_at: "2024-05-01T10:24:22.000Z",
			release: "6.0(9c)",
			switch_release: "16.0(9c)",
			target_release: "6.1(3g)",
			counts: { upgrade_failure: 1, manual_check: 1, passed: 2, unknown: 0 },
			total: 4,
			complete: true,
			notes: [],
			checks: [{ id: "d_failed" }, { id: "c_manual" }, { id: "a_passed" }, { id: "b_passed" }],
		});
	});

	it.each([
		["without the file about the run", FOUR, null, []],
		[
			"with fewer checks than the script counts",
			[...FOUR, buildMetaFile({ total_checks: 6 })],
			false,
			["counts 6 checks, and 4 are"],
		],
		[
			"with more checks than the script counts",
			[...FOUR, buildMetaFile({ total_checks: 3 })],
			false,
			["counts 3 checks, and 4 are"],
		],
		["with an unusable number of checks", [...FOUR, buildMetaFile({ total_checks: "all" })], null, []],
		[
			"with a check that has not ended",
			[...FOUR, buildRuleFile("e", { ruleStatus: "in-progress" }), buildMetaFile({ total_checks: 5 })],
			false,
			["1 check has no result", "e: has no result (in-progress)"],
		],
		[
			"with a summary that agrees",
			[...FOUR, buildSummaryFile({ PASS: 2, "MANUAL CHECK REQUIRED": 1, "FAIL - UPGRADE FAILURE!!": 1, TOTAL: 4 })],
			true,
			[],
		],
		[
			"with a summary that disagrees",
			[...FOUR, buildSummaryFile({ PASS: 3, "MANUAL CHECK REQUIRED": 0, "FAIL - UPGRADE FAILURE!!": 1, TOTAL: 4 })],
			false,
			[
				"manual check: the summary of the script counts 0, the checks 1",
				"passed: the summary of the script counts 3, the checks 2",
			],
		],
	] as const)("%s are as complete as their numbers say", (_, files, complete, notes) => {
		const read = readEvidence(files);
		expect(read.complete).toBe(complete);
		expect(read.notes).toEqual(notes.map((note) => expect.stringContaining(note)));
	});

	it("may be a summary of counts, whose unknown words count as without result", () => {
		const known = {
			PASS: 26,
			"FAIL - OUTAGE WARNING!!": 4,
			"FAIL - UPGRADE FAILURE!!": 0,
			"MANUAL CHECK REQUIRED": 3,
			"N/A": 3,
			"ERROR !!": 0,
		};
		expect(readEvidence([buildSummaryFile({ ...known, TOTAL: 36 })])).toMatchObject({
			format: "summary",
			counts: { passed: 26, outage_warning: 4, manual_check: 3, not_applicable: 3 },
			total: 36,
			complete: true,
			checks: [],
		});
		expect(readEvidence([buildSummaryFile({ ...known, BLUE: 2, note: "x", TOTAL: 40 })])).toMatchObject({
			counts: { unknown: 2 },
			total: 38,
			complete: false,
			notes: [expect.stringContaining("counts 40 checks, and 38"), expect.stringContaining('"BLUE"')],
		});
		expect(readEvidence([buildSummaryFile({ PASS: 1 })])).toMatchObject({ total: 1, complete: null });
	});

	it.each([
		["text", "Not JSON", "is not JSON"],
		["a list", "[]", "is not of the script"],
		["another object", '{"imdata": []}', "is not of the script"],
		["another object with ruleId", '{"ruleId": "a"}', "is not of the script"],
		["a summary with no number", '{"PASS": "many"}', "is not of the script"],
		["a deep object", `{"ruleId":${"[".repeat(30)}${"]".repeat(30)}}`, "is nested too deep"],
	])("must not be %s", (_, content, problem) => {
		expect(findProblems([FOUR[0] as EvidenceFile, toFile("folder/x.json", content)])).toEqual({
			1: expect.stringMatching(new RegExp(`^"folder/x.json" ${problem}\\. Attach the JSON files`)),
		});
	});

	it("must be of one run", () => {
		const twice = [
			buildMetaFile(),
			buildRuleFile("a", {}),
			{ ...buildRuleFile("a", {}), name: "b.json" },
			buildMetaFile(),
		];
		expect(findProblems(twice)).toEqual({
			2: expect.stringContaining('"b.json" and "a.json" are of two runs'),
			3: expect.stringContaining("are of two runs"),
		});
		expect(findProblems([buildMetaFile()])).toEqual({ 0: expect.stringContaining("has no results") });
	});

	it("reads files with brackets in their texts, and with a byte order mark", () => {
		const content = `\uFEFF${JSON.stringify({ ruleId: "a", ruleStatus: "passed", reason: `${"[".repeat(50)}\\"{` })}`;
		expect(readEvidence([toFile("a.json", content)])).toMatchObject({ counts: { passed: 1 } });
	});
});
