/**
 * What the threads do for automation: check rows, and take rows and values out of what queries
 * gave. Rows go there and back as JSON text in bytes, so that the process neither walks nor copies
 * them.
 */
import type { CellError, InputData, SnapshotChange, ValidationResult } from "@weft/contracts";
import { parseExact } from "@weft/contracts/exact-json";
import { makeDetachable, type TaskAnswer } from "../../../../core/workers/serve.ts";
import {
	buildRowsOfObjects,
	listObjectsOfComparison,
	listObjectsOfRun,
	listValuesOfObjects,
} from "../rules/objects.ts";
import type { SheetRule } from "../rules/rules.ts";
import { TableProblem } from "../rules/tables.ts";
import { checkRows, countSheetRows, findPatternProblem, matchWhole } from "../rules/validate.ts";
import { readRows, readTables, type SheetColumns } from "./spreadsheets.ts";

interface CheckTask {
	readonly rules: readonly SheetRule[];
	/** JSON of rows, or of rows by sheet. */
	readonly input: Uint8Array;
}

export interface CheckAnswer {
	/**
	 * The problem of the input's form; null if it has the right form. With a problem there is no
	 * result.
	 */
	readonly problem: string | null;
	readonly result: ValidationResult | null;
	/** JSON of the rows by sheet, in the order of the rules, as they will be sent. */
	readonly rows: Uint8Array;
}

export interface TakeTask {
	/** JSON of a run's document, or of a comparison. */
	readonly document: Uint8Array;
	/** Which objects of a comparison; null: it is a run's. */
	readonly changes: readonly SnapshotChange[] | null;
	readonly mapping: readonly (readonly [column: string, attribute: string])[];
	readonly sheet: string | null;
	readonly maxRows: number;
}

export interface TakeAnswer {
	readonly count: number;
	readonly problems: readonly CellError[];
	/** JSON of the rows; empty where there are problems, or more than `maxRows`. */
	readonly rows: Uint8Array;
}

interface ValuesTask {
	/** JSON of a run's document. */
	readonly document: Uint8Array;
	readonly attribute: string;
	readonly max: number;
}

interface ReadTask {
	/** CSV or XLSX. */
	readonly file: Uint8Array;
	readonly sheets: readonly SheetColumns[];
	readonly maxRows: number;
}

interface TablesTask {
	/** CSV or XLSX. */
	readonly file: Uint8Array;
	readonly maxRows: number;
}

interface TablesAnswer {
	/** The problem of the file; null if it was read. With a problem there are no tables. */
	readonly problem: string | null;
	/** JSON of the tables. */
	readonly tables: Uint8Array;
}

interface ReadAnswer {
	/** The problem of the file; null if it was read. With a problem there are no rows. */
	readonly problem: string | null;
	readonly count: number;
	/** JSON of the rows by sheet, in the order of the sheets. */
	readonly rows: Uint8Array;
	/** What a person should know about the file, in sentences. */
	readonly notes: readonly string[];
}

export interface MatchTask {
	readonly pattern: string;
	readonly flags: string;
	readonly texts: readonly string[];
}

const parseDocument = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString("utf8"));
/** Of the controller, whose numbers may exceed 2^53. */
const getDocument = (bytes: Uint8Array): unknown => parseExact(Buffer.from(bytes).toString("utf8"));

const NOTHING = new Uint8Array(0);

export const automationTasks = {
	check({ rules, input }: CheckTask): TaskAnswer<CheckAnswer> {
		const given = parseDocument(input) as InputData;
		const sheets = countSheetRows(rules, given);
		if ("problem" in sheets) return { value: { problem: sheets.problem, result: null, rows: NOTHING } };
		const problem = findPatternProblem(rules);
		if (problem !== null) return { value: { problem, result: null, rows: NOTHING } };
		const { result, rows } = checkRows(rules, sheets.rows);
		if (!result.valid) return { value: { problem: null, result, rows: NOTHING } };
		const { bytes, memory } = makeDetachable(Buffer.from(JSON.stringify(rows)));
		return { value: { problem: null, result, rows: bytes }, transfer: [memory] };
	},

	take({ document, changes, mapping, sheet, maxRows }: TakeTask): TaskAnswer<TakeAnswer> {
		const read = getDocument(document);
		const objects = changes === null ? listObjectsOfRun(read) : listObjectsOfComparison(read, changes);
		const count = objects.length;
		if (count > maxRows) return { value: { count, problems: [], rows: NOTHING } };
		const { rows, problems } = buildRowsOfObjects(objects, mapping, sheet);
		if (problems.length > 0) return { value: { count, problems, rows: NOTHING } };
		const { bytes, memory } = makeDetachable(Buffer.from(JSON.stringify(rows)));
		return { value: { count, problems, rows: bytes }, transfer: [memory] };
	},

	async read({ file, sheets, maxRows }: ReadTask): Promise<TaskAnswer<ReadAnswer>> {
		try {
			const { content: rows, notes } = await readRows(file, sheets, maxRows);
			const { bytes, memory } = makeDetachable(Buffer.from(JSON.stringify(rows)));
			const count = rows.reduce((sum, { length }) => sum + length, 0);
			return { value: { problem: null, count, rows: bytes, notes }, transfer: [memory] };
		} catch (error) {
			if (!(error instanceof TableProblem)) throw error;
			return { value: { problem: error.message, count: 0, rows: NOTHING, notes: [] } };
		}
	},

	async tables({ file, maxRows }: TablesTask): Promise<TaskAnswer<TablesAnswer>> {
		try {
			const { bytes, memory } = makeDetachable(Buffer.from(JSON.stringify(await readTables(file, maxRows))));
			return { value: { problem: null, tables: bytes }, transfer: [memory] };
		} catch (error) {
			if (!(error instanceof TableProblem)) throw error;
			return { value: { problem: error.message, tables: NOTHING } };
		}
	},

	/** Whether the pattern matches the whole of each text. */
	matches({ pattern, flags, texts }: MatchTask): TaskAnswer<readonly boolean[]> {
		const matches = matchWhole(pattern, flags);
		return { value: texts.map(matches) };
	},

	/** Null when there are more than `max`. */
	values: ({ document, attribute, max }: ValuesTask): TaskAnswer<readonly string[] | null> => ({
		value: listValuesOfObjects(listObjectsOfRun(getDocument(document)), attribute, max),
	}),
};
export type AutomationTasks = typeof automationTasks;
