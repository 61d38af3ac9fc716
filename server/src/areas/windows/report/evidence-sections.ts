/** The parts of a report about results of the pre-upgrade script. */
import {
	type EvidenceCheck,
	type EvidenceTable,
	formatEvidenceCounts,
	formatEvidenceResult,
	needsAttention,
	type WindowEvidence,
	type WindowReport,
} from "@weft/contracts";
import { clipText } from "../../../core/text.ts";
import type { Cell } from "./sections.ts";

export const EVIDENCE_COLUMNS = ["Result", "Severity", "Check", "Reason", "Recommended action", "Details"] as const;

/** Bounds of one check, which each format chooses. */
export interface EvidenceBounds {
	/** Upper bound of the rows of a table. */
	readonly rows: number;
	/** Upper bound of the characters of a text. */
	readonly value: number;
}

/** The results of one run of the script. */
export interface EvidenceSection {
	readonly title: string;
	/** Counts and run in one paragraph. */
	readonly text: string;
	/** Cells of `EVIDENCE_COLUMNS`: the notes, then the checks that a person has to look at. */
	readonly rows: Cell[][];
}

export const listEvidenceSections = ({ evidence = [] }: WindowReport, bounds: EvidenceBounds): EvidenceSection[] =>
	evidence.map((set) => ({
		title: `Pre-upgrade script on ${set.connection}`,
		text: `${formatCounts(set)} ${describeRun(set)}`,
		rows: [
			...set.notes.map((note) => ["note", "", "", note, "", ""]),
			...set.checks.filter(({ result }) => needsAttention(result)).map((check) => listCheckCells(check, bounds)),
		],
	}));

/** Upper bound of the characters of a check's name in a list. */
const NAME_MAX = 80;

/** The counts of all runs, and the names of the checks that a person has to look at, as a list. */
export const listEvidenceLines = ({ evidence = [] }: WindowReport): string[] =>
	evidence.flatMap((set) => [
		formatEvidence(set),
		...set.checks
			.filter(({ result }) => needsAttention(result))
			.map(({ name, result }) => `${set.connection}, ${formatEvidenceResult(result)}: ${clipText(name, NAME_MAX)}`),
	]);

const formatCounts = ({ counts, total }: WindowEvidence): string =>
	`${total} ${total === 1 ? "check" : "checks"}: ${formatEvidenceCounts(counts) || "none"}.`;

/** Writes the results of one run of the script in one line, for a list. */
export const formatEvidence = (set: WindowEvidence): string =>
	[`${set.connection}: ${formatCounts(set)}`, ...listWarnings(set)].join(" ");

const listWarnings = ({ late, complete, format }: WindowEvidence): string[] => [
	...(late ? ["Attached late, after the window had opened."] : []),
	...(complete === false ? ["Incomplete."] : []),
	...(complete === null ? ["The files do not say how many checks the script has."] : []),
	...(format === "summary" ? ["Counts only: the files have no checks."] : []),
];

function describeRun(set: WindowEvidence): string {
	const facts = [
		...(set.script_version === null ? [] : [`script ${set.script_version}`]),
		...(set.started_at === null ? [] : [`run at ${set.started_at}`]),
		...(set.release === null ? [] : [`release ${set.release}`]),
		...(set.switch_release === null ? [] : [`switches ${set.switch_release}`]),
		...(set.target_release === null ? [] : [`target ${set.target_release}`]),
		`attached by ${set.attached_by} at ${set.attached_at}`,
	];
	const text = facts.join(", ");
	return [`${text.charAt(0).toUpperCase()}${text.slice(1)}.`, ...listWarnings(set)].join(" ");
}

function listCheckCells(check: EvidenceCheck, bounds: EvidenceBounds): Cell[] {
	const clip = (text: string) => clipText(text, bounds.value);
	const word = check.result === "failed" && check.result_text !== "" ? ` (${check.result_text})` : "";
	return [
		`${formatEvidenceResult(check.result)}${word}`,
		check.severity ?? "",
		check.name,
		[check.reason, check.sub_reason].filter((text) => text !== "").map(clip),
		[check.recommended_action, check.doc_url].filter((text) => text !== "").map(clip),
		check.tables.flatMap((table) => listTableLines(table, bounds)),
	];
}

function listTableLines({ columns, rows, row_count: count, is_formatted }: EvidenceTable, bounds: EvidenceBounds) {
	const shown = rows.slice(0, bounds.rows);
	const lines = shown.map((row) =>
		clipText(
			row
				.map((cell, at) => `${columns[at] ?? ""}: ${cell}`)
				.filter((cell) => !cell.endsWith(": "))
				.join(", "),
			bounds.value,
		),
	);
	return [
		...(is_formatted ? [] : ["Rows that the script could not read completely:"]),
		...lines,
		...(count > shown.length ? [`${count - shown.length} more rows`] : []),
	];
}

/** Names of checks that need attention, with their results, for one property of a JUnit report. */
export const formatAttention = (set: WindowEvidence): string =>
	set.checks
		.filter(({ result }) => needsAttention(result))
		.map(({ name, result }) => `${formatEvidenceResult(result)}: ${name}`)
		.join("; ");
