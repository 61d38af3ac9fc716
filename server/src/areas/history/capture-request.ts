/** Captures what a client sends: prepared, and stored in a transaction of its own. */
import type { CaptureAnswer } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Capturer } from "./captures.ts";
import { prepareAgain, prepareBody, releaseCapture } from "./prepare-capture.ts";
import { storeCapture } from "./store-capture.ts";

/** Captures from the body of a request, which holds fields and rows. 400, 403, 404. */
export async function captureBody(
	ctx: Context,
	capturer: Capturer,
	bytes: Uint8Array,
	signal: AbortSignal,
): Promise<CaptureAnswer> {
	const capture = await prepareBody(ctx, capturer, bytes, signal);
	try {
		for (;;) {
			const captured = await ctx.store.transaction((tx) => storeCapture(ctx, tx, capture));
			if (captured !== "stale") return captured.answer;
			await prepareAgain(ctx, capture);
		}
	} finally {
		await releaseCapture(ctx, capture);
	}
}
