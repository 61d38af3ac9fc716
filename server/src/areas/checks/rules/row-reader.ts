/**
 * Rows as rules read them: the texts of the fields that rules name, read once for all rules, and
 * the whole row where it is shown. Most evaluations look at few fields of many rows, so that rows
 * that come as bytes are not parsed; see `row-scan.ts`.
 */
import { parseExact } from "@weft/contracts/exact-json";
import { createTextsReader } from "../../../core/rows/conditions.ts";
import type { Row } from "../../../core/rows/rows.ts";
import { scanRows } from "./row-scan.ts";
import type { RowView } from "./row-view.ts";

/** Rows, or their JSON texts with commas between them. */
export type Page = readonly Row[] | Buffer;

/** The fields that rules name; the place of a name is its number. */
export interface Fields {
	readonly names: string[];
}

/** The number of a field, a new one at its first use. */
export function assignFieldNumber({ names }: Fields, name: string): number {
	const known = names.indexOf(name);
	return known >= 0 ? known : names.push(name) - 1;
}

/** Reads pages row by row. All fields must have their number before. */
export function createRowReader({
	names,
}: {
	readonly names: readonly string[];
}): (page: Page, take: (row: RowView) => void) => void {
	const readers = names.map(createTextsReader);

	function readParsed(rows: readonly Row[], take: (row: RowView) => void): void {
		for (const row of rows) {
			const known: (readonly string[])[] = [];
			take({
				row: () => row,
				texts: (field) => (known[field] ??= readers[field]?.(row) ?? []),
			});
		}
	}

	return (page, take) => {
		if (!Buffer.isBuffer(page)) readParsed(page, take);
		else if (!scanRows(page, names, readers, take)) readParsed(parseExact(`[${page.toString("utf8")}]`) as Row[], take);
	};
}
