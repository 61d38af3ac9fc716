/** Standard output in the format that the user chose. Everything else goes to standard error. */
import { styleText } from "node:util";
import { formatJunit, type JunitCase } from "@weft/contracts/junit";
import { formatCellText, formatCsvCell } from "@weft/contracts/spreadsheet";

export const FORMATS = ["table", "json", "csv", "ndjson", "junit", "yaml"] as const;
export type Format = (typeof FORMATS)[number];

/** A column of tables and CSV. */
export interface Column<T> {
	readonly title: string;
	value(item: T): unknown;
}

/** How a kind of object is shown. */
export interface View<T> {
	/** Of the test suite in JUnit. */
	readonly name: string;
	readonly columns: readonly Column<T>[];
	/** Why the item is a finding; null if it is none. Every item passes where this is absent. */
	failure?(item: T): string | null;
}

/** The used part of a stream. */
export interface Sink {
	readonly isTerminal: boolean;
	/** Width in characters; 80 where it is no terminal. */
	width(): number;
	/** Resolves when the stream takes more. */
	write(text: string | Uint8Array): Promise<void>;
}

export interface Output {
	readonly format: Format;
	readonly sink: Sink;
	/** Prints a list, item by item where the format allows it. */
	list<T>(items: Iterable<T> | AsyncIterable<T>, view: View<T>): Promise<void>;
	one<T>(item: T, view: View<T>): Promise<void>;
	/** Prints an object whole in JSON and YAML, and a list that is its content in other formats. */
	parts<T>(whole: object, parts: readonly T[], view: View<T>): Promise<void>;
}

/** Items of a table that decide about the widths of its columns. */
const MEASURED = 1_000;

export function createOutput(format: Format, sink: Sink, hasColours: boolean): Output {
	const bold = (text: string): string => (hasColours ? styleText("bold", text) : text);

	async function writeTable<T>(items: Iterable<T> | AsyncIterable<T>, { columns }: View<T>): Promise<void> {
		const lines = createTable(
			columns.map(({ title }) => title),
			bold,
		);
		for await (const item of items) await sink.write(lines.add(columns.map((column) => column.value(item))));
		await sink.write(lines.end());
	}

	async function writeCsv<T>(items: Iterable<T> | AsyncIterable<T>, { columns }: View<T>): Promise<void> {
		await sink.write(formatCsvLine(columns.map(({ title }) => title)));
		for await (const item of items) await sink.write(formatCsvLine(columns.map((column) => column.value(item))));
	}

	async function writeJson<T>(items: Iterable<T> | AsyncIterable<T>): Promise<void> {
		let before = "[\n";
		for await (const item of items) {
			await sink.write(before + JSON.stringify(item));
			before = ",\n";
		}
		await sink.write(before === "[\n" ? "[]\n" : "\n]\n");
	}

	async function writeNdjson<T>(items: Iterable<T> | AsyncIterable<T>): Promise<void> {
		for await (const item of items) await sink.write(`${JSON.stringify(item)}\n`);
	}

	async function writeYaml<T>(items: Iterable<T> | AsyncIterable<T>): Promise<void> {
		const { stringify } = await import("yaml");
		let isEmpty = true;
		for await (const item of items) {
			isEmpty = false;
			await sink.write(stringify([item], { lineWidth: 0 }));
		}
		if (isEmpty) await sink.write("[]\n");
	}

	async function writeJunit<T>(
		items: Iterable<T> | AsyncIterable<T>,
		{ name, columns, failure }: View<T>,
	): Promise<void> {
		const cases: JunitCase[] = [];
		for await (const item of items)
			cases.push(buildTestCase(name, formatCellText(columns[0]?.value(item)), "finding", failure?.(item) ?? null));
		await sink.write(formatJunit([{ name, cases }]));
	}

	async function writeDocument(item: unknown): Promise<void> {
		if (format === "json") return sink.write(`${JSON.stringify(item, null, 2)}\n`);
		const { stringify } = await import("yaml");
		return sink.write(stringify(item, { lineWidth: 0 }));
	}
	const isDocument = format === "json" || format === "yaml";

	return {
		format,
		sink,
		parts(whole, parts, view) {
			return isDocument ? writeDocument(whole) : this.list(parts, view);
		},
		list: (items, view) =>
			({ table: writeTable, csv: writeCsv, json: writeJson, ndjson: writeNdjson, yaml: writeYaml, junit: writeJunit })[
				format
			](items, view),
		async one(item, view) {
			if (isDocument) return writeDocument(item);
			if (format !== "table") return this.list([item], view);
			const width = Math.max(...view.columns.map(({ title }) => title.length));
			for (const { title, value } of view.columns) {
				await sink.write(`${bold(title.padEnd(width))}  ${replaceControls(formatCellText(value(item)))}\n`);
			}
		},
	};
}

/** The lines of a table, whose first rows are held until the widths of the columns are known. */
export function createTable(titles: readonly string[], bold: (text: string) => string) {
	let held: string[][] = [];
	let widths: number[] | null = null;

	const line = (cells: readonly string[]): string =>
		`${cells.map((cell, i) => (i === cells.length - 1 ? cell : cell.padEnd(widths?.[i] ?? 0))).join("  ")}\n`;

	function flushHeldRows(): string {
		if (widths !== null) return "";
		widths = titles.map((title, i) => Math.max(title.length, ...held.map((cells) => cells[i]?.length ?? 0)));
		const rows = held.map(line).join("");
		held = [];
		return bold(line(titles).trimEnd()) + (titles.length > 0 ? "\n" : "") + rows;
	}

	return {
		add(values: readonly unknown[]): string {
			const cells = values.map((value) => replaceControls(formatCellText(value)));
			if (widths !== null) return line(cells);
			held.push(cells);
			return held.length < MEASURED ? "" : flushHeldRows();
		},
		end: flushHeldRows,
	};
}

export const formatCsvLine = (values: readonly unknown[]): string =>
	`${values.map((value) => formatCsvCell(formatCellText(value))).join(",")}\r\n`;

/**
 * Without characters that control a terminal or turn the direction of text: names come from other
 * users.
 */
export const replaceControls = (text: string): string =>
	// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not pass
	text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (character) =>
		/\s/.test(character) ? " " : "?",
	);

/** Text of several lines, without such characters in any of them. */
export const replaceControlsInLines = (text: string): string => text.split("\n").map(replaceControls).join("\n");

/** A case of the suite; `failure` is null for one that passed. Its first line is the message. */
export function buildTestCase(suite: string, name: string, type: string, failure: string | null): JunitCase {
	if (failure === null) return { classname: suite, name };
	const [message = ""] = failure.split("\n", 1);
	return { classname: suite, name, failures: [{ type, message, text: failure }] };
}
