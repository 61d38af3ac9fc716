/** A comparison as one HTML document for a change ticket. All captured text is escaped. */
import { DOCUMENT_END, escapeHtml, formatDocumentHead } from "../../../core/html.ts";
import { compareCodeUnits } from "../../../core/text.ts";
import { ADDED, type ChangeKind, type ComparePlan, DELETED, MODIFIED } from "./compare.ts";
import type { AttributeChange, Described } from "./entry-writer.ts";
import { decodeByteString } from "./json-text.ts";
import { getNaming, getParts } from "./parts.ts";

/** A side of a comparison. */
export interface ReportedSide {
	id: string;
	executedAt: string;
	executedBy: string;
	queryName: string;
	queryVersion: string;
	connection: string;
	objects: number;
	label: string | null;
	annotation: string | null;
}

export interface Reported {
	from: ReportedSide;
	to: ReportedSide;
	identical: boolean;
	plan: Pick<ComparePlan, "added" | "deleted" | "modified" | "total" | "summary">;
	skipped: { from: number; to: number; differ: boolean };
	ignored: { attributes: readonly string[]; volatile: boolean; identity: boolean; objects: number };
}

const STYLE = `
td.n { text-align: right; } small { font-weight: 400; }
tr.object th { background: #f6f6f6; } code { font: 12px/1.4 ui-monospace, monospace; white-space: pre-wrap; }
ins { color: #0a5c2b; text-decoration: none; } del { color: #8c1616; }
`;

/** Everything in front of the objects. */
export function formatHtmlHead(report: Reported): string {
	const { from, to, identical, plan } = report;
	const rows: [string, (side: ReportedSide) => string | null][] = [
		["Captured at", (side) => side.executedAt],
		["Captured by", (side) => side.executedBy],
		["Query", (side) => `${side.queryName} ${side.queryVersion}`.trim()],
		["Connection", (side) => side.connection],
		["Rows", (side) => String(side.objects)],
		["Label", (side) => side.label],
		["Annotation", (side) => side.annotation],
		["Snapshot", (side) => side.id],
	];
	const sides = rows
		.filter(([, read]) => read(from) || read(to))
		.map(
			([name, read]) =>
				`<tr><th>${name}</th><td>${escapeHtml(read(from) ?? "")}</td><td>${escapeHtml(read(to) ?? "")}</td></tr>`,
		)
		.join("\n");
	const classes = Object.entries(plan.summary).sort(([one], [other]) => compareCodeUnits(one, other));
	const counts = [...classes, ["All", plan] as const]
		.map(
			([name, { added, deleted, modified }]) =>
				`<tr><th>${escapeHtml(name) || "(unknown class)"}</th>${[added, deleted, modified].map((n) => `<td class="n">${n}</td>`).join("")}</tr>`,
		)
		.join("\n");
	const title = `Comparison of ${escapeHtml(to.queryName || "snapshots")}`;
	const outcome = identical
		? "The two are identical."
		: plan.total === 0
			? "No object differs."
			: `${plan.total} ${plan.total === 1 ? "object differs" : "objects differ"}.`;
	return `${formatDocumentHead(title, STYLE)}<table>
<thead><tr><th></th><th>From</th><th>To</th></tr></thead>
<tbody>
${sides}
</tbody>
</table>
<h2>Summary</h2>
<p>${[outcome, ...listNotes(report)].join(" ")}</p>
<table>
<thead><tr><th>Class</th><th>Added</th><th>Deleted</th><th>Modified</th></tr></thead>
<tbody>
${counts}
</tbody>
</table>
`;
}

function listNotes({ skipped, ignored }: Reported): string[] {
	const found: string[] = [];
	const names = [
		...ignored.attributes.map(escapeHtml),
		...(ignored.volatile ? ["the volatile attributes"] : []),
		...(ignored.identity ? ["ids inside one fabric"] : []),
	];
	if (names.length > 0)
		found.push(`Not compared: ${names.join(", ")}; objects that differ in nothing else: ${ignored.objects}.`);
	if (skipped.from + skipped.to > 0)
		found.push(
			`Rows without a dn cannot be compared: ${skipped.from} before, ${skipped.to} after; as a whole ` +
				`they ${skipped.differ ? "differ" : "are equal"}.`,
		);
	return found;
}

const COLUMNS = {
	[ADDED]: ["Added", "<th>Object</th><th>Attributes</th>"],
	[DELETED]: ["Deleted", "<th>Object</th><th>Attributes</th>"],
	[MODIFIED]: ["Modified", "<th>Attribute</th><th>Before</th><th>After</th>"],
} as const;

/** Ends the open section, and begins that of a kind. */
export function formatHtmlSection(open: ChangeKind | -1, kind: ChangeKind): string {
	const [title, columns] = COLUMNS[kind];
	return `${closeTable(open)}<h2>${title}</h2>\n<table>\n<thead><tr>${columns}</tr></thead>\n<tbody>\n`;
}

/** Everything behind the objects. */
export function formatHtmlTail(open: ChangeKind | -1): string {
	return `${closeTable(open)}${DOCUMENT_END}`;
}

function closeTable(open: ChangeKind | -1): string {
	return open === -1 ? "" : "</tbody>\n</table>\n";
}

/**
 * The rows of an object in the section of its kind.
 * @param who changed it; null where that was not looked up
 */
export function formatHtmlRows({ kind, dn, className, changes }: Described, who: string | null): string {
	const by = who ? `<br><small>${escapeHtml(who)}</small>` : "";
	const name = `${escapeHtml(dn)} <small>${escapeHtml(className ?? "")}</small>${by}`;
	if (kind !== MODIFIED) {
		const own = changes.filter(({ old, new: now }) => (now ?? old) !== '""');
		const text = own.map(
			({ key, old, new: now }) => `${escapeHtml(decodeByteString(key))} = ${formatShownValue(now ?? old)}`,
		);
		return `<tr><th>${name}</th><td><code>${text.join("\n")}</code></td></tr>\n`;
	}
	return `<tr class="object"><th colspan="3">${name}</th></tr>\n${changes.map(changeRow).join("")}`;
}

function changeRow({ key, old, new: now }: AttributeChange): string {
	const parts = getParts(getNaming(key), old, now);
	const came = parts?.kind === "list" ? parts.added.map((word) => `<ins>+ ${escapeHtml(word)}</ins>`) : [];
	const went = parts?.kind === "list" ? parts.removed.map((word) => `<del>${escapeHtml(word)}</del>`) : [];
	const moved = [...came, ...went].map((part) => `<br><small>${part}</small>`).join("");
	const [before, after] = [old, now].map((value) => `<code>${formatShownValue(value)}</code>`);
	return `<tr><td>${escapeHtml(decodeByteString(key))}</td><td>${before}</td><td>${after}${moved}</td></tr>\n`;
}

/** Strings as they read, other values as they are spelt. */
function formatShownValue(json: string | null): string {
	if (json === null) return "(absent)";
	if (json === '""') return "(empty)";
	return escapeHtml(json.startsWith('"') ? (JSON.parse(json) as string) : json);
}
