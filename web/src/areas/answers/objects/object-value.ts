/** A value of an object for display: text unchanged, other values as JSON, empty if absent. */
export const formatObjectValue = (value: unknown): string =>
	value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);

/** The same in words where there is nothing to see. */
export const describeValue = (value: unknown): string =>
	value === null || value === undefined ? "(absent)" : formatObjectValue(value) || "(empty)";
