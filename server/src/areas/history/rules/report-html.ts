/**
 * A comparison as one HTML document for a change ticket: without scripts, without anything that is
 * fetched, and fit to be printed. Whatever was captured is escaped; characters that cannot be seen,
 * or that turn the direction of text, are spelt out.
 */
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
body { font: 14px/1.45 system-ui, sans-serif; color: #1a1a1a; background: #fff; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
th, td { border: 1px solid #c8c8c8; padding: .25rem .5rem; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
thead th { background: #eee; } tbody th { font-weight: 600; } td.n { text-align: right; }
tr.object th { background: #f6f6f6; } code { font: 12px/1.4 ui-monospace, monospace; white-space: pre-wrap; }
ins { color: #0a5c2b; text-decoration: none; } del { color: #8c1616; } small { color: #555; font-weight: 400; }
@media print { body { margin: 0; max-width: none; font-size: 10pt; } thead { display: table-header-group; } tr { break-inside: avoid; } }
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
	const classes = Object.entries(plan.summary).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
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
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
<table>
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
	return `${closeTable(open)}</body>\n</html>\n`;
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

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Characters that cannot be seen, or that turn the direction of text, are spelt out. */
export function escapeHtml(text: string): string {
	return text
		.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign)
		.replace(/[\p{Cc}\p{Surrogate}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, (sign) =>
			sign === "\n" ? sign : `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
		);
}
