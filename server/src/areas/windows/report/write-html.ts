/** Writes the report as one HTML document, fit to be printed on A4. All names are escaped. */
import { type Verdict, WINDOW_LIMITS, type WindowReport } from "@weft/contracts";
import { DOCUMENT_END, escapeHtml, formatDocumentHead } from "../../../core/html.ts";
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

const BOUNDS = { attributes: 50, rows: 50, value: 500 } as const;

const STYLE = `
@page { size: A4; margin: 14mm; }
p.verdict { font-size: 1.15rem; font-weight: 600; padding: .5rem .75rem; border: 1px solid; border-left-width: .5rem; }
p.failed { color: #8c1616; } p.inconclusive { color: #7a4b00; } p.passed { color: #0a5c2b; }
@media print { body { padding: 0; font-size: 9pt; } }
`;

const MORE = " more in the JSON";
const OMITTED = ["<p>", `${MORE}</p>\n`] as const;

/** @param maxBytes bytes of the document in UTF-8; parts that are left out are named */
export function writeHtmlReport(report: WindowReport, maxBytes: number = WINDOW_LIMITS.html): string {
	const ignored = listIgnored(report);
	const blocks: Block[] = [
		buildHead(report),
		buildTable("Change window", [], listFacts(report)),
		buildTable("Time line", ["Time", "Event"], listTimes(report)),
		...report.connections.map((connection) =>
			buildTable(formatConnection(connection), ITEM_COLUMNS, listItemRows(connection)),
		),
		...listFindingSections(report).map(({ title, findings }) =>
			buildTable(
				`${title}: ${findings.length}`,
				FINDING_COLUMNS,
				findings.map((finding) => listFindingCells(finding, BOUNDS)),
			),
		),
		...listEvidenceSections(report, BOUNDS).map(({ title, text, rows }) =>
			buildTable(title, EVIDENCE_COLUMNS, rows, text),
		),
		buildTable("Ignored", IGNORED_COLUMNS, ignored.rows, ignored.total),
		buildTable("Releases and versions", [], listVersions(report)),
		buildTable("Snapshots", SNAPSHOT_COLUMNS, listSnapshotRows(report)),
		...(report.window.limits.length > 0 ? [buildList("Limits", report.window.limits)] : []),
		{ lead: DOCUMENT_END, rows: [], tail: "", omitted: ["", ""] },
	];
	return fitBlocks(blocks, maxBytes, (text) => Buffer.byteLength(text));
}

function buildHead(report: WindowReport): Block {
	const title = escapeText(report.window.title);
	const [verdict = "", ...notes] = listVerdictLines(report);
	return {
		lead: `${formatDocumentHead(title, STYLE)}<p class="verdict ${getVerdictClass(report.verdict)}">${escapeText(verdict)}</p>
`,
		rows: notes.map((note) => `<p>${escapeText(note)}</p>\n`),
		tail: "",
		omitted: OMITTED,
	};
}

const getVerdictClass = (verdict: Verdict | null): string =>
	verdict === null || verdict === "inconclusive" ? "inconclusive" : verdict === "failed" ? "failed" : "passed";

/**
 * @param columns empty for a table of names and values
 * @param text a paragraph before the table
 */
function buildTable(title: string, columns: readonly string[], rows: readonly (readonly Cell[])[], text = ""): Block {
	const lead = `<h2>${escapeText(title)}</h2>\n${text === "" ? "" : `<p>${escapeText(text)}</p>\n`}`;
	if (rows.length === 0)
		return { lead: text === "" ? `${lead}<p>None.</p>\n` : lead, rows: [], tail: "", omitted: OMITTED };
	const heads = columns.map((column) => `<th>${escapeText(column)}</th>`).join("");
	const head = columns.length === 0 ? "" : `<thead><tr>${heads}</tr></thead>\n`;
	return {
		lead: `${lead}<table>\n${head}<tbody>\n`,
		rows: rows.map((cells) => formatRow(cells, columns.length === 0)),
		tail: "</tbody>\n</table>\n",
		omitted: [`<tr><td colspan="${Math.max(2, columns.length)}">`, `${MORE}</td></tr>\n`],
	};
}

function formatRow(cells: readonly Cell[], hasName: boolean): string {
	const formatted = cells.map((cell, i) => {
		const text = (typeof cell === "string" ? [cell] : cell).map(escapeText).join("<br>");
		return hasName && i === 0 ? `<th>${text}</th>` : `<td>${text}</td>`;
	});
	return `<tr>${formatted.join("")}</tr>\n`;
}

const buildList = (title: string, lines: readonly string[]): Block => ({
	lead: `<h2>${escapeText(title)}</h2>\n`,
	rows: lines.map((line) => `<p>${escapeText(line)}</p>\n`),
	tail: "",
	omitted: OMITTED,
});

const escapeText = (text: string): string => escapeHtml(replaceHidden(text));
