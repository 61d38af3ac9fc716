/** Values as Python prints them: in this form the server's messages repeat variables. */

const NAMED: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function quoted(text: string): string {
	const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
	const inner = text
		.replace(/[\\\n\r\t]/g, (char) => NAMED[char] ?? char)
		.replace(/\p{Cc}/gu, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`);
	return `${quote}${quote === "'" ? inner.replaceAll("'", "\\'") : inner}${quote}`;
}

/** `repr` of the value. */
function python(value: unknown): string {
	if (typeof value === "string") return quoted(value);
	if (value === null || value === undefined) return "None";
	if (typeof value === "boolean") return value ? "True" : "False";
	if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
	if (typeof value !== "object") return String(value);
	const fields = Object.entries(value).map(([name, one]) => `${quoted(name)}: ${python(one)}`);
	return `{${fields.join(", ")}}`;
}

/** `str` of the value, as in `"%s" % value`. */
export const pythonText = (value: unknown): string => (typeof value === "string" ? value : python(value));
