/** Reading the stored output of a job by offsets in UTF-16 code units. */
import type { AutomationOutput } from "@weft/contracts";
import type { Db } from "../../ports/store.ts";
import type { StreamRepo, StreamRow } from "./repo-streams.ts";

/** Read from the store at a time. */
const CHUNK_UNITS = 1_048_576;

export function createReading(streams: Pick<StreamRepo, "pieces">) {
	/** The text between two offsets. */
	async function text(db: Db, stream: StreamRow, from: number, to: number): Promise<string> {
		const end = Math.min(to, stream.length);
		if (from >= end) return "";
		const found = await streams.pieces(db, stream.execution_id, stream.job_id, from, end);
		return found
			.map(({ start, text: piece }) => piece.slice(Math.max(0, from - start), Math.min(piece.length, end - start)))
			.join("");
	}

	return {
		text,

		/** One answer: from an offset on, at most so much. Never cuts a character in two. */
		async page(
			db: Db,
			stream: StreamRow,
			offset: number,
			limit: number,
		): Promise<Pick<AutomationOutput, "stdout" | "next_offset">> {
			let stdout = await text(db, stream, offset, offset + limit);
			const last = stdout.charCodeAt(stdout.length - 1);
			if (stdout.length > 1 && last >= 0xd800 && last <= 0xdbff) stdout = stdout.slice(0, -1);
			return { stdout, next_offset: Math.min(offset, stream.length) + stdout.length };
		},

		/** All of it, piece by piece. */
		async *whole(db: Db, stream: StreamRow): AsyncGenerator<string, void> {
			for (let at = 0; at < stream.length; at += CHUNK_UNITS) {
				for (const piece of await streams.pieces(db, stream.execution_id, stream.job_id, at, at + CHUNK_UNITS)) {
					if (piece.start >= at) yield piece.text;
				}
			}
		},
	};
}
export type Reading = ReturnType<typeof createReading>;
