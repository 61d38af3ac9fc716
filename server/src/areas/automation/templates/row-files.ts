/**
 * Files of rows: an upload becomes rows that can be checked or asked for, and a template gives its
 * empty sheets.
 */
import { AUTOMATION_LIMITS, type FileTable, type InputData, type InputRow, type SheetFileQuery } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import type { Identity } from "../../../core/caller.ts";
import { buildFieldError, buildUnavailableError } from "../../../core/errors.ts";
import { WorkerPoolError } from "../../../core/workers/pool.ts";
import { findVisibleTemplate } from "./manage-templates.ts";
import { listSheets, type TemplateForm } from "./rules/rules.ts";
import { buildEmptyCsv, buildEmptyWorkbook, type SheetColumns } from "./workers/spreadsheets.ts";

const TASK_MS = 60_000;
const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

const listColumns = (form: TemplateForm): SheetColumns[] =>
	listSheets(form).map(({ name, columns }) => ({ name, columns: columns.map(({ name, label }) => ({ name, label })) }));

/** Turns a failure of the threads into an answer about the file. */
function refuseFile(error: unknown): never {
	if (!(error instanceof WorkerPoolError)) throw error;
	if (error.code === "full" || error.code === "closed") throw buildUnavailableError("Too many files are being read.");
	throw buildFieldError("file", "The file takes more time or memory than there is for one. Split it.");
}

/** The rows of a CSV or XLSX, unchecked. @throws 400 under `file`, 404 */
export async function readUploadedRows(
	ctx: Context,
	identity: Identity,
	id: string,
	file: Uint8Array,
	signal: AbortSignal,
): Promise<{ input_data: InputData; row_count: number; notes?: string[] }> {
	const sheets = listColumns(await findVisibleTemplate(ctx, identity, id));
	const options = { signal, timeoutMs: TASK_MS };
	const answer = await ctx.automationPool
		.run("read", { file, sheets, maxRows: AUTOMATION_LIMITS.rows }, options)
		.catch(refuseFile);
	if (answer.problem !== null) throw buildFieldError("file", answer.problem);
	const rows: InputRow[][] = JSON.parse(Buffer.from(answer.rows).toString("utf8"));
	const [only] = sheets;
	const single = sheets.length === 1 && only?.name === null;
	return {
		input_data: single
			? (rows[0] ?? [])
			: Object.fromEntries(sheets.map(({ name }, at) => [name ?? "", rows[at] ?? []])),
		row_count: answer.count,
		...(answer.notes.length > 0 ? { notes: [...answer.notes] } : {}),
	};
}

/** The tables of a CSV or XLSX as texts. @throws 400 under `file`, 404 */
export async function readUploadedTables(
	ctx: Context,
	identity: Identity,
	id: string,
	file: Uint8Array,
	signal: AbortSignal,
): Promise<{ tables: FileTable[] }> {
	await findVisibleTemplate(ctx, identity, id);
	const answer = await ctx.automationPool
		.run("tables", { file, maxRows: AUTOMATION_LIMITS.rows }, { signal, timeoutMs: TASK_MS })
		.catch(refuseFile);
	if (answer.problem !== null) throw buildFieldError("file", answer.problem);
	return { tables: JSON.parse(Buffer.from(answer.tables).toString("utf8")) };
}

/**
 * The sheets of a template with nothing but their first line. @throws 400 under `sheet`, 404
 */
export async function buildEmptySheets(
	ctx: Context,
	identity: Identity,
	id: string,
	{ format, sheet }: SheetFileQuery,
) {
	const template = await findVisibleTemplate(ctx, identity, id);
	const all = listColumns(template);
	const wanted = sheet === undefined ? all : all.filter(({ name }) => name === sheet);
	const names = all.map(({ name }) => name).join(", ");
	if (wanted.length === 0) throw buildFieldError("sheet", "The template has no such sheet.");
	const [first] = wanted;
	if (format === "csv" && (wanted.length > 1 || first === undefined)) {
		throw buildFieldError("sheet", `A CSV holds one sheet. Name one of: ${names}.`);
	}
	const name = template.name.replace(/[^A-Za-z0-9._-]+/g, "_").slice(0, 80) || "template";
	const body =
		format === "csv" && first ? Buffer.from(buildEmptyCsv(first)) : Buffer.from(await buildEmptyWorkbook(wanted));
	return {
		body,
		headers: {
			"content-type": format === "csv" ? "text/csv; charset=utf-8" : XLSX,
			"content-disposition": `attachment; filename="${name}.${format}"`,
		},
	};
}
