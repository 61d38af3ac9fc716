import { describe, expect, it } from "vitest";
import { encodePassedAnswer, PIECE_SIZE } from "./passed-answer.ts";

const more = { execution_time_ms: 5, connection: { id: "c", name: "Fabric" } };

/** The pieces of a large answer, and the turns of the event loop in which they were made. */
async function collectPieces(answer: { json: Buffer | null; text: Buffer | null }) {
	const encoded = encodePassedAnswer({ status: 200, data: answer.text?.toString(), ...answer }, more);
	if (Buffer.isBuffer(encoded)) return { pieces: [encoded], turns: new Set([0]) };
	let turn = 0;
	let isCounting = true;
	const count = () => {
		turn++;
		if (isCounting) setImmediate(count);
	};
	setImmediate(count);
	const pieces: Buffer[] = [];
	const turns = new Set<number>();
	for await (const piece of encoded) {
		pieces.push(Buffer.from(piece));
		turns.add(turn);
	}
	isCounting = false;
	return { pieces, turns };
}

describe("an answer that is passed through", () => {
	it.each([
		["an object", { json: Buffer.from('{"imdata":[]}'), text: null }, { imdata: [] }],
		["a text", { json: null, text: Buffer.from('<imdata totalCount="0"/>\n') }, '<imdata totalCount="0"/>\n'],
		["nothing", { json: null, text: null }, null],
	])("is one piece where it is %s of a few bytes", async (_, answer, data) => {
		const { pieces } = await collectPieces(answer);
		expect(pieces).toHaveLength(1);
		expect(JSON.parse(String(pieces[0]))).toEqual({ success: true, data, status_code: 200, ...more });
	});

	const rows = JSON.stringify({
		imdata: Array.from({ length: 20_000 }, (_, i) => ({ fvBD: { attributes: { dn: `é${i}` } } })),
	});
	const text = `${" ".repeat(PIECE_SIZE - 1)}😀"\n<a>\\${"\u0001é".repeat(PIECE_SIZE)}`;
	it.each([
		["JSON", { json: Buffer.from(rows), text: null }, JSON.parse(rows)],
		["text", { json: null, text: Buffer.from(text) }, text],
	])("of many bytes of %s is made piece by piece, a turn of the event loop for each", async (_, answer, data) => {
		const { pieces, turns } = await collectPieces(answer);
		const size = answer.json?.length ?? answer.text?.length ?? 0;
		expect(turns.size).toBeGreaterThanOrEqual(Math.floor(size / PIECE_SIZE));
		// A byte becomes at most six.
		for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(6 * PIECE_SIZE + 2);
		const expected = { success: true, data, status_code: 200, ...more };
		expect(JSON.parse(Buffer.concat(pieces).toString("utf8"))).toEqual(expected);
	});
});
