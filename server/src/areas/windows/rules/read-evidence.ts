/**
 * Reads the JSON files of one run of Cisco's pre-upgrade validation script. Three formats exist: a
 * file for each check and one about the run, a file for each check as `syntheticMaintPValidate`,
 * and one summary with counts.
 */
import {
	EVIDENCE_LIMITS,
	EVIDENCE_RESULTS,
	EVIDENCE_SEVERITIES,
	type EvidenceCheck,
	type EvidenceContent,
	type EvidenceCounts,
	type EvidenceFile,
	type EvidenceResult,
	formatEvidenceResult,
} from "@weft/contracts";
import { getText, isRecord } from "../../../core/rows/json.ts";
import { compareCodeUnits } from "../../../core/text.ts";
import { findResult, type ReadCheck, readMaintenanceCheck, readRuleCheck } from "./read-evidence-check.ts";

/** Files that cannot be read, by their index. The messages are for users. */
export class EvidenceError extends Error {
	override readonly name = "EvidenceError";
	readonly problems: ReadonlyMap<number, string>;
	constructor(problems: ReadonlyMap<number, string>) {
		super([...problems.values()].join(" "));
		this.problems = problems;
	}
}

type Fields = Readonly<Record<string, unknown>>;
type Parsed =
	| { readonly kind: "check"; readonly isRule: boolean; readonly read: ReadCheck }
	| { readonly kind: "meta"; readonly fields: Fields }
	| { readonly kind: "summary"; readonly fields: Fields };

const EXPECTED =
	"Attach the JSON files of Cisco's pre-upgrade validation script: one for each check, with the file about the run, " +
	"or its summary of counts.";

/** Problems of an answer. */
const PROBLEMS_MAX = 20;

/** @throws EvidenceError for files that are not of the script, or not of one run */
export function readEvidence(files: readonly EvidenceFile[]): EvidenceContent {
	const problems = new Map<number, string>();
	const parsed: Parsed[] = [];
	const places = new Map<string, number>();
	for (const [index, file] of files.entries()) {
		const one = parseFile(file);
		if (typeof one === "string") problems.set(index, `"${file.name}" ${one}`);
		else {
			const key = one.kind === "check" ? `check ${one.read.check.id}` : one.kind;
			const first = places.get(key);
			if (first === undefined) parsed.push(one);
			else
				problems.set(
					index,
					`"${file.name}" and "${files[first]?.name}" are of two runs, or of the same check. Attach the files of one run.`,
				);
			places.set(key, first ?? index);
		}
		if (problems.size === PROBLEMS_MAX) break;
	}
	if (problems.size > 0) throw new EvidenceError(problems);
	return buildContent(parsed);
}

/** Returns the problem of a file that is not of the script. */
function parseFile({ name, content }: EvidenceFile): Parsed | string {
	if (getDepth(content) > EVIDENCE_LIMITS.depth) return `is nested too deep. ${EXPECTED}`;
	let value: unknown;
	try {
		value = JSON.parse(content.replace(/^\uFEFF/, ""));
	} catch {
		return `is not JSON. ${EXPECTED}`;
	}
	if (!isRecord(value)) return `is not of the script. ${EXPECTED}`;
	const fileName = getBaseName(name);
	if ("ruleId" in value && "ruleStatus" in value)
		return { kind: "check", isRule: true, read: readRuleCheck(value, fileName) };
	const { syntheticMaintPValidate: object } = value;
	if (isRecord(object) && isRecord(object.attributes))
		return { kind: "check", isRule: false, read: readMaintenanceCheck(object.attributes, fileName) };
	if (value.name === "PreupgradeCheck") return { kind: "meta", fields: value };
	if (Object.entries(value).some(([word, count]) => findResult(word) !== undefined && isCount(count)))
		return { kind: "summary", fields: value };
	return `is not of the script. ${EXPECTED}`;
}

const isCount = (value: unknown): value is number =>
	typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= COUNT_MAX;

/** More checks than any version of the script has. */
const COUNT_MAX = 100_000;

/** Name of a file without its folders and its ending. */
const getBaseName = (path: string): string =>
	(path.split(/[/\\]/).at(-1) ?? path)
		.replace(/\.json$/i, "")
		.replaceAll("\0", "")
		.toWellFormed() || "check";

/** Returns how deep brackets outside of texts are nested, up to one more than the limit. */
function getDepth(text: string): number {
	let depth = 0;
	let deepest = 0;
	for (let at = 0; at < text.length; at++) {
		const sign = text[at];
		if (sign === '"') at = findTextEnd(text, at + 1);
		else if (sign === "{" || sign === "[") deepest = Math.max(deepest, ++depth);
		else if (sign === "}" || sign === "]") depth--;
		if (deepest > EVIDENCE_LIMITS.depth) break;
	}
	return deepest;
}

function findTextEnd(text: string, from: number): number {
	let at = from;
	while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
	return at;
}

function buildContent(parsed: readonly Parsed[]): EvidenceContent {
	const read = parsed.flatMap((one) => (one.kind === "check" ? [one.read] : []));
	const meta = parsed.find((one) => one.kind === "meta")?.fields;
	const summary = parsed.find((one) => one.kind === "summary")?.fields;
	if (read.length === 0 && summary === undefined)
		throw new EvidenceError(new Map([[0, `The file about the run has no results. ${EXPECTED}`]]));
	const counted = summary === undefined ? null : readSummary(summary);
	const checks = read.map(({ check }) => check).sort(compareChecks);
	const counts = read.length > 0 ? countChecks(checks) : (counted?.counts ?? countChecks([]));
	const total = sumCounts(counts);
	const problems = [
		...(counts.unknown > 0 && read.length > 0 ? [describeUnknown(counts.unknown)] : []),
		...findMissing(read.length > 0 ? readTotal(meta?.total_checks) : null, total),
		...findMissing(counted?.total ?? null, total),
		...(read.length > 0 && counted !== null ? compareCounts(counted.counts, counts) : []),
	];
	const isKnown = readTotal(meta?.total_checks) !== null || (counted !== null && counted.total !== null);
	const isRule = parsed.some((one) => one.kind === "check" && one.isRule);
	return {
		format: isRule ? "checks" : read.length > 0 ? "maintenance_objects" : "summary",
		script_version: readLine(meta?.script_version),
		started_at: readTime(meta?.datetime),
		release: readLine(meta?.cversion),
		switch_release: readLine(meta?.sw_cversion),
		target_release: readLine(meta?.tversion),
		counts,
		total,
		complete: problems.length > 0 || counts.unknown > 0 ? false : isKnown ? true : null,
		notes: [...new Set([...problems, ...(counted?.notes ?? []), ...read.flatMap(({ notes }) => notes)])],
		checks,
	};
}

const describeUnknown = (count: number): string =>
	`${count === 1 ? "1 check has" : `${count} checks have`} no result: the script did not end, or its files were ` +
	"copied while it ran.";

const readTotal = (value: unknown): number | null => (isCount(value) ? value : null);

const findMissing = (expected: number | null, total: number): string[] =>
	expected === null || expected === total
		? []
		: [`The script counts ${expected} checks, and ${total} are attached: the results are incomplete.`];

const compareCounts = (summary: EvidenceCounts, counts: EvidenceCounts): string[] =>
	EVIDENCE_RESULTS.filter((result) => summary[result] !== counts[result]).map(
		(result) =>
			`${formatEvidenceResult(result)}: the summary of the script counts ${summary[result]}, the checks ${counts[result]}.`,
	);

const NO_COUNTS: EvidenceCounts = {
	upgrade_failure: 0,
	outage_warning: 0,
	failed: 0,
	error: 0,
	manual_check: 0,
	post_upgrade_check: 0,
	unknown: 0,
	not_applicable: 0,
	passed: 0,
};

function countChecks(checks: readonly EvidenceCheck[]): EvidenceCounts {
	const counts = { ...NO_COUNTS };
	for (const { result } of checks) counts[result]++;
	return counts;
}

const sumCounts = (counts: EvidenceCounts): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

/** Reads words with their counts. Checks with an unknown word have no result. */
function readSummary(fields: Fields): {
	readonly counts: EvidenceCounts;
	readonly total: number | null;
	readonly notes: readonly string[];
} {
	const counts = { ...NO_COUNTS };
	const notes: string[] = [];
	for (const [word, count] of Object.entries(fields)) {
		if (word === "TOTAL" || !isCount(count)) continue;
		const result: EvidenceResult = findResult(word) ?? "unknown";
		counts[result] += count;
		if (findResult(word) === undefined && count > 0)
			notes.push(`"${readLine(word)}" is no word that Weft knows: ${count} checks count as without result.`);
	}
	return { counts, total: readTotal(fields.TOTAL), notes };
}

/** Orders checks by result, then the most severe first, then by name. */
const compareChecks = (one: EvidenceCheck, other: EvidenceCheck): number =>
	EVIDENCE_RESULTS.indexOf(one.result) - EVIDENCE_RESULTS.indexOf(other.result) ||
	getRank(other) - getRank(one) ||
	compareCodeUnits(one.name, other.name);

const getRank = ({ severity }: EvidenceCheck): number =>
	severity === null ? -1 : EVIDENCE_SEVERITIES.indexOf(severity);

/** A short text of the file about the run; null if it has none. */
function readLine(value: unknown): string | null {
	const text = (getText(value) ?? "").replaceAll("\0", "").trim().slice(0, EVIDENCE_LIMITS.name).toWellFormed();
	return text === "" || text === "None" ? null : text;
}

/** Reads a time such as `2024-05-01T10-24-22+0000` as ISO 8601; null if it has another form. */
function readTime(value: unknown): string | null {
	const [, day, hour, minute, second, zone] =
		/^(\d{4}-\d\d-\d\d)T(\d\d)[-:](\d\d)[-:](\d\d)([+-]\d\d:?\d\d|Z)$/.exec(readLine(value) ?? "") ?? [];
	if (day === undefined || zone === undefined) return null;
	const at = new Date(`${day}T${hour}:${minute}:${second}${zone.replace(/(\d\d)(\d\d)$/, "$1:$2")}`);
	return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
