/** A few rows and values that show what a stage took and gave, small enough to be part of every answer about it. */
import type { Row } from "./domain/rows.ts";

const ROWS = 5;
const VALUES = 5;
const BYTES = 16 * 1024;
const VALUE_CHARACTERS = 500;

export function createSample() {
	const rows: Row[] = [];
	let bytes = 0;
	return {
		rows,
		/** How many more rows could be taken. */
		room: (): number => ROWS - rows.length,
		take(more: readonly Row[]): void {
			for (const row of more.slice(0, ROWS - rows.length)) {
				const size = JSON.stringify(row).length;
				if (bytes + size > BYTES) continue;
				bytes += size;
				rows.push(row);
			}
		},
	};
}

export function sampleValues(lists: Iterable<readonly string[]>): string[] {
	const values: string[] = [];
	for (const list of lists) for (const value of list.slice(0, VALUES)) values.push(value.slice(0, VALUE_CHARACTERS));
	return values.slice(0, VALUES);
}
