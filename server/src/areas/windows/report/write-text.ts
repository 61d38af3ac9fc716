/** Writes the report as plain text for the work note of a ticket. */
import { WINDOW_LIMITS, type WindowReport } from "@weft/contracts";
import { type Block, fitBlocks } from "./blocks.ts";
import { listEvidenceLines } from "./evidence-sections.ts";
import {
	describeFinding,
	formatConnection,
	listFacts,
	listFindingSections,
	listIgnored,
	listTimes,
	listVerdictLines,
	listVersions,
	replaceHidden,
} from "./sections.ts";

const BOUNDS = { attributes: 5, value: 80 } as const;

/** @param maxChars characters of the text; parts that are left out are named */
export function writeTextReport(report: WindowReport, maxChars: number = WINDOW_LIMITS.text): string {
	const { window, connections, snapshots, evidence = [] } = report;
	const [verdict = "", ...notes] = listVerdictLines(report);
	const blocks: Block[] = [
		buildList(`${replaceHidden(window.title)}\n${replaceHidden(verdict)}`, notes),
		buildList(
			"",
			listFacts(report).map(([name, value]) => `${name}: ${value}`),
		),
		buildList(
			"\nTime line",
			listTimes(report).map(([at, what]) => `${at} ${what}`),
		),
		buildList(
			"\nFabrics",
			connections.map((connection) => {
				const bad = connection.items.filter(({ verdict: own }) => own === "failed" || own === "inconclusive");
				const names = bad.map(({ name }) => name).join(", ");
				return `${formatConnection(connection)}${names === "" ? "" : `: ${names}`}`;
			}),
		),
		...listFindingSections(report).map(({ title, findings }) =>
			buildList(
				`\n${title}: ${findings.length}`,
				findings.map((finding) => {
					const { severity, place, object, change, values, who, remark } = describeFinding(finding, BOUNDS);
					const rest = [change, ...values, who, remark].filter((part) => part !== "").join("; ");
					return `${[severity, place, object].filter((part) => part !== "").join(", ")}${rest === "" ? "" : `: ${rest}`}`;
				}),
			),
		),
		...(evidence.length > 0 ? [buildList(`\nPre-upgrade script: ${evidence.length}`, listEvidenceLines(report))] : []),
		buildList(`\nIgnored\n${listIgnored(report).total}`, []),
		buildList(
			"\nVersions",
			listVersions(report).map(([name, value]) => `${name}: ${value}`),
		),
		buildList(`\nSnapshots: ${snapshots.length}. Ids and SHA-256 are in the JSON report.`, []),
		...(window.limits.length > 0 ? [buildList("\nLimits", window.limits)] : []),
	];
	return fitBlocks(blocks, maxChars, (text) => text.length);
}

/** @param title one or more lines; empty for none */
const buildList = (title: string, lines: readonly string[]): Block => ({
	lead: title === "" ? "" : `${title}\n`,
	rows: lines.map((line) => `- ${replaceHidden(line)}\n`),
	tail: "",
	omitted: ["- ", " more in the JSON report\n"],
});
