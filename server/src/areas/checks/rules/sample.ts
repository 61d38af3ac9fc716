/** Evidence of violations: at most 200 rows and 1 MB, whatever their number. */
import type { CheckSampleRow } from "@weft/contracts";
import { CHECK_LIMITS } from "@weft/contracts";
import type { Row } from "../../../core/rows/rows.ts";

const MAX_CHARACTERS = 1024 ** 2;

interface Sample {
	readonly rows: readonly CheckSampleRow[];
	/** Counts a violation, and keeps its row while there is room. */
	add(connection: string | null, row: Row): void;
	isFull(): boolean;
}

export function createSample(): Sample {
	const rows: CheckSampleRow[] = [];
	let left = MAX_CHARACTERS;
	let full = false;
	return {
		rows,
		add(connection, row) {
			if (full) return;
			left -= JSON.stringify(row).length;
			if (left >= 0) rows.push({ connection, row });
			full = left <= 0 || rows.length === CHECK_LIMITS.sampleRows;
		},
		isFull: () => full,
	};
}
