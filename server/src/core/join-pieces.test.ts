import { describe, expect, it } from "vitest";
import { JOINED_SIZE, joinPieces } from "./join-pieces.ts";

describe("joining the pieces of an answer", () => {
	it.each([
		["no piece", []],
		["one piece", ["abc"]],
		["several pieces", ["abc", "", "de", "f"]],
	])("keeps the bytes of %s in their order", async (_, texts) => {
		const joined = await joinPieces(texts.map((text) => Buffer.from(text)));
		expect(joined.toString()).toBe(texts.join(""));
	});

	it("gives the event loop a turn after each part of a large answer", async () => {
		let turns = 0;
		let isJoining = true;
		const countTurn = () => {
			turns++;
			if (isJoining) setImmediate(countTurn);
		};
		setImmediate(countTurn);
		const pieces = Array.from({ length: 3 * 64 }, (_, index) => Buffer.alloc(JOINED_SIZE / 64, index));
		const joined = await joinPieces(pieces);
		isJoining = false;
		expect(turns).toBeGreaterThanOrEqual(2);
		expect(joined.equals(Buffer.concat(pieces))).toBe(true);
	});
});
