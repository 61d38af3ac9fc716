/** Equality of JSON values, whatever the order of their keys. */
export const isSameJson = (a: unknown, b: unknown): boolean => formatCanonicalJson(a) === formatCanonicalJson(b);
const formatCanonicalJson = (value: unknown): string =>
	JSON.stringify(value, (_, entry: unknown) =>
		typeof entry === "object" && entry !== null && !Array.isArray(entry)
			? Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)))
			: entry,
	);
