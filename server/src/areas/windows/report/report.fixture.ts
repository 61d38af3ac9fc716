/** A judged window with hostile names, and its report. */
import type { ChangeWindow, ItemCounts, WindowFinding, WindowReport } from "@weft/contracts";
import { buildReport, type ReportSource } from "./build-report.ts";

const FAB_1 = "11111111-1111-4111-8111-111111111111";
const FAB_2 = "22222222-2222-4222-8222-222222222222";

/**
 * A name with markup, a table's border, a code fence, a formula, and a character that reverses the
 * direction of text.
 */
export const HOSTILE = '=HYPERLINK("x")|`a`</td><script>alert(1)</script>&[b](https://evil.example)\u202e@all\u0007';

const buildCounts = (fields: Partial<ItemCounts> = {}): ItemCounts => ({
	expected: 0,
	undeclared: 0,
	missing: 0,
	accepted: 0,
	minor: 0,
	allowed: 0,
	new: 0,
	worse: 0,
	same: 0,
	fixed: 0,
	late: 0,
	ignored: { volatile: 0, rules: 0 },
	...fields,
});

const buildSide = (id: string) => ({ snapshot_id: id, run_id: `run-${id}`, error: null });
const NO_SIDE = { snapshot_id: null, run_id: null, error: "The controller did not answer." };

export const buildWindow = (fields: Partial<ChangeWindow> = {}): ChangeWindow => ({
	id: "99999999-9999-4999-8999-999999999999",
	title: `VLANs of rack 7 ${HOSTILE}`,
	ticket: { number: "CHG0031337", url: "https://tickets.example/CHG0031337?a=1&b=2" },
	plan: "88888888-8888-4888-8888-888888888888",
	plan_name: "New bridge domains",
	plan_revision: 4,
	connection_ids: [FAB_1, FAB_2],
	hidden_count: 0,
	starts_at: "2026-01-15T10:00:00.000Z",
	ends_at: "2026-01-15T12:00:00.000Z",
	state: "judged",
	verdict: "failed",
	verdict_reasons: ["undeclared:2", "missing:1", "new_failing:1", "worse:1", "inconclusive:1"],
	verdict_line: "failed; 1 of 6 findings accepted by kim",
	changed: true,
	requires_approval: true,
	created_by: { id: 7, username: "lee", first_name: "Lee", last_name: "" },
	approved_by: "kim",
	approved_at: "2026-01-15T09:30:00.000Z",
	signed_by: null,
	signed_at: null,
	created_at: "2026-01-15T09:00:00.000Z",
	updated_at: "2026-01-15T11:00:00.000Z",
	plan_items: [
		{ query: "q1", compare: "exact", name: "Bridge domains | subnets" },
		{ query: "q2", compare: "tolerance", name: "Endpoints" },
		{ check: "c1", when: ["before", "after"], name: "No interface is error-disabled" },
		{ check: "c2", when: ["before"], name: "All controllers are fit" },
	],
	settle: { delay_s: 30, interval_s: 60, stable_rounds: 2, timeout_s: 900 },
	plan_gate: { before: "off", fail_on: "warning", quiet_baseline: false },
	after_failure: "notify",
	auto_start: false,
	auto_finish: false,
	implementers: ["automation"],
	phases: {
		before: {
			round: 1,
			started_at: "2026-01-15T10:00:05.000Z",
			ended_at: "2026-01-15T10:00:20.000Z",
			complete: true,
		},
		after: {
			round: 4,
			started_at: "2026-01-15T10:41:00.000Z",
			ended_at: "2026-01-15T10:44:07.000Z",
			settled: true,
			settled_after_s: 187,
		},
	},
	gate: { passed: true, reasons: [] },
	override: null,
	opened_at: "2026-01-15T10:00:21.000Z",
	finished_at: "2026-01-15T10:40:30.000Z",
	next_at: null,
	connections: [
		{
			connection_id: FAB_1,
			name: "fab-1",
			verdict: "failed",
			verdict_reasons: ["undeclared:2", "missing:1", "new_failing:1", "worse:1"],
			release_before: "6.0(9c)",
			release_after: "6.0(9d)",
			items: [
				{
					item: 0,
					query_version: "1.2",
					before: buildSide("s1"),
					after: buildSide("s2"),
					settled: true,
					verdict: "failed",
					counts: buildCounts({ expected: 2, undeclared: 1, missing: 1, late: 1, ignored: { volatile: 14, rules: 3 } }),
				},
				{
					item: 1,
					query_version: "2.0",
					before: buildSide("s3"),
					after: buildSide("s4"),
					settled: true,
					verdict: "failed",
					counts: buildCounts({ undeclared: 1, allowed: 1 }),
				},
				{
					item: 2,
					query_version: null,
					before: buildSide("s5"),
					after: buildSide("s6"),
					settled: true,
					verdict: "failed",
					counts: buildCounts({ worse: 1 }),
				},
				{
					item: 3,
					query_version: null,
					before: buildSide("s5"),
					after: buildSide("s6"),
					settled: true,
					verdict: "passed",
					counts: buildCounts(),
				},
			],
		},
		{
			connection_id: FAB_2,
			name: `fab-2 ${HOSTILE}`,
			verdict: "inconclusive",
			verdict_reasons: ["inconclusive:1"],
			release_before: null,
			release_after: "6.0(9c)",
			items: [
				{
					item: 0,
					query_version: "1.2",
					before: buildSide("s7"),
					after: NO_SIDE,
					settled: false,
					verdict: "inconclusive",
					counts: buildCounts(),
				},
			],
		},
	],
	verdicts: [
		{
			number: 1,
			at: "2026-01-15T10:44:08.000Z",
			verdict: "failed",
			verdict_reasons: ["undeclared:2", "missing:1", "new_failing:1", "worse:1", "inconclusive:1"],
			changed: true,
		},
	],
	executions: ["77777777-7777-4777-8777-777777777777"],
	overlaps: [],
	sign_comment: "",
	report_sha256: null,
	can_edit: false,
	can_submit: false,
	can_approve: false,
	can_start: false,
	can_override: false,
	can_finish: false,
	can_recheck: true,
	can_cancel: false,
	can_sign: true,
	...fields,
});

export const buildStoredFinding = (id: string, fields: Partial<WindowFinding>): WindowFinding => ({
	id,
	class: "undeclared",
	severity: "warning",
	connection_id: FAB_1,
	item: 0,
	dn: null,
	class_name: null,
	change: null,
	detail: "",
	attributes: [],
	dns: [],
	changed_by: [],
	foreign: null,
	expectation: null,
	late: false,
	accepted_by: null,
	accepted_at: null,
	reason: "",
	...fields,
});

const FINDINGS: readonly WindowFinding[] = [
	buildStoredFinding("f1", {
		class: "expected",
		dn: "uni/tn-prod/BD-web",
		class_name: "fvBD",
		change: "added",
		attributes: [
			{ name: "arpFlood", before: null, after: "yes" },
			{ name: "descr", before: null, after: "" },
		],
		changed_by: [{ user: "automation", at: "2026-01-15T10:10:00.000Z", action: "created", session: "s" }],
		foreign: false,
		expectation: "e1",
	}),
	buildStoredFinding("f2", {
		class: "expected",
		dn: "uni/tn-prod/BD-db",
		class_name: "fvBD",
		change: "deleted",
		expectation: "e2",
		late: true,
	}),
	buildStoredFinding("f3", {
		dn: `uni/tn-prod/BD-${HOSTILE}`,
		class_name: "fvBD",
		change: "modified",
		severity: "critical",
		attributes: [
			{ name: "descr", before: HOSTILE, after: "" },
			{ name: "multiDstPktAct", before: null, after: "line one\nline | two" },
		],
		changed_by: [{ user: `mallory ${HOSTILE}`, at: "2026-01-15T10:20:00.000Z", action: "modified", session: null }],
		foreign: true,
		accepted_by: "kim",
		accepted_at: "2026-01-15T11:00:00.000Z",
		reason: "Agreed on the phone |",
	}),
	buildStoredFinding("f4", {
		class: "missing",
		item: null,
		dn: "uni/tn-prod/BD-app*",
		change: "added",
		detail: "Did not happen.",
		expectation: "e3",
	}),
	buildStoredFinding("f5", {
		item: 1,
		detail: "fvCEp.epgDn uni/tn-prod/ap-a/epg-b: 200 before, 150 after, a loss of 25 %, at most 5 %.",
		attributes: [{ name: "count", before: "200", after: "150" }],
	}),
	buildStoredFinding("f6", {
		class: "worse",
		item: 2,
		severity: "critical",
		dns: ["topology/pod-1/node-101/sys/phys-[eth1/7]", "topology/pod-1/node-101/sys/phys-[eth1/8]"],
		detail: "1 violation before, 2 after; 1 object did not violate the check before.",
	}),
	buildStoredFinding("f7", { class: "allowed", item: 1, dn: "uni/tn-prod/ap-a/epg-b/cep-00:50", change: "deleted" }),
	buildStoredFinding("f8", {
		class: "inconclusive",
		connection_id: FAB_2,
		detail: "The side after the work is missing: The controller did not answer.",
	}),
];

const DIGEST = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

export const buildSampleReport = (fields: Partial<ReportSource> = {}): WindowReport =>
	buildReport({
		window: buildWindow(),
		findings: FINDINGS,
		snapshots: [
			{
				connection_id: FAB_1,
				item: 0,
				side: "before",
				snapshot_id: "s1",
				captured_at: "2026-01-15T10:00:10.000Z",
				sha256: DIGEST,
			},
			{
				connection_id: FAB_1,
				item: 0,
				side: "after",
				snapshot_id: "s2",
				captured_at: "2026-01-15T10:44:00.000Z",
				sha256: DIGEST,
			},
		],
		versions: {
			weft: "1.5.0",
			class_model_before: "6.0(9c)",
			class_model_after: "6.0(9c)",
			queries: [
				{ item: 0, name: "Bridge domains | subnets", version: "1.2" },
				{ item: 1, name: "Endpoints", version: "2.0" },
			],
		},
		limits: [],
		...fields,
	});
