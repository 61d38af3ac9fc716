/**
 * Rows as CSV (RFC 4180): one column for each property. Objects have theirs in the order of all
 * tables; rows of chosen columns keep the order of their first occurrence.
 */
import { orderColumns } from "@weft/contracts/column-order";
import { formatCsvLine } from "../../../../core/csv.ts";
import { type Row, readManagedObject } from "../../../../core/rows/rows.ts";

const CLASS = "class";
const CHILDREN = "children";

/** @param leading a column before all others, whose value is given with the rows */
export function createCsv(leading?: string) {
	const columns = new Set<string>();
	const classes = new Set<string>();
	/** The columns once all rows are known. */
	let order: string[] = [];
	/** Rows of one class need no column for it. */
	const hasClassColumn = () => classes.size > 1;
	/** A property of the same name as the leading column keeps its values under another one. */
	const headings = () => order.map((name) => (name === leading ? `row_${name}` : name));

	return {
		/** Collects the columns; takes every row before the header is written. */
		learn(rows: readonly Row[]): void {
			for (const row of rows) {
				const object = readManagedObject(row);
				if (object) classes.add(object.className);
				for (const name of Object.keys(object?.attributes ?? row)) columns.add(name);
				if (object && object.children.length > 0) columns.add(CHILDREN);
			}
		},

		header(): string {
			order = classes.size > 0 ? orderColumns(columns) : [...columns];
			return formatCsvLine([
				...(leading === undefined ? [] : [leading]),
				...(hasClassColumn() ? [CLASS] : []),
				...headings(),
			]);
		},

		lines: (rows: readonly Row[], lead?: string): string => rows.map((row) => getLine(row, lead)).join(""),
	};

	function getLine(row: Row, lead: string | undefined): string {
		const object = readManagedObject(row);
		const values: Record<string, unknown> = object?.attributes ?? row;
		const cells = order.map((name) => {
			if (Object.hasOwn(values, name)) return values[name];
			return name === CHILDREN && object && object.children.length > 0 ? object.children : "";
		});
		return formatCsvLine([
			...(leading === undefined ? [] : [lead]),
			...(hasClassColumn() ? [object?.className ?? ""] : []),
			...cells,
		]);
	}
}
