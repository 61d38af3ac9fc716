/** Evidence of violations: a number of rows and about 5 KB for each, however many there are. */
import type { CheckSampleRow } from "@weft/contracts";
import { CHECK_LIMITS } from "@weft/contracts";
import type { Row } from "../../../core/rows/rows.ts";

/** Average characters of a row. */
const ROW_CHARACTERS = 5 * 1024;

interface Sample {
	readonly rows: readonly CheckSampleRow[];
	/** Counts a violation, and keeps its row while there is room. */
	add(connection: string | null, row: Row): void;
	isFull(): boolean;
}

export function createSample(most: number = CHECK_LIMITS.sampleRows): Sample {
	const rows: CheckSampleRow[] = [];
	let left = most * ROW_CHARACTERS;
	let full = false;
	return {
		rows,
		add(connection, row) {
			if (full) return;
			left -= JSON.stringify(row).length;
			if (left >= 0) rows.push({ connection, row });
			full = left <= 0 || rows.length === most;
		},
		isFull: () => full,
	};
}
