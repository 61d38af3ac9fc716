/**
 * One execution over a WebSocket: its status, and its output from the beginning to the end, live
 * while it runs.
 */
import { automationExecutionChannel } from "@weft/contracts";
import { type Context, getNow } from "../../../context.ts";
import { isAllowed } from "../../../core/caller.ts";
import { buildForbiddenError, notFound, orForbidden } from "../../../core/errors.ts";
import type { BoundChannel, SourceFrame } from "../../../core/ws/hub.ts";
import { splitOutputText } from "./domain/output.ts";
import { findOwnOutput, getLength, readTextRange } from "./output.ts";
import { findExecutionRow } from "./repo.ts";
import { findVisibleExecution } from "./service.ts";
import { executionTopic } from "./topic.ts";
import { recordView } from "./views.ts";

/**
 * Code units of one frame, and of what one reading gives: a slow reader takes them at its own pace.
 */
const FRAME_UNITS = 65_536;
const READ_UNITS = 512 * 1024;

export function createChannel(ctx: Context): BoundChannel {
	return {
		contract: automationExecutionChannel,
		async open(identity, params) {
			const { execution_id: id } = params as { execution_id: string };
			// Unlike a request, a socket tells an execution of another user from one that does not exist.
			if ((await findExecutionRow(ctx.store.db, id)) === undefined) throw notFound();
			await findVisibleExecution(ctx, identity, id).catch(orForbidden);
			if (!isAllowed(identity, "view_automationexecution")) throw buildForbiddenError();
			let shown: string | null = null;
			let offset = 0;
			let more = false;
			return {
				topic: executionTopic(id),
				async next() {
					const row = await findExecutionRow(ctx.store.db, id);
					if (row === undefined) throw notFound();
					if (row.finished_at === null) await recordView(ctx, id);
					const timestamp = getNow(ctx);
					const frames: SourceFrame[] = [];
					const frame = (type: string, data: Record<string, unknown>) => frames.push({ type, timestamp, data });
					// If the execution is over, its output comes first, so that its end is the last frame.
					const over = row.finished_at !== null;
					if (shown === null || (!over && shown !== row.status)) {
						frame("status_changed", { from: shown, to: row.status });
						shown = row.status;
					}
					const output = await findOwnOutput(ctx.store.db, row);
					if (getLength(output) > offset) {
						const text = await readTextRange(ctx.store.db, output, offset, offset + READ_UNITS);
						for (const piece of splitOutputText(text, FRAME_UNITS)) {
							frame("stdout_chunk", { offset, text: piece });
							offset += piece.length;
						}
					}
					more = getLength(output) > offset;
					if (over && !more) {
						if (shown !== row.status) frame("status_changed", { from: shown, to: row.status });
						frame("execution_complete", { status: row.status, artifacts: row.artifacts ?? {} });
					}
					return frames;
				},
				more: () => more,
			};
		},
	};
}
