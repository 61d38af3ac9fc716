/** Finds the objects in the evidence of a check. */
import type { CheckSampleRow } from "@weft/contracts";

/** Upper bound of the levels of a row: an object in a row with its attributes has four. */
const DEPTH = 4;

/**
 * Finds the DNs of rows: values of the field `dn`, also of nested objects.
 * @param connection name of the connection whose rows are read; null to read all rows
 */
export function findDns(sample: readonly CheckSampleRow[], connection: string | null): string[] {
	const dns = new Set<string>();
	const visit = (value: unknown, depth: number): void => {
		if (typeof value !== "object" || value === null || depth > DEPTH) return;
		for (const [name, inner] of Object.entries(value)) {
			if (name === "dn" && typeof inner === "string") dns.add(inner);
			else visit(inner, depth + 1);
		}
	};
	for (const row of sample) if (connection === null || row.connection === connection) visit(row.row, 1);
	return [...dns];
}
