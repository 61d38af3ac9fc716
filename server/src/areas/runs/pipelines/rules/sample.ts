/** Samples of a stage's rows and values, small enough for every response about the stage. */
import type { Row } from "../../../../core/rows/rows.ts";

const ROWS = 5;
const VALUES = 5;
const BYTES = 16 * 1024;
const VALUE_CHARACTERS = 500;

/** `most`: rows that the sample takes. */
export function createSample(most = ROWS) {
	const rows: Row[] = [];
	let bytes = 0;
	return {
		rows,
		/** Rows that the sample can still take. */
		room: (): number => most - rows.length,
		take(more: readonly Row[]): void {
			for (const row of more.slice(0, most - rows.length)) {
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
