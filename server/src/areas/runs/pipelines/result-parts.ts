/** Which stored rows are the answer of a run. */
import type { Context } from "../../../context.ts";
import { buildConflictError, buildFieldError } from "../../../core/errors.ts";
import type { ResultPart } from "./run-results.ts";
import type { RunRow } from "./sql/runs.ts";
import { listStages } from "./sql/runs.ts";

/**
 * The stages whose rows are asked for; 409 while there is no complete answer, or none any more.
 */
export async function listResultParts(ctx: Context, job: RunRow, stage: number | undefined): Promise<ResultPart[]> {
	if (stage !== undefined && stage >= job.total_stages) {
		throw buildFieldError("stage", `The run has the stages 0 to ${job.total_stages - 1}.`);
	}
	if (job.status !== "completed") {
		throw buildConflictError(
			job.status === "pending" || job.status === "running"
				? "The run has not been completed yet."
				: `The run ${job.status === "failed" ? "failed" : "was cancelled"}: there is no complete result.`,
		);
	}
	if (job.results_purged_at !== null)
		throw buildConflictError("The rows of this run have been removed: their time was over.");
	const wanted = stage === undefined ? job.result_stages : [stage];
	const stages = await listStages(ctx.store.db, job.id);
	return wanted.map((index) => ({
		stage: index,
		rows: stages.find((row) => row.index === index)?.result_count ?? 0,
	}));
}
