/** Writes the findings of a report as CSV, one line each. */
import type { ReportFinding, WindowReport } from "@weft/contracts";
import { formatCsvLine } from "../../../core/csv.ts";

const COLUMNS = [
	"id",
	"class",
	"severity",
	"connection_id",
	"connection",
	"item",
	"item_name",
	"dn",
	"class_name",
	"change",
	"detail",
	"attributes",
	"dns",
	"changed_by",
	"foreign",
	"expectation",
	"late",
	"accepted_by",
	"accepted_at",
	"reason",
] as const satisfies readonly (keyof ReportFinding)[];

/** Keeps the order of the report. Lists are written as JSON, empty lists as empty cells. */
export const writeCsvReport = ({ findings, expected }: WindowReport): string =>
	[COLUMNS, ...[...findings, ...expected].map((finding) => COLUMNS.map((column) => getCell(finding[column])))]
		.map(formatCsvLine)
		.join("");

const getCell = (value: ReportFinding[keyof ReportFinding]): unknown =>
	Array.isArray(value) && value.length === 0 ? null : value;
