/** What must be known of an answer that is passed through, without keeping it parsed. */
import { isUtf8 } from "node:buffer";
import { parseExact } from "@weft/contracts/exact-json";
import type { ControllerObject } from "./port.ts";

export interface Inspected {
	/** The answer as received, known to be JSON and UTF-8. */
	readonly body: Buffer;
	/** Objects in `imdata`; null where the answer has no such list. */
	readonly count: number | null;
	readonly first: ControllerObject | null;
	readonly totalCount: unknown;
}

/** Null where the answer is not JSON. */
export type Inspect = (body: Buffer) => Promise<Inspected | null>;

export function inspectAnswer(body: Buffer): Inspected | null {
	const text = body.toString("utf8");
	let data: unknown;
	try {
		data = parseExact(text);
	} catch (error) {
		if (error instanceof SyntaxError) return null;
		throw error;
	}
	const fields = typeof data === "object" && data !== null ? (data as { imdata?: unknown; totalCount?: unknown }) : {};
	const objects = Array.isArray(fields.imdata) ? (fields.imdata as ControllerObject[]) : null;
	const totalCount = fields.totalCount ?? null;
	return {
		body: isUtf8(body) ? body : Buffer.from(text),
		count: objects === null ? null : objects.length,
		first: objects?.[0] ?? null,
		totalCount: typeof totalCount === "object" ? null : totalCount,
	};
}
