/** Constants of change plans and change windows. */

/** Comparisons of a query's two sides; the first is the default. */
export const COMPARE_MODES = ["exact", "no_loss", "no_gain", "tolerance", "record"] as const;
export type CompareMode = (typeof COMPARE_MODES)[number];

/** Keys by which objects of the two sides are paired. */
export const ITEM_MATCHES = ["dn", "name"] as const;

export const CHECK_PHASES = ["before", "after"] as const;
export type CheckPhase = (typeof CHECK_PHASES)[number];

export const GATE_MODES = ["block", "warn", "off"] as const;
export const AFTER_FAILURES = ["notify", "request_rollback", "launch_rollback"] as const;

/** In the order of a window's life. */
export const WINDOW_STATES = [
	"draft",
	"waiting",
	"planned",
	"checking_before",
	"blocked",
	"open",
	"settling",
	"judged",
	"closed",
	"cancelled",
	"expired",
] as const;
export type WindowState = (typeof WINDOW_STATES)[number];

/** From the worst to the best. */
export const VERDICTS = ["failed", "inconclusive", "passed_with_warnings", "passed"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Classes of findings, in the order of a report. */
export const FINDING_CLASSES = [
	"undeclared",
	"missing",
	"new",
	"worse",
	"inconclusive",
	"minor",
	"expected",
	"allowed",
	"fixed",
	"same",
] as const;
export type FindingClass = (typeof FINDING_CLASSES)[number];

export const EXPECTED_CHANGES = ["added", "deleted", "modified", "any"] as const;
export const EXPECTATION_SOURCES = ["manual", "request", "terraform", "comparison"] as const;
export const IMPORT_FORMATS = ["yaml", "terraform", "request", "comparison"] as const;
export const REPORT_FORMATS = ["html", "md", "json", "junit", "csv", "text"] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** Kinds of events in the history of a window. */
export const WINDOW_EVENTS = [
	"create",
	"update",
	"submit",
	"approve",
	"reject",
	"start",
	"round",
	"gate",
	"retry",
	"override",
	"finish",
	"judge",
	"rollback",
	"recheck",
	"accept",
	"expect",
	"attach_evidence",
	"remove_evidence",
	"cancel",
	"expire",
	"sign",
] as const;
export type WindowEvent = (typeof WINDOW_EVENTS)[number];

export const GATE_REASONS = ["check", "missing_before", "unsettled", "not_quiet", "freeze"] as const;
export type GateReasonKind = (typeof GATE_REASONS)[number];

export const WINDOW_LIMITS = {
	connections: 50,
	items: 50,
	expectations: 1_000,
	/** Stored findings of one verdict; counts are exact. */
	findings: 20_000,
	rounds: 60,
	/** Verdicts of one window, each after a recheck but the first. */
	verdicts: 50,
	/** Default number of characters of a Markdown report. */
	markdown: 60_000,
	/** Default number of characters of a report as plain text. */
	text: 4_000,
	/** Bytes of an HTML report, which gives the number of findings that it leaves out. */
	html: 2 * 1024 * 1024,
	/** Bytes of expectations to import, such as a Terraform plan. */
	importBytes: 16 * 1024 * 1024,
	implementers: 50,
} as const;

/** Defaults of a plan's settle loop, in seconds and rounds. */
export const DEFAULT_SETTLE = { delay_s: 30, interval_s: 60, stable_rounds: 2, timeout_s: 900 } as const;

/** Results of a check of Cisco's pre-upgrade validation script, in the order of a report. */
export const EVIDENCE_RESULTS = [
	"upgrade_failure",
	"outage_warning",
	/** Failed with a word that Weft does not know, or without one. */
	"failed",
	"error",
	"manual_check",
	"post_upgrade_check",
	/** The check had not ended, or its word is unknown. */
	"unknown",
	"not_applicable",
	"passed",
] as const;
export type EvidenceResult = (typeof EVIDENCE_RESULTS)[number];

export const EVIDENCE_SEVERITIES = ["informational", "warning", "major", "critical"] as const;

/** Formats of the script's files, newest first. A summary has counts and no checks. */
export const EVIDENCE_FORMATS = ["checks", "maintenance_objects", "summary"] as const;
export type EvidenceFormat = (typeof EVIDENCE_FORMATS)[number];

export const EVIDENCE_LIMITS = {
	/** Sets of files of one window. */
	sets: 60,
	files: 500,
	/** Bytes of one file, of the files of one set, and of what a window stores of all its sets. */
	fileBytes: 1024 * 1024,
	setBytes: 4 * 1024 * 1024,
	windowBytes: 10 * 1024 * 1024,
	/** Bytes of a request: quotation marks in a file take two bytes there. */
	body: 8 * 1024 * 1024,
	/** Nested objects and lists of a file. */
	depth: 20,
	/** Stored rows and columns of one table, and characters of a text and of a cell. */
	rows: 200,
	columns: 30,
	text: 4_000,
	cell: 500,
	name: 300,
} as const;
