/** The row with which each process shows that it runs. */
import { type Context, getNow, getTimeIn } from "../../context.ts";
import { type Repeating, repeatWork } from "../../core/repeating.ts";
import { deleteNode, saveNode } from "./sql.ts";

const REPORT_EVERY_MS = 30_000;
/** A process that reported nothing for so long is listed no longer, in milliseconds. */
const FORGET_AFTER_MS = 24 * 3_600_000;

/** Reports this process until it stops; its row then goes. */
export function reportNode(ctx: Context, id: string, startedAt: Date): Repeating {
	const { host, roles } = ctx.node;
	const row = { id, host, process_id: process.pid, version: ctx.version, roles: [...roles], started_at: startedAt };
	const reports = repeatWork(ctx, [
		{
			everyMs: REPORT_EVERY_MS,
			failure: "this process could not report that it runs",
			work: () => saveNode(ctx.store.db, { ...row, seen_at: getNow(ctx) }, getTimeIn(ctx, -FORGET_AFTER_MS)),
		},
	]);
	return {
		async stop() {
			await reports.stop();
			await deleteNode(ctx.store.db, id).catch((error: unknown) =>
				ctx.log.warn({ err: error }, "this process could not report its end"),
			);
		},
	};
}
