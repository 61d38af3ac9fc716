export const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === "object" && value !== null && !Array.isArray(value);

/** A scalar as text; undefined for null, objects and lists. */
export const getText = (value: unknown): string | undefined =>
	typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
