/** The parts of a report in their order, as texts that each format escapes in its own way. */
import type { ChangedBy, FindingClass, ReportConnection, ReportFinding, WindowReport } from "@weft/contracts";
import { clipText } from "../../../core/text.ts";
import { formatValue } from "../rules/findings.ts";
import { formatVerdict } from "../rules/verdict.ts";

/** A cell of a table. Several texts are a line each. */
export type Cell = string | readonly string[];

/** Findings of one part of the report. */
export interface FindingSection {
	readonly title: string;
	/** The noun of a number of them, such as `undeclared differences`. */
	readonly noun: string;
	readonly findings: readonly ReportFinding[];
}

const SECTIONS: readonly { title: string; noun: string; classes: readonly FindingClass[] }[] = [
	{ title: "Undeclared", noun: "undeclared differences", classes: ["undeclared"] },
	{ title: "Did not happen", noun: "expectations that did not happen", classes: ["missing"] },
	{ title: "Checks that are new or worse", noun: "checks that are new or worse", classes: ["new", "worse"] },
	{ title: "Inconclusive", noun: "inconclusive items", classes: ["inconclusive"] },
	{ title: "Below the severity that fails", noun: "minor differences", classes: ["minor"] },
	{ title: "Expected", noun: "expected differences", classes: ["expected"] },
	{ title: "Allowed by the plan", noun: "allowed differences", classes: ["allowed"] },
	{ title: "Fixed", noun: "checks that are fixed", classes: ["fixed"] },
	{ title: "The same before", noun: "checks that are violated as before", classes: ["same"] },
];

/** Lists the sections with findings, and always the section of undeclared differences. */
export function listFindingSections(report: WindowReport): FindingSection[] {
	const all = [...report.findings, ...report.expected];
	return SECTIONS.map(({ title, noun, classes }) => ({
		title,
		noun,
		findings: all.filter((finding) => classes.includes(finding.class)),
	})).filter(({ title, findings }) => findings.length > 0 || title === "Undeclared");
}

/** A row of a table of names and values. */
export type Fact = readonly [name: string, value: string];

/** Lists the verdict, and a line if nothing changed. */
export const listVerdictLines = ({ window }: WindowReport): string[] => [
	window.verdict_line,
	...(window.changed === false ? ["Nothing changed."] : []),
];

/** Lists ticket, plan, persons, state and id of the window. */
export function listFacts({ reasons, window }: WindowReport): Fact[] {
	const { ticket, plan, override } = window;
	const facts: (readonly [string, string | null])[] = [
		["Reasons", reasons.join(", ")],
		["Ticket", ticket === null ? null : [ticket.number, ticket.url].filter((text) => text !== "").join(" ")],
		["Plan", `${plan.name}, revision ${plan.revision}`],
		["Asked by", window.requested_by],
		["Approved by", window.approved_by],
		["Started by", window.started_by ?? null],
		["Exit code of the command", window.command_exit_code == null ? null : String(window.command_exit_code)],
		["Gate overridden by", override === null ? null : `${override.by}: ${override.reason}`],
		["Signed by", window.signed_by],
		["Comment", window.sign_comment],
		["Implementers", window.implementers.join(", ")],
		["Hidden", formatHidden(window.hidden_connections)],
		["State", window.state],
		["Window", window.id],
	];
	return facts.flatMap(([name, value]) => (value === null || value === "" ? [] : [[name, value]]));
}

const formatHidden = (count: number): string | null =>
	count === 0
		? null
		: count === 1
			? "1 fabric that the reader does not see is left out."
			: `${count} fabrics that the reader does not see are left out.`;

/** Lists the events of the window with their times, oldest first. */
export function listTimes({ window }: WindowReport): Fact[] {
	const { phases, finished_at: finished } = window;
	const { before, after } = phases;
	const afterText = after === null ? "" : describeAfter(after);
	// Reports of earlier versions have only the first round of each side.
	const rounds = window.rounds ?? [
		...(before === null ? [] : [{ ...before, phase: "before" }]),
		...(after === null ? [] : [{ ...after, phase: "after" }]),
	];
	const times: (readonly [string | null | undefined, string])[] = [
		[window.created_at, "asked"],
		[window.approved_at, "approved"],
		...rounds.map(({ round, phase, started_at }) => [started_at, `round ${round} ${phase} the work`] as const),
		[before?.ended_at, before?.complete ? "rounds before the work complete" : "rounds before the work incomplete"],
		[window.override?.at, "gate overridden"],
		[window.opened_at, "open"],
		[finished, "work ended"],
		[after?.ended_at, afterText],
		...window.verdicts.map(({ at, number, verdict }) => [at, `verdict ${number}: ${formatVerdict(verdict)}`] as const),
		[window.signed_at, "signed"],
	];
	return times
		.flatMap(([at, what]): Fact[] => (at ? [[at, what]] : []))
		.sort(([one], [other]) => Date.parse(one) - Date.parse(other));
}

function describeAfter({
	round,
	settled,
	settled_after_s: seconds,
}: NonNullable<WindowReport["window"]["phases"]["after"]>) {
	if (!settled) return `not settled after round ${round}`;
	return seconds === null ? `settled in round ${round}` : `settled in round ${round}, ${seconds} s after the work`;
}

/** Writes a fabric in one line: name, verdict and reasons. */
export const formatConnection = ({ name, verdict, reasons }: ReportConnection): string =>
	`${name}: ${formatVerdict(verdict)}${reasons.length > 0 ? ` (${reasons.join(", ")})` : ""}`;

export const ITEM_COLUMNS = [
	"Item",
	"Compare",
	"Verdict",
	"Expected",
	"Undeclared",
	"Did not happen",
	"New or worse",
	"Accepted",
	"Ignored",
] as const;

/** Lists the cells of `ITEM_COLUMNS` for each item of a fabric. */
export const listItemRows = ({ items }: ReportConnection): string[][] =>
	items.map(({ name, kind, compare, verdict, settled, counts, error_before, error_after }) => {
		const errors = [
			...(error_before === null ? [] : [`before: ${error_before}`]),
			...(error_after === null ? [] : [`after: ${error_after}`]),
			...(verdict === "inconclusive" && !settled ? ["not settled"] : []),
		];
		return [
			name,
			compare ?? kind,
			[formatVerdict(verdict), ...errors].join("; "),
			...[counts.expected, counts.undeclared, counts.missing, counts.new + counts.worse, counts.accepted].map(String),
			String(counts.ignored.volatile + counts.ignored.rules),
		];
	});

/** The texts of a finding. */
export interface FindingCells {
	readonly severity: string;
	readonly place: string;
	readonly object: string;
	readonly change: string;
	/** Attributes with values, and the detail. */
	readonly values: readonly string[];
	readonly who: string;
	readonly remark: string;
}

export const FINDING_COLUMNS = [
	"Severity",
	"Fabric, item",
	"Object",
	"Change",
	"Before → after",
	"Who",
	"Remark",
] as const;

/** Bounds of one finding, which each format chooses. */
export interface FindingBounds {
	/** Upper bound of attributes, or of objects. */
	readonly attributes: number;
	/** Upper bound of the characters of a value. */
	readonly value: number;
}

/** Upper bound of the records of who changed an object. */
const CHANGES_MAX = 3;

export function describeFinding(finding: ReportFinding, bounds: FindingBounds): FindingCells {
	const { severity, connection, item_name: item, dn, class_name: className, dns, detail } = finding;
	const objects = dn === null ? dns.slice(0, bounds.attributes) : [className === null ? dn : `${dn} (${className})`];
	const more = dn === null ? dns.length - objects.length : 0;
	return {
		severity,
		place: item === null ? connection : `${connection}, ${item}`,
		object: [...objects, ...(more > 0 ? [`${more} more`] : [])].join(", "),
		change: finding.change ?? "",
		values: [...listValues(finding, bounds), ...(detail === "" ? [] : [clipText(detail, bounds.value * 2)])],
		who: describeChanges(finding),
		remark: describeRemark(finding),
	};
}

/** Lists the values of a changed object, without the empty ones of an added or deleted object. */
function listValues({ change, attributes }: ReportFinding, bounds: FindingBounds): string[] {
	const isWhole = change === "added" || change === "deleted";
	const shown = isWhole ? attributes.filter(({ before, after }) => (after ?? before ?? "") !== "") : attributes;
	const lines = shown.slice(0, bounds.attributes).map(({ name, before, after }) => {
		if (isWhole && (before === null || after === null)) return `${name}: ${formatClipped(after ?? before, bounds)}`;
		return `${name}: ${formatClipped(before, bounds)} → ${formatClipped(after, bounds)}`;
	});
	const more = shown.length - lines.length;
	return more > 0 ? [...lines, `${more} more attributes`] : lines;
}

const formatClipped = (value: string | null, { value: max }: FindingBounds): string =>
	clipText(formatValue(value), max);

function describeChanges({ changed_by: changes, foreign }: ReportFinding): string {
	const known = changes.slice(0, CHANGES_MAX).map(formatChange).join("; ");
	if (foreign === true) return known === "" ? "foreign" : `foreign: ${known}`;
	return known;
}

const formatChange = ({ user, action, at }: ChangedBy): string => `${user || "unknown user"} ${action} it at ${at}`;

function describeRemark({ class: kind, late, accepted_by: by, reason }: ReportFinding): string {
	const remarks = [
		...(kind === "new" || kind === "worse" ? [kind] : []),
		...(late ? ["declared late"] : []),
		...(by === null ? [] : [`accepted by ${by}${reason === "" ? "" : `: ${reason}`}`]),
	];
	return remarks.join("; ");
}

/** Cells of `FINDING_COLUMNS` for a finding. */
export function listFindingCells(finding: ReportFinding, bounds: FindingBounds): Cell[] {
	const { severity, place, object, change, values, who, remark } = describeFinding(finding, bounds);
	return [severity, place, object, change, values, who, remark];
}

/** Returns a function that names a connection and one of its items. */
function createNamer(connections: readonly ReportConnection[]): (id: string, item: number) => [string, string] {
	const byId = new Map(connections.map((one) => [one.connection_id, one] as const));
	return (id, item) => {
		const connection = byId.get(id);
		const name = connection?.items.find((one) => one.item === item)?.name ?? `Item ${item + 1}`;
		return [connection?.name ?? id, name];
	};
}

export const IGNORED_COLUMNS = ["Fabric", "Item", "Volatile", "Rules"] as const;

/** Counts the differences that the comparison left out, in total and by item. */
export function listIgnored({ ignored, connections }: WindowReport): { total: string; rows: string[][] } {
	const getNames = createNamer(connections);
	return {
		total: `Volatile attributes: ${ignored.volatile}. Drift rules of the queries: ${ignored.rules}.`,
		rows: ignored.items.map(({ connection_id: id, item, volatile, rules }) => [
			...getNames(id, item),
			String(volatile),
			String(rules),
		]),
	};
}

/** Lists releases of the fabrics, the class model, and versions of Weft, its rules and queries. */
export function listVersions({ connections, versions }: WindowReport): Fact[] {
	const release = (value: string | null) => value ?? "unknown";
	return [
		...connections.map(
			({ name, release_before: before, release_after: after }): Fact => [
				`Release of ${name}`,
				before === after ? release(before) : `${release(before)} → ${release(after)}`,
			],
		),
		[
			"Class model",
			versions.class_model_before === versions.class_model_after
				? (versions.class_model_after ?? "none")
				: `${versions.class_model_before ?? "none"} → ${versions.class_model_after ?? "none"}`,
		],
		["Weft", versions.weft],
		["Rules", String(versions.rules)],
		...versions.queries.map(({ name, version }): Fact => [`Query ${name}`, version]),
	];
}

export const SNAPSHOT_COLUMNS = ["Fabric", "Item", "Side", "Captured at", "Snapshot", "SHA-256"] as const;

export function listSnapshotRows({ connections, snapshots }: WindowReport): string[][] {
	const getNames = createNamer(connections);
	return snapshots.map(({ connection_id: id, item, side, captured_at: at, snapshot_id: snapshot, sha256 }) => [
		...getNames(id, item),
		side,
		at,
		snapshot,
		sha256,
	]);
}

/** Control characters, and characters that turn the direction of text or cannot be seen. */
const HIDDEN = /[\p{Cc}\p{Surrogate}\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

/** Writes a text on one line, and spells out characters that cannot be seen. */
export const replaceHidden = (text: string): string =>
	text.replace(/\r?\n/g, " ").replace(HIDDEN, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
