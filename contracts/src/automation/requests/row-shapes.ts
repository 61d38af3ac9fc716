/** Rows of automation requests, and the result of checking them against a template. */
import * as z from "zod";
import { defineDictionary, defineList } from "../../core/bounded.ts";
import { jsonObject } from "../common.ts";
import { AUTOMATION_LIMITS } from "../values.ts";
import { VALIDATION_STATES } from "./values.ts";

export const inputRows = defineList(jsonObject, {
	max: AUTOMATION_LIMITS.rows,
	error: "Must be a list of rows.",
	tooMany: `Must be at most ${AUTOMATION_LIMITS.rows} rows.`,
});
export const inputSheets = defineDictionary(inputRows, {
	max: AUTOMATION_LIMITS.sheets,
	error: "Must be an object of rows by sheet.",
});
/** Rows, or rows by sheet. */
export const inputData = z.union([inputRows, inputSheets], {
	error: "Must be a list of rows, or an object of rows by sheet; each row an object.",
});
export type InputData = z.output<typeof inputData>;
export type InputRow = Record<string, unknown>;

/** A wrong cell. `column` is empty for a wrong row or sheet; `row` is null for a sheet. */
export const cellError = z.object({
	row: z.int().nullable(),
	column: z.string(),
	/** Null for passwords, and for errors without a single value. */
	value: z.unknown(),
	message: z.string(),
	sheet: z.string().nullable(),
	/** At most ten. */
	allowed_values: z.array(z.string()).optional(),
});
export type CellError = z.infer<typeof cellError>;

export const validationResult = z.object({
	valid: z.boolean(),
	/** Total of wrong cells; `errors` holds the first 1,000. */
	error_count: z.int(),
	row_count: z.int(),
	errors: z.array(cellError),
	sheets: z.record(z.string(), z.object({ valid: z.boolean(), row_count: z.int(), error_count: z.int() })).optional(),
});
export type ValidationResult = z.infer<typeof validationResult>;

export const validationStarted = z.object({
	task_id: z.string(),
	status: z.literal("PENDING"),
	polling_interval: z.int(),
});
export const validationStatus = z.object({
	task_id: z.string(),
	state: z.enum(VALIDATION_STATES),
	/** Percent. */
	progress: z.int(),
	completed: z.boolean(),
	/** Null before the end, and if the check itself failed. */
	result: validationResult.nullable(),
	error: z.string().nullable(),
});
export type ValidationStatus = z.infer<typeof validationStatus>;
