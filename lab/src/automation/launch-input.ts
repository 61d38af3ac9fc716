/** What a launch takes as variables, and the reply that launching answers with. */
import { ApiError } from "./lists.ts";
import type { Json } from "./present.ts";

export interface Reply {
	readonly status: number;
	readonly body: unknown;
	readonly headers?: Readonly<Record<string, string>>;
}

const isRecord = (value: unknown): value is Json =>
	typeof value === "object" && value !== null && !Array.isArray(value);

/** `extra_vars` as sent: an object, or JSON text, or a little YAML (`key: value` lines). */
export function readVars(given: unknown): Json {
	if (given === undefined || given === null || given === "") return {};
	if (isRecord(given)) return given;
	if (typeof given !== "string") {
		throw new ApiError(400, {
			extra_vars: [
				"Cannot parse as JSON (error: the JSON object must be str, bytes or bytearray, not list) or YAML " +
					"(error: 'list' object has no attribute 'read').",
			],
		});
	}
	try {
		const parsed: unknown = JSON.parse(given);
		if (isRecord(parsed)) return parsed;
	} catch {
		const pairs = given
			.split("\n")
			.filter((line) => line.trim() !== "" && line.trim() !== "---")
			.map((line) => /^(\w+):\s*(.*)$/.exec(line));
		if (pairs.every((pair) => pair !== null)) return Object.fromEntries(pairs.map((pair) => [pair[1], pair[2]]));
	}
	throw new ApiError(400, {
		extra_vars: [
			"Cannot parse as JSON (error: Expecting property name enclosed in double quotes: line 1 column 2 " +
				"(char 1)) or YAML (error: while parsing a flow mapping).",
		],
	});
}
