/** An import as this process can vouch for it. */
import type { Context } from "../../../context.ts";
import { findVersionByRun, type VersionRow } from "../sql/versions.ts";
import type { RunRow } from "./sql/imports.ts";

/**
 * The import and its version. An import that is complete, but whose model this process does not
 * answer from yet, is shown as running: who reads that it is complete reads the new model next.
 */
export async function presentServed(
	ctx: Context,
	run: RunRow,
): Promise<{ readonly run: RunRow; readonly version: VersionRow | undefined }> {
	const version = await findVersionByRun(ctx.store.db, run.id);
	if (run.state !== "completed" || !version?.is_active || (await ctx.areas.model.loaded.serves(version.id)))
		return { run, version };
	return { run: { ...run, state: "running", phase: "finalizing", finished_at: null }, version };
}
