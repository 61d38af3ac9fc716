/** A request's body as bytes. It is put together while it comes: to join the pieces of 10 MB at its end would keep all other requests waiting. */
import type { IncomingMessage } from "node:http";
import { errorCodes, type FastifyRequest } from "fastify";
import { copyBytes } from "../copy.ts";
import { type BodyMemory, letGo } from "./body-memory.ts";

/** What is taken in a row: as much as has come would be 2 MB, and keep all other requests waiting. */
const TURN_BYTES = 256 * 1024;
/**
 * Until more is taken. Few networks are quicker than that, and who sends faster would otherwise keep this process and its cores busy until the end.
 */
const BETWEEN_TURNS_MS = 1;
/** Room that is made before anything has come, whatever length is promised. */
const FIRST_BYTES = 64 * 1024;

/** @throws 413 beyond the route's limit, without reading on; 400 where the client gives up */
export function readBody(
	request: FastifyRequest,
	payload: IncomingMessage,
	memory: Pick<BodyMemory, "take" | "give">,
): Promise<Buffer> {
	const limit = request.routeOptions.bodyLimit as number;
	const { "content-length": header } = request.headers;
	const promised = header === undefined ? null : Number(header);
	return new Promise((resolve, reject) => {
		if (promised !== null && promised > limit) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
		let body: Buffer = Buffer.allocUnsafeSlow(Math.min(promised ?? FIRST_BYTES, FIRST_BYTES));
		let used = 0;
		let turn = 0;

		function onData(piece: Buffer): void {
			const end = used + piece.length;
			if (end > limit) {
				settle();
				memory.give(body);
				reject(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
				return;
			}
			if (end > body.length) {
				const larger = memory.take(Math.max(promised ?? body.length * 2, end));
				copyBytes(body.subarray(0, used), larger, 0);
				memory.give(body);
				body = larger;
			}
			copyBytes(piece, body, used);
			turn += end - used;
			used = end;
			letGo(piece);
			if (turn < TURN_BYTES) return;
			turn = 0;
			payload.pause();
			setTimeout(() => payload.resume(), BETWEEN_TURNS_MS);
		}
		function onEnd(): void {
			settle();
			resolve(body.subarray(0, used));
		}
		function onError(error: Error): void {
			settle();
			memory.give(body);
			reject(Object.assign(error, { statusCode: 400 }));
		}
		function settle(): void {
			payload.off("data", onData).off("end", onEnd).off("error", onError);
		}
		payload.on("data", onData).on("end", onEnd).on("error", onError);
	});
}
