/** A captured value as it is shown: text as it is, anything else as JSON; null where it is absent. */
export const written = (value: unknown): string | null =>
	value === null || value === undefined ? null : typeof value === "string" ? value : JSON.stringify(value);
