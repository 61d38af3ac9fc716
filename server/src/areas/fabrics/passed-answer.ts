/** The body of an answer that is passed through, encoded without holding the event loop. */
import { StringDecoder } from "node:string_decoder";
import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import type { ControllerAnswer } from "../../integrations/apic/port.ts";

/** Bytes of an answer that are encoded in one turn of the event loop. */
export const PIECE_SIZE = 256 * 1024;

type PassedAnswer = Pick<ControllerAnswer, "status" | "json" | "text" | "data">;

/**
 * JSON with the controller's answer in it: JSON as the bytes that came, other text as one JSON
 * string. A large answer is encoded in pieces, with a turn of the event loop between two of them.
 */
export function encodePassedAnswer(answer: PassedAnswer, more: object): Buffer | AsyncGenerator<Buffer | string, void> {
	const { status, json, text } = answer;
	const begin = '{"success":true,"data":';
	const end = `,${JSON.stringify({ status_code: status, ...more }).slice(1)}`;
	if (json !== null && json.length > PIECE_SIZE) return cutJson(json, begin, end);
	if (text !== null && text.length > PIECE_SIZE) return encodeText(text, `${begin}"`, `"${end}`);
	const data = json ?? Buffer.from(JSON.stringify(answer.data ?? null));
	return Buffer.concat([Buffer.from(begin), data, Buffer.from(end)]);
}

async function* cutJson(json: Buffer, begin: string, end: string): AsyncGenerator<Buffer | string, void> {
	yield begin;
	for (let from = 0; from < json.length; from += PIECE_SIZE) {
		if (from > 0) await nextEventLoopTurn();
		yield json.subarray(from, from + PIECE_SIZE);
	}
	yield end;
}

async function* encodeText(text: Buffer, begin: string, end: string): AsyncGenerator<string, void> {
	const decoder = new StringDecoder("utf8");
	const encode = (piece: string) => JSON.stringify(piece).slice(1, -1);
	yield begin;
	for (let from = 0; from < text.length; from += PIECE_SIZE) {
		if (from > 0) await nextEventLoopTurn();
		yield encode(decoder.write(text.subarray(from, from + PIECE_SIZE)));
	}
	yield encode(decoder.end());
	yield end;
}
