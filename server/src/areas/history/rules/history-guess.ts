/**
 * Guesses the history of a capture without parsing its body: the fields usually stand in front of
 * the rows, or after them.
 */

interface HistoryGuess {
	saved_query_id: string | null;
	query_name: string;
	class_name: string;
	controller_connection_id: string | null;
	controller_connection_name: string;
}

/** Bytes at either end that are searched. */
const SEARCHED_BYTES = 4096;

/** Fields that are not found have their defaults. Wrong if rows have fields of the same names. */
export function guessHistory(body: Uint8Array): HistoryGuess {
	const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
	const head = bytes.toString("utf8", 0, SEARCHED_BYTES);
	const rows = head.indexOf('"result_data"');
	const front = rows < 0 ? head : head.slice(0, rows);
	const back = bytes.toString("utf8", Math.max(0, bytes.length - SEARCHED_BYTES));
	const text = (name: string): string | null => {
		const pattern = new RegExp(`"${name}"\\s*:\\s*("(?:[^"\\\\]|\\\\.){0,1000}"|null)`, "g");
		const found = front.match(pattern)?.at(-1) ?? back.match(pattern)?.at(-1);
		if (found === undefined) return null;
		try {
			const value: unknown = JSON.parse(found.slice(found.indexOf(":") + 1));
			return typeof value === "string" ? value : null;
		} catch {
			return null;
		}
	};
	return {
		saved_query_id: text("saved_query_id")?.toLowerCase() ?? null,
		query_name: text("query_name") ?? "",
		class_name: text("class_name") ?? "",
		controller_connection_id: text("controller_connection_id")?.toLowerCase() ?? null,
		controller_connection_name: text("controller_connection_name") ?? "",
	};
}
