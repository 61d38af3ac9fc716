/** The body of an answer that is passed through, encoded without holding the event loop. */
import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import type { ControllerAnswer } from "../../ports/controller.ts";

/** Bytes or characters of an answer that are encoded in one turn of the event loop. */
export const PIECE_SIZE = 256 * 1024;

type PassedAnswer = Pick<ControllerAnswer, "status" | "json" | "data">;

/**
 * JSON with the controller's answer in it: JSON as the bytes that came, other text as one JSON
 * string. A large answer is encoded in pieces, with a turn of the event loop between two of them.
 */
export function encodePassedAnswer(answer: PassedAnswer, more: object): Buffer | AsyncGenerator<Buffer | string, void> {
	const { status, json } = answer;
	const begin = '{"success":true,"data":';
	const end = `,${JSON.stringify({ status_code: status, ...more }).slice(1)}`;
	const held = json ?? answer.data ?? null;
	const size = Buffer.isBuffer(held) || typeof held === "string" ? held.length : 0;
	if (size > PIECE_SIZE) return encodePieces(held as Buffer | string, begin, end);
	const data = Buffer.isBuffer(held) ? held : Buffer.from(JSON.stringify(held));
	return Buffer.concat([Buffer.from(begin), data, Buffer.from(end)]);
}

async function* encodePieces(held: Buffer | string, begin: string, end: string): AsyncGenerator<Buffer | string, void> {
	const isText = typeof held === "string";
	yield isText ? `${begin}"` : begin;
	for (let from = 0; from < held.length; ) {
		if (from > 0) await nextEventLoopTurn();
		const to = isText ? findTextEnd(held, from + PIECE_SIZE) : from + PIECE_SIZE;
		yield isText ? JSON.stringify(held.slice(from, to)).slice(1, -1) : held.subarray(from, to);
		from = to;
	}
	yield isText ? `"${end}` : end;
}

/** The end of a piece, moved behind a character of two code units. */
function findTextEnd(text: string, end: number): number {
	const last = text.charCodeAt(end - 1);
	return last >= 0xd800 && last <= 0xdbff ? end + 1 : end;
}
