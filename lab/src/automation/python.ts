/** Values as Python prints them: in this form the server's messages repeat variables. */

const NAMED: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function quoteText(text: string): string {
	const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
	const inner = text
		.replace(/[\\\n\r\t]/g, (char) => NAMED[char] ?? char)
		.replace(/\p{Cc}/gu, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`);
	return `${quote}${quote === "'" ? inner.replaceAll("'", "\\'") : inner}${quote}`;
}

/** `repr` of the value. */
function formatRepr(value: unknown): string {
	if (typeof value === "string") return quoteText(value);
	if (value === null || value === undefined) return "None";
	if (typeof value === "boolean") return value ? "True" : "False";
	if (Array.isArray(value)) return `[${value.map(formatRepr).join(", ")}]`;
	if (typeof value !== "object") return String(value);
	const fields = Object.entries(value).map(([name, one]) => `${quoteText(name)}: ${formatRepr(one)}`);
	return `{${fields.join(", ")}}`;
}

/** `str` of the value, as in `"%s" % value`. */
export const formatPython = (value: unknown): string => (typeof value === "string" ? value : formatRepr(value));
