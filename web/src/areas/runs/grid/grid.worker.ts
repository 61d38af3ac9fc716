/** Holds the rows of a result: reads, filters and sorts them, and returns visible cells. */

import { parseExact } from "@weft/contracts/exact-json";
import { UnreachableError, UserError } from "../../../platform/failures.ts";
import { writeWorkbook } from "../../../platform/workbook.ts";
import { readDocument } from "./document.ts";
import { filterRows, parseFilter } from "./filter.ts";
import { type Groups, groupRows } from "./group-rows.ts";
import type { Answer, ColumnInfo, Numbered, Question, View } from "./protocol.ts";
import {
	type Column,
	countDistinctValues,
	createTableBuilder,
	findFilledColumns,
	type GridTable,
	getRanks,
	getTextAt,
	rankStepwise,
	sortRows,
} from "./table.ts";
import { readSheet, writeCsv, writeJson, writeTsv } from "./write.ts";

const LONGEST = 60;
const MOST_VALUES = 200;
const PROGRESS_ROWS = 2_000;
/** Rows that are shown while the rest is read. */
const FIRST_ROWS = 500;

let table: GridTable = createTableBuilder().finish();
let rows: Int32Array = new Int32Array(0);
const ranks = new Map<string, Int32Array>();

const postAnswer = (id: number, message: Answer): void => postMessage({ id, message } satisfies Numbered<Answer>);

/** The first line of the merged rows of several connections, where one of them is missing. */
const PARTIAL_NOTE = '{"_partial":';

async function loadTable(id: number, { url, headers, member }: Extract<Question, { kind: "load" }>): Promise<Answer> {
	const response = await readFromNetwork(fetch(new Request(url, { headers })));
	if (!response.ok || response.body === null) {
		// A proxy's refusal has a page in place of the service's words.
		const body = await response.json().catch(() => null);
		const { status } = response;
		const message = String(body?.detail ?? `The service answered ${status}.`);
		return { kind: "failed", reason: "refused", message, status };
	}
	const builder = createTableBuilder();
	if (member !== undefined) {
		const { about, rows: lines } = readDocument(await readFromNetwork(response.text()), member);
		for (const line of lines) builder.add(parseExact(line), line);
		return { ...replaceTable(builder.finish()), about };
	}
	const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
	let rest = "";
	let reported = 0;
	const take = (line: string) => {
		// A result that lacks a connection says so first; its page says it in words.
		const isNote = builder.count === 0 && line.startsWith(PARTIAL_NOTE);
		if (line !== "" && !isNote) builder.add(parseExact(line), line);
	};
	for (;;) {
		const { done, value } = await readFromNetwork(reader.read());
		if (done) break;
		const lines = (rest + value).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) take(line);
		if (reported === 0 && builder.count >= FIRST_ROWS) {
			reported = builder.count;
			const { rows: count, columns } = replaceTable(builder.preview(FIRST_ROWS));
			postAnswer(id, { kind: "progress", rows: reported, first: { rows: count, columns } });
		} else if (builder.count - reported >= PROGRESS_ROWS) {
			reported = builder.count;
			postAnswer(id, { kind: "progress", rows: reported });
		}
	}
	take(rest);
	return replaceTable(builder.finish());
}

/** @throws UnreachableError where the request or a part of its answer fails */
async function readFromNetwork<T>(part: Promise<T>): Promise<T> {
	try {
		return await part;
	} catch (error) {
		throw new UnreachableError(error);
	}
}

function replaceTable(next: GridTable): Extract<Answer, { kind: "loaded" }> {
	table = next;
	ranks.clear();
	rows = Int32Array.from(table.lines.keys());
	void rankColumns(next);
	return { kind: "loaded", rows: rows.length, columns: table.columns.map(describeColumn) };
}

/** Ranks the values of each column while idle, so that sorting by one is fast. */
async function rankColumns(of: GridTable): Promise<void> {
	for (const column of of.columns) {
		const steps = rankStepwise(column);
		for (let step = steps.next(); ; step = steps.next()) {
			if (table !== of || ranks.has(column.key)) break;
			if (step.done) {
				ranks.set(column.key, step.value);
				break;
			}
			await new Promise((resolve) => setTimeout(resolve));
		}
	}
}

function describeColumn({ key, numeric, values }: GridTable["columns"][number]): ColumnInfo {
	let length = 0;
	for (const value of values) length = Math.max(length, value.length);
	return { key, numeric, length: Math.min(LONGEST, length), distinct: values.length };
}

function applyView({ filter, sort, group }: View): Answer {
	const started = performance.now();
	rows = filterRows(table, parseFilter(filter, table.byKey.keys()));
	const column = sort === null ? undefined : table.byKey.get(sort.column);
	if (column && sort) rows = sortRows(rows, column, findRanks(column), sort.descending);
	let groups: Groups | null = null;
	if (group !== null) {
		const grouped = table.byKey.get(group);
		const ranks = grouped ? findRanks(grouped) : new Int32Array(0);
		({ rows, groups } = groupRows(rows, grouped, ranks, sort?.column === group && sort.descending));
	}
	const filled = findFilledColumns(rows, table.columns);
	return { kind: "view", rows: rows.length, filled, groups, ms: performance.now() - started };
}

function findRanks(column: Column): Int32Array {
	let known = ranks.get(column.key);
	if (known === undefined) {
		known = getRanks(column);
		ranks.set(column.key, known);
	}
	return known;
}

function readCells(from: number, to: number, keys: readonly string[]): Answer {
	const columns = keys.map((key) => table.byKey.get(key));
	const found: string[][] = [];
	for (const row of rows.subarray(from, to)) {
		found.push(columns.map((column) => (column ? getTextAt(column, row) : "")));
	}
	return { kind: "cells", cells: found };
}

async function answerQuestion(id: number, question: Question): Promise<Answer> {
	switch (question.kind) {
		case "load":
			return loadTable(id, question);
		case "take": {
			const builder = createTableBuilder();
			for (const row of question.rows) builder.add(row, JSON.stringify(row));
			return replaceTable(builder.finish(question.first));
		}
		case "view":
			return applyView(question.view);
		case "cells":
			return readCells(question.from, question.to, question.keys);
		case "row":
			return { kind: "row", line: table.lines[rows[question.at] ?? -1] ?? null };
		case "distinct": {
			const column = table.byKey.get(question.key);
			const counted = question.of === "all" ? Int32Array.from(table.lines.keys()) : rows;
			return { kind: "distinct", values: column ? countDistinctValues(counted, column, MOST_VALUES) : [] };
		}
		case "write": {
			const chosen = listChosenRows(question.at);
			return { kind: "written", text: writeRows(question.format, chosen, question.keys), rows: chosen.length };
		}
		case "workbook": {
			const sheet = readSheet(table, listChosenRows(question.at), question.keys);
			return { kind: "workbook", bytes: await writeWorkbook([sheet]) };
		}
	}
}

const listChosenRows = (at: readonly number[] | null): Int32Array =>
	at === null ? rows : Int32Array.from(at.flatMap((place) => rows[place] ?? []));

function writeRows(format: "csv" | "tsv" | "json", chosen: Int32Array, keys: readonly string[]): string {
	if (format === "json") return writeJson(table, chosen);
	return format === "csv" ? writeCsv(table, chosen, keys) : writeTsv(table, chosen, keys, true);
}

addEventListener("message", ({ data: { id, message } }: MessageEvent<Numbered<Question>>) => {
	answerQuestion(id, message).then(
		(result) => postAnswer(id, result),
		(error: unknown) => postAnswer(id, describeFailure(error)),
	);
});

/** Errors lose their class on the way to the page. */
function describeFailure(error: unknown): Answer {
	const message = error instanceof Error ? error.message : String(error);
	if (error instanceof UnreachableError) return { kind: "failed", reason: "unreachable", message };
	if (error instanceof UserError) return { kind: "failed", reason: "refused", message };
	return { kind: "failed", reason: "program", message, stack: error instanceof Error ? error.stack : undefined };
}
