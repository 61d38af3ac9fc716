/** Writes the report in GitHub's Markdown. Names cannot begin markup, a link or a mention. */
import { WINDOW_LIMITS, type WindowReport } from "@weft/contracts";
import { type Block, fitBlocks } from "./blocks.ts";
import { EVIDENCE_COLUMNS, listEvidenceSections } from "./evidence-sections.ts";
import {
	type Cell,
	FINDING_COLUMNS,
	formatConnection,
	IGNORED_COLUMNS,
	ITEM_COLUMNS,
	listFacts,
	listFindingCells,
	listFindingSections,
	listIgnored,
	listItemRows,
	listSnapshotRows,
	listTimes,
	listVerdictLines,
	listVersions,
	replaceHidden,
	SNAPSHOT_COLUMNS,
} from "./sections.ts";

const BOUNDS = { attributes: 10, rows: 10, value: 200 } as const;

/** @param maxChars characters of the text; parts that are left out are named */
export function writeMarkdownReport(report: WindowReport, maxChars: number = WINDOW_LIMITS.markdown): string {
	const ignored = listIgnored(report);
	const [verdict = "", ...notes] = listVerdictLines(report);
	const blocks: Block[] = [
		buildText(`# ${escapeMarkdown(report.window.title)}\n\n**${escapeMarkdown(verdict)}**\n`, notes),
		buildTable("Change window", ["", ""], listFacts(report), "facts"),
		buildTable("Time line", ["Time", "Event"], listTimes(report), "events"),
		...report.connections.map((connection) =>
			buildTable(formatConnection(connection), ITEM_COLUMNS, listItemRows(connection), "items"),
		),
		...listFindingSections(report).map(({ title, noun, findings }) =>
			buildTable(
				`${title}: ${findings.length}`,
				FINDING_COLUMNS,
				findings.map((finding) => listFindingCells(finding, BOUNDS)),
				noun,
			),
		),
		...listEvidenceSections(report, BOUNDS).map(({ title, text, rows }) =>
			buildTable(title, EVIDENCE_COLUMNS, rows, "checks", text),
		),
		buildTable("Ignored", IGNORED_COLUMNS, ignored.rows, "items", ignored.total),
		buildTable("Releases and versions", ["", ""], listVersions(report), "versions"),
		buildTable("Snapshots", SNAPSHOT_COLUMNS, listSnapshotRows(report), "snapshots"),
		...(report.window.limits.length > 0 ? [buildText("\n## Limits\n", report.window.limits)] : []),
	];
	return fitBlocks(blocks, maxChars, (text) => text.length);
}

const buildText = (lead: string, lines: readonly string[]): Block => ({
	lead,
	rows: lines.map((line) => `\n${escapeMarkdown(line)}\n`),
	tail: "",
	omitted: ["\n*", " more in the JSON report.*\n"],
});

function buildTable(
	title: string,
	columns: readonly string[],
	rows: readonly (readonly Cell[])[],
	noun: string,
	text = "",
): Block {
	const head = rows.length === 0 ? "" : `\n${formatRow(columns)}|${" --- |".repeat(columns.length)}\n`;
	const empty = rows.length === 0 && text === "" ? "\nNone.\n" : "";
	return {
		lead: `\n## ${escapeMarkdown(title)}\n${text === "" ? "" : `\n${escapeMarkdown(text)}\n`}${head}${empty}`,
		rows: rows.map(formatRow),
		tail: "",
		omitted: ["\n*Left out here: ", ` ${noun}. The JSON report has them.*\n`],
	};
}

const formatRow = (cells: readonly Cell[]): string => `| ${cells.map(formatCell).join(" | ")} |\n`;

const formatCell = (cell: Cell): string => (typeof cell === "string" ? [cell] : cell).map(escapeMarkdown).join("<br>");

/** Names of emoji between colons. The digits of a time are none. */
const EMOJI = /:(?=(?:[\w+-]*[a-z+-][\w+-]*|100|1234):)/gi;

/** Escapes characters that begin markup, a cell, a mention, an emoji or a link. */
const escapeMarkdown = (text: string): string =>
	replaceHidden(text)
		.replace(/[\\`*_[\]<>#|~&@$]/g, "\\$&")
		.replace(EMOJI, "\\:")
		.replace(/:\/\//g, "\\://")
		.replace(/www\./gi, (word) => `${word.slice(0, -1)}\\.`);
