/** Rows of a request: by sheet, compared with an earlier state, joined to their results. Pure. */
import type { AutomationRequestDetail, AutomationRowResult, InputData } from "@weft/contracts";
import { formatValue } from "../../platform/value-text.ts";

type Row = Readonly<Record<string, unknown>>;

export interface Sheet {
	/** Null for the rows of a template without sheets. */
	readonly name: string | null;
	readonly rows: readonly Row[];
}

export function listSheets(data: InputData | null): Sheet[] {
	if (data === null) return [];
	if (Array.isArray(data)) return [{ name: null, rows: data }];
	return Object.entries(data).map(([name, rows]) => ({ name, rows }));
}

/** Columns of the template in its order, then columns that only the rows have. */
export function listColumns(sheet: Sheet, snapshot: Readonly<Record<string, unknown>>): string[] {
	const sheets = getList(snapshot.sheets);
	const defined = sheet.name === null ? snapshot.schema : sheets.find(({ name }) => name === sheet.name)?.columns;
	const names = new Set(getList(defined).map(({ name }) => String(name)));
	for (const row of sheet.rows) for (const name of Object.keys(row)) names.add(name);
	return [...names];
}

const getList = (value: unknown): Readonly<Record<string, unknown>>[] => (Array.isArray(value) ? value : []);

interface RowChange {
	readonly kind: "added" | "removed" | "changed";
	readonly sheet: string | null;
	/** From 1; of an added or changed row in the new list, of a removed one in the old. */
	readonly row: number;
	readonly cells: readonly { readonly column: string; readonly old: string | null; readonly now: string | null }[];
}

/** Rows that differ. Equal rows at both ends are skipped; the rest is paired by position. */
export function getChanges(before: InputData | null, after: InputData | null): RowChange[] {
	const [old, now] = [listSheets(before), listSheets(after)];
	const names = new Set([...old, ...now].map(({ name }) => name));
	return [...names].flatMap((name) => {
		const getRows = (sheets: Sheet[]) => sheets.find((sheet) => sheet.name === name)?.rows ?? [];
		return listSheetChanges(name, getRows(old), getRows(now));
	});
}

function listSheetChanges(sheet: string | null, old: readonly Row[], now: readonly Row[]): RowChange[] {
	const [a, b] = [old.map((row) => JSON.stringify(row)), now.map((row) => JSON.stringify(row))];
	let start = 0;
	while (start < Math.min(a.length, b.length) && a[start] === b[start]) start++;
	let end = 0;
	while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
	const changes: RowChange[] = [];
	const [left, right] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
	for (let at = 0; at < Math.max(left.length, right.length); at++) {
		const [was, is] = [left[at], right[at]];
		const cells = getCells(was, is);
		if (cells.length === 0) continue;
		const kind = was === undefined ? "added" : is === undefined ? "removed" : "changed";
		changes.push({ kind, sheet, row: start + at + 1, cells });
	}
	return changes;
}

function getCells(old: Row | undefined, now: Row | undefined): RowChange["cells"] {
	const columns = new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})]);
	return [...columns]
		.map((column) => ({ column, old: formatValue(old?.[column]), now: formatValue(now?.[column]) }))
		.filter((cell) => cell.old !== cell.now);
}

interface FieldChange {
	readonly label: string;
	readonly old: string;
	readonly now: string;
}

/** The fields by which two versions of a request are compared. */
export type ComparedRequest = Pick<
	AutomationRequestDetail,
	| "check_mode"
	| "title"
	| "description"
	| "automation_connection_name"
	| "target_controller_name"
	| "automation_credential_name"
	| "scheduled_for"
	| "template_snapshot"
	| "input_data"
>;

const FIELDS: readonly (readonly [label: string, text: (request: ComparedRequest) => string])[] = [
	["Mode", ({ check_mode }) => (check_mode ? "dry run" : "makes changes")],
	["Title", ({ title }) => title],
	["Description", ({ description }) => description],
	["Automation server", ({ automation_connection_name }) => automation_connection_name],
	["Fabric", ({ target_controller_name }) => target_controller_name],
	["Credential", ({ automation_credential_name }) => automation_credential_name],
	["Scheduled for", ({ scheduled_for }) => scheduled_for ?? "not scheduled"],
	["Template", ({ template_snapshot }) => JSON.stringify(template_snapshot)],
];

/** What counts for a decision besides the rows; the mode comes first. */
export const getFieldChanges = (before: ComparedRequest, after: ComparedRequest): FieldChange[] =>
	FIELDS.flatMap(([label, text]) => {
		const [old, now] = [text(before), text(after)];
		if (old === now) return [];
		// The snapshot of a template is no text to read: that it is another one is what counts.
		return [label === "Template" ? { label, old: "as read", now: "changed" } : { label, old, now }];
	});

const FIELD_LABELS: Readonly<Record<string, string>> = {
	title: "Title",
	description: "Description",
	automation_connection_name: "Automation server",
	target_controller_name: "Fabric",
	automation_credential_name: "Credential",
	check_mode: "Dry run",
	scheduled_for: "Scheduled for",
	watch_query_id: "Comparison before and after",
	change_plan: "Change plan",
	change_window: "Change window",
};

/** Describes a path of a history entry: `input_data.0.name` is "row 1, name". */
export function describePath(path: string): string {
	const [head = "", ...rest] = path.split(".");
	if (head !== "input_data") return FIELD_LABELS[head] ?? path;
	const at = rest.findIndex((part) => /^\d+$/.test(part));
	if (at < 0) return path;
	const [sheet, column] = [rest.slice(0, at).join("."), rest.slice(at + 1).join(".")];
	return [sheet, `row ${Number(rest[at]) + 1}`, column].filter((part) => part !== "").join(", ");
}

export interface RowOutcome {
	/** Of several hosts the worst. */
	readonly status: string;
	readonly hosts: readonly { readonly host: string; readonly status: string; readonly message: string }[];
}

/** Best first. */
const BY_HARM = ["ok", "changed", "skipped", "censored", "unknown", "unreachable", "failed"];

/** Results by sheet and index of the row. */
export function getOutcomes(results: readonly AutomationRowResult[]): ReadonlyMap<string, RowOutcome> {
	const outcomes = new Map<string, { status: string; hosts: { host: string; status: string; message: string }[] }>();
	for (const { sheet, row_index, status, host, message } of results) {
		const key = buildRowKey(sheet, row_index);
		const known = outcomes.get(key);
		const entry = { host: host ?? "", status, message };
		if (known === undefined) outcomes.set(key, { status, hosts: [entry] });
		else {
			known.hosts.push(entry);
			if (BY_HARM.indexOf(status) > BY_HARM.indexOf(known.status)) known.status = status;
		}
	}
	return outcomes;
}

/** @param index from 0 */
export const buildRowKey = (sheet: string | null, index: number): string => `${index} ${sheet ?? ""}`;
