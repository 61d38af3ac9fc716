/** Reading values of documents of which nothing is promised. */

export const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === "object" && value !== null && !Array.isArray(value);

/** Texts as they are, numbers and booleans written out, else empty. */
export function readScalarText(value: unknown): string {
	if (typeof value === "string") return value;
	return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

export const readStrings = (value: unknown): string[] =>
	Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

/** Says nothing: absent, empty, an empty list or object. */
export const isEmptyValue = (value: unknown): boolean =>
	value === null ||
	value === undefined ||
	value === "" ||
	(typeof value === "object" && Object.keys(value as object).length === 0);

const PLACEHOLDERS = new Set(["null", "na", "n/a", "none", "tbd"]);

/** A comment is a list of one text, or absent, or a word that stands for nothing. */
export function readRemark(value: unknown): string {
	if (value === undefined) return "";
	const joined = (typeof value === "string" ? [value] : readStrings(value)).join(" ").trim();
	return PLACEHOLDERS.has(joined.toLowerCase()) ? "" : joined;
}
