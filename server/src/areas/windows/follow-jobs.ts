/**
 * The step of a change window that follows the end of a job. It is taken after the transaction that
 * ends the job, which has locked the execution: windows are locked before executions.
 */
import { type Context, getNow } from "../../context.ts";
import { isEndedAfter, listWindowJobs, type WindowJob } from "../automation/jobs/sql/held-launches.ts";
import { moveWindow, SERVICE_ACTOR, type WindowMove } from "./move-window.ts";
import { listIdleWindows, lockWindowRow, type WindowRow } from "./sql/windows.ts";
import { buildFinish } from "./step-window.ts";

/** Windows that one sweep looks at. */
const BATCH = 50;

/** Safe to call any number of times, and concurrently. */
export const followWindowJobs = (ctx: Context, windowId: string): Promise<void> =>
	ctx.store.transaction(async (tx) => {
		const window = await lockWindowRow(tx, windowId);
		if (window === undefined) return;
		const jobs = await listWindowJobs(tx.db, windowId);
		if (jobs.length === 0 || jobs.some(({ finished_at }) => finished_at === null)) return;
		const move = findMove(ctx, window, jobs);
		if (move !== null) await moveWindow(ctx, tx, window, SERVICE_ACTOR, move);
	});

function findMove(ctx: Context, window: WindowRow, jobs: readonly WindowJob[]): WindowMove | null {
	switch (window.state) {
		case "checking_before":
		case "blocked":
			// Of a window that a request made nothing is left to be done.
			if (!window.auto_finish || !jobs.every(({ is_own }) => is_own)) return null;
			return {
				event: "cancel",
				to: "cancelled",
				values: { round_at: null },
				detail: "Its job was cancelled before it was launched.",
				verb: "cancelled",
			};
		case "open":
			if (!window.auto_finish) return null;
			return {
				event: "finish",
				to: "settling",
				values: buildFinish(ctx, window, false),
				detail: "Its last job has ended.",
				verb: "finished",
			};
		case "settling":
		case "judged":
			return isEndedLater(window, jobs) ? buildAnotherPhase(ctx, window) : null;
		default:
			return null;
	}
}

/** Whether a job changed the fabric after the work was said to have ended. */
const isEndedLater = ({ finished_at: finished }: WindowRow, jobs: readonly WindowJob[]): boolean =>
	finished !== null && jobs.some((job) => isEndedAfter(job, finished));

/** The rounds after the work begin anew: those that were taken saw the job at work. */
const buildAnotherPhase = (ctx: Context, window: WindowRow): WindowMove => ({
	event: window.state === "judged" ? "recheck" : "finish",
	to: "settling",
	values: buildFinish(ctx, window, false),
	detail: `A job ended at ${getNow(ctx).toISOString()}, after the end of the work.`,
	verb: "checked again",
});

/** Takes the step of windows whose jobs have all ended, if the queue task was lost. */
export async function followIdleWindows(ctx: Context): Promise<void> {
	for (const id of await listIdleWindows(ctx.store.db, BATCH)) await followWindowJobs(ctx, id);
}
