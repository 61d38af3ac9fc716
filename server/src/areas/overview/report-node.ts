/** Reports this process: each process has a row that it renews while it runs. */
import { type Context, getNow, getTimeIn } from "../../context.ts";
import { type Repeating, repeatWork } from "../../core/repeating.ts";
import { deleteNode, saveNode } from "./sql.ts";

const REPORT_EVERY_MS = 30_000;
/** Milliseconds without a report after which the row of a process is deleted. */
const FORGET_AFTER_MS = 24 * 3_600_000;

/** The id and the start of this process. */
export interface NodeStart {
	readonly id: string;
	readonly startedAt: Date;
}

/** Reports this process until it stops, then deletes its row. */
export function reportNode(ctx: Context, { id, startedAt }: NodeStart): Repeating {
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
