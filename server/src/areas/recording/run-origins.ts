/** The outcome of an ended run at its origin: the part of the service that started it. */
import type { Context } from "../../context.ts";
import type { Tx } from "../../core/ports/store.ts";
import { CHECK } from "../checks/evaluate-check.ts";
import type { SnapshotOutcome } from "../history/index.ts";
import type { EndNote } from "../runs/background/ended-run.ts";
import { BACKGROUND } from "../runs/background/start-background-runs.ts";
import { GROUP } from "../runs/groups/manage-group-runs.ts";
import { endScheduledRun, SCHEDULE } from "../schedules/end-scheduled-run.ts";
import { endWindowCapture } from "../windows/end-capture.ts";
import { CHANGE_WINDOW } from "../windows/start-round.ts";
import type { RunEnd } from "./run-end.ts";

/** The origin of runs around automation jobs that an earlier version started. */
const JOB = "automation";

export const getExecutionType = ({ row }: RunEnd): "manual" | "scheduled" =>
	row.origin === SCHEDULE ? "scheduled" : "manual";

/**
 * Writes the origin's outcome. A group execution derives its outcome from its runs, see
 * `endMemberRun`.
 * @returns the audit entry; null if the origin has an outcome already
 */
export async function endOrigin(
	ctx: Context,
	tx: Tx,
	{ row, run }: RunEnd,
	snapshot: SnapshotOutcome,
): Promise<EndNote | null> {
	const { query, connection, originId } = run;
	switch (row.origin) {
		case BACKGROUND:
			return { description: `Ran the query ${query.name}` };
		case CHECK:
			return { description: `Ran the query ${query.name} for a check`, metadata: { check: originId } };
		case GROUP:
			return {
				description: `Ran the query ${query.name} on ${connection.name}, one of several connections`,
				metadata: { group_execution_id: originId },
			};
		case SCHEDULE:
			return endScheduledRun(ctx, tx, run, snapshot);
		case JOB:
			return { description: `Ran the query ${query.name} for the state around an automation job` };
		case CHANGE_WINDOW:
			return endWindowCapture(ctx, tx, run, snapshot);
		default:
			throw new Error(`The run ${run.jobId} has the unknown origin "${row.origin}".`);
	}
}
