/** What the threads do for automation: check rows. Rows go there and back as JSON text in bytes, so that the process neither walks nor copies them. */
import type { InputData, ValidationResult } from "@weft/contracts";
import { detachable, type TaskAnswer } from "../../../platform/workers/serve.ts";
import type { SheetRule } from "../domain/rules.ts";
import { checkRows, sheetRows } from "../domain/validate.ts";

export interface CheckTask {
	readonly rules: readonly SheetRule[];
	/** JSON of rows, or of rows by sheet. */
	readonly input: Uint8Array;
}

export interface CheckAnswer {
	/** What is wrong with the form of the input; then there is no result. */
	readonly problem: string | null;
	readonly result: ValidationResult | null;
	/** JSON of the rows by sheet, in the order of the rules, as they will be sent. */
	readonly rows: Uint8Array;
}

const NOTHING = new Uint8Array(0);

export const automationTasks = {
	check({ rules, input }: CheckTask): TaskAnswer<CheckAnswer> {
		const given: InputData = JSON.parse(Buffer.from(input).toString("utf8"));
		const sheets = sheetRows(rules, given);
		if ("problem" in sheets) return { value: { problem: sheets.problem, result: null, rows: NOTHING } };
		const { result, rows } = checkRows(rules, sheets.rows);
		if (!result.valid) return { value: { problem: null, result, rows: NOTHING } };
		const { bytes, memory } = detachable(Buffer.from(JSON.stringify(rows)));
		return { value: { problem: null, result, rows: bytes }, transfer: [memory] };
	},
};
export type AutomationTasks = typeof automationTasks;
