/** The rows of a request, by sheet, with undo, their draft and their problems. */
import type { AutomationTemplate, CellError, InputData } from "@weft/contracts";
import { useEffect, useMemo, useState } from "react";
import { useDraft } from "../../platform/draft-state.ts";
import type { SheetState } from "./findings.tsx";
import {
	beginGrid,
	type Cells,
	editGrid,
	findLocalProblems,
	type GridHistory,
	getCells,
	getInput,
	type Problem,
	placeErrors,
	redoGrid,
	undoGrid,
} from "./grid-model.ts";
import { readSheetDraft, restoreSheet } from "./sheet-draft.ts";
import { useCheck } from "./use-check.ts";

/** The rows of each sheet of the template, or of its only table, whose name is null. */
const getRows = (data: InputData, name: string | null) =>
	Array.isArray(data) ? (name === null ? data : []) : (data[name ?? ""] ?? []);

const beginSheets = ({ schema, sheets }: AutomationTemplate, data: InputData): SheetState[] =>
	(sheets.length === 0 ? [{ name: null, columns: schema }] : sheets).map(({ name, columns }) => ({
		name,
		columns,
		history: beginGrid(getCells(getRows(data, name), columns), columns.length),
	}));

const nameSheetField = ({ name }: SheetState): string => `rows.${name ?? ""}`;

export type Sheets = ReturnType<typeof useSheets>;

/** @param before the rows that the form begins with */
export function useSheets(template: AutomationTemplate, before: InputData) {
	const draft = useDraft();
	const [sheets, setSheets] = useState(() =>
		beginSheets(template, before).map((sheet) =>
			restoreSheet(sheet, draft?.begin(nameSheetField(sheet), readSheetDraft(sheet)) ?? null),
		),
	);
	const [refused, setRefused] = useState<readonly CellError[]>([]);
	useEffect(() => {
		for (const each of sheets) draft?.keep(nameSheetField(each), readSheetDraft(each));
	}, [draft, sheets]);
	const inputs = useMemo(() => sheets.map(({ history, columns }) => getInput(history.now, columns)), [sheets]);
	const data: InputData = useMemo(
		() =>
			sheets[0]?.name === null
				? (inputs[0]?.rows ?? [])
				: Object.fromEntries(sheets.map(({ name }, index) => [name ?? "", inputs[index]?.rows ?? []])),
		[sheets, inputs],
	);
	const rowCounts = inputs.map(({ rows }) => rows.length);
	const rowCount = rowCounts.reduce((sum, count) => sum + count, 0);
	const check = useCheck(template.id, rowCount === 0 ? null : data);
	const problems = sheets.map(({ name, columns, history }, index): Problem[] => {
		const errors = check.result?.errors ?? refused;
		const placed = placeErrors(errors, name, inputs[index]?.gridRows ?? [], columns);
		// The service says the same about a cell, and more: its words replace the local ones.
		return check.result === null ? [...findLocalProblems(history.now, columns), ...placed] : placed;
	});
	const change = (index: number, next: (history: GridHistory, width: number) => GridHistory) => {
		setRefused([]);
		setSheets((before) =>
			before.map((each, here) =>
				here === index ? { ...each, history: next(each.history, each.columns.length) } : each,
			),
		);
	};
	return {
		sheets,
		/** All rows, as the API takes them. */
		data,
		rowCount,
		/** By sheet. */
		rowCounts,
		check,
		/** By sheet. */
		problems,
		/** Cells that the service refused with the request. */
		refused,
		setRefused,
		replace: (index: number, cells: Cells) => change(index, (history, width) => editGrid(history, cells, width)),
		undo: (index: number) => change(index, undoGrid),
		redo: (index: number) => change(index, redoGrid),
	};
}
