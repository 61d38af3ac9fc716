/** A captured value for display: text unchanged, other values as JSON, null if absent. */
export const formatCapturedValue = (value: unknown): string | null =>
	value === null || value === undefined ? null : typeof value === "string" ? value : JSON.stringify(value);
