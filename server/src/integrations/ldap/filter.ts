/** Search filters from a template. */

/**
 * Escapes a value for a filter (RFC 4515, section 3). Control characters and bytes beyond ASCII are
 * escaped, too.
 */
export function escapeFilter(value: string): string {
	return [...Buffer.from(value, "utf8")]
		.map((byte) =>
			byte < 0x20 || byte > 0x7e || "\\*()".includes(String.fromCharCode(byte))
				? `\\${byte.toString(16).padStart(2, "0")}`
				: String.fromCharCode(byte),
		)
		.join("");
}

/** Replaces each `{name}` of a template with its escaped value. Unknown names stay. */
export function buildFilter(template: string, values: Readonly<Record<string, string>>): string {
	return template.replace(/\{(\w+)\}/g, (whole, name: string) => {
		const value = values[name];
		return value === undefined ? whole : escapeFilter(value);
	});
}
