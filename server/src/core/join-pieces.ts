/** Joins the pieces of a large answer without holding the event loop. */
import { setImmediate as nextEventLoopTurn } from "node:timers/promises";

/** Bytes that are copied in one turn of the event loop. */
export const JOINED_SIZE = 4 * 1024 * 1024;

/** One buffer with the bytes of all pieces, in their order; a single piece as it is. */
export async function joinPieces(pieces: readonly Buffer[]): Promise<Buffer> {
	const [only] = pieces;
	if (only !== undefined && pieces.length === 1) return only;
	const joined = Buffer.allocUnsafeSlow(pieces.reduce((size, piece) => size + piece.length, 0));
	let at = 0;
	let copied = 0;
	for (const piece of pieces) {
		if (copied >= JOINED_SIZE) {
			await nextEventLoopTurn();
			copied = 0;
		}
		piece.copy(joined, at);
		at += piece.length;
		copied += piece.length;
	}
	return joined;
}
