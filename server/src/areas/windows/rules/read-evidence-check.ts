/** Reads one check of Cisco's pre-upgrade validation script, in both formats of its files. */
import {
	EVIDENCE_LIMITS,
	EVIDENCE_SEVERITIES,
	type EvidenceCheck,
	type EvidenceResult,
	type EvidenceTable,
} from "@weft/contracts";
import { getText, isRecord } from "../../../core/rows/json.ts";
import { clipText } from "../../../core/text.ts";

type Fields = Readonly<Record<string, unknown>>;

const WORDS: Readonly<Record<string, EvidenceResult>> = {
	"FAIL - UPGRADE FAILURE": "upgrade_failure",
	"FAIL - OUTAGE WARNING": "outage_warning",
	ERROR: "error",
	"MANUAL CHECK REQUIRED": "manual_check",
	"POST UPGRADE CHECK REQUIRED": "post_upgrade_check",
	"N/A": "not_applicable",
	PASS: "passed",
};

/** Characters of the longest words that may mean a result. */
const WORD_MAX = 200;

/** Finds the result that a word of the script means, such as `FAIL - OUTAGE WARNING!!`. */
export const findResult = (word: string): EvidenceResult | undefined =>
	word.length > WORD_MAX ? undefined : WORDS[word.replace(/[!\s]+$/, "").toUpperCase()];

/** Texts and rows of one check that were cut. */
interface Cuts {
	texts: number;
	rows: number;
	columns: number;
}

export interface ReadCheck {
	readonly check: EvidenceCheck;
	/** Sentences about an unknown result, and about texts and rows that were cut. */
	readonly notes: readonly string[];
}

/** Reads a check whose file has `ruleId` and `ruleStatus`. */
export function readRuleCheck(fields: Fields, fileName: string): ReadCheck {
	const status = readWord(fields.ruleStatus);
	const failType = readWord(getDetails(fields).failType);
	return buildCheck(fields, fileName, {
		severity: fields.severity,
		result:
			status === "passed" || status === "failed" ? decideResult(status === "passed", fields, failType) : "unknown",
		word: status === "passed" || status === "failed" ? failType : status,
	});
}

/** Reads a check whose file has the attributes of `syntheticMaintPValidate`. */
export function readMaintenanceCheck(attributes: Fields, fileName: string): ReadCheck {
	const failType = readWord(getDetails(attributes).failType);
	const { passed } = attributes;
	return buildCheck(attributes, fileName, {
		severity: attributes.criticality,
		result: typeof passed === "boolean" ? decideResult(passed, attributes, failType) : "unknown",
		word: failType,
	});
}

const getDetails = ({ failureDetails: details }: Fields): Fields => (isRecord(details) ? details : {});

/** A failed word counts even if the check is said to have passed. */
function decideResult(hasPassed: boolean, { showValidation }: Fields, failType: string): EvidenceResult {
	const word = findResult(failType);
	if (word !== undefined && word !== "passed" && word !== "not_applicable") return word;
	if (!hasPassed) return "failed";
	return showValidation === false ? "not_applicable" : "passed";
}

interface Outcome {
	readonly severity: unknown;
	readonly result: EvidenceResult;
	readonly word: string;
}

function buildCheck(fields: Fields, fileName: string, { severity, result, word }: Outcome): ReadCheck {
	const cuts: Cuts = { texts: 0, rows: 0, columns: 0 };
	const text = (value: unknown, max: number = EVIDENCE_LIMITS.text) => readText(value, max, cuts);
	const id = text(fields.ruleId, EVIDENCE_LIMITS.name) || fileName;
	const details = getDetails(fields);
	const check: EvidenceCheck = {
		id,
		name: text(fields.name, EVIDENCE_LIMITS.name) || id,
		description: text(fields.description),
		result,
		result_text: word,
		severity: EVIDENCE_SEVERITIES.find((one) => one === severity) ?? null,
		reason: text(fields.reason),
		sub_reason: text(fields.sub_reason),
		recommended_action: text(fields.recommended_action),
		doc_url: text(fields.docUrl, EVIDENCE_LIMITS.cell),
		tables: [
			...readTable(details.header ?? details.column, details.data, true, cuts),
			...readTable(
				details.unformatted_header ?? details.unformatted_column,
				details.unformatted_data ?? details.unformatted_rows,
				false,
				cuts,
			),
		],
	};
	return { check, notes: describeNotes(check, cuts) };
}

function describeNotes({ name, result, result_text: word }: EvidenceCheck, { texts, rows, columns }: Cuts): string[] {
	return [
		...(result === "failed" ? [`${name}: the script gives ${word === "" ? "no word" : `the word "${word}"`}.`] : []),
		...(result === "unknown" ? [`${name}: has no result${word === "" ? "" : ` (${word})`}.`] : []),
		...(texts > 0 ? [`${name}: ${texts} ${texts === 1 ? "text was" : "texts were"} cut.`] : []),
		...(rows > 0 ? [`${name}: rows left out: ${rows}. The first ${EVIDENCE_LIMITS.rows} are stored.`] : []),
		...(columns > 0 ? [`${name}: columns left out: ${columns}. The first ${EVIDENCE_LIMITS.columns} are stored.`] : []),
	];
}

const readWord = (value: unknown): string => clipText(cleanText(getText(value) ?? "").trim(), 100);

/** Replaces what a JSON column cannot store: the character U+0000, and halves of pairs. */
const cleanText = (text: string): string => text.replaceAll("\0", "\uFFFD").toWellFormed();

function readText(value: unknown, max: number, cuts: Cuts): string {
	const whole = cleanText(
		getText(value) ?? (value === undefined || value === null ? "" : JSON.stringify(value)),
	).trim();
	if (whole.length > max) cuts.texts++;
	return clipText(whole, max);
}

/** Reads rows as objects by column, as lists, or as single values. Empty without rows. */
function readTable(header: unknown, data: unknown, isFormatted: boolean, cuts: Cuts): EvidenceTable[] {
	if (!Array.isArray(data) || data.length === 0) return [];
	const stored = data.slice(0, EVIDENCE_LIMITS.rows);
	cuts.rows += data.length - stored.length;
	const names = listColumns(header, stored);
	const columns = names.slice(0, EVIDENCE_LIMITS.columns);
	cuts.columns += names.length - columns.length;
	const cell = (value: unknown) => readText(value, EVIDENCE_LIMITS.cell, cuts);
	return [
		{
			columns: columns.map(cell),
			rows: stored.map((row: unknown) =>
				columns.map((name, at) =>
					cell(isRecord(row) ? row[name] : Array.isArray(row) ? row[at] : at === 0 ? row : undefined),
				),
			),
			row_count: data.length,
			is_formatted: isFormatted,
		},
	];
}

/** The names of the header, then the keys and places of the rows that it does not name. */
function listColumns(header: unknown, rows: readonly unknown[]): string[] {
	const names = new Set(Array.isArray(header) ? header.map((name) => getText(name) ?? "") : []);
	for (const row of rows) {
		if (isRecord(row)) for (const name of Object.keys(row)) names.add(name);
		else for (let at = names.size; at < (Array.isArray(row) ? row.length : 1); at++) names.add(`Column ${at + 1}`);
	}
	return [...names];
}
