/** Tells whoever awaits a run that it has ended, in the transaction that ends it. */
import type { Events } from "../../platform/events.ts";
import type { Tx } from "../../ports/store.ts";
import type { JobRow } from "./repo.ts";

export async function tellEnd(
	events: Pick<Events, "emit">,
	tx: Tx,
	{ id, saved_query_id, awaited }: Pick<JobRow, "id" | "saved_query_id" | "awaited">,
): Promise<void> {
	if (awaited) await events.emit(tx, { type: "pipeline_job_finished", jobId: id, savedQueryId: saved_query_id });
}
