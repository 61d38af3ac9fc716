/** Finds the objects in the evidence of a check. */
import type { CheckSampleRow } from "@weft/contracts";

/** Levels of a row that are looked into: an object in a row with its attributes. */
const DEPTH = 4;

/**
 * The DNs of rows: values of the field `dn`, also of nested objects.
 * @param connection the name whose rows count; null: all rows are of one connection
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
