/** Emits the end of a run that a feature waits for, in the transaction that ends the run. */
import type { Events } from "../../platform/events.ts";
import type { Tx } from "../../ports/store.ts";
import type { RunRow } from "./repo.ts";

export async function emitEnd(
	events: Pick<Events, "emit">,
	tx: Tx,
	{ id, awaited }: Pick<RunRow, "id" | "awaited">,
): Promise<void> {
	if (awaited) await events.emit(tx, { type: "pipeline_job_finished", jobId: id });
}
