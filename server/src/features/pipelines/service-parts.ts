/** Which stored rows are the answer of a run. */
import { buildConflictError, invalidField } from "../../platform/errors.ts";
import type { Store } from "../../ports/store.ts";
import type { RunRow } from "./repo.ts";
import { listStages } from "./repo.ts";
import type { ResultPart } from "./service-results.ts";

export interface PartsDeps {
	readonly store: Pick<Store, "db">;
}

/**
 * The stages whose rows are asked for; 409 while there is no complete answer, or none any more.
 */
export type PartsOf = (job: RunRow, stage: number | undefined) => Promise<ResultPart[]>;

export function createParts({ store }: PartsDeps): PartsOf {
	return async function getParts(job: RunRow, stage: number | undefined): Promise<ResultPart[]> {
		if (stage !== undefined && stage >= job.total_stages) {
			throw invalidField("stage", `The run has the stages 0 to ${job.total_stages - 1}.`);
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
		const stages = await listStages(store.db, job.id);
		return wanted.map((index) => ({
			stage: index,
			rows: stages.find((row) => row.index === index)?.result_count ?? 0,
		}));
	};
}
