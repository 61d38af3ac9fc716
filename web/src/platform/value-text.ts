/** A JSON value for display, texts without quotes; null for a missing one. */
export function formatValue(value: unknown): string | null {
	if (value === undefined || value === null) return null;
	return typeof value === "string" ? value : JSON.stringify(value);
}
