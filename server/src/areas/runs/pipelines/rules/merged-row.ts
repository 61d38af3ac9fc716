/** Rows of several connections in one result. */
import { parseExact } from "@weft/contracts/exact-json";

/** The first member of each merged row. */
export const CONNECTION = "connection";
/** What a row's own member of that name is called. */
const OWN = `row_${CONNECTION}`;

/**
 * The text of a row with the connection as its first member. Everything else stays as it is spelt.
 * @param quoted the connection's name as JSON
 */
export function withConnection(text: string, quoted: string): string {
	const own = renameOwn(text);
	const members = own.slice(1);
	return `{"${CONNECTION}":${quoted}${members.trim() === "}" ? "" : ","}${members}`;
}

function renameOwn(text: string): string {
	if (!text.includes(`"${CONNECTION}"`)) return text;
	const row = parseExact(text) as Record<string, unknown>;
	if (!Object.hasOwn(row, CONNECTION)) return text;
	return JSON.stringify(
		Object.fromEntries(Object.entries(row).map(([name, value]) => [name === CONNECTION ? OWN : name, value])),
	);
}
