/** Rows of completed runs on standard output, in flat memory however many there are. */
import type { ExportFormat } from "@weft/contracts";
import { pipelineRoutes } from "@weft/contracts/browser";
import { orderColumns } from "@weft/contracts/column-order";
import { parseExact } from "@weft/contracts/exact-json";
import { formatJunit } from "@weft/contracts/junit";
import { formatCellText } from "@weft/contracts/spreadsheet";
import { type WeftClient, WeftError } from "@weft/sdk";
import { type EndedRun, findProblem } from "./commands/runs/runs.ts";
import type { Context } from "./context.ts";
import { CliError, Unreachable } from "./errors.ts";
import { buildTestCase, createTable, formatCsvLine } from "./output.ts";
import { iterateLines, openAnswer } from "./raw-answer.ts";

/** A row as `{Class: {attributes}}`, or flat. */
type Row = Readonly<Record<string, unknown>>;

const TRIES = 5;
const FIRST_PAUSE_MS = 500;
const DEFAULT_COLUMNS = ["dn", "name"];

interface RowOptions {
	/** Attributes in the columns of a table; null for `dn` and `name`. */
	readonly columns: readonly string[] | null;
	/** Rows begin with the connection's name even if there is one run. */
	readonly isGroup?: boolean;
}

/**
 * Prints the rows of the runs that are complete. With several runs, each row begins with the name
 * of its connection.
 */
export async function printRows(context: Context, runs: readonly EndedRun[], options: RowOptions): Promise<void> {
	const { format, sink } = context.output;
	const client = await context.client();
	const completed = runs.filter(({ run }) => run.status === "completed");
	const isSingle = runs.length === 1 && options.isGroup !== true;
	if (format === "junit") {
		const name = "query run";
		const cases = runs.map(({ connection, run }) =>
			buildTestCase(name, connection.name, run.status, run.status === "completed" ? null : findProblem(run)),
		);
		return sink.write(formatJunit([{ name, cases }]));
	}
	const [only] = completed;
	if (isSingle && only === undefined) return;
	if (isSingle && only !== undefined && (format === "json" || format === "ndjson" || format === "csv")) {
		for await (const bytes of downloadRows(context, client, only, format)) await sink.write(bytes);
		return;
	}
	const lines = () => iterateAllLines(context, client, completed);
	const rows = { isSingle, lines, write: sink.write };
	if (format === "table") return printTable(rows, options.columns);
	if (format === "csv") return printCsv(rows);
	if (format === "yaml") return printYaml(rows);
	return printJson(rows, format === "ndjson");
}

/**
 * Writes the rows of the runs to a workbook, each with the name of its connection. Reads them
 * twice: all columns are known before the first line.
 */
export async function saveWorkbook(context: Context, runs: readonly EndedRun[], file: string): Promise<void> {
	const client = await context.client();
	const lines = () => iterateAllLines(context, client, runs);
	const { columns, hasClass, lengths } = await findColumns(lines);
	let count = 0;
	const { writeExcel } = await import("./excel.ts");
	await writeExcel(file, {
		heads: ["connection", ...(hasClass ? ["class"] : []), ...columns],
		lengths,
		async *rows() {
			for await (const [connection, json] of lines()) {
				count++;
				yield formatLine(connection, json, columns, hasClass);
			}
		},
	});
	context.note(`${file} has ${count} rows of ${runs.map(({ connection }) => connection.name).join(", ")}.`);
}

interface Rows {
	readonly isSingle: boolean;
	/** The rows of all runs as JSON texts, with the name of the connection. Can be read twice. */
	lines(): AsyncIterable<readonly [connection: string, json: string]>;
	write(text: string): Promise<void>;
}

async function printJson({ lines, write }: Rows, isLines: boolean): Promise<void> {
	let before = "[\n";
	for await (const [connection, json] of lines()) {
		const text = withConnection(connection, json);
		await write(isLines ? `${text}\n` : before + text);
		before = ",\n";
	}
	if (!isLines) await write(before === "[\n" ? "[]\n" : "\n]\n");
}

/** The row's own text with one member before the others: numbers keep their digits. */
function withConnection(connection: string, json: string): string {
	const members = json.trim().slice(1);
	return `{"connection":${JSON.stringify(connection)}${members === "}" ? "" : ","}${members}`;
}

async function printYaml({ isSingle, lines, write }: Rows): Promise<void> {
	const { stringify } = await import("yaml");
	let isEmpty = true;
	for await (const [connection, json] of lines()) {
		isEmpty = false;
		const row = parseExact(json) as Row;
		await write(stringify([isSingle ? row : { connection, ...row }], { lineWidth: 0 }));
	}
	if (isEmpty) await write("[]\n");
}

async function printTable({ isSingle, lines, write }: Rows, chosen: readonly string[] | null): Promise<void> {
	let table: { add(cells: readonly unknown[]): string; end(): string } | null = null;
	let columns: readonly string[] = chosen ?? DEFAULT_COLUMNS;
	for await (const [connection, json] of lines()) {
		const { className, values } = getCells(parseExact(json) as Row);
		if (table === null) {
			// Rows that a post-processor has made flat show what they have.
			if (chosen === null && className === null) columns = Object.keys(values);
			table = createTable([...(isSingle ? [] : ["connection"]), "class", ...columns], (text) => text);
		}
		const cells = columns.map((name) => values[name]);
		await write(table.add([...(isSingle ? [] : [connection]), className, ...cells]));
	}
	await write(table === null ? "" : table.end());
}

/** Reads all rows twice, as the export of the API: all columns are known before the first line. */
async function printCsv({ lines, write }: Rows): Promise<void> {
	const { columns, hasClass } = await findColumns(lines);
	await write(formatCsvLine(["connection", ...(hasClass ? ["class"] : []), ...columns]));
	for await (const [connection, json] of lines())
		await write(formatCsvLine(formatLine(connection, json, columns, hasClass)));
}

interface Columns {
	readonly columns: readonly string[];
	/** Whether the rows differ in their class. */
	readonly hasClass: boolean;
	/** Characters of the longest value of each column. */
	readonly lengths: ReadonlyMap<string, number>;
}

/**
 * The columns of all rows: those of objects in the order of all tables, chosen ones as they were
 * chosen. The class is one where rows differ in it.
 */
async function findColumns(lines: Rows["lines"]): Promise<Columns> {
	const names = new Set<string>();
	const classes = new Set<string | null>();
	const lengths = new Map<string, number>();
	const measure = (name: string, value: unknown) =>
		lengths.set(name, Math.max(lengths.get(name) ?? 0, formatCellText(value).length));
	for await (const [connection, json] of lines()) {
		const { className, values } = getCells(parseExact(json) as Row);
		classes.add(className);
		measure("connection", connection);
		measure("class", className);
		for (const [name, value] of Object.entries(values)) {
			names.add(name);
			measure(name, value);
		}
	}
	const isOfObjects = [...classes].some((name) => name !== null);
	return { columns: isOfObjects ? orderColumns(names) : [...names], hasClass: classes.size > 1, lengths };
}

function formatLine(connection: string, json: string, columns: readonly string[], hasClass: boolean): unknown[] {
	const { className, values } = getCells(parseExact(json) as Row);
	return [connection, ...(hasClass ? [className] : []), ...columns.map((name) => values[name])];
}

/** A row's class, null for a flat row, and its values by column. */
function getCells(row: Row): { className: string | null; values: Readonly<Record<string, unknown>> } {
	const [className] = Object.keys(row);
	const body = className === undefined ? undefined : row[className];
	if (className === undefined || Object.keys(row).length !== 1 || !isRecord(body) || !isRecord(body.attributes))
		return { className: null, values: row };
	const { attributes, children } = body;
	const hasChildren = Array.isArray(children) && children.length > 0;
	return { className, values: hasChildren ? { ...attributes, children } : attributes };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

async function* iterateAllLines(context: Context, client: WeftClient, runs: readonly EndedRun[]) {
	for (const one of runs)
		for await (const line of iterateLines(downloadRows(context, client, one, "ndjson")))
			yield [one.connection.name, line] as const;
}

/**
 * The whole result as a file. When the connection breaks, reads it again and leaves out the bytes
 * that were yielded: the rows of a completed run do not change.
 */
async function* downloadRows(context: Context, client: WeftClient, { run }: EndedRun, format: ExportFormat) {
	let yielded = 0;
	for (let attempt = 1; ; attempt++) {
		const start = yielded;
		try {
			let position = 0;
			const input = { params: { id: run.id }, query: { export: format } };
			for await (const bytes of await openAnswer(context, pipelineRoutes.results, input)) {
				const fresh = bytes.subarray(Math.max(0, yielded - position));
				position += bytes.length;
				if (fresh.length === 0) continue;
				yielded += fresh.length;
				yield fresh;
			}
			return;
		} catch (error) {
			if (error instanceof CliError || error instanceof WeftError) throw error;
			if (yielded > start) attempt = 1;
			if (attempt >= TRIES) throw new Unreachable(client.baseUrl, error);
			await context.clock.sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1));
		}
	}
}
